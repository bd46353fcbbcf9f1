// What Mutable and Scalable have in common for Python, and the ways of keys of an iterable into any filter.
#ifndef LINEFILTER_PYTHON_SRC_BIND_LOCKED_H_
#define LINEFILTER_PYTHON_SRC_BIND_LOCKED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/locked.h"

namespace linefilter::python {

// One byte per key, of work(hashes, n, bytes), which runs without the GIL.
template <class Work>
py::bytearray BytesOfIterable(const Hasher& hasher, py::handle keys, const Work& work) {
  std::vector<uint8_t> bytes;
  hasher.OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    bytes.resize(bytes.size() + n);
    uint8_t* const out = bytes.data() + bytes.size() - n;
    const py::gil_scoped_release release;
    work(hashes, n, out);
  });
  return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Of an array of integers: work(hasher, keys, n, answers), without the GIL; `answers` may be None, and is then null.
template <class Work>
uint64_t OfWordArray(const Hasher& hasher, py::handle array, const py::object& answers, const Work& work) {
  hasher.RequireKeys();
  const Words keys(array);
  std::optional<Answers> out;
  if (!answers.is_none()) out.emplace(answers, keys.size());
  const py::gil_scoped_release release;
  return work(hasher, keys.data(), keys.size(), out ? out->data() : nullptr);
}

inline py::bytes NewBytes(uint64_t size) {
  py::bytes image = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!image) throw py::error_already_set();
  return image;
}

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
  bound.def("add", [](Bound& filter, py::handle key) { return filter.InsertHash(filter.hasher().OfObject(key)); })
      .def("add_hash", &Bound::InsertHash)
      .def("add_words",
           [](Bound& filter, py::handle array, const py::object& were_new) {
             return OfWordArray(filter.hasher(), array, were_new,
                                [&](const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* out) {
                                  return filter.InsertWords(hasher, keys, n, out);
                                });
           })
      .def("add_hashes",
           [](Bound& filter, py::handle array, const py::object& were_new) {
             const Words hashes(array);
             std::optional<Answers> out;
             if (!were_new.is_none()) out.emplace(were_new, hashes.size());
             const py::gil_scoped_release release;
             return filter.InsertHashes(hashes.data(), hashes.size(), out ? out->data() : nullptr);
           })
      .def("add_iterable",
           [](Bound& filter, py::handle keys) {
             uint64_t count = 0;
             filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
               const py::gil_scoped_release release;
               count += filter.InsertHashes(hashes, n, nullptr);
             });
             return count;
           })
      .def("add_new_iterable",
           [](Bound& filter, py::handle keys) {
             return BytesOfIterable(filter.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* were_new) {
               filter.InsertHashes(hashes, n, were_new);
             });
           })
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
