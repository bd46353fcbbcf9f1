// images.txt as it is written: records of images, with what the reference reads and answers; and filters of the
// reference, with and without keys, for whoever makes records.
#ifndef LINEFILTER_TESTS_CONFORMANCE_IMAGES_FILE_H_
#define LINEFILTER_TESTS_CONFORMANCE_IMAGES_FILE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/vectors.h"
#include "tests/reference/reference.h"

namespace linefilter::test {

using reference::Bytes;
using reference::Extension;
using reference::Filter;
using reference::kBlocked;
using reference::kClassic;
using reference::kFlagChunks;
using reference::kFlagExtensions;
using reference::kFlagNumKeys;
using reference::kFlagSeed;
using reference::kQuotient;
using reference::kRetrieval;
using reference::kSplitBlock;

inline constexpr char kHead[] =
    "# Made by the reference implementation; README.md explains the lines. To make it anew:\n"
    "#   LINEFILTER_WRITE_CONFORMANCE=tests/conformance conformance_test --gtest_filter=Conformance.Write\n";

inline std::string LayoutWord(int layout) { return reference::kLayoutNames[layout]; }
std::string Hex64(uint64_t value);
std::string HexBytes(std::string_view bytes);
inline Bytes AsBytes(const std::string& bytes) { return Bytes(bytes.begin(), bytes.end()); }

// The first n keys of a kind; of `hash` those of `text`, hashed with seed 0.
std::vector<Question> FirstKeys(const std::string& kind, const std::string& prefix, uint64_t n);

// How many questions of each kind a record has.
struct Asked {
  uint64_t keys = 20, probes = 100, integers = 3;
  bool special = true;          // hashes and integers at the ends, keys of all classes of length
  uint64_t hashes_of_keys = 0;  // asked as hashes
};
constexpr Asked kFew = {2, 2, 1, false, 0};

class ImagesFile {
 public:
  explicit ImagesFile(const std::string& head) { text_ << head; }
  std::string text() const { return text_.str(); }

  void Section(const std::string& title) { text_ << "\n# ==== " << title << " ====\n"; }

  // From here on each image is opened with this secret of 16 bytes; "": without one.
  void OpenWith(const std::string& secret) { secret_ = secret; }

  const std::string& bytes(const std::string& name) const { return images_.at(name); }

  // A record of the bytes that these lines make.
  void Steps(const std::string& name, const std::vector<std::string>& steps, const Asked& asked,
             const std::vector<Question>& added = {}, bool damage_every = false);

  // The same of any bytes; the first `filled` of them are FillBytes(filled, seed).
  void Image(const std::string& name, const Bytes& image, const Asked& asked, size_t filled = 0, uint64_t seed = 0,
             const std::vector<Question>& added = {}, bool damage_every = false);

  // A filter of these keys, in a body of the size of filter.body.
  void OfKeys(const std::string& name, Filter filter, const std::vector<Question>& keys, const Asked& asked,
              bool damage_every = false);

  // A filter whose body, of the size of filter.body, is FillBytes: as legal as any other.
  void OfFilledBody(const std::string& name, Filter filter, uint64_t fill_seed, const Asked& asked);

 private:
  void Fields(const Bytes& image, const Filter& filter);
  void Keys(const std::string& word, const std::vector<Question>& keys);
  bool Answer(const Filter& filter, bool reads, const Question& question) const;

  std::ostringstream text_;
  std::map<std::string, std::string> images_;  // by name
  std::string secret_;
};

inline Filter Empty(int layout, int num_probes, size_t body_bytes) {
  Filter filter;
  filter.layout = layout;
  filter.num_probes = reference::LayoutAccepts(layout, 0, 0) ? 0 : num_probes;  // there may be none to choose
  filter.body.assign(body_bytes, 0);
  return filter;
}

inline Filter WithNumKeys(Filter filter, uint64_t num_keys) {
  filter.has_num_keys = true;
  filter.num_keys = num_keys;
  return filter;
}

inline Filter WithExtensions(Filter filter, const std::vector<Extension>& extensions) {
  filter.has_extensions = true;
  filter.extensions = extensions;
  return filter;
}

// Stages of these many blocks, each full: keys key-0 ... go to the oldest first, `per_block` for each block.
Filter ContainerOf(const std::vector<size_t>& num_blocks, uint64_t per_block, bool is_counted);

// The records of images that no reader may take (make_unfit.cc), of keyed ones (make_keyed.cc), of hash id 3 and of
// `split_block` (make_parquet.cc), that tell key forms (make_columns.cc), and of `quotient` (make_quotient.cc).
void UnfitImages(ImagesFile* file);
void KeyedImages(ImagesFile* file);
void ParquetImages(ImagesFile* file);
void KeyFormsImages(ImagesFile* file);
void QuotientImages(ImagesFile* file);

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_CONFORMANCE_IMAGES_FILE_H_
