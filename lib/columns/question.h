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

// Ok if the forms of the columns are those of the keys that the filter has, as far as it knows. (forms.cc)
Status FormsFit(const FilterBase& filter, const Columns& columns);
// Byte i is the form of column i, and that a null is a value, as an image has them.
uint64_t FormsOf(const Columns& columns);

// Tells a filter, or a builder, the forms of the columns that are about to be added to it. (forms.cc)
void NoteForms(const Columns& columns, KeyFilter* filter);
Status NoteForms(const Columns& columns, FilterBuilder* builder);

// The status of a chunk that cannot be answered.
Status FaultAt(const RowChunk& chunk, Fault fault);

// Whether the key of a row may be in one of the filters, each of which can be asked (CanAsk).
class KeyQuestion {
 public:
  KeyQuestion(const Filters& filters, const Columns& columns) : filters_(filters), columns_(columns) {}

  Fault Answer(const RowChunk& chunk, uint8_t* bits);
  // The same of one of the filters.
  Fault AnswerOf(const FilterBase& filter, const RowChunk& chunk, uint8_t* bits);
  // Whether a null stays.
  bool NullStays() const;

 private:
  const Filters filters_;
  const Columns columns_;
  ChunkKeys keys_;
};

// The same of a column whose rows have few values: each value is asked once, before the rows are.
class ValueQuestion {
 public:
  // Whether it takes no more questions than n rows, and no more memory than there is.
  static bool Fits(const Columns& columns, size_t n);

  explicit ValueQuestion(const Column& column) : column_(column) {}

  Fault AskValues(const Filters& filters);
  Fault Answer(const RowChunk& chunk, uint8_t* bits) const;

 private:
  static constexpr size_t kMostValues = size_t{1} << 18;  // 32 KB of bits

  const Column& column_;
  bool null_stays_ = false;
  uint8_t answers_[kMostValues / 8];
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_COLUMNS_QUESTION_H_
