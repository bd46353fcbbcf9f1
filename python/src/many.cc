// Many filters asked at once. Each is locked by itself while it is asked: whoever held one and waited for another could
// wait for ever, behind writers that wait for their turns.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

using Cores = std::vector<const Core*>;

// A tuple keeps its cores alive.
Cores CoresOf(const py::tuple& cores) {
  Cores all;
  for (const py::handle core : cores) all.push_back(&core.cast<const Core&>());
  return all;
}

// Filters that one hash is for.
struct Kin {
  KeyHash key_hash;
  std::vector<size_t> members;
};

std::vector<Kin> ByKeyHash(const Cores& cores) {
  std::vector<Kin> all;
  for (size_t i = 0; i < cores.size(); ++i) {
    const KeyHash key_hash = cores[i]->key_hash();
    const auto kin = std::find_if(all.begin(), all.end(),
                                  [&](const Kin& one) { return one.key_hash.DifferenceTo(key_hash) == nullptr; });
    if (kin == all.end()) {
      all.push_back({key_hash, {i}});
    } else {
      kin->members.push_back(i);
    }
  }
  return all;
}

KeyHash KeyHashOf(uint64_t seed, const py::object& secret, bool caller_hashes, bool parquet_hash) {
  if (const std::optional<HashSecret> given = SecretOf(secret)) {
    return {HashId::kKeyed, CheckOfSecret(*given), *given};
  }
  return {caller_hashes ? HashId::kCaller : parquet_hash ? HashId::kParquet : HashId::kXxh3, seed, HashSecret()};
}

// Puts the answers to n hashes of key_hash into `row`: "maybe" where the filter has another. Without the GIL.
void AskRow(const Core& core, const KeyHash& key_hash, const uint64_t* hashes, size_t n, uint8_t* row) {
  core.Ask(Gil::kReleased, [&](const FilterBase& filter) {
    if (IsAnother(key_hash, filter)) {
      std::memset(row, 1, n);
    } else {
      filter.MayContainHashes(hashes, n, row);
    }
  });
}

bool AskOne(const Core& core, const KeyHash& key_hash, uint64_t hash) {
  return core.ReadBriefly(
      [&](const FilterBase& filter) { return IsAnother(key_hash, filter) || filter.MayContainHash(hash); });
}

constexpr size_t kGroup = 4096;  // keys that are hashed before the filters are asked for them

py::bytearray EachContains(const py::tuple& tuple, py::handle key) {
  const Cores cores = CoresOf(tuple);
  const std::vector<Kin> all = ByKeyHash(cores);
  std::vector<uint64_t> hashes(all.size());
  std::vector<char> answers(cores.size(), 1);
  for (size_t k = 0; k < all.size(); ++k) {
    if (!all[k].key_hash.hashes_keys()) continue;
    hashes[k] = Hasher(all[k].key_hash).OfObject(key);
    for (const size_t i : all[k].members) {
      cores[i]->ReadBriefly([&](const FilterBase& filter) { return filter.Prepare(hashes[k]), true; });
    }
  }
  for (size_t k = 0; k < all.size(); ++k) {
    if (!all[k].key_hash.hashes_keys()) continue;
    for (const size_t i : all[k].members) answers[i] = AskOne(*cores[i], all[k].key_hash, hashes[k]);
  }
  return py::bytearray(answers.data(), answers.size());
}

void EachContainsWords(const py::tuple& tuple, py::handle array, py::handle answers) {
  const Cores cores = CoresOf(tuple);
  const Words keys(array);
  const size_t n = keys.size();
  const Answers out(answers, cores.size() * n);
  const std::vector<Kin> all = ByKeyHash(cores);
  for (const Core* core : cores) core->RequireKind(KeyKind::kInteger);
  const ReleasedGil release;
  std::memset(out.data(), 1, cores.size() * n);
  std::vector<uint64_t> hashes(std::min(n, kGroup));
  for (size_t begin = 0; begin < n; begin += kGroup) {
    const size_t size = std::min(kGroup, n - begin);
    for (const Kin& kin : all) {
      if (!kin.key_hash.hashes_keys()) continue;
      Hasher(kin.key_hash).OfWords(keys.data() + begin, size, hashes.data());
      for (const size_t i : kin.members) {
        AskRow(*cores[i], kin.key_hash, hashes.data(), size, out.data() + i * n + begin);
      }
    }
  }
}

