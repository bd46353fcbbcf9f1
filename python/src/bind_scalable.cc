// A ScalableFilter, for Python.
#include <memory>
#include <vector>

#include "linefilter/scalable.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

using LockedScalable = Locked<ScalableFilter>;

std::unique_ptr<LockedScalable> Create(uint64_t first_capacity, const FilterOptions& options, uint64_t max_growth) {
  GrowthOptions growth;
  growth.max_growth = max_growth;
  return Made<LockedScalable>([&](ScalableFilter& own) { return own.Create(first_capacity, options, growth); });
}

std::vector<StageFacts> FactsOfStages(const ScalableFilter& filter) {
  std::vector<StageFacts> facts;
  for (uint32_t i = 0; i < filter.num_stages(); ++i) facts.push_back(filter.stage(i));
  return facts;
}

// (capacity, num_keys, num_blocks, num_probes, fpr) of each, the oldest first.
py::list Stages(const LockedScalable& core) {
  py::list stages;
  for (const StageFacts& stage : Telling<LockedScalable>(FactsOfStages)(core)) {
    stages.append(py::make_tuple(stage.capacity, stage.num_keys, stage.num_blocks, stage.num_probes, stage.fpr));
  }
  return stages;
}

}  // namespace

void BindScalable(py::module_& module) {
  const auto memory_limit = Telling<LockedScalable>(&ScalableFilter::memory_limit);
  py::class_<LockedScalable, KeyCore>(module, "Scalable", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage<LockedScalable>)
      .def("copy", &CopyOf<ScalableFilter>)
      .def("check_growth",
           [](const LockedScalable& core) { Check(Telling<LockedScalable>(&ScalableFilter::growth_status)(core)); })
      .def("stages", &Stages)
      .def("fpr", Telling<LockedScalable>(&ScalableFilter::fpr))
      .def("max_growth",
           Telling<LockedScalable>([](const ScalableFilter& filter) { return filter.growth().max_growth; }))
      .def("memory_limit", memory_limit)
      .def("num_keys", Telling<LockedScalable>(&ScalableFilter::num_keys))
      .def("clear",
           [](LockedScalable& core) { core.Do([](ScalableFilter& filter) { return filter.Clear(), Status(); }); });
}

}  // namespace linefilter::python
