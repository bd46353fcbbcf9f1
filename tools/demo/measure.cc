#include "tools/demo/measure.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"
#include "tools/demo/clock.h"
#include "tools/measure/any_filter.h"

namespace linefilter::demo {
namespace {

bool Fail(const std::string& where, const char* what) {
  fprintf(stderr, "linefilter_demo: %s: %s\n", where.c_str(), what);
  return false;
}

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

// Filled one by one, a mutable filter has the same body.
bool BodyIs(const Filter& filter, const std::string& image) {
  return filter.body_bytes() < image.size() && memcmp(filter.body(), image.data(), filter.body_bytes()) == 0;
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

bool MakeRows(Layout layout, double bits_per_key, const std::string& path, const Keys& keys, std::vector<Row>* rows) {
  const uint64_t n = keys.member_hashes.size();
  std::string first_image;
  const TargetList targets = SupportedTargets();
  for (size_t t = 0; t < targets.size; ++t) {
    Row row{};
    row.layout = layout;
    row.wanted_bits_per_key = bits_per_key;
    row.path = path;
    row.forced_target = targets.names[t];
    // Filters keep the target that was chosen when they were made or opened.
    std::string image;
    Status status = ForceTarget(row.forced_target);
    if (status.ok()) status = BuildImage(layout, bits_per_key, keys.member_hashes, &image);
    if (status.ok() && t == 0) status = WriteFile(path, image);
    row.file = std::make_shared<FilterFile>();
    if (status.ok()) status = row.file->Map(path.c_str());
    if (status.ok()) status = row.file->view().Verify();
    if (status.ok()) row.filter = tools::CreateMutable(layout, n, OptionsOf(layout, bits_per_key), &status);
    if (!status.ok()) return Fail(path, status.message());
    const FilterView& view = row.file->view();
    row.target = view.target();
    // `classic` is scalar on purpose: every target leads to the same code, so one row tells all.
    if (t > 0 && row.target == rows->back().target) break;
    if (row.filter != nullptr) row.filter->InsertHashes(keys.member_hashes.data(), n);
    if (t == 0) first_image = image;
    if (image != first_image || (row.filter != nullptr && !BodyIs(*row.filter, image))) {
      return Fail(
          path,
          (row.target + " makes other bytes than " + targets.names[0] + ": this is a bug, please report it").c_str());
    }
    row.bits_per_key = 8 * static_cast<double>(view.body_bytes()) / static_cast<double>(n);
    row.expected_fpr = ExpectedFpr(layout, n, view.body_bytes(), view.num_probes());
    rows->push_back(row);
  }
  return ForceTarget(nullptr).ok();
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
  if (ForceTarget(row->forced_target).ok()) {
    std::string image;
    image.reserve(view.image_bytes());
    row->build.samples.push_back(NsPerKey(
        members.size(), [&] { sink = BuildImage(row->layout, row->wanted_bits_per_key, members, &image).ok(); }));
  }
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
