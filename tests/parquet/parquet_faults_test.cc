// Faults by which engines lost rows in 2026: a constant was hashed in another form than the column stores. Each case
// stores a value as a writer does, and asks for it as a query does.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "linefilter/swappable.h"
#include "tests/testing/building.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

using Type = ParquetColumnType;
using Value = ParquetValue;
using Physical = ParquetPhysicalType;
using Logical = ParquetLogicalType;
using Reason = ParquetReason;
using Unit = ParquetTimeUnit;

// A row group whose column has these hashes. Its rate is far below one false positive in this test.
class Column {
 public:
  explicit Column(const std::vector<uint64_t>& hashes)
      : filter_(Created<Filter>(hashes.size(), ParquetFilterOptionsOfBytes(1 << 16))) {
    filter_.InsertHashes(hashes.data(), hashes.size());
    EXPECT_TRUE(AppendParquetFilter(filter_, &file_).ok());
  }
  bool MayHave(const Type& type, const Value& value) const { return Ask(type, value).may_contain; }
  ParquetAnswer Ask(const Type& type, const Value& value) const {
    return MayContain(ParquetFilterView(file_.data(), file_.size()), type, value);
  }

 private:
  Filter filter_;
  std::string file_;
};

uint64_t HashOf(const std::string& bytes) { return ParquetHashBytes(bytes.data(), bytes.size()); }

const Type kDouble = Type::Plain(Physical::kDouble), kFloat = Type::Plain(Physical::kFloat);

TEST(ParquetFaults, ZeroHasTwoSigns) {
  for (const double stored : {0.0, -0.0}) {
    const Column doubles({ParquetHashDouble(stored)}), floats({ParquetHashFloat(static_cast<float>(stored))});
    const Column halves({HashOf(std::string("\0", 1) + (std::signbit(stored) ? '\x80' : '\0'))});
    for (const Value& zero : {Value::Double(0.0), Value::Double(-0.0), Value::Float(0.0f), Value::Float(-0.0f),
                              Value::Integer(0), Value::Decimal(0, 2)}) {
      EXPECT_TRUE(doubles.MayHave(kDouble, zero));
      EXPECT_TRUE(floats.MayHave(kFloat, zero));
      EXPECT_TRUE(halves.MayHave(Type::Of(Logical::kFloat16), zero));
    }
    EXPECT_FALSE(doubles.MayHave(kDouble, Value::Double(1.0)));
  }
}

TEST(ParquetFaults, NanHasManyForms) {
  for (const uint64_t bits : {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xffffffffffffffffu}) {
    double stored;
    memcpy(&stored, &bits, sizeof(stored));
    const Column column({ParquetHashDouble(stored)});
    const ParquetAnswer answer = column.Ask(kDouble, Value::Double(std::numeric_limits<double>::quiet_NaN()));
    EXPECT_TRUE(answer.may_contain);
    EXPECT_EQ(answer.reason, Reason::kNan);
  }
}

// 0.1 as a decimal or a double is rounded to FLOAT by one engine, and FLOAT is widened by another.
TEST(ParquetFaults, RoundedConstants) {
  const Column floats({ParquetHashFloat(0.1f)});
  EXPECT_TRUE(floats.MayHave(kFloat, Value::Double(0.1)));
  EXPECT_TRUE(floats.MayHave(kFloat, Value::Decimal(1, 1)));
  EXPECT_TRUE(floats.MayHave(kFloat, Value::Float(0.1f)));
  const Column doubles({ParquetHashDouble(0.1)});
  EXPECT_TRUE(doubles.MayHave(kDouble, Value::Decimal(1, 1)));
  // The column is rounded to the DOUBLE or FLOAT of the constant: both store another integer.
  const Column integers({ParquetHashInt64(9007199254740993)});
  EXPECT_TRUE(integers.MayHave(Type::Plain(Physical::kInt64), Value::Double(9007199254740992.0)));
  const Column narrow({ParquetHashInt32(16777217)});
  EXPECT_TRUE(narrow.MayHave(Type::Plain(Physical::kInt32), Value::Float(16777216.0f)));
  const Column most({ParquetHashInt64(INT64_MAX)});
  EXPECT_TRUE(most.MayHave(Type::Plain(Physical::kInt64), Value::Double(9223372036854775808.0)));
  // The constant is rounded to the column.
  const Column rounded({ParquetHashDouble(9007199254740992.0)});
  EXPECT_TRUE(rounded.MayHave(kDouble, Value::Integer(9007199254740993)));
  // A decimal of 20 digits is rounded to the DOUBLE of the constant.
  const Type decimal = Type::Decimal(Physical::kFixedLenByteArray, 20, 19, 9);
  const Column decimals({HashOf(std::string("\x00\x45\x63\x91\x82\x44\xf4\x00\x01", 9))});  // 0.5000000000000000001
  EXPECT_TRUE(decimals.MayHave(decimal, Value::Double(0.5)));
}

