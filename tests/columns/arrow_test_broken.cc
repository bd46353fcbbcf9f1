// Arrays of Arrow that are refused, one wrong thing at a time: each has its status, and all rows of its column stay.
#include <limits>

#include "tests/columns/arrow_test.h"

namespace linefilter::test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr Shape kShape = {20, 3, NullRows::kSome}, kNoNulls = {20, 3, NullRows::kNone};

ArrowType TypeOf(const std::string& format) {
  for (const ArrowType& type : FixedArrowTypes()) {
    if (type.format == format) return type;
  }
  return {};
}

testing::AssertionResult IsRefused(const ArrowSample& sample, StatusCode code, const std::string& words) {
  ArrowColumn opened;
  const testing::AssertionResult says = Says(code, opened.Open(sample.schema, sample.array), words);
  if (!says) return says;
  Filter filter;
  if (!filter.Create(10, FilterOptions::AtBitsPerKey(8)).ok()) return testing::AssertionFailure();
  uint32_t maybes[20];
  size_t num_maybes = 0;
  const Status asked = SelectMaybes(filter, opened.column(), nullptr, 20, maybes, &num_maybes);
  if (asked.ok() || num_maybes != 20) return testing::AssertionFailure() << "rows went: " << asked.message();
  if (AddColumn(opened.column(), &filter).ok()) return testing::AssertionFailure() << "rows were added";
  if (opened.SetForm(KeyForm::kText).ok()) return testing::AssertionFailure() << "it took a form";
  return testing::AssertionSuccess();
}

// It is sound before something in it is broken.
template <class Break>
void ExpectRefused(std::unique_ptr<ArrowSample> sample, StatusCode code, const std::string& words, const Break& brk) {
  ArrowColumn opened;
  ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
  brk(sample.get());
  EXPECT_TRUE(IsRefused(*sample, code, words));
}

TEST(BrokenArrow, TypesThatNoColumnHas) {
  const struct {
    const char* format;
    const char* words;
  } kTypes[] = {{"b", "uint8"},
                {"e", "float"},
                {"tiM", "interval"},
                {"tiD", "interval"},
                {"tin", "interval"},
                {"+l", "children"},
                {"+s", "children"},
                {"+w:3", "children"},
                {"+ud:0,1", "children"},
                {"d:40,2,256", "128 bits"},
                {"d:9,-2", "scale of 0 to 38"},
                {"d:60,39", "scale of 0 to 38"},
                {"d:9", "PRECISION,SCALE"},
                {"d:", "PRECISION,SCALE"},
                {"d:9,2,", "PRECISION,SCALE"},
                {"d:9,2,64x", "PRECISION,SCALE"},
                {"d:99999999999,2", "PRECISION,SCALE"},
                {"w:", "w:WIDTH"},
                {"w:-1", "w:WIDTH"},
                {"w:9x", "w:WIDTH"},
                {"w:3000000000", "w:WIDTH"},
                {"tss", "linefilter/arrow.h"},
                {"", "linefilter/arrow.h"},
                {"x", "linefilter/arrow.h"}};
  for (const auto& type : kTypes) {
    SCOPED_TRACE(type.format);
    auto sample = FixedArrowSample(TypeOf("l"), kShape);
    sample->schema.format = type.format;
    EXPECT_TRUE(IsRefused(*sample, StatusCode::kUnsupported, type.words));
    EXPECT_TRUE(IsRefused(*sample, StatusCode::kUnsupported, std::string("'") + type.format + "'"));
  }
}

TEST(BrokenArrow, Released) {
  const auto refused = [](const auto& brk) {
    ExpectRefused(FixedArrowSample(TypeOf("i"), kShape), StatusCode::kInvalidArgument, "released", brk);
    ExpectRefused(DictionaryArrowSample(TypeOf("i"), kShape), StatusCode::kInvalidArgument, "released", brk);
  };
  refused([](ArrowSample* s) { s->schema.release = nullptr; });
  refused([](ArrowSample* s) { s->array.release = nullptr; });
  refused([](ArrowSample* s) { s->schema.format = nullptr; });
  ExpectRefused(DictionaryArrowSample(TypeOf("i"), kShape), StatusCode::kInvalidArgument, "released",
                [](ArrowSample* s) { s->parts[0]->array.release = nullptr; });
  ExpectRefused(RunArrowSample(TypeOf("i"), kShape), StatusCode::kInvalidArgument, "released",
                [](ArrowSample* s) { s->parts[0]->schema.release = nullptr; });
}

