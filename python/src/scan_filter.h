// A ScanFilter that goes on when what it asks is replaced, as what serves in a SwappableFilter is.
#ifndef LINEFILTER_PYTHON_SRC_SCAN_FILTER_H_
#define LINEFILTER_PYTHON_SRC_SCAN_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "linefilter/columns.h"
#include "python/src/columns.h"

namespace linefilter::python {

// Python uses it with the GIL held. It does not keep what it asks.
class ScanFilterOfAny {
 public:
  explicit ScanFilterOfAny(double max_passed) : max_passed_(max_passed) {}

  // SelectColumns, or all rows.
  size_t Select(const Core& core, const py::tuple& columns, py::handle rows);

  bool asks() const { return !scan_ || scan_->asks(); }
  uint64_t num_rows() const { return earlier_.rows + (scan_ ? scan_->num_rows() : 0); }
  uint64_t num_asked() const { return earlier_.asked + (scan_ ? scan_->num_asked() : 0); }
  uint64_t num_maybes() const { return earlier_.maybes + (scan_ ? scan_->num_maybes() : 0); }

 private:
  struct Counts {
    uint64_t rows, asked, maybes;
  };

  // Begins to judge another filter than that of the last call.
  void Serve(const FilterBase& filter) {
    if (filter_ == &filter) return;
    earlier_ = {num_rows(), num_asked(), num_maybes()};
    scan_.emplace(filter, max_passed_);
    filter_ = &filter;
  }
  // The rows of a piece that stay, counted from its first one, which is row `at` of all.
  Status SelectPiece(const FilterBase& filter, const KeyRows& piece, size_t at, uint32_t* rows, size_t* num_rows);

  double max_passed_;
  const FilterBase* filter_ = nullptr;  // compared alone, for it may be gone
  std::optional<ScanFilter> scan_;
  Counts earlier_ = {0, 0, 0};  // of other filters
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_SCAN_FILTER_H_
