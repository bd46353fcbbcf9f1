// How large for which false-positive rate.
#include "linefilter/sizing.h"

#include <string>

#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

py::tuple AsTuple(const Sizing& sizing) {
  return py::make_tuple(LayoutName(sizing.layout), sizing.num_probes, sizing.num_keys, sizing.body_bytes,
                        sizing.bits_per_key, sizing.expected_fpr);
}

py::tuple ForBitsPerKey(const std::string& layout, uint64_t num_keys, double bits_per_key) {
  Sizing sizing;
  Check(SizeForBitsPerKey(LayoutOf(layout), num_keys, bits_per_key, &sizing));
  return AsTuple(sizing);
}

py::tuple ForFpr(const std::string& layout, uint64_t num_keys, double fpr) {
  Sizing sizing;
  Check(SizeForFpr(LayoutOf(layout), num_keys, fpr, &sizing));
  return AsTuple(sizing);
}

}  // namespace

void BindSizing(py::module_& module) {
  module.def("size_for_bits_per_key", &ForBitsPerKey);
  module.def("size_for_fpr", &ForFpr);
  module.def("max_keys_for_fpr", [](const std::string& layout, uint64_t body_bytes, double fpr) {
    return MaxKeysForFpr(LayoutOf(layout), body_bytes, fpr);
  });
}

}  // namespace linefilter::python
