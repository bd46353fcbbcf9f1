// Lookups, and what a filter tells of itself.
#include "python/src/core.h"

#include <cmath>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

bool Contains(const Core& core, py::handle key) {
  const uint64_t hash = core.hasher().OfObject(key);
  return core.ReadBriefly([hash](const FilterBase& filter) { return filter.MayContainHash(hash); });
}

bool ContainsHash(const Core& core, uint64_t hash) {
  return core.ReadBriefly([hash](const FilterBase& filter) { return filter.MayContainHash(hash); });
}

void ContainsWords(const Core& core, py::handle array, py::handle answers) {
  core.hasher().RequireKeys();
  const Words keys(array);
  const Answers out(answers, keys.size());
  core.ReadInPieces(keys.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
    filter.MayContainKeys(keys.data() + begin, size, out.data() + begin);
  });
}

void ContainsHashes(const Core& core, py::handle array, py::handle answers) {
  const Words hashes(array);
  const Answers out(answers, hashes.size());
  core.ReadInPieces(hashes.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
    filter.MayContainHashes(hashes.data() + begin, size, out.data() + begin);
  });
}

py::bytearray ContainsIterable(const Core& core, py::handle keys) {
  std::vector<uint8_t> answers;
  core.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    answers.resize(answers.size() + n);
    uint8_t* const out = answers.data() + answers.size() - n;
    core.Read([&](const FilterBase& filter) { filter.MayContainHashes(hashes, n, out); });
  });
  return py::bytearray(reinterpret_cast<const char*>(answers.data()), answers.size());
}

py::list CountLevels(const Core& core) {
  std::vector<uint64_t> counts(FilterBase::kMaxLevels);
  counts.resize(core.Read([&](const FilterBase& filter) { return filter.CountLevels(counts.data()); }));
  py::list list;
  for (const uint64_t count : counts) list.append(count);
  return list;
}

}  // namespace

void BindCore(py::module_& module) {
  py::class_<Core>(module, "Core", py::module_local())
      .def("contains", &Contains)
      .def("contains_hash", &ContainsHash)
      .def("contains_words", &ContainsWords)
      .def("contains_hashes", &ContainsHashes)
      .def("contains_iterable", &ContainsIterable)
      .def("layout", [](const Core& core) { return LayoutName(core.filter().layout()); })
      .def("hash_id", [](const Core& core) { return HashIdName(core.filter().hash_id()); })
      .def("seed", [](const Core& core) { return core.filter().seed(); })
      .def("num_probes", [](const Core& core) { return core.filter().num_probes(); })
      .def("num_blocks",
           [](const Core& core) { return core.ReadBriefly([](const FilterBase& f) { return f.num_blocks(); }); })
      .def("body_bytes",
           [](const Core& core) { return core.ReadBriefly([](const FilterBase& f) { return f.body_bytes(); }); })
      .def("target", [](const Core& core) { return core.filter().target(); })
      .def("fill_ratio", [](const Core& core) { return core.Read([](const FilterBase& f) { return f.FillRatio(); }); })
      .def("estimated_keys",
           [](const Core& core) { return core.Read([](const FilterBase& f) { return f.EstimatedKeys(); }); })
      .def("expected_fpr",
           [](const Core& core) { return core.Read([](const FilterBase& f) { return f.ExpectedFpr(); }); })
      .def("count_levels", &CountLevels);
}

}  // namespace linefilter::python
