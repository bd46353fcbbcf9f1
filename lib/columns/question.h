// A question is what the rows of columns are asked: it answers a chunk of them by bits, 1 for a row that stays.
#ifndef LINEFILTER_LIB_COLUMNS_QUESTION_H_
#define LINEFILTER_LIB_COLUMNS_QUESTION_H_

#include <cstddef>
#include <cstdint>

#include "lib/columns/chunk.h"
#include "linefilter/columns.h"

namespace linefilter::internal {

// Some filters, of any kinds.
struct Filters {
  const FilterBase* const* of;
  size_t count;
};

// The forms of columns as a filter remembers them (FilterBase::key_forms). (forms.cc)
uint64_t FormsOf(const Columns& columns);
// Ok if columns fit to the forms that a filter has: to be asked, or else to be added.
Status FormsFit(const KeyKinds& kinds, const Columns& columns, bool is_asked);

// The status of a chunk that cannot be answered.
Status FaultAt(const RowChunk& chunk, Fault fault);

// Whether the key of a row may be in one of the filters, each of which can be asked (CanAsk).
class KeyQuestion {
 public:
  KeyQuestion(const Filters& filters, const Columns& columns) : filters_(filters), columns_(columns) {}

  Fault Answer(const RowChunk& chunk, uint8_t* bits);
  // Does the same for one filter.
  Fault AnswerOf(const FilterBase& filter, const RowChunk& chunk, uint8_t* bits);
  // Whether a null stays.
  bool NullStays() const;

 private:
  const Filters filters_;
  const Columns columns_;
  ChunkKeys keys_;
};

// This answers for a column whose rows have few values: each value is asked once, before the rows are.
class ValueQuestion {
 public:
  // Whether it takes no more questions than n rows, and no more memory than there is.
  static bool Fits(const Columns& columns, size_t n);

  explicit ValueQuestion(const Column& column) : column_(column) {}

  Fault AskValues(const Filters& filters);
  Fault Answer(const RowChunk& chunk, uint8_t* bits) const;
  // The same as numbers of the rows that stay, of which *count are in `maybes` already.
  template <class Row>
  Fault Select(const RowChunk& chunk, Row* maybes, size_t* count) const;

 private:
  static constexpr size_t kMostValues = size_t{1} << 18;  // 32 KB of bits

  const Column& column_;
  bool null_stays_ = false;
  alignas(64) uint8_t answers_[kMostValues / 8];
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_COLUMNS_QUESTION_H_
