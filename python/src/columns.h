// The columns of a key as Python hands them over, and what they are asked and added by.
#ifndef LINEFILTER_PYTHON_SRC_COLUMNS_H_
#define LINEFILTER_PYTHON_SRC_COLUMNS_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linefilter/columns.h"
#include "python/src/column.h"

namespace linefilter::python {

namespace py = pybind11;

class Core;
class KeyCore;

// Some rows of the columns of a key, one after the other.
class KeyRows {
 public:
  size_t size() const { return columns_[0].size(); }
  void Append(const Column& column) { columns_[count_++] = column; }  // kMaxColumns at most
  KeyRows Slice(size_t first, size_t n) const {
    KeyRows slice;
    for (size_t c = 0; c < count_; ++c) slice.Append(columns_[c].Slice(first, n));
    return slice;
  }
  operator Columns() const { return Columns(columns_, count_); }

 private:
  Column columns_[kMaxColumns];
  size_t count_ = 0;
};

// 1 to kMaxColumns columns of as many rows each. The tuple keeps them, and has to stay.
class HeldColumns {
 public:
  explicit HeldColumns(const py::tuple& columns);  // throws what is wrong with them

  size_t size() const { return size_; }  // rows
  // Calls use(rows, first) for rows that lie in one chunk of each column, at least once. Row 0 of them is row `first`.
  // It needs no GIL.
  template <class Use>
  void Each(const Use& use) const {
    std::vector<size_t> chunk_of(columns_.size());
    size_t first = 0;
    do {
      size_t end = size_;
      for (size_t c = 0; c < columns_.size(); ++c) {
        size_t& i = chunk_of[c];
        while (columns_[c][i].end <= first && i + 1 < columns_[c].size()) ++i;
        end = std::min(end, columns_[c][i].end);
      }
      KeyRows rows;
      for (size_t c = 0; c < columns_.size(); ++c) {
        const Chunk& chunk = columns_[c][chunk_of[c]];
        rows.Append(chunk.column->Slice(first - (chunk.end - chunk.column->size()), end - first));
      }
      use(rows, first);
      first = end;
    } while (first < size_);
  }

 private:
  struct Chunk {
    const Column* column;
    size_t end;  // the first row behind it
  };

  std::vector<std::vector<Chunk>> columns_;  // the chunks of each
  size_t size_ = 0;
};

// What was wrong with rows of which the first is row `first`: its sentence counts from there.
Status InPiece(const Status& status, size_t first);

// These calls take a tuple of HeldColumn, and give the GIL away.
//
// Writes the numbers of the rows that stay into an array of uint32 with room for all, 2^32 at most, and returns how
// many they are. (bind_columns.cc)
size_t SelectColumns(const Core& core, const py::tuple& columns, py::handle rows);
// Writes a byte of 1 or 0 for each row.
void MaskColumns(const Core& core, const py::tuple& columns, py::handle answers);
// Adds the key of each row that has one.
void AddKeyColumns(KeyCore& core, const py::tuple& columns);

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_COLUMNS_H_
