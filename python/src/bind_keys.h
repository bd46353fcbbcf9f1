// This binds questions and insertions alike for every core that is asked or takes keys.
#ifndef LINEFILTER_PYTHON_SRC_BIND_KEYS_H_
#define LINEFILTER_PYTHON_SRC_BIND_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/errors.h"
#include "python/src/hasher.h"
#include "python/src/options.h"

namespace linefilter::python {

// Makes one byte per key, by work(hashes, n, bytes), which has the GIL and finds each byte 1 ("maybe").
template <class Work>
py::bytearray BytesOfIterable(const Hasher& hasher, py::handle keys, const Work& work) {
  std::vector<uint8_t> bytes;
  hasher.OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    bytes.resize(bytes.size() + n, 1);
    work(hashes, n, bytes.data() + bytes.size() - n);
  });
  return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// These ask whatever has hasher(), ReadBriefly() and ReadInPieces(), as Core has them.
template <class Bound>
void ContainsWords(const Bound& bound, py::handle array, py::handle answers) {
  bound.hasher().RequireKeys();
  const Words keys(array);
  const Answers out(answers, keys.size());
  bound.ReadInPieces(keys.size(), [&](const auto& filter, size_t begin, size_t size) {
    filter.MayContainKeys(keys.data() + begin, size, out.data() + begin);
  });
}

template <class Bound>
void ContainsHashes(const Bound& bound, py::handle array, py::handle answers) {
  const Words hashes(array);
  const Answers out(answers, hashes.size());
  bound.ReadInPieces(hashes.size(), [&](const auto& filter, size_t begin, size_t size) {
    filter.MayContainHashes(hashes.data() + begin, size, out.data() + begin);
  });
}

template <class Bound, class Class>
void BindQuestions(Class& bound) {
  const auto contains_hash = [](const Bound& core, uint64_t hash) {
    return core.ReadBriefly([hash](const auto& filter) { return filter.MayContainHash(hash); });
  };
  bound.def("contains_hash", contains_hash)
      .def("contains", [contains_hash](const Bound& core,
                                       py::handle key) { return contains_hash(core, core.hasher().OfObject(key)); })
      .def("contains_words", &ContainsWords<Bound>)
      .def("contains_hashes", &ContainsHashes<Bound>)
      .def("contains_iterable", [](const Bound& core, py::handle keys) {
        return BytesOfIterable(core.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* answers) {
          core.ReadInPieces(n, [&](const auto& filter, size_t begin, size_t size) {
            filter.MayContainHashes(hashes + begin, size, answers + begin);
          });
        });
      });
}

// Binds "add" or "remove" (`name`), and what begins so. `one` changes by a hash, with the GIL; `many` by hashes and
// `words` by integers, which count and tell of each what became of it (if not null), without the GIL.
template <class Bound, class Class, class One, class Many, class OfWords>
void BindChanges(Class& bound, const std::string& name, One one, Many many, OfWords words) {
  bound.def(name.c_str(), [one](Bound& filter, py::handle key) { return (filter.*one)(filter.hasher().OfObject(key)); })
      .def((name + "_hash").c_str(), one)
      .def((name + "_words").c_str(),
           [words](Bound& filter, py::handle array, const py::object& told) {
             const Hasher hasher = filter.hasher();
             hasher.RequireKeys();
             const Words keys(array);
             std::optional<Answers> out;
             if (!told.is_none()) out.emplace(told, keys.size());
             const py::gil_scoped_release release;
             return (filter.*words)(hasher, keys.data(), keys.size(), out ? out->data() : nullptr);
           })
      .def((name + "_hashes").c_str(),
           [many](Bound& filter, py::handle array) {
             const Words hashes(array);
             const py::gil_scoped_release release;
             return (filter.*many)(hashes.data(), hashes.size(), nullptr);
           })
      .def((name + "_iterable").c_str(),
           [many](Bound& filter, py::handle keys) {
             uint64_t count = 0;
             filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
               const py::gil_scoped_release release;
               count += (filter.*many)(hashes, n, nullptr);
             });
             return count;
           })
      .def((name + "_each").c_str(), [many](Bound& filter, py::handle keys) {
        return BytesOfIterable(filter.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* told) {
          const py::gil_scoped_release release;
          (filter.*many)(hashes, n, told);
        });
      });
}

template <class Bound, class Class>
void BindInsertions(Class& bound) {
  BindChanges<Bound>(bound, "add", &Bound::InsertHash, &Bound::InsertHashes, &Bound::InsertWords);
}

// Fills `filter`, a new one, with what an image holds.
template <class Bound>
std::unique_ptr<Bound> FilledFrom(std::unique_ptr<Bound> filter, const py::object& image, const py::object& secret,
                                  uint64_t memory_limit) {
  const FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}
template <class Bound>
std::unique_ptr<Bound> NewFromImage(const py::object& image, const py::object& secret, uint64_t memory_limit) {
  return FilledFrom(std::make_unique<Bound>(), image, secret, memory_limit);
}

inline py::bytes NewBytes(uint64_t size) {
  py::bytes image = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!image) throw py::error_already_set();
  return image;
}

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_BIND_KEYS_H_