// Asks for a group of keys; a row of answers of each filter is lengthened.
void AskGroup(const Cores& cores, const std::vector<Kin>& all, const std::vector<py::object>& keys, size_t index,
              std::vector<std::vector<uint8_t>>* rows) {
  std::vector<uint64_t> hashes(keys.size());
  for (std::vector<uint8_t>& row : *rows) row.resize(index + keys.size(), 1);
  for (const Kin& kin : all) {
    if (!kin.key_hash.hashes_keys()) continue;
    const Hasher hasher(kin.key_hash);
    KeyKind kinds = KeyKind::kUnknown;
    for (size_t i = 0; i < keys.size(); ++i) hashes[i] = hasher.OfItem(keys[i], index + i, &kinds);
    for (const size_t i : kin.members) cores[i]->RequireKind(kinds);
    const ReleasedGil release;
    for (const size_t i : kin.members) {
      AskRow(*cores[i], kin.key_hash, hashes.data(), keys.size(), (*rows)[i].data() + index);
    }
  }
}

// The number of keys, and a row for each filter. The iterable is gone through once, however many ways to hash there
// are.
py::tuple EachContainsIterable(const py::tuple& tuple, py::handle keys) {
  const Cores cores = CoresOf(tuple);
  const std::vector<Kin> all = ByKeyHash(cores);
  std::vector<std::vector<uint8_t>> rows(cores.size());
  std::vector<py::object> group;
  size_t n = 0;
  const auto ask = [&] {
    AskGroup(cores, all, group, n, &rows);
    n += group.size();
    group.clear();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  for (const py::handle key : py::iter(keys)) {
    group.push_back(py::reinterpret_borrow<py::object>(key));
    if (group.size() == kGroup) ask();
  }
  ask();
  py::bytearray matrix;
  if (PyByteArray_Resize(matrix.ptr(), static_cast<Py_ssize_t>(cores.size() * n)) != 0) throw py::error_already_set();
  for (size_t i = 0; i < rows.size() && n != 0; ++i) {
    std::memcpy(PyByteArray_AS_STRING(matrix.ptr()) + i * n, rows[i].data(), n);
  }
  return py::make_tuple(n, matrix);
}

py::bytearray EachContainsHash(const py::tuple& tuple, uint64_t hash, uint64_t seed, const py::object& secret,
                               bool caller_hashes, bool parquet_hash) {
  const Cores cores = CoresOf(tuple);
  const KeyHash key_hash = KeyHashOf(seed, secret, caller_hashes, parquet_hash);
  std::vector<char> answers(cores.size());
  for (const Core* core : cores) {
    core->ReadBriefly([hash](const FilterBase& filter) { return filter.Prepare(hash), true; });
  }
  for (size_t i = 0; i < cores.size(); ++i) answers[i] = AskOne(*cores[i], key_hash, hash);
  return py::bytearray(answers.data(), answers.size());
}

void EachContainsHashes(const py::tuple& tuple, py::handle array, py::handle answers, uint64_t seed,
                        const py::object& secret, bool caller_hashes, bool parquet_hash) {
  const Cores cores = CoresOf(tuple);
  const KeyHash key_hash = KeyHashOf(seed, secret, caller_hashes, parquet_hash);
  const Words hashes(array);
  const size_t n = hashes.size();
  const Answers out(answers, cores.size() * n);
  const ReleasedGil release;
  for (size_t begin = 0; begin < n; begin += kGroup) {
    const size_t size = std::min(kGroup, n - begin);
    for (size_t i = 0; i < cores.size(); ++i) {
      AskRow(*cores[i], key_hash, hashes.data() + begin, size, out.data() + i * n + begin);
    }
  }
}

}  // namespace

void BindMany(py::module_& module) {
  module.def("each_contains", &EachContains);
  module.def("each_contains_words", &EachContainsWords);
  module.def("each_contains_iterable", &EachContainsIterable);
  module.def("each_contains_hash", &EachContainsHash);
  module.def("each_contains_hashes", &EachContainsHashes);
}

}  // namespace linefilter::python
