// linefilter build --grow takes keys of a stream whose length nobody knows. Its memory is the image alone.
#include "linefilter/scalable.h"
#include "tools/program/build.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/output.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

// The first stage is made for so many keys: 5 KiB at 1 %. Smaller sets are better built without --grow.
constexpr uint64_t kFirstCapacity = 4096;

}  // namespace

int RunGrow(const Build& build) {
  ScalableFilter filter;
  GrowthOptions growth;
  growth.max_growth = build.max_growth;
  const Status created = filter.Create(kFirstCapacity, build.options, growth);
  if (!created.ok()) return Fail("build: %s", created.message());
  uint64_t keys_read = 0;
  const Status read = ReadHashes(build, &keys_read, [&](const uint64_t* hashes, size_t n) {
    filter.InsertHashes(hashes, n);
    return true;
  });
  if (!read.ok()) return Fail("%s", read.message());
  Image made;
  const Status status = WriteImage(
      build.out, "writing", filter.ImageBytes(), build.secret.OrNull(),
      [&filter](const Sink& sink) { return filter.WriteImage(sink); }, &made);
  if (!status.ok()) return Fail("build: %s: %s", build.out.c_str(), status.message());

  const uint64_t num_keys = filter.num_keys();
  Report report;
  report.Text("image", build.out);
  report.Text("layout", LayoutName(filter.layout()));
  report.Count("keys_read", keys_read);
  report.Count("num_keys", num_keys);
  report.Count("num_stages", filter.num_stages());
  report.Real("bits_per_key",
              num_keys == 0 ? 0 : 8.0 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys));
  report.Count("body_bytes", filter.body_bytes());
  report.Count("image_bytes", filter.ImageBytes());
  ReportHash(filter.hash_id(), filter.seed(), &report);
  report.Rate("expected_fpr", filter.ExpectedFpr());
  const Status grown = filter.growth_status();
  if (!grown.ok()) report.Text("growth", grown.message());
  report.Print(build.json, ReportStream(build.out));
  return grown.ok() ? kExitGood : kExitNegative;
}

}  // namespace linefilter::tools
