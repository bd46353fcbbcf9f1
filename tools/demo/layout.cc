// Filters of this library: built, saved, mapped and then looked up in the file.
#include <utility>

#include "linefilter/builder.h"
#include "linefilter/file.h"
#include "linefilter/sizing.h"
#include "tools/demo/contender.h"

namespace linefilter::demo {
namespace {

class LayoutContender : public Contender {
 public:
  LayoutContender(Layout layout, double bits_per_key, std::string path) : path_(std::move(path)) {
    options_.layout = layout;
    options_.bits_per_key = bits_per_key;
  }
  std::string name() const override { return std::string("linefilter ") + LayoutName(options_.layout); }
  double wanted_bits_per_key() const override { return options_.bits_per_key; }

  std::string Build(const Words& words) override {
    image_.clear();  // Finish appends
    FilterBuilder builder(options_);
    for (const std::string_view word : words) builder.AddKey(word);
    const Status status = builder.Finish(&image_);
    num_keys_ = words.size();
    return status.ok() ? "" : status.message();
  }
  std::string Finish() override {
    AtomicFile file;
    Status status = file.Create(path_.c_str());
    if (status.ok()) status = file.Append(image_.data(), image_.size());
    if (status.ok()) status = file.Commit();
    if (status.ok()) status = file_.Map(path_.c_str());
    if (status.ok()) status = file_.view().Verify();
    return status.ok() ? "" : path_ + ": " + status.message();
  }
  uint64_t bytes() const override { return image_.size(); }
  double expected_fpr() const override {
    const FilterView& view = file_.view();
    return ExpectedFpr(options_.layout, num_keys_, view.body_bytes(), view.num_probes());
  }
  uint64_t CountMaybes(const Words& words) const override {
    uint64_t maybes = 0;
    for (const std::string_view word : words) maybes += file_.view().MayContainKey(word);
    return maybes;
  }
  bool MayContain(std::string_view word) const override { return file_.view().MayContainKey(word); }
  bool Batch(const Words& words, uint8_t* answers) const override {
    file_.view().MayContainKeys(words.data(), words.size(), answers);
    return true;
  }

 private:
  const std::string path_;
  FilterOptions options_;
  std::string image_;
  FilterFile file_;
  uint64_t num_keys_ = 0;
};

}  // namespace

std::unique_ptr<Contender> OfLayout(Layout layout, double bits_per_key, const std::string& path) {
  return std::make_unique<LayoutContender>(layout, bits_per_key, path);
}

}  // namespace linefilter::demo
