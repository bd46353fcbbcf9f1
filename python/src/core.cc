// Questions, and what a filter tells of itself.
#include "python/src/core.h"

#include "python/src/buffer.h"
#include "python/src/columns.h"

namespace linefilter::python {
namespace {

bool ContainsHash(const Core& core, uint64_t hash) {
  return core.ReadBriefly([hash](const FilterBase& filter) { return filter.MayContainHash(hash); });
}

void ContainsWords(const Core& core, py::handle array, py::handle answers) {
  Hasher(core.key_hash()).RequireKeys();
  core.RequireKind(KeyKind::kInteger);
  const Words keys(array);
  const Answers out(answers, keys.size());
  core.AskInPieces(keys.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
    filter.MayContainKeys(keys.data() + begin, size, out.data() + begin);
  });
}

void ContainsHashes(const Core& core, py::handle array, py::handle answers) {
  const Words hashes(array);
  const Answers out(answers, hashes.size());
  core.AskInPieces(hashes.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
    filter.MayContainHashes(hashes.data() + begin, size, out.data() + begin);
  });
}

py::bytearray ContainsIterable(const Core& core, py::handle keys) {
  const KeyHash key_hash = core.key_hash();
  return BytesOfIterable(Hasher(key_hash), keys,
                         [&](const uint64_t* hashes, size_t n, KeyKind kinds, uint8_t* answers) {
                           core.RequireKind(kinds);
                           core.AskInPieces(n, [&](const FilterBase& filter, size_t begin, size_t size) {
                             if (!IsAnother(key_hash, filter))
                               filter.MayContainHashes(hashes + begin, size, answers + begin);
                           });
                         });
}

// What FilterBase tells at once, and what it reads the whole body for.
template <class Tell>
auto Brief(Tell tell) {
  return [tell](const Core& core) { return core.ReadBriefly(tell); };
}
template <class Tell>
auto Long(Tell tell) {
  return [tell](const Core& core) { return core.Read(tell); };
}

}  // namespace

void Core::Ask(Gil gil, const Asking& ask) const {
  std::shared_lock<FairMutex> lock;
  if (mutex_ != nullptr) {
    lock = std::shared_lock(*mutex_, std::defer_lock);
    LockFor(gil, &lock);
  }
  ask(filter());
}

bool Core::ContainsKey(py::handle key) const {
  const KeyHash key_hash = this->key_hash();
  const uint64_t hash = Hasher(key_hash).OfObject(key);
  return ReadBriefly(
      [&](const FilterBase& filter) { return IsAnother(key_hash, filter) || filter.MayContainHash(hash); });
}

void Core::RequireKind(KeyKind asked) const {
  const KeyKind kind = ReadBriefly(std::mem_fn(&FilterBase::key_kind));
  if (BothKinds(kind, asked) == kind) return;
  if (kind == KeyKind::kText) {
    throw py::type_error(
        "the filter has text keys (str or bytes) and these are integers, so that its members would be absent: make "
        "them "
        "text, by [str(key) for key in keys] or keys.astype(str)");
  }
  if (kind == KeyKind::kInteger) {
    throw py::type_error(
        "the filter has integer keys and these are text (str or bytes), so that its members would be absent: make them "
        "integers, by [int(key) for key in keys] or keys.astype(\"int64\")");
  }
}

void BindCore(py::module_& module) {
  py::class_<Core>(module, "Core", py::module_local())
      .def("contains", &Core::ContainsKey)
      .def("contains_hash", &ContainsHash)
      .def("contains_words", &ContainsWords)
      .def("contains_hashes", &ContainsHashes)
      .def("contains_iterable", &ContainsIterable)
      .def("select", &SelectColumns)
      .def("mask", &MaskColumns)
      .def("layout", Brief([](const FilterBase& filter) { return LayoutName(filter.layout()); }))
      .def("hash_id", Brief([](const FilterBase& filter) { return HashIdName(filter.hash_id()); }))
      .def("key_kind", Brief([](const FilterBase& filter) { return KeyKindName(filter.key_kind()); }))
      .def("key_forms", Brief(&FilterBase::key_forms))
      .def("seed", Brief(&FilterBase::seed))
      .def("num_probes", Brief(&FilterBase::num_probes))
      .def("num_blocks", Brief(&FilterBase::num_blocks))
      .def("body_bytes", Brief(&FilterBase::body_bytes))
      .def("target", Brief(&FilterBase::target))
      .def("fill_ratio", Long(&FilterBase::FillRatio))
      .def("capacity", Brief(&FilterBase::capacity))
      .def("approximate_size",
           [](const Core& core) { return TupleOf(core.Read(std::mem_fn(&FilterBase::ApproximateSize))); })
      .def("room_for",
           [](const Core& core, double fpr) {
             return core.Read([fpr](const FilterBase& filter) { return filter.RoomFor(fpr); });
           })
      .def("over_capacity", Long(&FilterBase::OverCapacity))
      .def("expected_fpr", Long(&FilterBase::ExpectedFpr));
}

}  // namespace linefilter::python
