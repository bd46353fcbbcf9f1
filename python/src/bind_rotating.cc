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
    std::optional<ReleasedGil> release;
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
  const Rotation rotation = by_count ? Rotation::kByCount : Rotation::kByCaller;
  return Made<Rotating>(
      [&](RotatingFilter& own) { return own.Create(window_keys, num_generations, options, rotation); });
}

uint64_t Rotate(Rotating& core) {
  const ReleasedGil release;
  return core.WithMutex([&] { return core.own().Rotate(); });
}

// What is told of the generation of an age, which reads all of it.
template <class Told>
auto TellingOfAge(Told (RotatingFilter::*tell)(uint32_t) const noexcept) {
  return [tell](const Rotating& core, uint32_t age) {
    const ReleasedGil release;
    return (core.filter().*tell)(age);
  };
}

}  // namespace

void BindRotating(py::module_& module) {
  py::class_<Rotating, KeyCore>(module, "Rotating", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage<Rotating>)
      .def("rotate", &Rotate)
      .def("generation", Telling<Rotating>(&RotatingFilter::generation))
      .def("num_generations", Telling<Rotating>(&RotatingFilter::num_generations))
      .def("keys_per_generation", Telling<Rotating>(&RotatingFilter::keys_per_generation))
      .def("by_count",
           Telling<Rotating>([](const RotatingFilter& own) { return own.rotation() == Rotation::kByCount; }))
      .def("fill_ratio_of_age", TellingOfAge(&RotatingFilter::FillRatioOfAge))
      .def("approximate_size_of_age", [](const Rotating& core, uint32_t age) {
        return TupleOf(TellingOfAge(&RotatingFilter::ApproximateSizeOfAge)(core, age));
      });
}

}  // namespace linefilter::python
