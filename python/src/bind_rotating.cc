// A RotatingFilter, for Python, which locks by itself. Whoever may wait (for a rotation, a snapshot) does so without
// the GIL.
#include <memory>

#include "linefilter/rotating.h"
#include "python/src/at_fork.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

// In a forked child the filter's own mutex may be held by a thread that is not there. Then rotations and snapshots
// would wait for ever, and insertions by count would never rotate: these throw. Questions and other insertions need no
// mutex.
class Rotating final : public KeyCore {
 public:
  Rotating() : KeyCore(nullptr) {}

  const RotatingFilter& filter() const override { return own_; }
  RotatingFilter& own() { return own_; }
  // work() takes the filter's mutex. Without the GIL.
  template <class Work>
  auto WithMutex(const Work& work) const {
    calls_.ThrowIfCut();
    const CallCount::Call call(calls_);
    return work();
  }
  // By count it may rotate, which takes 0.1 ms per MB: others run meanwhile.
  void Change(Gil gil, const std::function<void(KeyFilter&)>& change) override {
    if (own_.rotation() != Rotation::kByCount) return change(own_);
    std::optional<py::gil_scoped_release> release;
    if (gil == Gil::kHeld) release.emplace();
    WithMutex([&] { change(own_); });
  }
  void Write(const std::function<void(const KeyFilter&)>& write) const override {
    WithMutex([&] { write(own_); });
  }

 private:
  RotatingFilter own_;
  mutable CallCount calls_;
};

std::unique_ptr<Rotating> Create(uint64_t window_keys, uint32_t num_generations, bool by_count,
                                 const FilterOptions& options) {
  auto core = std::make_unique<Rotating>();
  CheckWithoutGil([&] {
    return core->own().Create(window_keys, num_generations, options,
                              by_count ? Rotation::kByCount : Rotation::kByCaller);
  });
  return core;
}

uint64_t Rotate(Rotating& core) {
  const py::gil_scoped_release release;
  return core.WithMutex([&] { return core.own().Rotate(); });
}

// A const member function of RotatingFilter, for Python.
template <class Result, class... Arguments>
auto Telling(Result (RotatingFilter::*tell)(Arguments...) const noexcept) {
  return [tell](const Rotating& core, Arguments... arguments) { return (core.filter().*tell)(arguments...); };
}

}  // namespace

void BindRotating(py::module_& module) {
  py::class_<Rotating, KeyCore>(module, "Rotating", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", [](const py::object& image, const py::object& secret,
                                   uint64_t limit) { return OpenedFrom<Rotating>(image, secret, limit); })
      .def("rotate", &Rotate)
      .def("generation", Telling(&RotatingFilter::generation))
      .def("num_generations", Telling(&RotatingFilter::num_generations))
      .def("keys_per_generation", Telling(&RotatingFilter::keys_per_generation))
      .def("by_count", [](const Rotating& core) { return core.filter().rotation() == Rotation::kByCount; })
      .def("fill_ratio_of_age", Telling(&RotatingFilter::FillRatioOfAge), py::call_guard<py::gil_scoped_release>())
      .def("estimated_keys_of_age", Telling(&RotatingFilter::EstimatedKeysOfAge),
           py::call_guard<py::gil_scoped_release>());
}

}  // namespace linefilter::python
