// Rows that may be members as a bitmap, and filters that may have any of them.
#include <cstring>

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

size_t CountBits(const uint8_t* bits, size_t num_bytes) {
  size_t count = 0;
  for (size_t i = 0; i < num_bytes; ++i) count += static_cast<size_t>(__builtin_popcount(bits[i]));
  return count;
}

// Where few rows of a chunk are asked, they alone are: below a quarter that is faster than to ask all.
// Row numbers have 32 bits.
bool AreFew(size_t num_asked, const RowChunk& chunk) {
  constexpr uint64_t kMostRows = uint64_t{1} << 32;
  return num_asked < chunk.n / 4 && uint64_t{chunk.first} + chunk.n <= kMostRows;
}

template <class Answer>
Fault AnswerSome(const Answer& answer, const RowChunk& chunk, const uint8_t* rows, uint8_t* bits) {
  uint32_t numbers[kChunkRows];
  const size_t count = internal::RowNumbers(rows, chunk.n, nullptr, chunk.first, numbers);
  RowBits answers;
  if (const Fault fault = answer({numbers, 0, count}, answers.bytes); fault != nullptr) return fault;
  std::memset(bits, 0, (chunk.n + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    const size_t place = numbers[i] - chunk.first;
    bits[place >> 3] = static_cast<uint8_t>(bits[place >> 3] | (unsigned{answers[i]} << (place & 7)));
  }
  return nullptr;
}

// answer(chunk, bits) for each chunk of the rows whose bit is 1 in `rows` (null: all).
template <class Answer>
Status AnswerBits(const Answer& answer, size_t num_rows, const uint8_t* rows, uint8_t* maybes, size_t* num_maybes) {
  Status status;
  size_t count = 0;
  for (size_t first = 0, n; first < num_rows; first += n) {
    n = num_rows - first < kChunkRows ? num_rows - first : kChunkRows;
    const size_t num_bytes = (n + 7) / 8;
    const RowChunk chunk = {nullptr, first, n};
    RowBits asked, bits;
    asked.Fill(true);
    if (rows != nullptr) std::memcpy(asked.bytes, rows + first / 8, num_bytes);
    if (n % 8 != 0) asked.bytes[num_bytes - 1] &= static_cast<uint8_t>((1u << (n % 8)) - 1);
    const size_t num_asked = CountBits(asked.bytes, num_bytes);
    bits.Fill(false);
    if (num_asked != 0) {
      const Fault fault =
          AreFew(num_asked, chunk) ? AnswerSome(answer, chunk, asked.bytes, bits.bytes) : answer(chunk, bits.bytes);
      if (fault != nullptr) {
        if (status.ok()) status = internal::FaultAt(chunk, fault);
        bits.Fill(true);
      }
    }
    for (size_t i = 0; i < num_bytes; ++i) maybes[first / 8 + i] = bits.bytes[i] & asked.bytes[i];
    count += CountBits(maybes + first / 8, num_bytes);
  }
  *num_maybes = count;
  return status;
}

[[gnu::noinline]] Status AnswerBitsByValue(const Filters& filters, const Column& column, const uint8_t* rows,
                                           uint8_t* maybes, size_t* num_maybes) {
  ValueQuestion question(column);
  const Fault fault = question.AskValues(filters);
  const auto answer = [&](const RowChunk& chunk, uint8_t* bits) {
    return fault != nullptr ? fault : question.Answer(chunk, bits);
  };
  return AnswerBits(answer, column.size(), rows, maybes, num_maybes);
}

bool AnyStays(const uint8_t* bits, size_t n) {
  for (size_t i = 0; i < n / 8; ++i) {
    if (bits[i] != 0) return true;
  }
  return n % 8 != 0 && (bits[n / 8] & ((1u << (n % 8)) - 1)) != 0;
}

}  // namespace

Status SelectMaybesToBits(const FilterBase& filter, const Columns& columns, const uint8_t* rows, uint8_t* maybes,
                          size_t* num_maybes) noexcept {
  const FilterBase* const one = &filter;
  const Filters filters{&one, 1};
  const size_t num_rows = columns.count == 0 ? 0 : columns.of[0].size();
  if (const Status status = CanAsk(filter, columns); !status.ok()) {
    const auto all_stay = [](const RowChunk&, uint8_t* bits) {
      std::memset(bits, 0xff, sizeof(RowBits));
      return Fault();
    };
    static_cast<void>(AnswerBits(all_stay, num_rows, rows, maybes, num_maybes));
    return status;
  }
  if (ValueQuestion::Fits(columns, num_rows)) {
    return AnswerBitsByValue(filters, columns.of[0], rows, maybes, num_maybes);
  }
  KeyQuestion question(filters, columns);
  const auto answer = [&](const RowChunk& chunk, uint8_t* bits) { return question.Answer(chunk, bits); };
  return AnswerBits(answer, num_rows, rows, maybes, num_maybes);
}

Status MayContainAny(const FilterBase* const filters[], size_t num_filters, const Columns& columns,
                     uint8_t* may_contain) noexcept {
  Status status;
  for (size_t f = 0; f < num_filters; ++f) {
    const Status can_ask = CanAsk(*filters[f], columns);
    may_contain[f] = can_ask.ok() ? 0 : 1;
    if (status.ok() && !can_ask.ok()) status = can_ask;
    if (!can_ask.ok()) continue;
    KeyQuestion question(Filters{filters + f, 1}, columns);
    const size_t num_rows = columns.of[0].size();
    for (size_t first = 0, n; first < num_rows && may_contain[f] == 0; first += n) {
      n = num_rows - first < kChunkRows ? num_rows - first : kChunkRows;
      RowBits bits;
      const Fault fault = question.Answer({nullptr, first, n}, bits.bytes);
      if (fault != nullptr && status.ok()) status = internal::FaultAt({nullptr, first, n}, fault);
      may_contain[f] = fault != nullptr || AnyStays(bits.bytes, n) ? 1 : 0;
    }
  }
  return status;
}

}  // namespace linefilter
