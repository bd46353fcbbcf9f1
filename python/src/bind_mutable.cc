// Mutable, for Python.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bind_locked.h"
#include "python/src/errors.h"
#include "python/src/image.h"
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
  auto filter = std::make_unique<Mutable>(LayoutOf(layout));
  const FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}

// Through an image: that is what the library copies.
std::unique_ptr<Mutable> Copy(const Mutable& from) {
  auto filter = std::make_unique<Mutable>(from.filter().layout());
  const std::unique_ptr<AlignedBytes> image = ImageOf(from);
  const FilterOptions options = OptionsToOpen(SecretOf(from.filter()), kNoMemoryLimit);
  CheckWithoutGil([&] { return filter->CreateFromImage(image->data(), image->size(), options); });
  return filter;
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

uint64_t RemoveWords(Mutable& filter, py::handle array, const py::object& were_removed) {
  return OfWordArray(filter.hasher(), array, were_removed,
                     [&](const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* out) {
                       return filter.RemoveWords(hasher, keys, n, out);
                     });
}

uint64_t RemoveHashes(Mutable& filter, py::handle array) {
  const Words hashes(array);
  const py::gil_scoped_release release;
  return filter.RemoveHashes(hashes.data(), hashes.size(), nullptr);
}

// One byte per key: was it removed?
py::bytearray RemoveIterable(Mutable& filter, py::handle keys) {
  return BytesOfIterable(filter.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* were_removed) {
    filter.RemoveHashes(hashes, n, were_removed);
  });
}

}  // namespace

void BindMutable(py::module_& module) {
  py::class_<Mutable, Core> bound(module, "Mutable", py::module_local());
  BindLocked<Mutable>(bound);
  bound.def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("remove", [](Mutable& filter, py::handle key) { return filter.RemoveHash(filter.hasher().OfObject(key)); })
      .def("remove_hash", &Mutable::RemoveHash)
      .def("remove_words", &RemoveWords)
      .def("remove_hashes", &RemoveHashes)
      .def("remove_iterable", &RemoveIterable)
      .def("union", &Union)
      .def("union_image", &UnionImage)
      .def("fold", &Fold)
      .def("fold_to_fpr", &FoldToFpr)
      .def("copy", &Copy);
}

}  // namespace linefilter::python
