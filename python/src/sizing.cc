// How large for which false-positive rate.
#include "linefilter/sizing.h"

#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

py::tuple Plan(const FilterOptions& options, uint64_t num_keys) {
  Sizing sizing;
  Check(SizeForOptions(num_keys, options, &sizing));
  return py::make_tuple(LayoutName(sizing.layout), sizing.num_probes, sizing.num_keys, sizing.body_bytes,
                        sizing.bits_per_key, sizing.expected_fpr);
}

// The library answers 0 for what no filter has; here that is rounded down, or an error.
uint64_t MaxKeys(const py::object& name, uint64_t body_bytes, double fpr) {
  const Layout layout = LayoutOf(name);
  if (layout == Layout::kAuto) {
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "layout auto is chosen by the number of keys, which is asked here: say %s",
                        LayoutChoices("").c_str()));
  }
  Sizing of_one;
  Check(SizeForFpr(layout, 1, fpr, &of_one));
  const uint64_t block_bytes = FactsOf(layout).block_bytes, unit = block_bytes == 0 ? 1 : block_bytes;
  const uint64_t body = body_bytes / unit * unit;
  if (body != 0 && ExpectedFpr(layout, 1, body, of_one.num_probes) >= 1) {
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "%llu bytes are more than layout %s can address: shard the keys over several filters",
                        static_cast<unsigned long long>(body_bytes), LayoutName(layout)));
  }
  return MaxKeysForFpr(layout, body, fpr);
}

}  // namespace

void BindSizing(py::module_& module) {
  module.def("plan", &Plan);
  module.def("max_keys_for_fpr", &MaxKeys);
}

}  // namespace linefilter::python
