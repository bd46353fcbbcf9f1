// A Python object as a key, and its hash: the same as C++ and C make of it. Never Python's salted hash().
#ifndef LINEFILTER_PYTHON_SRC_HASHER_H_
#define LINEFILTER_PYTHON_SRC_HASHER_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/hash.h"
#include "linefilter/key.h"

namespace linefilter::python {

namespace py = pybind11;

// Looks up NumPy's types. Once, when the module is imported.
void FindKeyTypes();

// The kinds of both: the values of KeyKind are bits.
inline KeyKind BothKinds(KeyKind a, KeyKind b) {
  return static_cast<KeyKind>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

class Hasher {
 public:
  explicit Hasher(const KeyHash& key_hash) : key_hash_(key_hash) {}

  // A str (its UTF-8), a bytes-like object or an integer of -2^63 .. 2^64 - 1; else TypeError or OverflowError.
  // Bytes-like is a row of unsigned bytes, as in C++: no single value of ctypes, however wide, no signed items,
  // and no characters (ctypes.create_string_buffer).
  // kIncompatible for a filter of the caller's own hashes. *kind is what it is: text, or an integer.
  uint64_t OfObject(py::handle key, KeyKind* kind) const;
  uint64_t OfObject(py::handle key) const {
    KeyKind kind;
    return OfObject(key, &kind);
  }

  // Does the same for one of many keys, whose index errors tell. Its kind is added to *kinds.
  uint64_t OfItem(py::handle key, size_t index, KeyKind* kinds) const;

  // n integers as one group. Without the GIL, if you like. Not for the caller's own hashes: call RequireKeys before.
  void OfWords(const uint64_t* keys, size_t n, uint64_t* hashes) const { (void)key_hash_.OfKeys(keys, n, hashes); }
  // The same, group after group in the L1: calls use(begin, hashes, size) until it answers false.
  template <class Use>
  void OfGroups(const uint64_t* keys, size_t n, const Use& use) const {
    constexpr size_t kInL1 = 1024;
    uint64_t hashes[kInL1];
    for (size_t begin = 0; begin < n; begin += kInL1) {
      const size_t size = n - begin < kInL1 ? n - begin : kInL1;
      OfWords(keys + begin, size, hashes);
      if (!use(begin, hashes, size)) return;
    }
  }
  // Throws kIncompatible if keys mean nothing here.
  void RequireKeys() const;

  // Calls use(hashes, n, kinds) for group after group of the keys of an iterable, with the kinds in the group. It may
  // run any Python code between, and throws what a signal's handler raises: an iterator in C runs none, and would have
  // Ctrl-C wait for its end.
  template <class Use>
  void OfIterable(py::handle keys, const Use& use) const {
    RequireKeys();
    std::vector<uint64_t> hashes;
    hashes.reserve(kGroup);
    size_t index = 0;
    KeyKind kinds = KeyKind::kUnknown;
    for (const py::handle key : py::iter(keys)) {
      hashes.push_back(OfItem(key, index++, &kinds));
      if (hashes.size() == kGroup) {
        use(hashes.data(), hashes.size(), kinds);
        hashes.clear();
        kinds = KeyKind::kUnknown;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      }
    }
    if (!hashes.empty()) use(hashes.data(), hashes.size(), kinds);
  }

 private:
  static constexpr size_t kGroup = 4096;

  KeyHash key_hash_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_HASHER_H_
