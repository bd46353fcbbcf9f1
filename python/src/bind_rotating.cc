// Rotating, for Python: a RotatingFilter, which needs no mutex. Whoever may wait (for a rotation, a snapshot) does so
// without the GIL.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linefilter/rotating.h"
#include "python/src/bind_locked.h"
#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

Hasher HasherOf(const RotatingFilter& filter) { return Hasher(filter.hash_id(), filter.seed(), filter.secret()); }

std::unique_ptr<RotatingFilter> Create(uint64_t window_keys, uint32_t num_generations, bool by_count,
                                       const FilterOptions& options) {
  auto filter = std::make_unique<RotatingFilter>();
  CheckWithoutGil([&] {
    return filter->Create(window_keys, num_generations, options, by_count ? Rotation::kByCount : Rotation::kByCaller);
  });
  return filter;
}

std::unique_ptr<RotatingFilter> FromImage(const py::object& image, const py::object& secret, uint64_t memory_limit) {
  auto filter = std::make_unique<RotatingFilter>();
  const FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}

void ContainsWords(const RotatingFilter& filter, py::handle array, py::handle answers) {
  HasherOf(filter).RequireKeys();
  const Words keys(array);
  const Answers out(answers, keys.size());
  const py::gil_scoped_release release;
  filter.MayContainKeys(keys.data(), keys.size(), out.data());
}

void ContainsHashes(const RotatingFilter& filter, py::handle array, py::handle answers) {
  const Words hashes(array);
  const Answers out(answers, hashes.size());
  const py::gil_scoped_release release;
  filter.MayContainHashes(hashes.data(), hashes.size(), out.data());
}

py::bytearray ContainsIterable(const RotatingFilter& filter, py::handle keys) {
  return BytesOfIterable(HasherOf(filter), keys, [&](const uint64_t* hashes, size_t n, uint8_t* answers) {
    filter.MayContainHashes(hashes, n, answers);
  });
}

py::bytearray AddNewIterable(RotatingFilter& filter, py::handle keys) {
  return BytesOfIterable(HasherOf(filter), keys, [&](const uint64_t* hashes, size_t n, uint8_t* were_new) {
    filter.InsertHashes(hashes, n, were_new);
  });
}

// By count it may rotate, which takes 0.1 ms per MB: others run meanwhile.
bool AddHash(RotatingFilter& filter, uint64_t hash) {
  if (filter.rotation() != Rotation::kByCount) return filter.InsertHash(hash);
  const py::gil_scoped_release release;
  return filter.InsertHash(hash);
}

uint64_t AddIterable(RotatingFilter& filter, py::handle keys) {
  uint64_t count = 0;
  HasherOf(filter).OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    const py::gil_scoped_release release;
    count += filter.InsertHashes(hashes, n);
  });
  return count;
}

uint64_t AddWords(RotatingFilter& filter, py::handle array, const py::object& were_new) {
  return OfWordArray(HasherOf(filter), array, were_new,
                     [&](const Hasher& hasher, const uint64_t* keys, size_t n, uint8_t* out) {
                       uint64_t count = 0;
                       hasher.OfGroups(keys, n, [&](size_t begin, const uint64_t* hashes, size_t size) {
                         count += filter.InsertHashes(hashes, size, out == nullptr ? nullptr : out + begin);
                         return true;
                       });
                       return count;
                     });
}

uint64_t AddHashes(RotatingFilter& filter, py::handle array) {
  const Words hashes(array);
  const py::gil_scoped_release release;
  return filter.InsertHashes(hashes.data(), hashes.size());
}

py::bytes ImageOfRotating(const RotatingFilter& filter) {
  const uint64_t size = filter.ImageBytes();
  const py::bytes image = NewBytes(size);
  char* const out = PyBytes_AS_STRING(image.ptr());
  CheckWithoutGil([&] { return filter.WriteImageTo(out, static_cast<size_t>(size)); });
  return image;
}

}  // namespace

void BindRotating(py::module_& module) {
  py::class_<RotatingFilter>(module, "Rotating", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("contains", [](const RotatingFilter& filter,
                          py::handle key) { return filter.MayContainHash(HasherOf(filter).OfObject(key)); })
      .def("contains_hash", &RotatingFilter::MayContainHash)
      .def("contains_words", &ContainsWords)
      .def("contains_hashes", &ContainsHashes)
      .def("contains_iterable", &ContainsIterable)
      .def("add",
           [](RotatingFilter& filter, py::handle key) { return AddHash(filter, HasherOf(filter).OfObject(key)); })
      .def("add_hash", &AddHash)
      .def("add_words", &AddWords)
      .def("add_hashes", &AddHashes)
      .def("add_iterable", &AddIterable)
      .def("add_new_iterable", &AddNewIterable)
      .def("rotate", &RotatingFilter::Rotate, py::call_guard<py::gil_scoped_release>())
      .def("generation", &RotatingFilter::generation)
      .def("num_generations", &RotatingFilter::num_generations)
      .def("keys_per_generation", &RotatingFilter::keys_per_generation)
      .def("by_count", [](const RotatingFilter& filter) { return filter.rotation() == Rotation::kByCount; })
      .def("hash_id", [](const RotatingFilter& filter) { return HashIdName(filter.hash_id()); })
      .def("seed", &RotatingFilter::seed)
      .def("num_probes", &RotatingFilter::num_probes)
      .def("body_bytes", &RotatingFilter::body_bytes)
      .def("target", &RotatingFilter::target)
      .def("fill_ratio", &RotatingFilter::FillRatio, py::call_guard<py::gil_scoped_release>())
      .def("estimated_keys", &RotatingFilter::EstimatedKeys, py::call_guard<py::gil_scoped_release>())
      .def("expected_fpr", &RotatingFilter::ExpectedFpr, py::call_guard<py::gil_scoped_release>())
      .def("to_bytes", &ImageOfRotating)
      .def("save",
           [](const RotatingFilter& filter, const std::string& path) {
             CheckWithoutGil([&] { return WithErrno([&] { return filter.Save(path.c_str()); }); });
           })
      .def("image_bytes", &RotatingFilter::ImageBytes)
      .def("memory_use", &RotatingFilter::MemoryUse);
}

}  // namespace linefilter::python
