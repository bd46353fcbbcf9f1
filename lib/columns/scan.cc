// A ScanFilter asks as long as that pays: see linefilter/columns.h.
#include <limits>

#include "lib/columns/chunk.h"
#include "linefilter/columns.h"

namespace linefilter {
namespace {

constexpr uint64_t kFirstPause = 8;

}  // namespace

ScanFilter::ScanFilter(const FilterBase& filter, double max_passed) noexcept
    : filter_(&filter), max_passed_(max_passed) {}

void ScanFilter::Judge(uint64_t asked, uint64_t maybes) noexcept {
  num_asked_ += asked;
  num_maybes_ += maybes;
  asked_now_ += asked;
  maybes_now_ += maybes;
  if (asked_now_ < kRowsToJudge) return;
  if (static_cast<double>(maybes_now_) > max_passed_ * static_cast<double>(asked_now_)) {
    pause_ = pause_ == 0 ? kFirstPause : pause_ * 2 < kMostUnasked ? pause_ * 2 : kMostUnasked;
    num_unasked_ = pause_ * asked_now_;
  } else {
    pause_ = 0;
  }
  asked_now_ = maybes_now_ = 0;
}

template <class Row>
Status ScanFilter::SelectOf(const Columns& columns, const Row* rows, size_t n, Row* maybes,
                            size_t* num_maybes) noexcept {
  num_rows_ += n;
  const bool has_numbers = rows != nullptr || n == 0 || n - 1 <= std::numeric_limits<Row>::max();
  if (num_unasked_ != 0 && has_numbers) {
    num_unasked_ -= n < num_unasked_ ? n : num_unasked_;
    internal::LetAllThrough(rows, n, maybes);
    *num_maybes = n;
    return Status();
  }
  const Status status = SelectMaybes(*filter_, columns, rows, n, maybes, num_maybes);
  if (status.ok()) Judge(n, *num_maybes);
  return status;
}

Status ScanFilter::Select(const Columns& columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                          size_t* num_maybes) noexcept {
  return SelectOf(columns, rows, n, maybes, num_maybes);
}

Status ScanFilter::Select(const Columns& columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                          size_t* num_maybes) noexcept {
  return SelectOf(columns, rows, n, maybes, num_maybes);
}

}  // namespace linefilter
