// A Filter of the library, for Python: of any layout that takes keys.
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "linefilter/filter.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

using LockedFilter = Locked<Filter>;

std::unique_ptr<LockedFilter> Create(uint64_t num_keys, const FilterOptions& options) {
  return Made<LockedFilter>([&](Filter& filter) { return filter.Create(num_keys, options); });
}

std::unique_ptr<LockedFilter> OfLayout(const py::object& layout, const py::object& image, const py::object& secret,
                                       uint64_t memory_limit) {
  FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  options.layout = LayoutOf(layout);
  const Buffer bytes(image);
  return Made<LockedFilter>(
      [&](Filter& filter) { return filter.CreateFromImage(bytes.data(), bytes.size(), options); });
}

void Union(LockedFilter& core, const LockedFilter& other, double max_fpr) {
  if (&core == &other) {  // one lock
    core.Do([&](Filter& filter) { return filter.Union(filter, {max_fpr}); });
    return;
  }
  CheckWithoutGil([&] {
    std::unique_lock mine(core.mutex(), std::defer_lock);
    std::shared_lock theirs(other.mutex(), std::defer_lock);
    std::lock(mine, theirs);
    return core.own().Union(other.filter(), {max_fpr});
  });
}

void UnionImage(LockedFilter& core, const Image& other, double max_fpr) {
  Check(other.status());
  core.Do([&](Filter& filter) { return filter.Union(other.view(), {max_fpr}); });
}

}  // namespace

void BindFilter(py::module_& module) {
  py::class_<LockedFilter, KeyCore> bound(module, "Filter", py::module_local());
  BindChanges<Filter>(bound, "remove", {&Filter::RemoveHash, &Filter::RemoveHashes, false});
  bound.def_static("create", &Create)
      .def_static("from_image", &OfLayout)
      .def("copy", &CopyOf<Filter>)
      .def("union", &Union)
      .def("union_image", &UnionImage)
      .def("fold",
           [](LockedFilter& core, uint64_t factor) { core.Do([=](Filter& filter) { return filter.Fold(factor); }); })
      .def("fold_to_fpr",
           [](LockedFilter& core, double fpr) { core.Do([=](Filter& filter) { return filter.FoldToFpr(fpr); }); })
      .def("clear", [](LockedFilter& core) { core.Do([](Filter& filter) { return filter.Clear(), Status(); }); });
}

}  // namespace linefilter::python
