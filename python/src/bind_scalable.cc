// Scalable, for Python.
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/options.h"
#include "python/src/scalable.h"

namespace linefilter::python {
namespace {

std::unique_ptr<Scalable> Create(uint64_t first_capacity, const FilterOptions& options, uint64_t max_growth) {
  auto filter = std::make_unique<Scalable>();
  GrowthOptions growth;
  growth.max_growth = max_growth;
  CheckWithoutGil([&] { return filter->scalable().Create(first_capacity, options, growth); });
  return filter;
}

std::unique_ptr<Scalable> FromImage(const py::object& image, const py::object& secret, uint64_t memory_limit) {
  auto filter = std::make_unique<Scalable>();
  FilterOptions options;
  if (const auto given = SecretOf(secret)) {
    options.hash_id = HashId::kKeyed;
    options.secret = *given;
  }
  options.memory_limit = memory_limit;
  const Buffer bytes(image);
  CheckWithoutGil([&] { return filter->scalable().CreateFromImage(bytes.data(), bytes.size(), options); });
  return filter;
}

// Written without the GIL into what `make` makes of its size; anew if it grew meanwhile.
template <class Make>
auto WriteImage(const Scalable& from, const Make& make) {
  for (;;) {
    const uint64_t size = from.UseBriefly([](const ScalableFilter& filter) { return filter.ImageBytes(); });
    auto image = make(static_cast<size_t>(size));
    void* const out = image.second;
    bool fits = false;
    CheckWithoutGil([&] {
      const std::shared_lock lock(from.mutex());
      fits = from.scalable().ImageBytes() == size;
      return fits ? from.scalable().WriteImageTo(out, static_cast<size_t>(size)) : Status();
    });
    if (fits) return std::move(image.first);
  }
}

// Through an image: that is what the library copies.
std::unique_ptr<Scalable> Copy(const Scalable& from) {
  const std::unique_ptr<AlignedBytes> image = WriteImage(from, [](size_t size) {
    auto bytes = std::make_unique<AlignedBytes>(size);
    void* const out = bytes->data();
    return std::make_pair(std::move(bytes), out);
  });
  FilterOptions options;
  if (from.filter().hash_id() == HashId::kKeyed) {
    options.hash_id = HashId::kKeyed;
    options.secret = from.filter().secret();
  }
  options.memory_limit = from.UseBriefly([](const ScalableFilter& filter) { return filter.memory_limit(); });
  auto filter = std::make_unique<Scalable>();
  CheckWithoutGil([&] { return filter->scalable().CreateFromImage(image->data(), image->size(), options); });
  return filter;
}

py::bytes ToBytes(const Scalable& filter) {
  return WriteImage(filter, [](size_t size) {
    py::bytes image =
        py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!image) throw py::error_already_set();
    void* const out = PyBytes_AS_STRING(image.ptr());
    return std::make_pair(std::move(image), out);
  });
}

void Save(const Scalable& filter, const std::string& path) {
  CheckWithoutGil([&] {
    const std::shared_lock lock(filter.mutex());
    return WithErrno([&] { return filter.scalable().Save(path.c_str()); });
  });
}

uint64_t AddWords(Scalable& filter, py::handle array, const py::object& were_new) {
  const Hasher hasher = filter.hasher();
  hasher.RequireKeys();
  const Words keys(array);
  std::optional<Answers> out;
  if (!were_new.is_none()) out.emplace(were_new, keys.size());
  const py::gil_scoped_release release;
  return filter.InsertWords(hasher, keys.data(), keys.size(), out ? out->data() : nullptr);
}

uint64_t AddHashes(Scalable& filter, py::handle array, const py::object& were_new) {
  const Words hashes(array);
  std::optional<Answers> out;
  if (!were_new.is_none()) out.emplace(were_new, hashes.size());
  const py::gil_scoped_release release;
  return filter.InsertHashes(hashes.data(), hashes.size(), out ? out->data() : nullptr);
}

uint64_t AddIterable(Scalable& filter, py::handle keys) {
  uint64_t count = 0;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    const py::gil_scoped_release release;
    count += filter.InsertHashes(hashes, n, nullptr);
  });
  return count;
}

// One byte per key: was it certainly new?
py::bytearray AddNewIterable(Scalable& filter, py::handle keys) {
  std::vector<uint8_t> were_new;
  filter.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) {
    were_new.resize(were_new.size() + n);
    uint8_t* const out = were_new.data() + were_new.size() - n;
    const py::gil_scoped_release release;
    filter.InsertHashes(hashes, n, out);
  });
  return py::bytearray(reinterpret_cast<const char*>(were_new.data()), were_new.size());
}

// (capacity, num_keys, num_blocks, num_probes, fpr) of each, the oldest first.
py::list Stages(const Scalable& filter) {
  std::vector<StageFacts> facts;
  filter.UseBriefly([&](const ScalableFilter& of) {
    for (uint32_t i = 0; i < of.num_stages(); ++i) facts.push_back(of.stage(i));
    return 0;
  });
  py::list stages;
  for (const StageFacts& stage : facts) {
    stages.append(py::make_tuple(stage.capacity, stage.num_keys, stage.num_blocks, stage.num_probes, stage.fpr));
  }
  return stages;
}

// A member function of ScalableFilter that tells a number.
template <class Tell>
auto Telling(Tell tell) {
  return [tell](const Scalable& filter) { return filter.UseBriefly(tell); };
}

}  // namespace

void BindScalable(py::module_& module) {
  py::class_<Scalable, Core>(module, "Scalable", py::module_local())
      .def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def("add", [](Scalable& filter, py::handle key) { return filter.InsertHash(filter.hasher().OfObject(key)); })
      .def("add_hash", &Scalable::InsertHash)
      .def("add_words", &AddWords)
      .def("add_hashes", &AddHashes)
      .def("add_iterable", &AddIterable)
      .def("add_new_iterable", &AddNewIterable)
      .def("check_growth",
           [](const Scalable& filter) {
             Check(filter.UseBriefly([](const ScalableFilter& of) { return of.growth_status(); }));
           })
      .def("clear",
           [](Scalable& filter) {
             const py::gil_scoped_release release;
             const std::unique_lock lock(filter.mutex());
             filter.scalable().Clear();
           })
      .def("copy", &Copy)
      .def("to_bytes", &ToBytes)
      .def("save", &Save)
      .def("stages", &Stages)
      .def("fpr", Telling([](const ScalableFilter& of) { return of.fpr(); }))
      .def("max_growth", Telling([](const ScalableFilter& of) { return of.growth().max_growth; }))
      .def("memory_limit", Telling([](const ScalableFilter& of) { return of.memory_limit(); }))
      .def("num_keys", Telling([](const ScalableFilter& of) { return of.num_keys(); }))
      .def("image_bytes", Telling([](const ScalableFilter& of) { return of.ImageBytes(); }))
      .def("memory_use", Telling([](const ScalableFilter& of) { return of.MemoryUse(); }));
}

}  // namespace linefilter::python
