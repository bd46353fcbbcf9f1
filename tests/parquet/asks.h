// A test says in which forms a value is asked for, as bytes that are written by hand, or that it is not asked for at
// all.
#ifndef LINEFILTER_TESTS_PARQUET_ASKS_H_
#define LINEFILTER_TESTS_PARQUET_ASKS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/testing/building.h"

namespace linefilter::test {

using Type = ParquetColumnType;
using Value = ParquetValue;
using Physical = ParquetPhysicalType;
using Logical = ParquetLogicalType;
using Reason = ParquetReason;
using Unit = ParquetTimeUnit;

inline std::string Little(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}
inline std::string Big(int64_t value, size_t size) {
  std::string bytes(size, value < 0 ? '\xff' : '\0');
  for (size_t i = 0; i < size && i < 8; ++i) bytes[size - 1 - i] = static_cast<char>(value >> (8 * i));
  return bytes;
}
template <class Real>
std::string Bits(Real value) {
  uint64_t bits = 0;
  if constexpr (sizeof(value) == 4) {
    uint32_t narrow;
    memcpy(&narrow, &value, 4);
    bits = narrow;
  } else {
    memcpy(&bits, &value, 8);
  }
  return Little(bits, sizeof(value));
}

// These forms and no other are asked for.
inline void Asks(const Type& type, const Value& value, const std::vector<std::string>& forms) {
  const ParquetQuestion question(type, value);
  EXPECT_EQ(question.decided().reason, Reason::kAsked) << question.decided().message;
  ASSERT_EQ(question.num_hashes(), forms.size());
  for (size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(question.hashes()[i], ParquetHashBytes(forms[i].data(), forms[i].size())) << i;
  }
}

inline void Decides(const Type& type, const Value& value, Reason reason) {
  const ParquetQuestion question(type, value);
  EXPECT_EQ(question.decided().reason, reason) << question.decided().message;
  EXPECT_EQ(question.decided().may_contain, reason != Reason::kOutOfRange);
  EXPECT_EQ(question.num_hashes(), 0u);
  EXPECT_GT(strlen(question.decided().message), 20u);
  const ParquetAnswer answer = question.Ask(Created<Filter>(10, ParquetFilterOptions(0.01)));
  EXPECT_EQ(answer.reason, reason);
  EXPECT_EQ(answer.may_contain, reason != Reason::kOutOfRange);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_PARQUET_ASKS_H_
