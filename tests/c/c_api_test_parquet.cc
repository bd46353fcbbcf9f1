// The C API of Parquet is that of C++: the same answers, reasons, sentences and hashes for any type and value, sensible
// or not, and the same bytes.
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/c.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/testing/building.h"
#include "tests/testing/failing_memory.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

// A type, or a value, in both languages.
struct Type {
  ParquetColumnType cpp;
  linefilter_parquet_type c;
};
struct Value {
  ParquetValue cpp;
  linefilter_parquet_value c;
};

// Parameters of types and values. Some do not fit to each other.
struct Parameters {
  explicit Parameters(Random* random) {
    const auto below = [random](uint64_t end) { return static_cast<int32_t>(random->Below(end)); };
    physical = below(9), logical = below(18), unit = below(5), length = below(40), precision = below(80);
    scale = below(8) - 1, bits = 8 << below(5), converted = below(24) - 1, which = below(12);
    flag = below(2) == 1;
    // Around the ends of the widths of integers, and zero.
    number = (uint64_t{1} << random->Below(64)) - 2 + random->Below(4);
    if (below(3) == 0) number = random->Below(3);
    if (below(2) == 0) number = 0 - number;
    if (below(3) == 0) number *= 1000000;
    bytes.assign(static_cast<size_t>(below(3) == 0 ? length : 16), static_cast<char>(below(3) == 0 ? 0xff : 0));
    for (size_t i = 0; i < random->Below(8) && i < bytes.size(); ++i) {
      bytes[bytes.size() - 1 - i] = static_cast<char>((*random)());
    }
    const double reals[] = {0.0, -0.0, 1.5, 0.1, 1e300, static_cast<double>(static_cast<int64_t>(number))};
    real = reals[random->Below(6)];
    if (below(4) == 0) memcpy(&real, &number, sizeof(real));
  }

  int32_t physical, logical, unit, length, precision, scale, bits, converted, which;
  bool flag;
  uint64_t number;
  double real;
  std::string bytes;
};

Type TypeOf(const Parameters& p) {
  const auto physical = static_cast<ParquetPhysicalType>(p.physical);
  const auto unit = static_cast<ParquetTimeUnit>(p.unit);
  switch (p.which) {
    case 0:
      return {ParquetColumnType::Plain(physical, p.length), linefilter_parquet_type_plain(p.physical, p.length)};
    case 1:
      return {ParquetColumnType::Of(static_cast<ParquetLogicalType>(p.logical)), linefilter_parquet_type_of(p.logical)};
    case 2:
      return {ParquetColumnType::Integer(p.bits, p.flag), linefilter_parquet_type_integer(p.bits, p.flag)};
    case 3:
      return {ParquetColumnType::Decimal(physical, p.precision, p.scale, p.length),
              linefilter_parquet_type_decimal(p.physical, p.precision, p.scale, p.length)};
    case 4:
      return {ParquetColumnType::Time(unit, p.flag), linefilter_parquet_type_time(p.unit, p.flag)};
    case 5:
      return {ParquetColumnType::Timestamp(unit, p.flag), linefilter_parquet_type_timestamp(p.unit, p.flag)};
    case 6:
      return {ParquetColumnType::OfConverted(p.converted, physical, p.length, p.precision, p.scale),
              linefilter_parquet_type_converted(p.converted, p.physical, p.length, p.precision, p.scale)};
    default:  // filled by hand
      break;
  }
  Type type;
  type.c = {p.physical, p.logical, p.length, p.precision, p.scale, p.bits, p.unit, p.flag, !p.flag};
  type.cpp.physical = physical;
  type.cpp.logical = static_cast<ParquetLogicalType>(p.logical);
  type.cpp.type_length = p.length;
  type.cpp.precision = p.precision;
  type.cpp.scale = p.scale;
  type.cpp.bit_width = p.bits;
  type.cpp.unit = unit;
  type.cpp.is_signed = p.flag;
  type.cpp.is_utc = !p.flag;
  return type;
}

Value BigDecimalOf(const Parameters& p) {
  Value value = {ParquetValue(), linefilter_parquet_value()};
  ParquetInteger unscaled;
  const bool fits = ParquetInteger::FromBigEndian(p.bytes.data(), p.bytes.size(), &unscaled);
  EXPECT_EQ(linefilter_parquet_value_big_decimal(p.bytes.data(), p.bytes.size(), p.scale, &value.c), fits);
  if (fits) value.cpp = ParquetValue::Decimal(unscaled, p.scale);
  return value;
}

