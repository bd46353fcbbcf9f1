// Memory that a Python object lends: a buffer (bytes, mmap, shared memory, a NumPy array) for as long as this lives.
#ifndef LINEFILTER_PYTHON_SRC_BUFFER_H_
#define LINEFILTER_PYTHON_SRC_BUFFER_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/huge_pages.h"

namespace linefilter::python {

namespace py = pybind11;

// The exporter is kept alive, and Python refuses to close, resize or release it. Made and destroyed with the GIL held;
// the bytes may be used without.
class Buffer {
 public:
  // Throws BufferError (or what the exporter says) for what is no buffer, or not contiguous.
  explicit Buffer(py::handle object, int flags = PyBUF_SIMPLE) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw py::error_already_set();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  uint8_t* data() const { return static_cast<uint8_t*>(view_.buf); }
  size_t size() const { return static_cast<size_t>(view_.len); }
  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_;
};

// A contiguous array of uint64: _keys.py sees to the type.
class Words {
 public:
  explicit Words(py::handle array, int flags = PyBUF_SIMPLE) : buffer_(array, flags) {
    if (buffer_.size() % 8 != 0 || reinterpret_cast<uintptr_t>(buffer_.data()) % alignof(uint64_t) != 0) {
      throw py::value_error("the array must be of aligned uint64");
    }
  }
  uint64_t* data() const { return reinterpret_cast<uint64_t*>(buffer_.data()); }
  size_t size() const { return buffer_.size() / 8; }

 private:
  Buffer buffer_;
};

// One byte for each of n answers.
class Answers {
 public:
  Answers(py::handle array, size_t n) : buffer_(array, PyBUF_WRITABLE) {
    if (buffer_.size() != n) throw py::value_error("there must be one answer for each key");
  }
  uint8_t* data() const { return buffer_.data(); }

 private:
  Buffer buffer_;
};

// A new bytes object of that size, to be filled before anybody else knows it. Large ones get huge pages as they are
// filled, as a std::string does.
inline py::bytes NewBytes(uint64_t size) {
  py::bytes bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes) throw py::error_already_set();
  if (size >= internal::kOwnMapping) {
    internal::WishHugePages(PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(size));
  }
  return bytes;
}

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_BUFFER_H_
