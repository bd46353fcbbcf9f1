// A million random values of every type of column, stored by code of this test: none is lost, in whatever equal form
// it is asked for.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/parquet/asks.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

constexpr int kValuesOfType = 25000;

// The stored bytes of a value, and the values that equal it.
struct Case {
  std::string stored;
  std::vector<Value> equal;
};

// All numbers of 1 to `bits` bits are about equally often of each length.
int64_t AnyInteger(Random* random, int bits) {
  const int64_t value = static_cast<int64_t>((*random)() >> (64 - 1 - random->Below(static_cast<uint64_t>(bits - 1))));
  return random->Below(2) == 0 ? value : -value - 1;
}

void AddNumbers(int64_t unscaled, int32_t scale, std::vector<Value>* equal) {
  equal->push_back(Value::Decimal(unscaled, scale));
  equal->push_back(
      Value::Decimal(ParquetInteger::FromHalves(unscaled < 0 ? -1 : 0, static_cast<uint64_t>(unscaled)), scale));
  int64_t power = 1;
  for (int32_t i = 0; i < scale; ++i) power *= 10;
  if (unscaled % power == 0) equal->push_back(Value::Integer(unscaled / power));
  if (unscaled < INT64_MAX / 100 && unscaled > INT64_MIN / 100)
    equal->push_back(Value::Decimal(100 * unscaled, scale + 2));
  // A double that an engine converts: the nearest one.
  const double real = static_cast<double>(unscaled) / static_cast<double>(power);
  equal->push_back(Value::Double(real));
  equal->push_back(Value::Float(static_cast<float>(real)));
}

Case OfInteger(Random* random, const Type& type) {
  const int bits = type.bit_width != 0 ? type.bit_width : type.physical == Physical::kInt32 ? 32 : 64;
  Case made;
  if (type.is_signed) {
    const int64_t value = AnyInteger(random, bits);
    made.stored = Little(static_cast<uint64_t>(value), type.physical == Physical::kInt32 ? 4 : 8);
    AddNumbers(value, 0, &made.equal);
  } else {
    const uint64_t value = (*random)() >> (64 - bits);
    made.stored = Little(value, type.physical == Physical::kInt32 ? 4 : 8);
    made.equal = {Value::Integer(value), Value::Double(static_cast<double>(value))};
  }
  return made;
}

Case OfDecimal(Random* random, const Type& type) {
  Case made;
  const bool is_fixed = type.physical == Physical::kFixedLenByteArray;
  const int bits = type.physical == Physical::kInt32  ? 32
                   : is_fixed && type.type_length < 8 ? 8 * type.type_length
                                                      : 64;
  const int64_t value = AnyInteger(random, bits);
  if (is_fixed) {
    made.stored = Big(value, static_cast<size_t>(type.type_length));
  } else if (type.physical == Physical::kByteArray) {
    size_t size = 1;
    while (size < 8 && value >> (8 * size - 1) != (value < 0 ? -1 : 0)) ++size;
    made.stored = Big(value, random->Below(2) == 0 ? size : 16);
  } else {
    made.stored = Little(static_cast<uint64_t>(value), type.physical == Physical::kInt32 ? 4 : 8);
  }
  AddNumbers(value, type.scale, &made.equal);
  return made;
}

Case OfReal(Random* random, const Type& type) {
  Case made;
  double real = std::ldexp(static_cast<double>(AnyInteger(random, 54)), static_cast<int>(random->Below(100)) - 50);
  if (random->Below(4) == 0) real = static_cast<double>(AnyInteger(random, 24));
  if (random->Below(50) == 0) real = 0;
  const bool is_negative_zero = real == 0 && random->Below(2) == 0;
  if (type.physical == Physical::kFloat) real = double{static_cast<float>(real)};
  const double stored = is_negative_zero ? -0.0 : real;
  const float narrow = static_cast<float>(stored);
  made.stored = type.physical == Physical::kFloat ? Bits(narrow) : Bits(stored);
  made.equal = {Value::Double(real)};
  if (type.physical == Physical::kFloat) made.equal.push_back(Value::Float(static_cast<float>(real)));
  if (real == std::floor(real) && std::fabs(real) < 1e18) {
    const int64_t integer = static_cast<int64_t>(real);
    made.equal.push_back(Value::Integer(integer));
    made.equal.push_back(Value::Decimal(integer, 0));
    // Integers that an engine rounds to it.
    if (std::fabs(real) > 1e17) made.equal.push_back(Value::Integer(integer + 1));
  }
  return made;
}

