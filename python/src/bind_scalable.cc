// Scalable, for Python.
#include <memory>
#include <vector>

#include "python/src/bind_locked.h"
#include "python/src/scalable.h"

namespace linefilter::python {
namespace {

std::unique_ptr<Scalable> Create(uint64_t first_capacity, const FilterOptions& options, uint64_t max_growth) {
  auto filter = std::make_unique<Scalable>();
  GrowthOptions growth;
  growth.max_growth = max_growth;
  CheckWithoutGil([&] { return filter->own().Create(first_capacity, options, growth); });
  return filter;
}

std::unique_ptr<Scalable> Copy(const Scalable& from) {
  const uint64_t limit = from.UseBriefly([](const ScalableFilter& filter) { return filter.memory_limit(); });
  return CopyTo(std::make_unique<Scalable>(), from, limit);
}

// (capacity, num_keys, num_blocks, num_probes, fpr) of each, the oldest first.
py::list Stages(const Scalable& filter) {
  std::vector<StageFacts> facts;
  filter.UseBriefly([&](const ScalableFilter& of) {
    for (uint32_t i = 0; i < of.num_stages(); ++i) facts.push_back(of.stage(i));
    return 0;
  });
  py::list stages;
  for (const StageFacts& stage : facts) {
    stages.append(py::make_tuple(stage.capacity, stage.num_keys, stage.num_blocks, stage.num_probes, stage.fpr));
  }
  return stages;
}

// A member function of ScalableFilter that tells a number.
template <class Tell>
auto Telling(Tell tell) {
  return [tell](const Scalable& filter) { return filter.UseBriefly(tell); };
}

}  // namespace

void BindScalable(py::module_& module) {
  py::class_<Scalable, Core> bound(module, "Scalable", py::module_local());
  BindLocked<Scalable>(bound);
  bound.def_static("create", &Create)
      .def_static("from_image", &NewFromImage<Scalable>)
      .def("check_growth",
           [](const Scalable& filter) {
             Check(filter.UseBriefly([](const ScalableFilter& of) { return of.growth_status(); }));
           })
      .def("copy", &Copy)
      .def("stages", &Stages)
      .def("fpr", Telling([](const ScalableFilter& of) { return of.fpr(); }))
      .def("max_growth", Telling([](const ScalableFilter& of) { return of.growth().max_growth; }))
      .def("memory_limit", Telling([](const ScalableFilter& of) { return of.memory_limit(); }))
      .def("num_keys", Telling([](const ScalableFilter& of) { return of.num_keys(); }));
}

}  // namespace linefilter::python