TEST(BrokenArrow, Numbers) {
  const auto refused = [](const std::string& words, const auto& brk) {
    ExpectRefused(FixedArrowSample(TypeOf("l"), kShape), StatusCode::kCorrupt, words, brk);
    ExpectRefused(TextArrowSample("u", kShape), StatusCode::kCorrupt, words, brk);
    ExpectRefused(ViewArrowSample("vu", kShape), StatusCode::kCorrupt, words, brk);
    ExpectRefused(DictionaryArrowSample(TypeOf("C"), kShape), StatusCode::kCorrupt, words, brk);
  };
  refused("negative", [](ArrowSample* s) { s->array.length = -1; });
  refused("negative", [](ArrowSample* s) { s->array.offset = -1; });
  refused("negative", [](ArrowSample* s) { s->array.null_count = -2; });
  refused("memory", [](ArrowSample* s) { s->array.offset = kMost; });
  refused("memory", [](ArrowSample* s) { s->array.length = kMost - 3; });
  refused("as many buffers", [](ArrowSample* s) { s->array.n_buffers = 1; });
  refused("as many buffers", [](ArrowSample* s) { s->array.n_buffers = -1; });
  refused("no buffers", [](ArrowSample* s) { s->array.buffers = nullptr; });
  refused("no buffer", [](ArrowSample* s) { s->buffers[1] = nullptr; });
  refused("null", [](ArrowSample* s) {
    s->array.null_count = 1;
    s->buffers[0] = nullptr;
  });
  ExpectRefused(FixedArrowSample(TypeOf("l"), kShape), StatusCode::kCorrupt, "as many buffers",
                [](ArrowSample* s) { s->array.n_buffers = 3; });
}

TEST(BrokenArrow, Texts) {
  for (const char* const format : {"u", "Z"}) {
    SCOPED_TRACE(format);
    const auto set = [format](ArrowSample* s, size_t i, int offset) {
      if (format[0] == 'u') s->Values<int32_t>(1)[i] = offset;
      if (format[0] == 'Z') s->Values<int64_t>(1)[i] = offset;
    };
    const auto refused = [format](const std::string& words, const auto& brk) {
      ExpectRefused(TextArrowSample(format, kShape), StatusCode::kCorrupt, words, brk);
    };
    refused("do not rise", [&](ArrowSample* s) { set(s, 3, -1); });
    refused("do not rise", [&](ArrowSample* s) { set(s, 10, 100000); });
    refused("do not rise", [&](ArrowSample* s) { set(s, 23, 0); });
    refused("no bytes", [](ArrowSample* s) { s->buffers[2] = nullptr; });
    // Those before the first row are not looked at.
    auto sample = TextArrowSample(format, kShape);
    set(sample.get(), 2, -7);
    ArrowColumn opened;
    EXPECT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
  }
}

TEST(BrokenArrow, Views) {
  const Shape shape = {200, 3, NullRows::kNone};
  const auto set = [](ArrowSample* s, size_t word, int32_t value) {  // of the first view that lies outside
    int32_t* view = s->Values<int32_t>(1) + 4 * 3;
    while (view[0] <= 12) view += 4;
    view[word] = value;
  };
  const auto refused = [&](const std::string& words, const auto& brk) {
    ExpectRefused(ViewArrowSample("vz", shape), StatusCode::kCorrupt, words, brk);
  };
  refused("negative", [&](ArrowSample* s) { set(s, 0, -5); });
  refused("not there", [&](ArrowSample* s) { set(s, 2, 2); });
  refused("not there", [&](ArrowSample* s) { set(s, 2, -1); });
  refused("beyond", [&](ArrowSample* s) { set(s, 3, -1); });
  refused("beyond", [&](ArrowSample* s) { set(s, 3, 1 << 30); });
  refused("beyond", [&](ArrowSample* s) { set(s, 0, std::numeric_limits<int32_t>::max()); });
  refused("beyond", [](ArrowSample* s) { s->Values<int64_t>(4)[0] = -1; });
  refused("beyond", [](ArrowSample* s) { --s->Values<int64_t>(4)[1]; });
  refused("sizes", [](ArrowSample* s) { s->buffers[4] = nullptr; });
  refused("not there", [](ArrowSample* s) { s->buffers[2] = nullptr; });
}

