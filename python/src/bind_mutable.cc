// Mutable, for Python.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/mutable.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

std::unique_ptr<Mutable> Create(uint64_t num_keys, const FilterOptions& options) {
  auto filter = std::make_unique<Mutable>(options.layout);
  CheckWithoutGil([&] { return filter->Create(num_keys, options); });
  return filter;
}

FilterOptions OptionsOf(const FilterBase& filter) {
  FilterOptions options;
  if (filter.hash_id() != HashId::kKeyed) return options;
  options.hash_id = HashId::kKeyed;
  options.secret = filter.secret();
  return options;
}

std::unique_ptr<Mutable> FromImage(const py::object& layout, const py::object& image, const py::object& secret,
                                   uint64_t memory_limit) {
  auto filter = std::make_unique<Mutable>(LayoutOf(layout));
  FilterOptions options;
  if (const auto given = SecretOf(secret)) {
    options.hash_id = HashId::kKeyed;
    options.secret = *given;
  }
  options.memory_limit = memory_limit;
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}

// The image into what `make` makes of its size; anew if the filter was folded meanwhile, and so has another size. With
// the GIL, without which it is written.
template <class Make>
auto WriteImage(const Mutable& from, const Make& make) {
  for (;;) {
    const uint64_t size = from.UseBriefly([](const MutableFilter& filter) { return filter.ImageBytes(); });
    auto image = make(static_cast<size_t>(size));
    void* const out = image.second;
    bool fits = false;
    CheckWithoutGil([&] {
      const std::shared_lock lock(from.mutex());
      fits = from.mutable_filter().ImageBytes() == size;
      return fits ? from.mutable_filter().WriteImageTo(out, static_cast<size_t>(size)) : Status();
    });
    if (fits) return std::move(image.first);
  }
}

// Through an image: that is what the library copies.
std::unique_ptr<Mutable> Copy(const Mutable& from) {
  auto filter = std::make_unique<Mutable>(from.filter().layout());
  const std::unique_ptr<AlignedBytes> image = WriteImage(from, [](size_t size) {
    auto bytes = std::make_unique<AlignedBytes>(size);
    void* const out = bytes->data();
    return std::make_pair(std::move(bytes), out);
  });
  CheckWithoutGil([&] { return filter->CreateFromImage(image->data(), image->size(), OptionsOf(from.filter())); });
  return filter;
}

py::bytes ToBytes(const Mutable& filter) {
  return WriteImage(filter, [](size_t size) {
    py::bytes image =
        py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!image) throw py::error_already_set();
    void* const out = PyBytes_AS_STRING(image.ptr());
    return std::make_pair(std::move(image), out);
  });
}

void Fold(Mutable& filter, uint64_t factor) {
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.mutable_filter().Fold(factor);
  });
}

void FoldToFpr(Mutable& filter, double fpr) {
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.mutable_filter().FoldToFpr(fpr);
  });
}

void Save(const Mutable& filter, const std::string& path) {
  CheckWithoutGil([&] {
    const std::shared_lock lock(filter.mutex());
    return WithErrno([&] { return filter.mutable_filter().Save(path.c_str()); });
  });
}

void Union(Mutable& filter, const Mutable& other) {
  if (&filter == &other) return;
  CheckWithoutGil([&] {
    std::unique_lock mine(filter.mutex(), std::defer_lock);
    std::shared_lock theirs(other.mutex(), std::defer_lock);
    std::lock(mine, theirs);
    return filter.mutable_filter().Union(other.mutable_filter());
  });
}

void UnionImage(Mutable& filter, const Image& other) {
  Check(other.status());
  CheckWithoutGil([&] {
    const std::unique_lock lock(filter.mutex());
    return filter.mutable_filter().Union(other.view());
  });
}

uint64_t AddWords(Mutable& filter, py::handle array, const py::object& were_new) {
  const Hasher hasher = filter.hasher();
  hasher.RequireKeys();
  const Words keys(array);
  std::optional<Answers> out;
  if (!were_new.is_none()) out.emplace(were_new, keys.size());
  const py::gil_scoped_release release;
  return filter.InsertWords(hasher, keys.data(), keys.size(), out ? out->data() : nullptr);
}

