// Insertions, and ways to an image.
#include "python/src/key_core.h"

#include "python/src/columns.h"

namespace linefilter::python {
namespace {

// The image; made again if the filter was folded or grew meanwhile, and so has another size. With the GIL, without
// which it is written.
py::bytes ToBytes(const KeyCore& core) {
  for (;;) {
    const uint64_t size = core.ReadBriefly([&](const FilterBase&) { return core.filter().ImageBytes(); });
    py::bytes image = NewBytes(size);
    bool fits = false;
    CheckWithoutGil([&, out = PyBytes_AS_STRING(image.ptr())] {
      Status status;
      core.Write([&](const KeyFilter& filter) {
        fits = filter.ImageBytes() == size;
        if (fits) status = filter.WriteImageTo(out, static_cast<size_t>(size));
      });
      return status;
    });
    if (fits) return image;
  }
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
  bound.def("add_column", &AddKeyColumns)
      .def("memory_use", Telling<KeyCore>(&KeyFilter::MemoryUse))
      .def("image_bytes", Telling<KeyCore>(&KeyFilter::ImageBytes))
      .def("to_bytes", &ToBytes)
      .def("save", &Save);
}

}  // namespace linefilter::python