TEST(BrokenArrow, Dictionaries) {
  const auto refused = [](StatusCode code, const std::string& words, const auto& brk) {
    ExpectRefused(DictionaryArrowSample(TypeOf("s"), kShape), code, words, brk);
  };
  refused(StatusCode::kCorrupt, "has none", [](ArrowSample* s) { s->array.dictionary = nullptr; });
  refused(StatusCode::kCorrupt, "has none", [](ArrowSample* s) { s->schema.dictionary = nullptr; });
  refused(StatusCode::kCorrupt, "no integers", [](ArrowSample* s) { s->schema.format = "tdD"; });
  refused(StatusCode::kCorrupt, "negative", [](ArrowSample* s) { s->parts[0]->array.length = -1; });
  refused(StatusCode::kUnsupported, "'b'", [](ArrowSample* s) { s->parts[0]->schema.format = "b"; });
  refused(StatusCode::kUnsupported, "decode", [](ArrowSample* s) { s->parts[0]->schema.format = "+r"; });
  refused(StatusCode::kUnsupported, "decode", [](ArrowSample* s) { s->parts[0]->schema.dictionary = &s->schema; });
  refused(StatusCode::kUnsupported, "decode", [](ArrowSample* s) { s->parts[0]->array.dictionary = &s->array; });
}

TEST(BrokenArrow, Runs) {
  const auto refused = [](StatusCode code, const std::string& words, const auto& brk) {
    for (const char* const format : {"s", "i", "l"}) {
      SCOPED_TRACE(format);
      ExpectRefused(RunArrowSample(TypeOf(format), kNoNulls), code, words, brk);
    }
  };
  const auto set = [](ArrowSample* s, size_t run, int64_t end) {
    const size_t width = TypeOf(s->parts[0]->format).width;
    PutNumber(end, width, s->parts[0]->Values<uint8_t>(1) + (1 + run) * width);
  };
  const StatusCode corrupt = StatusCode::kCorrupt;
  refused(corrupt, "do not rise", [&](ArrowSample* s) { set(s, 0, 0); });
  refused(corrupt, "do not rise", [&](ArrowSample* s) { set(s, 0, -1); });
  refused(corrupt, "do not rise", [&](ArrowSample* s) { set(s, 7, 3); });
  refused(corrupt, "do not rise", [&](ArrowSample* s) { set(s, 22, -1); });
  refused(corrupt, "before its last row", [](ArrowSample* s) { s->array.offset = 1000; });
  refused(corrupt, "before its last row", [](ArrowSample* s) { s->parts[0]->array.length = 10; });
  refused(corrupt, "no runs", [](ArrowSample* s) { s->parts[0]->array.length = 0; });
  refused(corrupt, "more ends", [](ArrowSample* s) { s->parts[1]->array.length = 22; });
  refused(corrupt, "two children", [](ArrowSample* s) { s->schema.n_children = 1; });
  refused(corrupt, "two children", [](ArrowSample* s) { s->array.n_children = -1; });
  refused(corrupt, "two children", [](ArrowSample* s) { s->array.children = nullptr; });
  refused(corrupt, "two children", [](ArrowSample* s) { s->schemas[0] = nullptr; });
  refused(corrupt, "two children", [](ArrowSample* s) { s->arrays[1] = nullptr; });
  refused(corrupt, "no integers", [](ArrowSample* s) { s->parts[0]->schema.format = "C"; });
  refused(corrupt, "runs lie", [](ArrowSample* s) { s->parts[0]->schema.format = "+r"; });
  refused(StatusCode::kUnsupported, "decode", [](ArrowSample* s) { s->parts[1]->schema.format = "+r"; });
  refused(StatusCode::kUnsupported, "decode", [](ArrowSample* s) { s->parts[1]->schema.dictionary = &s->schema; });
}