// It refers to the bytes of `p`.
Value ValueOf(const Parameters& p) {
  const auto unit = static_cast<ParquetTimeUnit>(p.unit);
  const int64_t count = static_cast<int64_t>(p.number);
  const float narrow = static_cast<float>(p.real);
  const void* const bytes = p.bytes.data();
  switch (p.which) {
    case 0:
      return {ParquetValue::Integer(count), linefilter_parquet_value_integer(count)};
    case 1:
      return {ParquetValue::Integer(p.number), linefilter_parquet_value_unsigned(p.number)};
    case 2:
      return {ParquetValue::Decimal(count, p.scale), linefilter_parquet_value_decimal(count, p.scale)};
    case 3:
      return BigDecimalOf(p);
    case 4:
      return {ParquetValue::Float(narrow), linefilter_parquet_value_float(narrow)};
    case 5:
      return {ParquetValue::Double(p.real), linefilter_parquet_value_double(p.real)};
    case 6:
      return {ParquetValue::Text(p.bytes), linefilter_parquet_value_text(p.bytes.data(), p.bytes.size())};
    case 7:
      return {ParquetValue::Bytes(bytes, p.bytes.size()), linefilter_parquet_value_bytes(bytes, p.bytes.size())};
    case 8: {
      uint8_t uuid[16] = {};
      memcpy(uuid, bytes, p.bytes.size() < sizeof(uuid) ? p.bytes.size() : sizeof(uuid));
      return {ParquetValue::Uuid(uuid), linefilter_parquet_value_uuid(uuid)};
    }
    case 9:
      return {ParquetValue::Date(count), linefilter_parquet_value_date(count)};
    case 10:
      return {ParquetValue::Time(count, unit, p.flag), linefilter_parquet_value_time(count, p.unit, p.flag)};
    default:
      return {ParquetValue::Timestamp(count, unit, p.flag), linefilter_parquet_value_timestamp(count, p.unit, p.flag)};
  }
}

// A filter in both languages.
class Column {
 public:
  explicit Column(uint64_t distinct_values, double fpr = 0.01)
      : cpp_(Created<Filter>(distinct_values, ParquetFilterOptions(fpr))) {
    linefilter_status status;
    linefilter_options options;
    linefilter_options_init(&options, sizeof(options));
    EXPECT_EQ(linefilter_parquet_options(&options, fpr, &status), LINEFILTER_OK) << status.message;
    c_ = linefilter_filter_new(distinct_values, &options, &status);
    EXPECT_NE(c_, nullptr) << status.message;
  }
  ~Column() { linefilter_filter_free(c_); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  void Insert(const uint64_t* hashes, size_t n) {
    cpp_.InsertHashes(hashes, n);
    linefilter_filter_insert_hashes(c_, hashes, n, nullptr);
  }
  const Filter& cpp() const { return cpp_; }
  const linefilter_view* c() const { return linefilter_filter_view(c_); }

  // What both write, which is the same.
  std::string Bytes() const {
    linefilter_status status;
    std::string bytes, of_c(linefilter_parquet_filter_bytes(c()), 'x');
    EXPECT_TRUE(IsOk(AppendParquetFilter(cpp_, &bytes)));
    EXPECT_EQ(linefilter_parquet_write(c(), of_c.data(), of_c.size(), &status), LINEFILTER_OK) << status.message;
    EXPECT_TRUE(bytes == of_c);
    return of_c;
  }

 private:
  Filter cpp_;
  linefilter_filter* c_;
};

void ExpectSame(const linefilter_parquet_answer& c, const ParquetAnswer& cpp) {
  EXPECT_EQ(c.may_contain, cpp.may_contain);
  EXPECT_EQ(c.reason, static_cast<int32_t>(cpp.reason));
  EXPECT_STREQ(c.message, cpp.message);
}

TEST(CApiParquet, AnswersAsTheCppApi) {
  constexpr int kQuestions = 200000;
  Random random(34);
  Column half(1000);  // half of all forms
  std::map<int32_t, int> reasons;
  int maybes = 0;
  for (int i = 0; i < kQuestions; ++i) {
    SCOPED_TRACE(i);
    const Parameters of_type(&random), of_value(&random);
    const Type type = TypeOf(of_type);
    const Value value = ValueOf(of_value);
    const ParquetQuestion question(type.cpp, value.cpp);
    const linefilter_parquet_question in_c = linefilter_parquet_question_of(&type.c, &value.c);
    ExpectSame(in_c.decided, question.decided());
    ASSERT_EQ(in_c.num_hashes, question.num_hashes());
    EXPECT_EQ(memcmp(in_c.hashes, question.hashes(), in_c.num_hashes * sizeof(uint64_t)), 0);
    if (i % 2 == 0 && in_c.num_hashes != 0 && reasons[0] < 1000) half.Insert(&in_c.hashes[in_c.num_hashes - 1], 1);
    linefilter_parquet_answer answer;
    EXPECT_EQ(linefilter_parquet_ask(half.c(), &in_c, &answer), answer.may_contain);
    ExpectSame(answer, question.Ask(half.cpp()));
    EXPECT_EQ(linefilter_parquet_may_contain(half.c(), &type.c, &value.c, &answer), answer.may_contain);
    ExpectSame(answer, MayContain(half.cpp(), type.cpp, value.cpp));
    ++reasons[answer.reason];
    maybes += answer.reason == LINEFILTER_PARQUET_REASON_ASKED && answer.may_contain;
    if (HasFailure()) return;
  }
  // Each reason that a question can have was met often.
  for (const int32_t reason : {LINEFILTER_PARQUET_REASON_ASKED, LINEFILTER_PARQUET_REASON_NAN,
                               LINEFILTER_PARQUET_REASON_INEXACT, LINEFILTER_PARQUET_REASON_OTHER_KIND,
                               LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE, LINEFILTER_PARQUET_REASON_OUT_OF_RANGE}) {
    EXPECT_GE(reasons[reason], 100) << reason;
  }
  EXPECT_GE(maybes, 500);
  EXPECT_GE(reasons[LINEFILTER_PARQUET_REASON_ASKED] - maybes, 500);
}

TEST(CApiParquet, WritesTheBytesOfTheCppApi) {
  for (const uint64_t distinct_values : {1u, 10u, 999u, 30000u, 200000u}) {
    for (const double fpr : {0.2, 0.01, 0.0001}) {
      SCOPED_TRACE(std::to_string(distinct_values) + " at " + std::to_string(fpr));
      Column column(distinct_values, fpr);
      const std::vector<uint64_t> hashes = RandomHashes(distinct_values, 5);
      column.Insert(hashes.data(), hashes.size());
      const std::string bytes = column.Bytes();
      linefilter_status status;
      linefilter_view* const view = linefilter_parquet_open(bytes.data(), bytes.size(), &status);
      ASSERT_NE(view, nullptr) << status.message;
      const ParquetFilterView in_cpp(bytes.data(), bytes.size());
      EXPECT_EQ(linefilter_view_count_maybes(view, hashes.data(), hashes.size()), hashes.size());
      EXPECT_EQ(linefilter_view_expected_fpr(view), in_cpp.ExpectedFpr());
      EXPECT_EQ(linefilter_parquet_header_bytes(view), in_cpp.header_bytes());
      EXPECT_EQ(linefilter_parquet_bytes_needed(bytes.data(), 64), in_cpp.filter_bytes());
      linefilter_view_free(view);
    }
  }
}

TEST(CApiParquet, HasTheSizesOfTheCppApi) {
  for (const ParquetSize size : {ParquetSize::kExact, ParquetSize::kFoldable, ParquetSize::kPowerOfTwo}) {
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{100}, uint64_t{77777}, uint64_t{1000000000}}) {
      linefilter_options options;
      linefilter_options_init(&options, sizeof(options));
      EXPECT_EQ(linefilter_parquet_options_of_bytes(&options, bytes, static_cast<int32_t>(size), nullptr),
                LINEFILTER_OK);
      EXPECT_EQ(options.body_bytes, ParquetFilterOptionsOfBytes(bytes, size).body_bytes);
    }
  }
  for (const bool power_of_two : {false, true}) {
    EXPECT_EQ(linefilter_parquet_bitset_bytes(77777, 0.02, power_of_two),
              ParquetBitsetBytes(77777, 0.02, power_of_two));
  }
}