// These numbers have exact forms. But DuckDB 1.5 converts them in steps that round, and finds the rows of the
// neighbors.
TEST(ParquetFaults, NeighborsOfExactNumbers) {
  const Column doubles({ParquetHashDouble(std::nextafter(-0.75, -1)), ParquetHashDouble(-9821325365826160)});
  const ParquetInteger unscaled = ParquetInteger::FromHalves(-4066, 4461403703036870656);  // -75 * 10^21
  EXPECT_TRUE(doubles.MayHave(kDouble, Value::Decimal(unscaled, 23)));
  EXPECT_TRUE(doubles.MayHave(kDouble, Value::Integer(-9821325365826162)));
  const Column floats({ParquetHashFloat(std::nextafter(0.36328125f, 1.0f))});
  EXPECT_TRUE(floats.MayHave(kFloat, Value::Decimal(int64_t{36328125000000000}, 17)));
}

TEST(ParquetFaults, BlobsAreBytes) {
  const Column column({HashOf("\xff"), HashOf("plain")});
  const Type blob = Type::Plain(Physical::kByteArray);
  EXPECT_TRUE(column.MayHave(blob, Value::Bytes("\xff", 1)));
  EXPECT_FALSE(column.MayHave(blob, Value::Bytes("\\xff", 4)));
  // Nobody knows whether this is a text or a printed form.
  const ParquetAnswer answer = column.Ask(blob, Value::Text("\\xff"));
  EXPECT_TRUE(answer.may_contain);
  EXPECT_EQ(answer.reason, Reason::kOtherKind);
}

TEST(ParquetFaults, DecimalsHaveAWidthAndAnOrder) {
  const std::vector<std::string> forms = {std::string("\x04\xd2", 2), std::string("\0\0\x04\xd2", 4),
                                          std::string("\0\0\0\0\0\0\x04\xd2", 8),
                                          std::string(14, '\0') + std::string("\x04\xd2", 2)};
  for (const std::string& form : forms) {
    const Column column({HashOf(form)});
    const int32_t length = static_cast<int32_t>(form.size());
    const Type fixed = Type::Decimal(Physical::kFixedLenByteArray, 4, 2, length);
    const Type bytes = Type::Decimal(Physical::kByteArray, 4, 2);
    for (const Value& value : {Value::Decimal(1234, 2), Value::Decimal(123400, 4)}) {
      EXPECT_TRUE(column.MayHave(fixed, value)) << length;
      EXPECT_TRUE(column.MayHave(bytes, value)) << length;
    }
    EXPECT_FALSE(column.MayHave(fixed, Value::Decimal(1235, 2)));
    EXPECT_FALSE(column.MayHave(fixed, Value::Decimal(1234, 1)));
  }
  const Column negative({HashOf(std::string(9, '\xff'))});
  EXPECT_TRUE(negative.MayHave(Type::Decimal(Physical::kFixedLenByteArray, 20, 0, 9), Value::Integer(-1)));
  const Column unscaled({ParquetHashInt32(15)});  // 1.5
  EXPECT_TRUE(unscaled.MayHave(Type::Decimal(Physical::kInt32, 4, 1), Value::Decimal(150, 2)));
  // A small precision in INT64.
  const Column wide({ParquetHashInt64(200)});
  EXPECT_TRUE(wide.MayHave(Type::Decimal(Physical::kInt64, 4, 2), Value::Decimal(200, 2)));
  EXPECT_TRUE(wide.MayHave(Type::Decimal(Physical::kInt64, 4, 2), Value::Integer(2)));
}

TEST(ParquetFaults, SmallIntegersAreWidenedByTheirSign) {
  const Column of_signed({ParquetHashInt32(-56), ParquetHashInt32(-2)});
  EXPECT_TRUE(of_signed.MayHave(Type::Integer(8, true), Value::Integer(-56)));
  EXPECT_TRUE(of_signed.MayHave(Type::Integer(8, true), Value::Integer(int8_t{-56})));
  EXPECT_TRUE(of_signed.MayHave(Type::Integer(16, true), Value::Integer(int16_t{-2})));
  const Column of_unsigned({ParquetHashInt32(200), ParquetHashInt32(65534), ParquetHashInt32(-1)});
  EXPECT_TRUE(of_unsigned.MayHave(Type::Integer(8, false), Value::Integer(uint8_t{200})));
  EXPECT_TRUE(of_unsigned.MayHave(Type::Integer(16, false), Value::Integer(65534)));
  EXPECT_TRUE(of_unsigned.MayHave(Type::Integer(32, false), Value::Integer(uint32_t{4294967295})));
}

