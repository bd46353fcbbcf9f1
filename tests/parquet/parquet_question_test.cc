// A question asks for a value in these forms, for every type of column and kind of value. The bytes are written by
// hand.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "linefilter/swappable.h"
#include "tests/parquet/asks.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

const Type kInt32 = Type::Plain(Physical::kInt32), kInt64 = Type::Plain(Physical::kInt64);
const Type kFloat = Type::Plain(Physical::kFloat), kDouble = Type::Plain(Physical::kDouble);
const Type kBytes = Type::Plain(Physical::kByteArray), kText = Type::Of(Logical::kString);

TEST(ParquetHash, IsOfThePlainEncoding) {
  EXPECT_EQ(ParquetHashInt32(-2), ParquetHashBytes("\xfe\xff\xff\xff", 4));
  EXPECT_EQ(ParquetHashInt64(-2), ParquetHashBytes("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
  EXPECT_EQ(ParquetHashInt64(5), ParquetHash(5));
  EXPECT_EQ(ParquetHashFloat(1.5f), ParquetHashBytes("\0\0\xc0\x3f", 4));
  EXPECT_EQ(ParquetHashDouble(-0.0), ParquetHashBytes("\0\0\0\0\0\0\0\x80", 8));
  EXPECT_NE(ParquetHashDouble(-0.0), ParquetHashDouble(0.0));
  EXPECT_EQ(ParquetHashBytes("abc", 3), ParquetHash("abc"));
}

TEST(ParquetHash, OfColumnsIsThatOfValues) {
  constexpr size_t kValues = 1000;  // some groups, and a part of one
  Random random(7);
  std::vector<int32_t> int32s(kValues);
  std::vector<int64_t> int64s(kValues);
  std::vector<float> floats(kValues);
  std::vector<double> doubles(kValues);
  for (size_t i = 0; i < kValues; ++i) {
    int64s[i] = static_cast<int64_t>(random());
    int32s[i] = static_cast<int32_t>(int64s[i]);
    doubles[i] = i == 5 ? -0.0 : std::ldexp(static_cast<double>(int64s[i]), static_cast<int>(i) - 500);
    floats[i] = i == 5 ? -0.0f : static_cast<float>(int32s[i]);
  }
  std::vector<uint64_t> of32(kValues), of64(kValues), of_floats(kValues), of_doubles(kValues), of_fixed(kValues);
  ParquetHashes(int32s.data(), kValues, of32.data());
  ParquetHashes(int64s.data(), kValues, of64.data());
  ParquetHashes(floats.data(), kValues, of_floats.data());
  ParquetHashes(doubles.data(), kValues, of_doubles.data());
  ParquetHashesOfFixed(int64s.data(), 8, kValues, of_fixed.data());
  for (size_t i = 0; i < kValues; ++i) {
    EXPECT_EQ(of32[i], ParquetHashInt32(int32s[i]));
    EXPECT_EQ(of64[i], ParquetHashInt64(int64s[i]));
    EXPECT_EQ(of_floats[i], ParquetHashFloat(floats[i]));
    EXPECT_EQ(of_doubles[i], ParquetHashDouble(doubles[i]));
    EXPECT_EQ(of_fixed[i], ParquetHashBytes(&int64s[i], 8));
  }
}

TEST(ParquetQuestion, IntegersAreOfTheColumnsWidthAndSign) {
  Asks(kInt32, Value::Integer(-5), {Little(static_cast<uint64_t>(-5), 4)});
  Asks(kInt64, Value::Integer(-5), {Little(static_cast<uint64_t>(-5), 8)});
  Asks(Type::Integer(8, true), Value::Integer(-128), {"\x80\xff\xff\xff"});
  Asks(Type::Integer(8, false), Value::Integer(200), {Little(200, 4)});
  Asks(Type::Integer(16, true), Value::Integer(-1), {"\xff\xff\xff\xff"});
  Asks(Type::Integer(16, false), Value::Integer(65535), {Little(65535, 4)});
  Asks(Type::Integer(32, false), Value::Integer(uint32_t{4294967295}), {"\xff\xff\xff\xff"});
  Asks(Type::Integer(64, false), Value::Integer(UINT64_MAX), {Little(UINT64_MAX, 8)});
  Asks(Type::Integer(64, true), Value::Integer(INT64_MIN), {Little(uint64_t{1} << 63, 8)});
  const struct {
    Type type;
    int64_t below, above;
  } limits[] = {{Type::Integer(8, true), -129, 128},        {Type::Integer(8, false), -1, 256},
                {Type::Integer(16, true), -32769, 32768},   {Type::Integer(16, false), -1, 65536},
                {kInt32, -2147483649, 2147483648},          {Type::Integer(32, true), -2147483649, 2147483648},
                {Type::Integer(32, false), -1, 4294967296}, {Type::Integer(64, false), -1, -2}};
  for (const auto& limit : limits) {
    Decides(limit.type, Value::Integer(limit.below), Reason::kOutOfRange);
    Decides(limit.type, Value::Integer(limit.above), Reason::kOutOfRange);
  }
  Decides(kInt64, Value::Integer(uint64_t{1} << 63), Reason::kOutOfRange);
  Decides(kInt64, Value::Integer(ParquetInteger::FromHalves(1, 0)), Reason::kOutOfRange);
  Asks(kInt64, Value::Integer(ParquetInteger::FromHalves(-1, static_cast<uint64_t>(-7))),
       {Little(static_cast<uint64_t>(-7), 8)});
}

TEST(ParquetQuestion, OtherNumbersAreAskedOfIntegers) {
  Asks(kInt32, Value::Decimal(1200, 2), {Little(12, 4)});
  Asks(kInt32, Value::Decimal(-12, -2), {Little(static_cast<uint64_t>(-1200), 4)});
  Asks(kInt32, Value::Double(-0.0), {Little(0, 4)});
  Asks(kInt64, Value::Double(9007199254740991.0), {Little(9007199254740991, 8)});
  Asks(kInt64, Value::Float(16777215.0f), {Little(16777215, 8)});
  Decides(kInt32, Value::Decimal(1201, 2), Reason::kOutOfRange);
  Decides(kInt32, Value::Double(1.5), Reason::kOutOfRange);
  Decides(kInt32, Value::Double(2147483648.0), Reason::kOutOfRange);
  Decides(kInt64, Value::Double(9007199254740992.0), Reason::kInexact);
  Decides(kInt64, Value::Float(16777216.0f), Reason::kInexact);
  Decides(kInt64, Value::Double(1e30), Reason::kOutOfRange);
  Decides(kInt64, Value::Double(-std::numeric_limits<double>::infinity()), Reason::kOutOfRange);
  Decides(kInt64, Value::Double(std::nan("")), Reason::kNan);
  Decides(kInt64, Value::Decimal(1, -400), Reason::kOutOfRange);
}

TEST(ParquetQuestion, DecimalsAreRescaledExactly) {
  const Type in32 = Type::Decimal(Physical::kInt32, 9, 2), in64 = Type::Decimal(Physical::kInt64, 18, 2);
  const Type fixed = Type::Decimal(Physical::kFixedLenByteArray, 20, 2, 9);
  for (const Value& value : {Value::Decimal(-1250, 2), Value::Decimal(-125, 1), Value::Decimal(-1250000, 5),
                             Value::Double(-12.5), Value::Float(-12.5f)}) {
    Asks(in32, value, {Little(static_cast<uint64_t>(-1250), 4)});
    Asks(in64, value, {Little(static_cast<uint64_t>(-1250), 8)});
    Asks(fixed, value, {Big(-1250, 9)});
  }
  Asks(fixed, Value::Integer(3), {Big(300, 9)});
  Decides(in32, Value::Decimal(1251, 3), Reason::kOutOfRange);
  Decides(in32, Value::Integer(21474837), Reason::kOutOfRange);
  Asks(in32, Value::Integer(21474836), {Little(2147483600, 4)});
  Decides(fixed, Value::Integer(ParquetInteger::FromHalves(1000, 0)), Reason::kOutOfRange);
  Decides(in32, Value::Double(0.1), Reason::kInexact);
  Decides(in32, Value::Double(0.125), Reason::kInexact);
  Decides(in32, Value::Double(std::nan("")), Reason::kNan);
  Decides(in64, Value::Float(8388607.5f), Reason::kInexact);  // more than the 6 digits that FLOAT tells apart
  Decides(in64, Value::Double(1e17), Reason::kInexact);
  Decides(in64, Value::Decimal(1, -80), Reason::kOutOfRange);
  // 10^-50 is rounded to the FLOAT 0.
  const Type tiny = Type::Decimal(Physical::kFixedLenByteArray, 76, 50, 32);
  Decides(tiny, Value::Float(0.0f), Reason::kInexact);
  Asks(tiny, Value::Double(0.0), {Big(0, 32)});
}

TEST(ParquetQuestion, DecimalsOfBytesHaveEveryLength) {
  const Type type = Type::Decimal(Physical::kByteArray, 20, 0);
  std::vector<std::string> forms;
  for (size_t size = 2; size <= 16; ++size) forms.push_back(Big(-300, size));
  Asks(type, Value::Integer(-300), forms);
  forms = {""};
  for (size_t size = 1; size <= 16; ++size) forms.push_back(Big(0, size));
  Asks(type, Value::Integer(0), forms);
  for (size_t size = 17; size <= 32; ++size) forms.push_back(Big(0, size));
  Asks(Type::Decimal(Physical::kByteArray, 60, 0), Value::Integer(0), forms);
  EXPECT_EQ(forms.size(), ParquetQuestion::kMostHashes);
  forms.clear();
  for (size_t size = 1; size <= 16; ++size) forms.push_back(Big(127, size));
  Asks(type, Value::Integer(127), forms);
  forms.clear();
  for (size_t size = 2; size <= 16; ++size) forms.push_back(Big(128, size));
  Asks(type, Value::Integer(128), forms);
  Decides(type, Value::Decimal(1, -80), Reason::kInexact);
}

// doc/guide/parquet.md tells these rates.
TEST(ParquetQuestion, EveryFormHasTheRateOfTheFilter) {
  Filter filter = Created<Filter>(20000, ParquetFilterOptions(0.01));
  for (int64_t i = 0; i < 20000; ++i) filter.InsertHash(ParquetHashInt64(i));
  const auto rate = [&](const Type& type) {
    int maybes = 0;
    for (int64_t i = 1; i <= 120; ++i) maybes += MayContain(filter, type, Value::Integer(i)).may_contain;
    for (int64_t i = -120; i < 0; ++i) maybes += MayContain(filter, type, Value::Integer(i)).may_contain;
    return maybes / 240.0;
  };
  EXPECT_NEAR(rate(Type::Decimal(Physical::kByteArray, 38, 0)), 0.1485, 0.06);
  EXPECT_NEAR(rate(Type::Decimal(Physical::kByteArray, 0, 0)), 0.275, 0.08);
  EXPECT_LE(rate(Type::Decimal(Physical::kFixedLenByteArray, 38, 0, 16)), 0.04);
}

TEST(ParquetQuestion, RealsAreAskedByTheirBits) {
  Asks(kDouble, Value::Double(0.1), {Bits(0.1)});
  Asks(kFloat, Value::Float(0.1f), {Bits(0.1f)});
  Asks(kDouble, Value::Float(0.1f), {Bits(double{0.1f})});
  Asks(kDouble, Value::Integer(-3), {Bits(-3.0)});
  Asks(kDouble, Value::Decimal(125, 2), {Bits(1.25)});
  Asks(kFloat, Value::Decimal(-5, 1), {Bits(-0.5f)});
  Asks(kFloat, Value::Decimal(5, -1), {Bits(50.0f)});
  Asks(kDouble, Value::Integer(-9007199254740991), {Bits(-9007199254740991.0)});
  Asks(kFloat, Value::Double(std::numeric_limits<double>::infinity()), {Bits(std::numeric_limits<float>::infinity())});
  Asks(kDouble, Value::Double(5e-324), {Bits(5e-324)});
  Asks(kDouble, Value::Integer(0), {Bits(0.0), Bits(-0.0)});
  Asks(kFloat, Value::Decimal(0, 30), {Bits(0.0f), Bits(-0.0f)});
  Asks(kDouble, Value::Double(-0.0), {Bits(-0.0), Bits(0.0)});
  Decides(kFloat, Value::Double(0.1), Reason::kInexact);
  Decides(kFloat, Value::Double(1e300), Reason::kInexact);
  Decides(kDouble, Value::Decimal(1, 1), Reason::kInexact);
  Decides(kDouble, Value::Integer(9007199254740993), Reason::kInexact);
  Decides(kFloat, Value::Integer(16777217), Reason::kInexact);
  Asks(kDouble, Value::Decimal(int64_t{7500000000000000}, 16), {Bits(0.75)});
  Asks(kFloat, Value::Decimal(15000000, 7), {Bits(1.5f)});
  Decides(kDouble, Value::Decimal(1, 2000000000), Reason::kInexact);
  Decides(kDouble, Value::Decimal(1, -2000000000), Reason::kInexact);
  for (const Type& type : {kFloat, kDouble}) {
    Decides(type, Value::Double(std::nan("1")), Reason::kNan);
    Decides(type, Value::Float(-std::numeric_limits<float>::quiet_NaN()), Reason::kNan);
  }
}

TEST(ParquetQuestion, HalvesAreAskedByTheirBits) {
  const Type half = Type::Of(Logical::kFloat16);
  Asks(half, Value::Double(1), {Little(0x3c00, 2)});
  Asks(half, Value::Integer(-2), {Little(0xc000, 2)});
  Asks(half, Value::Double(65504), {Little(0x7bff, 2)});
  Asks(half, Value::Double(0x1p-14), {Little(0x0400, 2)});
  Asks(half, Value::Double(0x1p-15), {Little(0x0200, 2)});
  Asks(half, Value::Double(0x3ffp-24), {Little(0x03ff, 2)});
  Asks(half, Value::Double(-0x1p-24), {Little(0x8001, 2)});
  Asks(half, Value::Double(0), {Little(0, 2), Little(0x8000, 2)});
  Asks(half, Value::Double(-std::numeric_limits<double>::infinity()), {Little(0xfc00, 2)});
  for (const double real : {0.1, 65520.0, 1e300, 0x1p-25, 0x1.8p-24, 0x1.001p0, 0x1.004p-14 * 0.5}) {
    Decides(half, Value::Double(real), Reason::kInexact);
  }
  Decides(half, Value::Double(std::nan("")), Reason::kNan);
}

TEST(ParquetQuestion, BytesAndTexts) {
  Asks(kText, Value::Text("Zürich"), {"Zürich"});
  Asks(kText, Value::Bytes("ab", 2), {"ab"});
  Asks(kText, Value::Text(""), {""});
  Asks(Type::Of(Logical::kEnum), Value::Text("RED"), {"RED"});
  Asks(Type::Of(Logical::kJson), Value::Text("{}"), {"{}"});
  Asks(Type::Of(Logical::kBson), Value::Bytes("\0x", 2), {std::string("\0x", 2)});
  Asks(kBytes, Value::Bytes("\xff", 1), {"\xff"});
  Asks(Type::Plain(Physical::kInt96), Value::Bytes("123456789012", 12), {"123456789012"});
  Asks(Type::Plain(Physical::kFixedLenByteArray, 3), Value::Bytes("abc", 3), {"abc"});
  Decides(Type::Plain(Physical::kFixedLenByteArray, 3), Value::Bytes("ab", 2), Reason::kOutOfRange);
  Decides(Type::Plain(Physical::kInt96), Value::Bytes("1", 1), Reason::kOtherKind);
  Decides(kBytes, Value::Text("\\xff"), Reason::kOtherKind);
  Decides(kText, Value::Integer(5), Reason::kOtherKind);
  Decides(kInt32, Value::Text("5"), Reason::kOtherKind);
  Decides(kInt32, Value::Bytes("1234", 4), Reason::kOtherKind);
}

TEST(ParquetQuestion, Uuids) {
  const Type uuid = Type::Of(Logical::kUuid);
  const std::string bytes("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  for (const Value& value :
       {Value::Uuid(bytes.data()), Value::Bytes(bytes.data(), 16), Value::Text("00112233-4455-6677-8899-aabbccddeeff"),
        Value::Text("00112233-4455-6677-8899-AABBCCDDEEFF"), Value::Text("00112233445566778899aabbccddeeff")}) {
    Asks(uuid, value, {bytes});
  }
  for (const char* const text : {"", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeefg",
                                 "001122334455-6677-8899-aabbccddeeff-", "{0112233445566778899aabbccddeeff"}) {
    Decides(uuid, Value::Text(text), Reason::kOtherKind);
  }
  Decides(uuid, Value::Bytes("short", 5), Reason::kOtherKind);
  Decides(kBytes, Value::Uuid(bytes.data()), Reason::kOtherKind);
}

TEST(ParquetQuestion, DatesAndTimesAreCountedInTheUnitOfTheColumn) {
  Asks(Type::Of(Logical::kDate), Value::Date(-1), {"\xff\xff\xff\xff"});
  Decides(Type::Of(Logical::kDate), Value::Date(int64_t{1} << 31), Reason::kOutOfRange);
  Asks(Type::Time(Unit::kMillis, false), Value::Time(5000000, Unit::kNanos, false), {Little(5, 4)});
  Asks(Type::Time(Unit::kMicros, true), Value::Time(5, Unit::kMillis, true), {Little(5000, 8)});
  Decides(Type::Time(Unit::kMillis, true), Value::Time(5001, Unit::kMicros, true), Reason::kOutOfRange);
  Asks(Type::Timestamp(Unit::kMillis, true), Value::Timestamp(-7000, Unit::kMicros, true),
       {Little(static_cast<uint64_t>(-7), 8)});
  Asks(Type::Timestamp(Unit::kNanos, false), Value::Timestamp(3, Unit::kMillis, false), {Little(3000000, 8)});
  Decides(Type::Timestamp(Unit::kNanos, false), Value::Timestamp(INT64_MAX - 1, Unit::kMillis, false),
          Reason::kOutOfRange);
  Decides(Type::Timestamp(Unit::kNanos, false), Value::Timestamp(3, Unit::kMillis, true), Reason::kOtherKind);
  Decides(Type::Time(Unit::kMillis, false), Value::Time(3, Unit::kMillis, true), Reason::kOtherKind);
  Decides(kInt64, Value::Timestamp(3, Unit::kMillis, false), Reason::kOtherKind);
  Decides(Type::Timestamp(Unit::kMillis, false), Value::Integer(3), Reason::kOtherKind);
  Decides(Type::Timestamp(Unit::kMillis, false), Value::Date(3), Reason::kOtherKind);
  Decides(Type::Plain(Physical::kInt96), Value::Timestamp(3, Unit::kNanos, true), Reason::kOtherKind);
  const Type micros = Type::Timestamp(Unit::kMicros, false);
  for (const int unit : {0, 4, 255}) {
    Decides(micros, Value::Timestamp(0, static_cast<Unit>(unit), false), Reason::kOtherKind);
    Decides(Type::Time(Unit::kMicros, false), Value::Time(0, static_cast<Unit>(unit), false), Reason::kOtherKind);
  }
  // The ends are "infinity" in some engines, whatever the unit.
  for (const int64_t end : {INT64_MAX, -INT64_MAX, INT64_MIN}) {
    Asks(micros, Value::Timestamp(end, Unit::kMicros, false), {Little(static_cast<uint64_t>(end), 8)});
    Decides(micros, Value::Timestamp(end, Unit::kNanos, false), Reason::kInexact);
    Decides(micros, Value::Timestamp(end, Unit::kMillis, false), Reason::kInexact);
  }
  Decides(micros, Value::Timestamp(INT64_MAX - 1, Unit::kNanos, false), Reason::kOutOfRange);
}

TEST(ParquetQuestion, TypesThatParquetDoesNotHaveAreMaybe) {
  std::vector<Type> types = {Type::Plain(Physical::kBoolean),
                             Type::Of(Logical::kInterval),
                             Type::Plain(Physical::kFixedLenByteArray),
                             Type::Integer(24, true),
                             Type::Decimal(Physical::kDouble, 9, 2),
                             Type::Decimal(Physical::kInt32, 9, -1),
                             Type::Decimal(Physical::kFixedLenByteArray, 9, 2, 0),
                             Type::Decimal(Physical::kFixedLenByteArray, 9, 2, 33)};
  Type type = Type::Integer(64, true);
  type.physical = Physical::kInt32;
  types.push_back(type);
  type = Type::Of(Logical::kUuid);
  type.type_length = 15;
  types.push_back(type);
  type = Type::Timestamp(Unit::kMicros, true);
  type.unit = static_cast<Unit>(4);
  types.push_back(type);
  type = kText;
  type.physical = Physical::kInt32;
  types.push_back(type);
  for (const int other : {2, 3, 11, 16, 17, 18, 255}) types.push_back(Type::Of(static_cast<Logical>(other)));
  types.push_back(Type::Plain(static_cast<Physical>(8)));
  for (const Type& unknown : types) {
    for (const Value& value : {Value::Integer(0), Value::Text("x"), Value::Bytes("123456789012", 12), Value()}) {
      Decides(unknown, value, Reason::kUnsupportedType);
    }
  }
  Decides(kText, Value(), Reason::kNull);
}

TEST(ParquetQuestion, FiltersOfAnotherHashAnswerMaybe) {
  const ParquetQuestion question(kInt64, Value::Integer(5));
  const Filter filter = Created<Filter>(10, ParquetFilterOptions(0.01));
  EXPECT_FALSE(question.MayContain(filter));
  EXPECT_EQ(question.Ask(filter).reason, Reason::kAsked);
  EXPECT_EQ(question.Ask(Filter()).reason, Reason::kNoFilter);
  EXPECT_TRUE(question.MayContain(ParquetFilterView()));
  const Filter other = Created<Filter>(10, FilterOptions::AtFpr(0.01));
  EXPECT_EQ(question.Ask(other).reason, Reason::kOtherHash);
  EXPECT_TRUE(question.MayContain(other));
  // Any layout may have Parquet's hash.
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.hash_id = HashId::kParquet;
  BlockedFilter blocked = Created<BlockedFilter>(10, options);
  EXPECT_FALSE(question.MayContain(blocked));
  blocked.InsertHash(ParquetHashInt64(5));
  EXPECT_TRUE(question.MayContain(blocked));
  // What serves is asked.
  SwappableFilter swappable;
  EXPECT_EQ(question.Ask(swappable).reason, Reason::kNoFilter);
  // What the type cannot hold is in no filter of it, whatever its bits are.
  const ParquetQuestion outside(kInt32, Value::Integer(int64_t{1} << 40));
  for (const FilterBase* one : {static_cast<const FilterBase*>(&other), static_cast<const FilterBase*>(&swappable)}) {
    EXPECT_FALSE(outside.MayContain(*one));
    EXPECT_EQ(outside.Ask(*one).reason, Reason::kOutOfRange);
  }
}

TEST(ParquetInteger, IsReadFromBigEndianBytes) {
  for (const int64_t number : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{127}, int64_t{-128}, int64_t{70000},
                               int64_t{-70000}, INT64_MAX, INT64_MIN}) {
    for (const size_t size : {8u, 9u, 16u, 31u, 32u, 33u, 40u}) {
      ParquetInteger integer;
      const std::string bytes = Big(number, size);
      ASSERT_TRUE(ParquetInteger::FromBigEndian(bytes.data(), size, &integer));
      EXPECT_EQ(memcmp(integer.words, ParquetInteger(number).words, sizeof(integer.words)), 0) << number << " " << size;
    }
  }
  ParquetInteger integer(7);
  EXPECT_TRUE(ParquetInteger::FromBigEndian("", 0, &integer));
  EXPECT_EQ(integer.words[0], 0u);
  EXPECT_FALSE(ParquetInteger::FromBigEndian(("\x01" + std::string(32, '\0')).data(), 33, &integer));
  EXPECT_FALSE(ParquetInteger::FromBigEndian(std::string("\0\x80", 2).append(31, 'x').data(), 33, &integer));
}

}  // namespace
}  // namespace linefilter::test
