// Mutable, for Python.
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "python/src/bind_locked.h"
#include "python/src/mutable.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

std::unique_ptr<Mutable> Create(uint64_t num_keys, const FilterOptions& options) {
  auto filter = std::make_unique<Mutable>(options.layout);
  CheckWithoutGil([&] { return filter->Create(num_keys, options); });
  return filter;
}

std::unique_ptr<Mutable> FromImage(const py::object& layout, const py::object& image, const py::object& secret,
                                   uint64_t memory_limit) {
  return FilledFrom(std::make_unique<Mutable>(LayoutOf(layout)), image, secret, memory_limit);
}

std::unique_ptr<Mutable> Copy(const Mutable& from) {
  return CopyTo(std::make_unique<Mutable>(from.filter().layout()), from, kNoMemoryLimit);
}

void Fold(Mutable& filter, uint64_t factor) {
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.own().Fold(factor);
  });
}

void FoldToFpr(Mutable& filter, double fpr) {
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.own().FoldToFpr(fpr);
  });
}

void Union(Mutable& filter, const Mutable& other) {
  if (&filter == &other) return;
  CheckWithoutGil([&] {
    std::unique_lock mine(filter.mutex(), std::defer_lock);
    std::shared_lock theirs(other.mutex(), std::defer_lock);
    std::lock(mine, theirs);
    return filter.own().Union(other.own());
  });
}

void UnionImage(Mutable& filter, const Image& other) {
  Check(other.status());
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.own().Union(other.view());
  });
}

}  // namespace

void BindMutable(py::module_& module) {
  py::class_<Mutable, Core> bound(module, "Mutable", py::module_local());
  BindLocked<Mutable>(bound);
  BindChanges<Mutable>(bound, "remove", &Mutable::RemoveHash, &Mutable::RemoveHashes, &Mutable::RemoveWords);
  bound.def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("union", &Union)
      .def("union_image", &UnionImage)
      .def("fold", &Fold)
      .def("fold_to_fpr", &FoldToFpr)
      .def("copy", &Copy);
}

}  // namespace linefilter::python
