// A column of the library, and the memory of Python and Arrow that it borrows, held for as long as this lives.
#ifndef LINEFILTER_PYTHON_SRC_COLUMN_H_
#define LINEFILTER_PYTHON_SRC_COLUMN_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "linefilter/arrow.h"
#include "linefilter/column.h"
#include "python/src/buffer.h"
#include "python/src/errors.h"

// A stream of Arrow's arrays, an ABI that everybody may declare, in this guard.
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif  // ARROW_C_STREAM_INTERFACE

namespace linefilter::python {

namespace py = pybind11;

// Made, changed and destroyed with the GIL held; its columns may be used without. An array of NumPy is one column, and
// data of Arrow are one for each chunk.
class HeldColumn {
 public:
  HeldColumn() = default;
  HeldColumn(const HeldColumn&) = delete;
  HeldColumn& operator=(const HeldColumn&) = delete;

  // These make what _columns.py has looked at: contiguous arrays in the order of the machine. `type` is NumPy's, such
  // as "i4" or "f8".
  static std::unique_ptr<HeldColumn> OfNumbers(const std::string& type, py::handle values);
  static std::unique_ptr<HeldColumn> OfInstants(py::handle values, int unit);   // of 64 bits; TimeUnit
  static std::unique_ptr<HeldColumn> OfDecimals(py::handle values, int scale);  // of 64 bits
  static std::unique_ptr<HeldColumn> OfFixedBytes(py::handle values, size_t width, size_t n);
  static std::unique_ptr<HeldColumn> OfTexts(py::handle offsets, py::handle bytes);  // offsets of 64 bits
  static std::unique_ptr<HeldColumn> OfNulls(size_t n);
  // Capsules of the PyCapsule interface: what they hold is taken over. kUnsupported and kCorrupt are thrown.
  static std::unique_ptr<HeldColumn> OfArrow(py::handle schema, py::handle array);
  static std::unique_ptr<HeldColumn> OfArrowStream(py::handle stream);

  void SetValidity(py::handle bits);  // of one column; for those that are not of Arrow
  void SetNulls(int nulls);
  void SetForm(int form);  // throws what Column::SetForm says

  size_t size() const;  // rows
  // Calls use(column, first) for each of its columns, whose row 0 is row `first`.
  template <class Use>
  void Each(const Use& use) const {
    if (chunks_.empty()) use(own_, size_t{0});
    size_t first = 0;
    for (const Chunk& chunk : chunks_) {
      use(chunk.column.column(), first);
      first += chunk.column.column().size();
    }
  }

 private:
  struct Chunk {
    Chunk() = default;
    Chunk(const Chunk&) = delete;
    Chunk& operator=(const Chunk&) = delete;
    ~Chunk() {
      if (array.release != nullptr) array.release(&array);
    }

    ArrowArray array = {};
    ArrowColumn column;
  };

  const Buffer& Hold(py::handle array) { return buffers_.emplace_back(array); }
  static std::unique_ptr<HeldColumn> Around(const Column& column, std::unique_ptr<HeldColumn> held);

  std::deque<Buffer> buffers_;
  std::deque<Chunk> chunks_;
  Column own_;  // without chunks
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_COLUMN_H_
