// Keys to hashes, without a filter.
#include <cstdint>
#include <optional>
#include <vector>

#include "linefilter/parquet_types.h"
#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/hasher.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

Hasher HasherOf(uint64_t seed, const py::object& secret) {
  const auto given = SecretOf(secret);
  return Hasher(given ? KeyHash{HashId::kKeyed, 0, *given} : KeyHash{HashId::kXxh3, seed, HashSecret()});
}

Hasher HasherOfParquet() { return Hasher(KeyHash{HashId::kParquet, 0, HashSecret()}); }

void HashWords(const Hasher& hasher, py::handle array, py::handle hashes) {
  const Words keys(array), out(hashes, PyBUF_WRITABLE);
  if (out.size() != keys.size()) throw py::value_error("there must be one hash for each key");
  const ReleasedGil release;
  hasher.OfWords(keys.data(), keys.size(), out.data());
}

// 8 bytes for each, in the order of this machine.
py::bytearray HashIterable(const Hasher& hasher, py::handle keys) {
  std::vector<uint64_t> all;
  hasher.OfIterable(keys,
                    [&](const uint64_t* hashes, size_t n, KeyKind) { all.insert(all.end(), hashes, hashes + n); });
  return py::bytearray(reinterpret_cast<const char*>(all.data()), 8 * all.size());
}

// Those of 4-byte values, as uint32: _parquet_hashes.py sees to the type.
void HashHalves(py::handle array, py::handle hashes) {
  const Buffer values(array);
  const Words out(hashes, PyBUF_WRITABLE);
  const bool is_aligned = reinterpret_cast<uintptr_t>(values.data()) % alignof(uint32_t) == 0;
  if (!is_aligned || values.size() != 4 * out.size())
    throw py::value_error("there must be an aligned uint32 for each hash");
  const ReleasedGil release;
  ParquetHashes(reinterpret_cast<const uint32_t*>(values.data()), out.size(), out.data());
}

// Those of values of one length that lie one behind the other.
void HashRows(py::handle rows, size_t row_bytes, py::handle hashes) {
  const Buffer values(rows);
  const Words out(hashes, PyBUF_WRITABLE);
  if (row_bytes == 0 || values.size() != row_bytes * out.size())
    throw py::value_error("there must be a row for each hash");
  const ReleasedGil release;
  ParquetHashesOfFixed(values.data(), row_bytes, out.size(), out.data());
}

// Those of an iterable of str and bytes.
py::bytearray HashTexts(py::handle values) {
  std::vector<uint64_t> all;
  HasherOfParquet().OfIterable(values, [&](const uint64_t* hashes, size_t n, KeyKind kinds) {
    if (kinds != KeyKind::kText)
      throw py::type_error("BYTE_ARRAY has bytes or str, and there is an integer among these");
    all.insert(all.end(), hashes, hashes + n);
  });
  return py::bytearray(reinterpret_cast<const char*>(all.data()), 8 * all.size());
}

void MixHashes(py::handle array, py::handle mixed) {
  const Words hashes(array), out(mixed, PyBUF_WRITABLE);
  if (out.size() != hashes.size()) throw py::value_error("there must be one place for each hash");
  const ReleasedGil release;
  for (size_t i = 0; i < hashes.size(); ++i) out.data()[i] = MixHash(hashes.data()[i]);
}

}  // namespace

void BindHashing(py::module_& module) {
  module.def("hash_key", [](py::handle key, uint64_t seed, const py::object& secret) {
    return HasherOf(seed, secret).OfObject(key);
  });
  module.def("hash_words", [](py::handle keys, py::handle hashes, uint64_t seed, const py::object& secret) {
    HashWords(HasherOf(seed, secret), keys, hashes);
  });
  module.def("hash_iterable", [](py::handle keys, uint64_t seed, const py::object& secret) {
    return HashIterable(HasherOf(seed, secret), keys);
  });
  module.def("parquet_hash", [](py::handle key) { return HasherOfParquet().OfObject(key); });
  module.def("parquet_hash_words",
             [](py::handle keys, py::handle hashes) { HashWords(HasherOfParquet(), keys, hashes); });
  module.def("parquet_hash_iterable", [](py::handle keys) { return HashIterable(HasherOfParquet(), keys); });
  module.def("parquet_hash_halves", &HashHalves);
  module.def("parquet_hash_rows", &HashRows);
  module.def("parquet_hash_texts", &HashTexts);
  module.def("mix_hashes", &MixHashes);
}

}  // namespace linefilter::python
