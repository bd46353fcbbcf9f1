// Insertions, and ways to an image.
#include "python/src/key_core.h"

#include <utility>

namespace linefilter::python {
namespace {

// Writes the image into what `make` makes of its size; anew if the filter was folded or grew meanwhile, and so has
// another size. With the GIL, without which it is written.
template <class Make>
auto WriteImage(const KeyCore& core, const Make& make) {
  for (;;) {
    const uint64_t size = core.ReadBriefly([&](const FilterBase&) { return core.filter().ImageBytes(); });
    auto [image, out] = make(static_cast<size_t>(size));
    bool fits = false;
    CheckWithoutGil([&, to = out] {
      Status status;
      core.Write([&](const KeyFilter& filter) {
        fits = filter.ImageBytes() == size;
        if (fits) status = filter.WriteImageTo(to, static_cast<size_t>(size));
      });
      return status;
    });
    if (fits) return std::move(image);
  }
}

py::bytes ToBytes(const KeyCore& core) {
  return WriteImage(core, [](size_t size) {
    py::bytes image = NewBytes(size);
    void* const out = PyBytes_AS_STRING(image.ptr());
    return std::make_pair(std::move(image), out);
  });
}

void Save(const KeyCore& core, const std::string& path) {
  CheckWithoutGil([&] {
    SystemResult result = {};
    core.Write([&](const KeyFilter& filter) { result = WithErrno([&] { return filter.Save(path.c_str()); }); });
    return result;
  });
}

}  // namespace

void BindKeyCore(py::module_& module) {
  py::class_<KeyCore, Core> bound(module, "KeyCore", py::module_local());
  BindChanges<KeyFilter>(bound, "add", {&KeyFilter::InsertHash, &KeyFilter::InsertHashes, true});
  bound.def("memory_use", Telling<KeyCore>(&KeyFilter::MemoryUse))
      .def("image_bytes", Telling<KeyCore>(&KeyFilter::ImageBytes))
      .def("to_bytes", &ToBytes)
      .def("save", &Save);
}

}  // namespace linefilter::python
