// Image, for Python: ways to open one, its bytes, and what FilterView has beyond every filter.
#include <cstring>
#include <memory>
#include <string>

#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

Broken BrokenOf(bool maybe) { return maybe ? Broken::kMaybe : Broken::kRaise; }

// The modes by their index in _options.py, which is their value.
VerifyMode VerifyOf(int mode) { return static_cast<VerifyMode>(mode); }

std::unique_ptr<Image> Over(const py::object& buffer, int verify, const py::object& secret, bool maybe_if_broken) {
  return std::make_unique<Image>(std::make_unique<Buffer>(buffer), VerifyOf(verify), OrNull(SecretOf(secret)),
                                 BrokenOf(maybe_if_broken));
}

// Copied to where blocks are on cache lines, and verified.
std::unique_ptr<Image> Copy(const py::object& bytes, const py::object& secret) {
  std::unique_ptr<AlignedBytes> own;
  {
    const Buffer from(bytes);
    own = std::make_unique<AlignedBytes>(from.size());
    const ReleasedGil release;
    std::memcpy(own->data(), from.data(), from.size());
  }
  return std::make_unique<Image>(std::move(own), VerifyMode::kWhole, OrNull(SecretOf(secret)), Broken::kRaise);
}

std::unique_ptr<Image> OpenFile(const std::string& path, int verify, bool load, bool random, uint64_t memory_limit,
                                const py::object& secret, bool maybe_if_broken) {
  const auto given = SecretOf(secret);
  return Image::OfFile(path, OrNull(given), BrokenOf(maybe_if_broken), [&](FilterFile* file) {
    if (load) return file->Load(path.c_str(), {}, memory_limit, OrNull(given));
    const MapAdvice advice = random ? MapAdvice::kRandom : MapAdvice::kWillNeed;
    return file->Map(path.c_str(), VerifyOf(verify), advice, OrNull(given));
  });
}

void Verify(const Image& image) {
  Check(image.status());
  CheckWithoutGil([&] { return image.view().Verify(); });
}

void AdviseHugePages(const Image& image) {
  Check(image.status());
  CheckWithoutGil([&] { return WithErrno([&] { return image.view().AdviseHugePages(); }); });
}

void Save(const Image& image, const std::string& path) {
  Check(image.status());
  const auto save = [&] {
    AtomicFile file;
    Status status = file.Create(path.c_str());
    if (status.ok()) status = file.Append(image.data(), image.size());
    return status.ok() ? file.Commit() : status;
  };
  CheckWithoutGil([&] { return WithErrno(save); });
}

py::bytes ToBytes(const Image& image) {
  Check(image.status());
  py::bytes bytes = NewBytes(image.size());
  std::memcpy(PyBytes_AS_STRING(bytes.ptr()), image.data(), image.size());
  return bytes;
}

// (code, message) of what is wrong; None.
py::object Error(const Image& image) {
  if (image.status().ok()) return py::none();
  return py::make_tuple(CodeName(image.status().code()), image.status().message());
}

// (num_blocks, num_keys or None, layout, num_probes) of each, the oldest first.
py::list Stages(const Image& image) {
  py::list stages;
  for (uint32_t i = 0; i < image.view().num_stages(); ++i) {
    const StageInfo stage = image.view().stage(i);
    const py::object num_keys = stage.num_keys == 0 ? py::object(py::none()) : py::object(py::int_(stage.num_keys));
    stages.append(py::make_tuple(stage.num_blocks, num_keys, LayoutName(stage.layout), stage.num_probes));
  }
  return stages;
}

py::buffer_info Bytes(Image& image) {
  // Read-only below; the format of bytes.
  return py::buffer_info(const_cast<uint8_t*>(image.data()), 1, py::format_descriptor<uint8_t>::format(), 1,
                         {static_cast<py::ssize_t>(image.size())}, {py::ssize_t{1}}, true);
}

}  // namespace

void BindImage(py::module_& module) {
  py::class_<Image, Core>(module, "Image", py::module_local(), py::buffer_protocol())
      .def_static("over", &Over)
      .def_static("copy", &Copy)
      .def_static("open", &OpenFile)
      .def_buffer(&Bytes)
      .def("verify", &Verify)
      .def("advise_huge_pages", &AdviseHugePages)
      .def("to_bytes", &ToBytes)
      .def("save", &Save)
      .def("error", &Error)
      .def("image_bytes", [](const Image& image) { return image.size(); })
      .def("num_keys",
           [](const Image& image) -> py::object {
             if (!image.view().has_num_keys()) return py::none();
             return py::int_(image.view().num_keys());
           })
      .def("stages", &Stages);
  // Of an image of any hash, its secret unknown.
  module.def("verify_image", [](const py::object& object) {
    const Buffer bytes(object);
    CheckWithoutGil([&] { return VerifyImage(bytes.data(), bytes.size()); });
  });
}

}  // namespace linefilter::python
