#include "python/src/errors.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <iterator>
#include <new>

#include "python/src/at_fork.h"
#include "python/src/core.h"

namespace linefilter::python {

const char* CodeName(StatusCode code) {
  static constexpr const char* kNames[] = {"ok",           "invalid_argument", "corrupt",    "unsupported",
                                           "incompatible", "out_of_memory",    "over_limit", "io_error",
                                           "not_found",    "unavailable"};
  static_assert(std::size(kNames) == static_cast<size_t>(StatusCode::kUnavailable) + 1);
  const auto i = static_cast<size_t>(code);
  return i < std::size(kNames) ? kNames[i] : "unknown";
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
    const auto set = [](StatusCode code, const char* message) {
      try {
        SetError(Status::Error(code, "%s", message), 0);
      } catch (py::error_already_set& error) {
        error.restore();
      }
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const CutByFork& cut) {
      set(StatusCode::kInvalidArgument, cut.what());
    } catch (const std::bad_alloc&) {
      set(StatusCode::kOutOfMemory, "no memory left: free some, or ask for a smaller filter");
    }
  });
}

}  // namespace linefilter::python