// What can only be found when rows are asked: all rows around it stay. A negative index is none of a large dictionary.
TEST(BrokenArrow, IndicesOutside) {
  for (const int index : {23, 100, -1, -128}) {
    for (const bool has_many : {false, true}) {
      auto sample = DictionaryArrowSample(TypeOf("c"), kNoNulls);
      const auto values = FixedArrowSample(TypeOf("C"), {300, 0, NullRows::kNone});
      if (has_many) sample->schema.dictionary = &values->schema, sample->array.dictionary = &values->array;
      sample->Values<int8_t>(1)[10] = static_cast<int8_t>(index);
      ArrowColumn opened;
      ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
      Filter filter;
      ASSERT_TRUE(IsOk(filter.Create(10, FilterOptions::AtBitsPerKey(8))));
      uint32_t maybes[20];
      size_t num_maybes = 0;
      const Status asked = SelectMaybes(filter, opened.column(), nullptr, 20, maybes, &num_maybes);
      EXPECT_EQ(asked.ok(), has_many && index > 0) << index << ": " << asked.message();
      EXPECT_EQ(num_maybes, has_many && index > 0 ? 0u : 20u) << index;
    }
  }
}

// What stood open is gone after a refusal, and comes back.
TEST(BrokenArrow, OpenedAgain) {
  auto sample = DictionaryArrowSample(TypeOf("L"), kShape);
  ArrowColumn opened;
  opened.SetNulls(Nulls::kAsValue);
  ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
  sample->array.dictionary = nullptr;
  EXPECT_FALSE(opened.Open(sample->schema, sample->array).ok());
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, opened.column().status(), "ArrowColumn::Open"));
  EXPECT_EQ(opened.column().size(), 20u);
  EXPECT_EQ(opened.column().nulls(), Nulls::kAsValue);
  sample->array.dictionary = sample->arrays[0];
  ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
  EXPECT_EQ(opened.column().nulls(), Nulls::kAsValue);
  EXPECT_TRUE(IsOk(opened.column().status()));
}

// Parquet stores dates as days of 32 bits, and no seconds. Another form than its own changes nothing of that.
TEST(BrokenArrow, DatesInMillisecondsAreNoneOfParquet) {
  KeyHash of_parquet;
  of_parquet.id = HashId::kParquet;
  uint64_t hashes[20];
  ArrowColumn opened;
  for (const char* const format : {"tdD", "tdm", "tsm:"}) {
    const bool is_refused = std::string_view(format) == "tdm";
    auto sample = FixedArrowSample(TypeOf(format[1] == 's' ? "tdm" : format), kNoNulls);
    sample->schema.format = format;
    ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
    const Status status = HashColumns(opened.column(), of_parquet, hashes);
    EXPECT_EQ(status.ok(), !is_refused) << format << ": " << status.message();
    auto indices = DictionaryArrowSample(TypeOf("c"), kNoNulls);
    indices->schema.dictionary = &sample->schema;
    indices->array.dictionary = &sample->array;
    std::memset(indices->Values<uint8_t>(1), 0, 20);
    ASSERT_TRUE(IsOk(opened.Open(indices->schema, indices->array)));
    EXPECT_EQ(HashColumns(opened.column(), of_parquet, hashes).ok(), !is_refused) << "a dictionary of " << format;
  }
  for (const char* const format : {"tdD", "tdm", "tss:", "tsm:"}) {
    auto sample = FixedArrowSample(TypeOf(std::string_view(format) == "tdD" ? format : "tdm"), kNoNulls);
    sample->schema.format = format;
    ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
    Column column = opened.column();
    ASSERT_TRUE(IsOk(column.SetForm(KeyForm::kInteger))) << format;
    EXPECT_EQ(HashColumns(column, of_parquet, hashes).code(), StatusCode::kIncompatible) << format;
  }
}

// Parquet has decimals of 128 bits as bytes in another order, so their hash is none that a column has.
TEST(BrokenArrow, WideDecimalsAreNoneOfParquet) {
  auto sample = FixedArrowSample(TypeOf("d:38,10,128"), kNoNulls);
  ArrowColumn opened;
  KeyHash of_parquet;
  of_parquet.id = HashId::kParquet;
  uint64_t hashes[20];
  for (const char* const format : {"d:38,10,128", "d:38,0", "d:38,0,128"}) {
    sample->schema.format = format;
    ASSERT_TRUE(IsOk(opened.Open(sample->schema, sample->array)));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, HashColumns(opened.column(), of_parquet, hashes), "64 bits"));
  }
}

}  // namespace
}  // namespace linefilter::test
