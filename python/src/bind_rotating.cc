// Rotating, for Python: a RotatingFilter, which locks by itself. Whoever may wait (for a rotation, a snapshot) does so
// without the GIL.
#include <memory>
#include <string>

#include "linefilter/rotating.h"
#include "python/src/at_fork.h"
#include "python/src/bind_keys.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// In a forked child the filter's own mutex may be held by a thread that is not there. Then rotations and snapshots
// would wait for ever, and insertions by count would never rotate: these throw. Questions and other insertions need no
// mutex.
class Rotating {
 public:
  RotatingFilter& own() { return filter_; }
  const RotatingFilter& own() const { return filter_; }
  Hasher hasher() const { return Hasher(filter_.key_hash()); }
  // Before anybody else knows this object. Without the GIL, if you like.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options) {
    return filter_.CreateFromImage(image, size, options);
  }

  // These are called as those of Core are; nobody waits here.
  template <class Work>
  auto ReadBriefly(const Work& work) const {
    return work(filter_);
  }
  template <class Work>
  void ReadInPieces(size_t n, const Work& work) const {
    const py::gil_scoped_release release;
    work(filter_, 0, n);
  }

  // work() takes that mutex. Without the GIL.
  template <class Work>
  auto Lock(const Work& work) const {
    calls_.ThrowIfCut();
    const CallCount::Call call(calls_);
    return work();
  }
  // Without the GIL.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) {
    const auto insert = [&] { return filter_.InsertHashes(hashes, n, were_new); };
    return filter_.rotation() == Rotation::kByCount ? Lock(insert) : insert();
  }
  uint64_t InsertWords(const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* were_new) {
    uint64_t count = 0;
    hasher.OfGroups(keys, n, [&](size_t begin, const uint64_t* hashes, size_t size) {
      count += InsertHashes(hashes, size, were_new == nullptr ? nullptr : were_new + begin);
      return true;
    });
    return count;
  }
  // With it. By count it may rotate, which takes 0.1 ms per MB: others run meanwhile.
  bool InsertHash(uint64_t hash) {
    if (filter_.rotation() != Rotation::kByCount) return filter_.InsertHash(hash);
    const py::gil_scoped_release release;
    return Lock([&] { return filter_.InsertHash(hash); });
  }

 private:
  RotatingFilter filter_;
  mutable CallCount calls_;
};

std::unique_ptr<Rotating> Create(uint64_t window_keys, uint32_t num_generations, bool by_count,
                                 const FilterOptions& options) {
  auto filter = std::make_unique<Rotating>();
  CheckWithoutGil([&] {
    return filter->own().Create(window_keys, num_generations, options,
                                by_count ? Rotation::kByCount : Rotation::kByCaller);
  });
  return filter;
}

py::bytes ImageOfRotating(const Rotating& filter) {
  const uint64_t size = filter.own().ImageBytes();
  const py::bytes image = NewBytes(size);
  char* const out = PyBytes_AS_STRING(image.ptr());
  CheckWithoutGil(
      [&] { return filter.Lock([&] { return filter.own().WriteImageTo(out, static_cast<size_t>(size)); }); });
  return image;
}

// A const member function of RotatingFilter, for Python.
template <class Result, class... Arguments>
auto Telling(Result (RotatingFilter::*tell)(Arguments...) const noexcept) {
  return [tell](const Rotating& filter, Arguments... arguments) { return (filter.own().*tell)(arguments...); };
}

}  // namespace

void BindRotating(py::module_& module) {
  py::class_<Rotating> bound(module, "Rotating", py::module_local());
  BindQuestions<Rotating>(bound);
  BindInsertions<Rotating>(bound);
  bound.def_static("create", &Create)
      .def_static("from_image", &NewFromImage<Rotating>)
      .def("rotate",
           [](Rotating& filter) {
             const py::gil_scoped_release release;
             return filter.Lock([&] { return filter.own().Rotate(); });
           })
      .def("generation", Telling(&RotatingFilter::generation))
      .def("num_generations", Telling(&RotatingFilter::num_generations))
      .def("keys_per_generation", Telling(&RotatingFilter::keys_per_generation))
      .def("by_count", [](const Rotating& filter) { return filter.own().rotation() == Rotation::kByCount; })
      .def("hash_id", [](const Rotating& filter) { return HashIdName(filter.own().hash_id()); })
      .def("seed", Telling(&RotatingFilter::seed))
      .def("num_probes", Telling(&RotatingFilter::num_probes))
      .def("body_bytes", Telling(&RotatingFilter::body_bytes))
      .def("target", Telling(&RotatingFilter::target))
      .def("fill_ratio", Telling(&RotatingFilter::FillRatio), py::call_guard<py::gil_scoped_release>())
      .def("estimated_keys", Telling(&RotatingFilter::EstimatedKeys), py::call_guard<py::gil_scoped_release>())
      .def("expected_fpr", Telling(&RotatingFilter::ExpectedFpr), py::call_guard<py::gil_scoped_release>())
      .def("to_bytes", &ImageOfRotating)
      .def("save",
           [](const Rotating& filter, const std::string& path) {
             CheckWithoutGil([&] {
               return filter.Lock([&] { return WithErrno([&] { return filter.own().Save(path.c_str()); }); });
             });
           })
      .def("image_bytes", Telling(&RotatingFilter::ImageBytes))
      .def("memory_use", Telling(&RotatingFilter::MemoryUse));
}

}  // namespace linefilter::python
