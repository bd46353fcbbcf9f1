// Rows that may be members are selected by chunks: hashes, answers as bits, row numbers.
#include <cstring>
#include <limits>

#include "lib/columns/question.h"

namespace linefilter {
namespace {

using internal::Fault;
using internal::Filters;
using internal::kChunkRows;
using internal::KeyQuestion;
using internal::RowBits;
using internal::RowChunk;
using internal::ValueQuestion;

Status CanAskAll(const Filters& filters, const Columns& columns) {
  if (filters.count == 0) return Status::Error(StatusCode::kInvalidArgument, "no filter was given: all rows stay");
  for (size_t f = 0; f < filters.count; ++f) {
    if (Status status = CanAsk(*filters.of[f], columns); !status.ok()) return status;
  }
  return Status();
}

// The numbers of up to kChunkRows rows from row i on; null for consecutive ones. A fault if one is not below num_rows.
template <class Row>
Fault RowsOfChunk(const Row* rows, size_t i, size_t n, size_t num_rows, uint32_t* wide, RowChunk* chunk) {
  *chunk = {nullptr, i, n};
  uint32_t most = static_cast<uint32_t>(i + n - 1);
  if (rows != nullptr) {
    most = 0;
    for (size_t k = 0; k < n; ++k) {
      wide[k] = rows[i + k];
      most = wide[k] > most ? wide[k] : most;
    }
    chunk->rows = wide;
  }
  return most < num_rows ? nullptr : "a row number is not below the number of rows of the columns";
}

// Selects by a question: select(chunk, maybes, &count). Where one cannot be answered, all of the chunk stays.
template <class Row, class Select>
Status SelectBy(const Select& select, size_t num_rows, const Row* rows, size_t n, Row* maybes, size_t* num_maybes) {
  Status status;
  size_t count = 0;
  uint32_t wide[kChunkRows];
  for (size_t i = 0, size; i < n; i += size) {
    size = n - i < kChunkRows ? n - i : kChunkRows;
    RowChunk chunk;
    Fault fault = RowsOfChunk(rows, i, size, num_rows, wide, &chunk);
    if (fault == nullptr) fault = select(chunk, maybes, &count);
    if (fault == nullptr) continue;
    if (status.ok()) status = internal::FaultAt(chunk, fault);
    for (size_t k = 0; k < size; ++k) maybes[count++] = static_cast<Row>(chunk.row(k));
  }
  *num_maybes = count;
  return status;
}

// It is a function of its own for its 32 KB of stack.
template <class Row>
[[gnu::noinline]] Status SelectByValue(const Filters& filters, const Column& column, const Row* rows, size_t n,
                                       Row* maybes, size_t* num_maybes) {
  ValueQuestion question(column);
  const Fault fault = question.AskValues(filters);
  const auto select = [&](const RowChunk& chunk, Row* to, size_t* count) {
    return fault != nullptr ? fault : question.Select(chunk, to, count);
  };
  return SelectBy(select, column.size(), rows, n, maybes, num_maybes);
}

template <class Row>
[[gnu::noinline]] Status SelectByKey(const Filters& filters, const Columns& columns, const Row* rows, size_t n,
                                     Row* maybes, size_t* num_maybes) {
  KeyQuestion question(filters, columns);
  const auto select = [&](const RowChunk& chunk, Row* to, size_t* count) {
    RowBits bits;
    if (const Fault fault = question.Answer(chunk, bits.bytes); fault != nullptr) return fault;
    internal::WriteRows(bits.bytes, chunk, to, count);
    return Fault();
  };
  return SelectBy(select, columns.of[0].size(), rows, n, maybes, num_maybes);
}

template <class Row>
Status Select(const Filters& filters, const Columns& columns, const Row* rows, size_t n, Row* maybes,
              size_t* num_maybes) {
  if (rows == nullptr && n != 0 && n - 1 > std::numeric_limits<Row>::max()) {
    *num_maybes = 0;
    return Status::Error(StatusCode::kInvalidArgument,
                         "row numbers of %zu bits do for no more than 2^%zu rows: ask for fewer", 8 * sizeof(Row),
                         8 * sizeof(Row));
  }
  if (Status status = CanAskAll(filters, columns); !status.ok()) {
    internal::LetAllThrough(rows, n, maybes);
    *num_maybes = n;
    return status;
  }
  if (ValueQuestion::Fits(columns, n)) return SelectByValue(filters, columns.of[0], rows, n, maybes, num_maybes);
  return SelectByKey(filters, columns, rows, n, maybes, num_maybes);
}

}  // namespace

Status CanAsk(const FilterBase& filter, const Columns& columns) noexcept {
  if (filter.layout() == Layout::kAuto) {
    return Status::Error(
        StatusCode::kIncompatible,
        "the filter is broken or was not made; of a SwappableFilter ask a lease (Read): all rows stay");
  }
  if (Status status = internal::CanHash(columns, filter.key_hash()); !status.ok()) return status;
  if (filter.hash_id() == HashId::kParquet) return internal::CanAskParquet(columns.of[0]);
  return internal::FormsFit(filter.key_kinds(), columns, true);
}

Status SelectMaybes(const FilterBase& filter, const Columns& columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                    size_t* num_maybes) noexcept {
  const FilterBase* const one = &filter;
  return Select(Filters{&one, 1}, columns, rows, n, maybes, num_maybes);
}

Status SelectMaybes(const FilterBase& filter, const Columns& columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                    size_t* num_maybes) noexcept {
  const FilterBase* const one = &filter;
  return Select(Filters{&one, 1}, columns, rows, n, maybes, num_maybes);
}

Status SelectMaybes(const FilterBase* const filters[], size_t num_filters, const Columns& columns, const uint32_t* rows,
                    size_t n, uint32_t* maybes, size_t* num_maybes) noexcept {
  return Select(Filters{filters, num_filters}, columns, rows, n, maybes, num_maybes);
}

}  // namespace linefilter
