// Swappable, for Python: a SwappableFilter whose filters are cores of Python objects, kept alive while they serve.
//
// Nobody runs Python code, or waits for the GIL, while he has a lease; so a swap, which waits for leases without the
// GIL, ends. Keys are hashed before the lease, with the hash that served then: should another serve by the time of the
// question, the answer is "maybe".
#include <memory>

#include "linefilter/swappable.h"
#include "python/src/at_fork.h"
#include "python/src/bind_keys.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// Of a child, the leases of threads that it does not have stay counted: it may ask, but a swap would wait for them.
struct Swappable {
  SwappableFilter filter;
  mutable CallCount calls;

  Hasher hasher() const;
  // This is called as that of Core is.
  template <class Work>
  void ReadInPieces(size_t n, const Work& work) const {
    const py::gil_scoped_release release;
    const CallCount::Call call(calls);
    work(filter, 0, n);
  }
};

// By the thread that swaps, without the GIL; or by the one that frees the object.
void DropObject(void* object) noexcept {
  const py::gil_scoped_acquire gil;
  delete static_cast<py::object*>(object);
}

// `core` is one that nobody adds to.
void Swap(Swappable& swappable, const py::object& core) {
  swappable.calls.ThrowIfCut();
  const FilterBase* const filter = &core.cast<const Core&>().filter();
  auto owner = std::make_unique<py::object>(core);
  CheckWithoutGil([&] {
    const CallCount::Call call(swappable.calls);
    const Status status = swappable.filter.Serve(filter, &DropObject, owner.get());
    if (status.ok()) (void)owner.release();
    return status;
  });
}

// What serves now, while this lives. It counts also where the GIL is held: an extension may fork without it, and a swap
// in the child would wait for this lease for ever.
struct Asked {
  explicit Asked(const Swappable& swappable) : call(swappable.calls), lease(swappable.filter.Read()) {}

  const CallCount::Call call;
  const SwappableFilter::Lease lease;
};

// How keys are hashed for what serves now.
class Served {
 public:
  explicit Served(const Swappable& swappable) : Served(*Asked(swappable).lease) {}

  bool serves() const { return serves_; }
  const Hasher& hasher() const { return hasher_; }
  // Were the hashes made for this one?
  bool Fits(const FilterBase& filter) const {
    return filter.layout() != Layout::kAuto && filter.key_hash().DifferenceTo(key_hash_) == nullptr;
  }

 private:
  explicit Served(const FilterBase& filter)
      : serves_(filter.layout() != Layout::kAuto), key_hash_(filter.key_hash()), hasher_(key_hash_) {}

  bool serves_;
  KeyHash key_hash_;
  Hasher hasher_;
};

bool Contains(const Swappable& swappable, py::handle key) {
  const Served served(swappable);
  const uint64_t hash = served.hasher().OfObject(key);
  const Asked asked(swappable);
  return !served.Fits(*asked.lease) || asked.lease->MayContainHash(hash);
}

Hasher Swappable::hasher() const { return Served(*this).hasher(); }

py::bytearray ContainsIterable(const Swappable& swappable, py::handle keys) {
  const Served served(swappable);
  return BytesOfIterable(served.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* answers) {
    const py::gil_scoped_release release;
    const Asked asked(swappable);
    if (served.Fits(*asked.lease)) asked.lease->MayContainHashes(hashes, n, answers);
  });
}

}  // namespace

void BindSwappable(py::module_& module) {
  py::class_<Swappable>(module, "Swappable", py::module_local())
      .def(py::init<>())
      .def("contains", &Contains)
      .def("contains_hash",
           [](const Swappable& swappable, uint64_t hash) { return Asked(swappable).lease->MayContainHash(hash); })
      .def("contains_words", &ContainsWords<Swappable>)
      .def("contains_hashes", &ContainsHashes<Swappable>)
      .def("contains_iterable", &ContainsIterable)
      .def("swap", &Swap)
      .def("clear",
           [](Swappable& swappable) {
             swappable.calls.ThrowIfCut();
             const py::gil_scoped_release release;
             const CallCount::Call call(swappable.calls);
             swappable.filter.Clear();
           })
      .def("serves", [](const Swappable& swappable) { return Served(swappable).serves(); })
      .def("num_swaps", [](const Swappable& swappable) { return swappable.filter.num_swaps(); });
}

}  // namespace linefilter::python
