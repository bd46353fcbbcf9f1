#include "tools/demo/measure.h"

#include <algorithm>
#include <cstdio>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tools/demo/clock.h"
#include "tools/measure/any_filter.h"

namespace linefilter::demo {
namespace {

FilterOptions OptionsOf(Layout layout, double bits_per_key) {
  FilterOptions options;
  options.layout = layout;
  options.bits_per_key = bits_per_key;
  return options;
}

Status BuildImage(Layout layout, double bits_per_key, const std::vector<uint64_t>& hashes, std::string* image) {
  FilterBuilder builder(OptionsOf(layout, bits_per_key));
  builder.AddHashes(hashes.data(), hashes.size());
  return builder.Finish(image);
}

Status WriteFile(const std::string& path, const std::string& image) {
  AtomicFile file;
  Status status = file.Create(path.c_str());
  if (status.ok()) status = file.Append(image.data(), image.size());
  return status.ok() ? file.Commit() : status;
}

// Nanoseconds per key of work(), which handles n keys.
template <class Work>
double NsPerKey(size_t n, Work work) {
  const double start = NowNs();
  work();
  return (NowNs() - start) / static_cast<double>(std::max<size_t>(n, 1));
}

// Keeps a result alive, so that the work for it is done.
volatile uint64_t sink;

}  // namespace

double Timing::Median() const {
  if (samples.empty()) return 0;
  std::vector<double> sorted = samples;
  double* const middle = sorted.data() + sorted.size() / 2;
  std::nth_element(sorted.data(), middle, sorted.data() + sorted.size());
  return *middle;
}

bool MakeRow(Layout layout, double bits_per_key, const std::string& path, const Keys& keys, Row* row) {
  const uint64_t n = keys.member_hashes.size();
  row->layout = layout;
  row->wanted_bits_per_key = bits_per_key;
  row->file = std::make_unique<FilterFile>();
  std::string image;
  Status status = BuildImage(layout, bits_per_key, keys.member_hashes, &image);
  if (status.ok()) status = WriteFile(path, image);
  if (status.ok()) status = row->file->Map(path.c_str());
  if (status.ok()) status = row->file->view().Verify();
  if (status.ok()) row->filter = tools::CreateMutable(layout, n, OptionsOf(layout, bits_per_key), &status);
  if (!status.ok()) {
    fprintf(stderr, "linefilter_demo: %s: %s\n", path.c_str(), status.message());
    return false;
  }
  const FilterView& view = row->file->view();
  row->bits_per_key = 8 * static_cast<double>(view.body_bytes()) / static_cast<double>(n);
  row->expected_fpr = ExpectedFpr(layout, n, view.body_bytes(), view.num_probes());
  return true;
}

void CheckAnswers(const Keys& keys, Row* row) {
  const FilterView& view = row->file->view();
  row->false_negatives =
      keys.member_hashes.size() - view.CountMaybes(keys.member_hashes.data(), keys.member_hashes.size());
  const size_t n = keys.asked.words.size();
  std::vector<uint8_t> answers(n);
  view.MayContainKeys(keys.asked.words.data(), n, answers.data());
  for (size_t i = 0; i < n; ++i) {
    row->false_negatives += keys.asked.is_member[i] != 0 && answers[i] == 0;
    row->false_positives += keys.asked.is_member[i] == 0 && answers[i] != 0;
  }
}

void TimeOnce(const Keys& keys, Row* row) {
  const std::vector<uint64_t>&members = keys.member_hashes, &asked = keys.asked_hashes;
  const FilterView& view = row->file->view();
  std::vector<uint8_t> answers(asked.size());

  if (Filter* const filter = row->filter.get()) {
    filter->Clear();
    row->insert.samples.push_back(NsPerKey(members.size(), [&] {
      for (const uint64_t hash : members) filter->InsertHash(hash);
    }));
    filter->Clear();
    row->insert_batch.samples.push_back(
        NsPerKey(members.size(), [&] { filter->InsertHashes(members.data(), members.size()); }));
  }
  std::string image;
  image.reserve(view.image_bytes());
  row->build.samples.push_back(NsPerKey(
      members.size(), [&] { sink = BuildImage(row->layout, row->wanted_bits_per_key, members, &image).ok(); }));
  row->lookup.samples.push_back(NsPerKey(asked.size(), [&] {
    uint64_t maybes = 0;
    for (const uint64_t hash : asked) maybes += view.MayContainHash(hash);
    sink = maybes;
  }));
  row->lookup_batch.samples.push_back(
      NsPerKey(asked.size(), [&] { view.MayContainHashes(asked.data(), asked.size(), answers.data()); }));
  row->key_batch.samples.push_back(NsPerKey(
      asked.size(), [&] { view.MayContainKeys(keys.asked.words.data(), keys.asked.words.size(), answers.data()); }));
}

}  // namespace linefilter::demo