// What is no filter is refused in the words of C++.
TEST(CApiParquet, SaysWhatTheCppApiSays) {
  std::string bytes = Column(100).Bytes();
  for (size_t i = 0; i < 16; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      const Status expected = ParquetFilterView(bytes.data(), bytes.size()).status();
      linefilter_status status;
      linefilter_view* const view = linefilter_parquet_open(bytes.data(), bytes.size(), &status);
      EXPECT_EQ(view != nullptr, expected.ok());
      EXPECT_EQ(status.code, static_cast<int32_t>(expected.code()));
      EXPECT_STREQ(status.message, expected.message());
      linefilter_view_free(view);
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
    }
  }
}

TEST(CApiParquet, SaysThatMemoryRanOut) {
  const std::string bytes = Column(3000000).Bytes();  // mapped
  uint64_t nth = 0;
  for (bool is_done = false; !is_done; ++nth) {
    const int64_t blocks = LiveMemoryNow().blocks, mapped = LiveMemoryNow().mapped_bytes;
    linefilter_status status;
    {
      const FailingMemory memory(nth);
      linefilter_view* const view = linefilter_parquet_open(bytes.data(), bytes.size(), &status);
      linefilter_filter* const copy = view == nullptr ? nullptr : linefilter_parquet_copy(view, nullptr, &status);
      is_done = copy != nullptr;
      linefilter_filter_free(copy);
      linefilter_view_free(view);
      EXPECT_EQ(is_done, !memory.one_failed());
    }
    EXPECT_EQ(status.code, is_done ? LINEFILTER_OK : LINEFILTER_OUT_OF_MEMORY) << status.message;
    EXPECT_EQ(LiveMemoryNow().blocks, blocks) << "leaked at allocation " << nth;
    EXPECT_EQ(LiveMemoryNow().mapped_bytes, mapped) << "leaked at allocation " << nth;
  }
  EXPECT_GE(nth, 4u);  // two handles, the image, the body
}

}  // namespace
}  // namespace linefilter::test
