// Columns of old writers have a ConvertedType, and no LogicalType. They are asked as the columns of today that mean the
// same.
#include <cstdint>

#include "gtest/gtest.h"
#include "linefilter/parquet.h"
#include "tests/parquet/asks.h"

namespace linefilter::test {
namespace {

TEST(ParquetConverted, IsAskedAsItsLogicalType) {
  const auto of = [](int converted, Physical physical) { return Type::OfConverted(converted, physical); };
  Asks(of(0, Physical::kByteArray), Value::Text("x"), {"x"});
  Asks(of(4, Physical::kByteArray), Value::Text("x"), {"x"});
  Asks(Type::OfConverted(5, Physical::kInt32, 0, 9, 2), Value::Integer(12), {Little(1200, 4)});
  Asks(Type::OfConverted(5, Physical::kFixedLenByteArray, 5, 10, 1), Value::Integer(-1), {Big(-10, 5)});
  Asks(of(6, Physical::kInt32), Value::Date(3), {Little(3, 4)});
  Asks(of(7, Physical::kInt32), Value::Time(3000, Unit::kMicros, true), {Little(3, 4)});
  Asks(of(8, Physical::kInt64), Value::Time(3, Unit::kMillis, true), {Little(3000, 8)});
  Asks(of(9, Physical::kInt64), Value::Timestamp(3000, Unit::kMicros, true), {Little(3, 8)});
  Asks(of(10, Physical::kInt64), Value::Timestamp(3, Unit::kMillis, true), {Little(3000, 8)});
  Decides(of(10, Physical::kInt64), Value::Timestamp(3, Unit::kMillis, false), Reason::kOtherKind);
  for (int i = 0; i < 8; ++i) {
    const int bits = 8 << (i % 4);
    const Physical physical = bits == 64 ? Physical::kInt64 : Physical::kInt32;
    const ParquetInteger most(~uint64_t{0} >> (64 - bits + (i < 4 ? 0 : 1)));
    Asks(of(11 + i, physical), Value::Integer(most), {Little(most.words[0], bits == 64 ? 8 : 4)});
    Decides(of(11 + i, physical), Value::Integer(i < 4 ? ParquetInteger(-1) : ParquetInteger(most.words[0] + 1)),
            Reason::kOutOfRange);
  }
  Asks(of(19, Physical::kByteArray), Value::Text("{}"), {"{}"});
  Asks(of(20, Physical::kByteArray), Value::Bytes("x", 1), {"x"});
  for (const int none : {-1, 1, 2, 3, 21, 22, 255}) {
    Decides(of(none, Physical::kByteArray), Value::Text("x"), Reason::kUnsupportedType);
  }
}

}  // namespace
}  // namespace linefilter::test
