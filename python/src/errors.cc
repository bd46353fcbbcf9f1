#include "python/src/errors.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <new>

#include "python/src/at_fork.h"
#include "python/src/core.h"

namespace linefilter::python {

const char* CodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid_argument";
    case StatusCode::kCorrupt:
      return "corrupt";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kIncompatible:
      return "incompatible";
    case StatusCode::kOutOfMemory:
      return "out_of_memory";
    case StatusCode::kOverLimit:
      return "over_limit";
    case StatusCode::kIoError:
      return "io_error";
    case StatusCode::kNotFound:
      return "not_found";
    case StatusCode::kUnavailable:
      return "unavailable";
  }
  return "unknown";
}

namespace {

// Sets Python's error. With the GIL held.
void SetError(const Status& status, int error_number) {
  // The message may hold a file name, cut anywhere.
  const py::object text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(status.message(), static_cast<Py_ssize_t>(strlen(status.message())), "replace"));
  if (!text) throw py::error_already_set();
  const py::object error =
      py::module_::import("linefilter._errors").attr("error_of")(CodeName(status.code()), text, error_number);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

}  // namespace

void Check(const Status& status, int error_number) {
  if (status.ok()) return;
  SetError(status, error_number);
  throw py::error_already_set();
}

void BindErrors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const CutByFork& cut) {
      try {
        SetError(Status::Error(StatusCode::kInvalidArgument, "%s", cut.what()), 0);
      } catch (py::error_already_set& error) {
        error.restore();
      }
    } catch (const std::bad_alloc&) {
      try {
        SetError(Status::Error(StatusCode::kOutOfMemory, "no memory left: free some, or ask for a smaller filter"), 0);
      } catch (py::error_already_set& error) {
        error.restore();
      }
    }
  });
}

}  // namespace linefilter::python
