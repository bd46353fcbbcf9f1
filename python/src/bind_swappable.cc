// A SwappableFilter, for Python, whose filters are cores of Python objects, kept alive while they serve.
//
// Nobody runs Python code, or waits for the GIL, while he has a lease; so a swap, which waits for leases without the
// GIL, ends.
#include <memory>

#include "linefilter/swappable.h"
#include "python/src/at_fork.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// Of a child, the leases of threads that it does not have stay counted: it may ask, but a swap would wait for them.
class Swappable final : public Core {
 public:
  Swappable() : Core(nullptr) {}

  const FilterBase& filter() const override { return own_; }
  KeyHash key_hash() const override {
    return ReadBriefly([](const FilterBase& serving) { return serving.key_hash(); });
  }
  // Asks what serves now. The call counts also where the GIL is held: an extension may fork without it, and a swap in
  // the child would wait for this lease for ever.
  void Ask(Gil, const Asking& ask) const override {
    const CallCount::Call call(calls_);
    ask(*own_.Read());
  }
  // change(own) is a Status, which is thrown. It waits for leases.
  template <class Change>
  void Do(const Change& change) {
    calls_.ThrowIfCut();
    CheckWithoutGil([&] {
      const CallCount::Call call(calls_);
      return change(own_);
    });
  }
  uint64_t num_swaps() const { return own_.num_swaps(); }

 private:
  SwappableFilter own_;
  mutable CallCount calls_;
};

// By the thread that swaps, without the GIL; or by the one that frees the object.
void DropObject(void* object) noexcept {
  const py::gil_scoped_acquire gil;
  delete static_cast<py::object*>(object);
}

// `next` is a core that nobody adds to.
void Swap(Swappable& core, const py::object& next) {
  const FilterBase* const filter = &next.cast<const Core&>().filter();
  auto owner = std::make_unique<py::object>(next);
  core.Do([&](SwappableFilter& swappable) {
    const Status status = swappable.Serve(filter, &DropObject, owner.get());
    if (status.ok()) (void)owner.release();
    return status;
  });
}

}  // namespace

void BindSwappable(py::module_& module) {
  py::class_<Swappable, Core>(module, "Swappable", py::module_local())
      .def(py::init<>())
      .def("swap", &Swap)
      .def("clear", [](Swappable& core) { core.Do([](SwappableFilter& own) { return own.Clear(), Status(); }); })
      .def("num_swaps", &Swappable::num_swaps);
}

}  // namespace linefilter::python