TEST(ParquetFaults, ConstantsOutsideOfTheTypeAreAbsent) {
  const Column column({ParquetHashInt32(705032704), ParquetHashInt32(44), ParquetHashInt32(-1)});
  const auto is_absent = [&](const Type& type, const Value& value) {
    const ParquetAnswer answer = column.Ask(type, value);
    EXPECT_FALSE(answer.may_contain);
    EXPECT_EQ(answer.reason, Reason::kOutOfRange);
  };
  is_absent(Type::Plain(Physical::kInt32), Value::Integer(5000000000));  // its lower half is 705032704
  is_absent(Type::Integer(8, false), Value::Integer(300));               // 44
  is_absent(Type::Integer(32, false), Value::Integer(-1));
  is_absent(Type::Integer(32, true), Value::Integer(uint32_t{4294967295}));
  is_absent(Type::Decimal(Physical::kInt32, 9, 0), Value::Integer(5000000000));
  is_absent(Type::Of(Logical::kDate), Value::Date(5000000000));
}

TEST(ParquetFaults, DatesAndTimesHaveAUnit) {
  const Column dates({ParquetHashInt32(19000)});
  EXPECT_TRUE(dates.MayHave(Type::Of(Logical::kDate), Value::Date(19000)));
  EXPECT_TRUE(dates.MayHave(Type::Of(Logical::kDate), Value::Integer(19001))) << "an integer is no date";
  EXPECT_TRUE(dates.MayHave(Type::Of(Logical::kDate), Value::Text("2022-01-08"))) << "nor is a text";
  const Column millis({ParquetHashInt64(1700000000000), ParquetHashInt32(86399999)});
  const Type column = Type::Timestamp(Unit::kMillis, true);
  EXPECT_TRUE(millis.MayHave(column, Value::Timestamp(1700000000000000, Unit::kMicros, true)));
  EXPECT_FALSE(millis.MayHave(column, Value::Timestamp(1700000000000001, Unit::kMicros, true)));
  EXPECT_TRUE(millis.MayHave(Type::Time(Unit::kMillis, false), Value::Time(86399999000000, Unit::kNanos, false)));
  EXPECT_TRUE(millis.MayHave(column, Value::Timestamp(1, Unit::kMillis, false))) << "a zone is needed to compare";
}

// DuckDB stores them as the ends of INT64, whatever the unit, and finds them by each other.
TEST(ParquetFaults, InfiniteTimes) {
  const Column column({ParquetHashInt64(INT64_MAX), ParquetHashInt64(-INT64_MAX)});
  for (const Unit stored : {Unit::kMillis, Unit::kMicros, Unit::kNanos}) {
    for (const Unit asked : {Unit::kMillis, Unit::kMicros, Unit::kNanos}) {
      const Type type = Type::Timestamp(stored, false);
      EXPECT_TRUE(column.MayHave(type, Value::Timestamp(INT64_MAX, asked, false)));
      EXPECT_TRUE(column.MayHave(type, Value::Timestamp(-INT64_MAX, asked, false)));
    }
  }
}

TEST(ParquetFaults, TextsAndBytesOfAnotherLength) {
  const Column fixed({HashOf("abc"), HashOf("abc ")});
  EXPECT_TRUE(fixed.MayHave(Type::Plain(Physical::kFixedLenByteArray, 3), Value::Bytes("abc", 3)));
  EXPECT_FALSE(fixed.MayHave(Type::Plain(Physical::kFixedLenByteArray, 3), Value::Bytes("abc ", 4)));
  EXPECT_TRUE(fixed.MayHave(Type::Of(Logical::kString), Value::Text("abc ")));
  EXPECT_FALSE(fixed.MayHave(Type::Of(Logical::kString), Value::Text("abc  ")));
  EXPECT_FALSE(fixed.MayHave(Type::Of(Logical::kString), Value::Text("ab")));
}

// No engine had this one. The filter that serves has 0.0, the next one -0.0, and so on. One of them as a whole answers
// a question.
TEST(ParquetFaults, OneOfTheFiltersThatServeInTurnAnswersAllForms) {
  const auto with = [](double zero) {
    Filter filter = Created<Filter>(10, ParquetFilterOptions(0.01));
    filter.InsertHash(ParquetHashDouble(zero));
    return filter;
  };
  SwappableFilter serving;
  ASSERT_TRUE(IsOk(serving.Swap(with(0.0))));
  std::atomic<bool> stops{false};
  std::thread swapper([&] {
    for (int i = 0; !stops; ++i) EXPECT_TRUE(IsOk(serving.Swap(with(i % 2 == 0 ? -0.0 : 0.0))));
  });
  const ParquetQuestion question(kDouble, Value::Integer(0));
  int lost = 0;
  for (int i = 0; i < 2000000; ++i) lost += !question.MayContain(serving);
  stops = true;
  swapper.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace linefilter::test