Case OfCount(Random* random, const Type& type) {
  Case made;
  const bool is_short = type.physical == Physical::kInt32;
  const int64_t count = AnyInteger(random, is_short ? 31 : 50);
  made.stored = Little(static_cast<uint64_t>(count), is_short ? 4 : 8);
  if (type.logical == Logical::kDate) {
    made.equal = {Value::Date(count)};
    return made;
  }
  const bool is_time = type.logical == Logical::kTime;
  for (const Unit unit : {Unit::kMillis, Unit::kMicros, Unit::kNanos}) {
    int64_t converted = count;
    int steps = static_cast<int>(unit) - static_cast<int>(type.unit);
    bool is_exact = true;
    for (; steps > 0; --steps) is_exact = is_exact && !__builtin_mul_overflow(converted, 1000, &converted);
    for (; steps < 0; ++steps) is_exact = is_exact && converted % 1000 == 0, converted /= 1000;
    if (!is_exact) continue;
    made.equal.push_back(is_time ? Value::Time(converted, unit, type.is_utc)
                                 : Value::Timestamp(converted, unit, type.is_utc));
  }
  return made;
}

// Its values, in one filter.
template <class Make>
void LosesNone(const Type& type, const Make& make) {
  Random random(static_cast<uint64_t>(type.physical) * 1000 + static_cast<uint64_t>(type.logical) * 10 +
                static_cast<uint64_t>(type.scale));
  std::vector<Case> cases;
  Filter filter = Created<Filter>(kValuesOfType, ParquetFilterOptions(0.001));
  for (int i = 0; i < kValuesOfType; ++i) {
    cases.push_back(make(&random, type));
    filter.InsertHash(ParquetHashBytes(cases.back().stored.data(), cases.back().stored.size()));
  }
  std::string file;
  ASSERT_TRUE(AppendParquetFilter(filter, &file).ok());
  const ParquetFilterView view(file.data(), file.size());
  ASSERT_TRUE(view.status().ok());
  int lost = 0, asked = 0;
  for (const Case& one : cases) {
    for (const Value& value : one.equal) {
      const ParquetAnswer answer = MayContain(view, type, value);
      lost += !answer.may_contain;
      asked += answer.reason == ParquetReason::kAsked;
    }
  }
  EXPECT_EQ(lost, 0) << static_cast<int>(type.physical) << " " << static_cast<int>(type.logical);
  EXPECT_GE(asked, kValuesOfType) << "the filter is hardly asked";
}

TEST(ParquetValues, IntegersAreNotLost) {
  for (const Physical physical : {Physical::kInt32, Physical::kInt64}) LosesNone(Type::Plain(physical), OfInteger);
  for (const int bits : {8, 16, 32, 64}) {
    LosesNone(Type::Integer(bits, true), OfInteger);
    LosesNone(Type::Integer(bits, false), OfInteger);
  }
}

TEST(ParquetValues, DecimalsAreNotLost) {
  for (const int scale : {0, 2, 9}) {
    LosesNone(Type::Decimal(Physical::kInt32, 9, scale), OfDecimal);
    LosesNone(Type::Decimal(Physical::kInt64, 18, scale), OfDecimal);
    LosesNone(Type::Decimal(Physical::kByteArray, 18, scale), OfDecimal);
    for (const int length : {1, 3, 8, 9, 16, 32}) {
      LosesNone(Type::Decimal(Physical::kFixedLenByteArray, 18, scale, length), OfDecimal);
    }
  }
}

TEST(ParquetValues, RealsAreNotLost) {
  LosesNone(Type::Plain(Physical::kFloat), OfReal);
  LosesNone(Type::Plain(Physical::kDouble), OfReal);
}

TEST(ParquetValues, DatesAndTimesAreNotLost) {
  LosesNone(Type::Of(Logical::kDate), OfCount);
  for (const Unit unit : {Unit::kMillis, Unit::kMicros, Unit::kNanos}) {
    LosesNone(Type::Time(unit, false), OfCount);
    LosesNone(Type::Timestamp(unit, true), OfCount);
  }
}

}  // namespace
}  // namespace linefilter::test
