// What Mutable and Scalable have in common for Python.
#ifndef LINEFILTER_PYTHON_SRC_BIND_LOCKED_H_
#define LINEFILTER_PYTHON_SRC_BIND_LOCKED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>

#include "python/src/bind_keys.h"
#include "python/src/image.h"
#include "python/src/locked.h"

namespace linefilter::python {

// The image into what `make` makes of its size; anew if the filter was folded or grew meanwhile, and so has another
// size. With the GIL, without which it is written.
template <class Filter, class Make>
auto WriteImage(const Locked<Filter>& from, const Make& make) {
  for (;;) {
    const uint64_t size = from.UseBriefly([](const Filter& filter) { return filter.ImageBytes(); });
    auto image = make(static_cast<size_t>(size));
    void* const out = image.second;
    bool fits = false;
    CheckWithoutGil([&] {
      const std::shared_lock lock(from.mutex());
      fits = from.own().ImageBytes() == size;
      return fits ? from.own().WriteImageTo(out, static_cast<size_t>(size)) : Status();
    });
    if (fits) return std::move(image.first);
  }
}

// For a copy: that is what the library copies.
template <class Filter>
std::unique_ptr<AlignedBytes> ImageOf(const Locked<Filter>& from) {
  return WriteImage(from, [](size_t size) {
    auto bytes = std::make_unique<AlignedBytes>(size);
    void* const out = bytes->data();
    return std::make_pair(std::move(bytes), out);
  });
}

// Through an image: that is what the library copies. `to` is a new one.
template <class Bound>
std::unique_ptr<Bound> CopyTo(std::unique_ptr<Bound> to, const Bound& from, uint64_t memory_limit) {
  const std::unique_ptr<AlignedBytes> image = ImageOf(from);
  const FilterOptions options = OptionsToOpen(SecretOf(from.filter()), memory_limit);
  CheckWithoutGil([&] { return to->CreateFromImage(image->data(), image->size(), options); });
  return to;
}

template <class Filter>
py::bytes ToBytes(const Locked<Filter>& filter) {
  return WriteImage(filter, [](size_t size) {
    py::bytes image = NewBytes(size);
    void* const out = PyBytes_AS_STRING(image.ptr());
    return std::make_pair(std::move(image), out);
  });
}

// The functions that all of them have. Class: py::class_ of a Locked<Filter>.
template <class Bound, class Class>
void BindLocked(Class& bound) {
  BindInsertions<Bound>(bound);
  bound
      .def("clear",
           [](Bound& filter) {
             const py::gil_scoped_release release;
             const std::unique_lock lock(filter.mutex());
             filter.own().Clear();
           })
      .def("to_bytes", [](const Bound& filter) { return ToBytes(filter); })
      .def("save",
           [](const Bound& filter, const std::string& path) {
             CheckWithoutGil([&] {
               const std::shared_lock lock(filter.mutex());
               return WithErrno([&] { return filter.own().Save(path.c_str()); });
             });
           })
      .def("image_bytes",
           [](const Bound& filter) { return filter.UseBriefly([](const auto& of) { return of.ImageBytes(); }); })
      .def("memory_use",
           [](const Bound& filter) { return filter.UseBriefly([](const auto& of) { return of.MemoryUse(); }); });
}

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_BIND_LOCKED_H_