uint64_t AddHashes(Mutable& filter, py::handle array, const py::object& were_new) {
  const Words hashes(array);
  std::optional<Answers> out;
  if (!were_new.is_none()) out.emplace(were_new, hashes.size());
  const py::gil_scoped_release release;
  return filter.InsertHashes(hashes.data(), hashes.size(), out ? out->data() : nullptr);
}

uint64_t RemoveWords(Mutable& filter, py::handle array, const py::object& were_removed) {
  const Hasher hasher = filter.hasher();
  hasher.RequireKeys();
  const Words keys(array);
  std::optional<Answers> out;
  if (!were_removed.is_none()) out.emplace(were_removed, keys.size());
  const py::gil_scoped_release release;
  return filter.RemoveWords(hasher, keys.data(), keys.size(), out ? out->data() : nullptr);
}

uint64_t RemoveHashes(Mutable& filter, py::handle array) {
  const Words hashes(array);
  const py::gil_scoped_release release;
  return filter.RemoveHashes(hashes.data(), hashes.size(), nullptr);
}

// One byte per key: was it removed?
py::bytearray RemoveIterable(Mutable& filter, py::handle keys) {
  std::vector<uint8_t> were_removed;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    were_removed.resize(were_removed.size() + n);
    uint8_t* const out = were_removed.data() + were_removed.size() - n;
    const py::gil_scoped_release release;
    filter.RemoveHashes(hashes, n, out);
  });
  return py::bytearray(reinterpret_cast<const char*>(were_removed.data()), were_removed.size());
}

uint64_t AddIterable(Mutable& filter, py::handle keys) {
  uint64_t count = 0;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    const py::gil_scoped_release release;
    count += filter.InsertHashes(hashes, n, nullptr);
  });
  return count;
}

// One byte per key: was it certainly new?
py::bytearray AddNewIterable(Mutable& filter, py::handle keys) {
  std::vector<uint8_t> were_new;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    were_new.resize(were_new.size() + n);
    uint8_t* const out = were_new.data() + were_new.size() - n;
    const py::gil_scoped_release release;
    filter.InsertHashes(hashes, n, out);
  });
  return py::bytearray(reinterpret_cast<const char*>(were_new.data()), were_new.size());
}

}  // namespace

void BindMutable(py::module_& module) {
  py::class_<Mutable, Core>(module, "Mutable", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("add", [](Mutable& filter, py::handle key) { return filter.InsertHash(filter.hasher().OfObject(key)); })
      .def("add_hash", &Mutable::InsertHash)
      .def("add_words", &AddWords)
      .def("add_hashes", &AddHashes)
      .def("add_iterable", &AddIterable)
      .def("add_new_iterable", &AddNewIterable)
      .def("remove", [](Mutable& filter, py::handle key) { return filter.RemoveHash(filter.hasher().OfObject(key)); })
      .def("remove_hash", &Mutable::RemoveHash)
      .def("remove_words", &RemoveWords)
      .def("remove_hashes", &RemoveHashes)
      .def("remove_iterable", &RemoveIterable)
      .def("union", &Union)
      .def("union_image", &UnionImage)
      .def("fold", &Fold)
      .def("fold_to_fpr", &FoldToFpr)
      .def("clear",
           [](Mutable& filter) {
             const py::gil_scoped_release release;
             const std::unique_lock lock(filter.mutex());
             filter.mutable_filter().Clear();
           })
      .def("copy", &Copy)
      .def("to_bytes", &ToBytes)
      .def("save", &Save)
      .def("image_bytes",
           [](const Mutable& filter) {
             return filter.UseBriefly([](const MutableFilter& of) { return of.ImageBytes(); });
           })
      .def("memory_use", [](const Mutable& filter) {
        return filter.UseBriefly([](const MutableFilter& of) { return of.MemoryUse(); });
      });
}

}  // namespace linefilter::python
