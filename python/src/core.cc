// Lookups, and what a filter tells of itself.
#include "python/src/core.h"

#include <cmath>
#include <vector>

#include "python/src/bind_keys.h"

namespace linefilter::python {
namespace {

py::list CountLevels(const Core& core) {
  std::vector<uint64_t> counts(FilterBase::kMaxLevels);
  counts.resize(core.Read([&](const FilterBase& filter) { return filter.CountLevels(counts.data()); }));
  py::list list;
  for (const uint64_t count : counts) list.append(count);
  return list;
}

}  // namespace

void BindCore(py::module_& module) {
  py::class_<Core> bound(module, "Core", py::module_local());
  BindQuestions<Core>(bound);
  bound.def("layout", [](const Core& core) { return LayoutName(core.filter().layout()); })
      .def("hash_id", [](const Core& core) { return HashIdName(core.filter().hash_id()); })
      .def("seed", [](const Core& core) { return core.filter().seed(); })
      .def("num_probes", [](const Core& core) { return core.filter().num_probes(); })
      .def("num_blocks",
           [](const Core& core) { return core.ReadBriefly([](const FilterBase& f) { return f.num_blocks(); }); })
      .def("body_bytes",
           [](const Core& core) { return core.ReadBriefly([](const FilterBase& f) { return f.body_bytes(); }); })
      .def("target", [](const Core& core) { return core.filter().target(); })
      .def("fill_ratio", [](const Core& core) { return core.Read([](const FilterBase& f) { return f.FillRatio(); }); })
      .def("estimated_keys",
           [](const Core& core) { return core.Read([](const FilterBase& f) { return f.EstimatedKeys(); }); })
      .def("expected_fpr",
           [](const Core& core) { return core.Read([](const FilterBase& f) { return f.ExpectedFpr(); }); })
      .def("count_levels", &CountLevels);
}

}  // namespace linefilter::python
