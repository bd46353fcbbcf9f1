// Rotating, for Python: a RotatingFilter, which locks by itself. Whoever may wait (for a rotation, a snapshot) does so
// without the GIL.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linefilter/rotating.h"
#include "python/src/at_fork.h"
#include "python/src/bind_locked.h"
#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/options.h"

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

std::unique_ptr<Rotating> FromImage(const py::object& image, const py::object& secret, uint64_t memory_limit) {
  auto filter = std::make_unique<Rotating>();
  const FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->own().CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}

void ContainsWords(const Rotating& filter, py::handle array, py::handle answers) {
  filter.hasher().RequireKeys();
  const Words keys(array);
  const Answers out(answers, keys.size());
  const py::gil_scoped_release release;
  filter.own().MayContainKeys(keys.data(), keys.size(), out.data());
}

void ContainsHashes(const Rotating& filter, py::handle array, py::handle answers) {
  const Words hashes(array);
  const Answers out(answers, hashes.size());
  const py::gil_scoped_release release;
  filter.own().MayContainHashes(hashes.data(), hashes.size(), out.data());
}

py::bytearray ContainsIterable(const Rotating& filter, py::handle keys) {
  return BytesOfIterable(filter.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* answers) {
    filter.own().MayContainHashes(hashes, n, answers);
  });
}

py::bytearray AddNewIterable(Rotating& filter, py::handle keys) {
  return BytesOfIterable(filter.hasher(), keys, [&](const uint64_t* hashes, size_t n, uint8_t* were_new) {
    filter.InsertHashes(hashes, n, were_new);
  });
}

uint64_t AddIterable(Rotating& filter, py::handle keys) {
  uint64_t count = 0;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    const py::gil_scoped_release release;
    count += filter.InsertHashes(hashes, n, nullptr);
  });
  return count;
}

uint64_t AddWords(Rotating& filter, py::handle array, const py::object& were_new) {
  return OfWordArray(filter.hasher(), array, were_new,
                     [&](const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* out) {
                       uint64_t count = 0;
                       hasher.OfGroups(keys, n, [&](size_t begin, const uint64_t* hashes, size_t size) {
                         count += filter.InsertHashes(hashes, size, out == nullptr ? nullptr : out + begin);
                         return true;
                       });
                       return count;
                     });
}

uint64_t AddHashes(Rotating& filter, py::handle array) {
  const Words hashes(array);
  const py::gil_scoped_release release;
  return filter.InsertHashes(hashes.data(), hashes.size(), nullptr);
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
  py::class_<Rotating>(module, "Rotating", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("contains", [](const Rotating& filter,
                          py::handle key) { return filter.own().MayContainHash(filter.hasher().OfObject(key)); })
      .def("contains_hash", Telling(&RotatingFilter::MayContainHash))
      .def("contains_words", &ContainsWords)
      .def("contains_hashes", &ContainsHashes)
      .def("contains_iterable", &ContainsIterable)
      .def("add", [](Rotating& filter, py::handle key) { return filter.InsertHash(filter.hasher().OfObject(key)); })
      .def("add_hash", &Rotating::InsertHash)
      .def("add_words", &AddWords)
      .def("add_hashes", &AddHashes)
      .def("add_iterable", &AddIterable)
      .def("add_new_iterable", &AddNewIterable)
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
