// What a test in C cannot show of the C API: that its bytes and answers are those of C++ and of the conformance
// vectors, what happens without memory, and that no function is left untested. (tests/c/ has the rest.)
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/c.h"
#include "linefilter/filter.h"
#include "tests/conformance/vectors.h"
#include "tests/testing/building.h"
#include "tests/testing/failing_memory.h"
#include "tests/testing/layouts.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr char kFolder[] = LINEFILTER_SOURCE_DIR "/tests/conformance/";

const uint8_t* SecretOf(const std::string& bytes) {
  return bytes.empty() ? nullptr : reinterpret_cast<const uint8_t*>(bytes.data());
}

linefilter_options OptionsInC(linefilter_layout layout, double bits_per_key) {
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.layout = layout;
  options.bits_per_key = bits_per_key;
  return options;
}

// Of linefilter_options, which alone may grow, what was released stays: tools/abi.sh would not see a new type of the
// same size together with a new member.
template <class Member>
constexpr bool Stays(Member linefilter_options::*, size_t offset, size_t expected) {
  return sizeof(void*) != 8 || offset == expected;
}
#define LINEFILTER_STAYS(type, member, expected) \
  static_assert(Stays<type>(&linefilter_options::member, offsetof(linefilter_options, member), expected))
LINEFILTER_STAYS(size_t, size, 0);
LINEFILTER_STAYS(double, bits_per_key, 8);
LINEFILTER_STAYS(double, fpr, 16);
LINEFILTER_STAYS(uint64_t, seed, 24);
LINEFILTER_STAYS(uint64_t, memory_limit, 32);
LINEFILTER_STAYS(uint32_t, num_probes, 40);
LINEFILTER_STAYS(int32_t, layout, 44);
LINEFILTER_STAYS(int32_t, hash_id, 48);
LINEFILTER_STAYS(uint32_t, reserved, 52);
LINEFILTER_STAYS(uint8_t[16], secret, 56);
LINEFILTER_STAYS(linefilter_allocator, allocator, 72);
LINEFILTER_STAYS(linefilter_executor, executor, 96);
LINEFILTER_STAYS(uint32_t, foldable, 120);
LINEFILTER_STAYS(int32_t, key_kind, 124);
LINEFILTER_STAYS(uint64_t, body_bytes, 128);
LINEFILTER_STAYS(uint64_t, num_keys, 136);
LINEFILTER_STAYS(uint32_t, removable, 144);
LINEFILTER_STAYS(uint32_t, turnovers, 148);
#undef LINEFILTER_STAYS

TEST(CApi, HashesAsTheConformanceVectors) {
  const auto vectors = ReadXxh3Vectors(std::string(kFolder) + "xxh3.txt");
  ASSERT_GE(vectors.size(), 26u);
  for (const auto& vector : vectors) {
    const std::string key = InputBytes(vector.size);
    EXPECT_EQ(linefilter_hash_key(key.data(), key.size(), vector.seed), vector.hash) << vector.size;
  }
  const auto keyed = ReadSiphashVectors(std::string(kFolder) + "siphash.txt");
  ASSERT_GE(keyed.size(), 30u);
  for (const auto& vector : keyed) {
    const std::string key = InputBytes(vector.size);
    EXPECT_EQ(linefilter_secret_hash_key(key.data(), key.size(), SecretOf(vector.secret)), vector.hash) << vector.size;
  }
  const auto of_parquet = ReadXxh64Vectors(std::string(kFolder) + "xxh64.txt");
  ASSERT_GE(of_parquet.size(), 30u);
  for (const auto& vector : of_parquet) {
    const std::string key = InputBytes(vector.size);
    EXPECT_EQ(linefilter_parquet_hash_key(key.data(), key.size()), vector.hash) << vector.size;
  }
}

bool Ask(const linefilter_view* view, const Question& question) {
  if (question.IsHash()) return linefilter_view_may_contain_hash(view, question.number);
  if (question.kind == "u64") return linefilter_view_may_contain_u64(view, question.number);
  return linefilter_view_may_contain_key(view, question.Key().data(), question.Key().size());
}

// Broken ones too: what cannot be opened is NULL, which says "maybe" as the file asks.
TEST(CApi, AnswersAsTheConformanceImages) {
  const std::vector<ConformanceImage> images = ReadConformanceImages(std::string(kFolder) + "images.txt");
  ASSERT_GE(images.size(), 100u);
  size_t questions = 0;
  for (const ConformanceImage& image : images) {
    SCOPED_TRACE(image.name);
    linefilter_status status;
    linefilter_view* const view = linefilter_view_open(image.bytes.data(), image.bytes.size(),
                                                       LINEFILTER_VERIFY_TRUSTED, SecretOf(image.secret), &status);
    EXPECT_EQ(view != nullptr, image.reads) << status.message;
    EXPECT_EQ(status.code == LINEFILTER_OK, image.reads);
    for (const Question& question : image.questions) {
      EXPECT_EQ(Ask(view, question), question.maybe) << question.Describe();
      ++questions;
    }
    for (const Question& key : image.added) EXPECT_TRUE(Ask(view, key)) << key.Describe() << " is lost";
    if (view != nullptr) {
      EXPECT_EQ(linefilter_layout_name(linefilter_view_layout(view)), image.fields.at("layout"));
      EXPECT_EQ(std::to_string(linefilter_view_num_probes(view)), image.fields.at("num_probes"));
      EXPECT_EQ(std::to_string(linefilter_view_hash_id(view)), image.fields.at("hash_id"));
      EXPECT_EQ(std::to_string(linefilter_view_body_bytes(view)), image.fields.at("body"));
      EXPECT_EQ(linefilter_view_verify(view, nullptr) == LINEFILTER_OK, image.damaged_chunks.empty());
    }
    linefilter_view_free(view);
  }
  EXPECT_GE(questions, 10000u);
}

// What the builders of both APIs are given.
struct Request {
  FilterOptions cpp;
  linefilter_options c;
};

Request EachKindOfHash(Layout layout, HashId hash_id) {
  Request request;
  request.c = OptionsInC(static_cast<linefilter_layout>(layout), 11);
  request.cpp.layout = layout;
  request.cpp.bits_per_key = 11;
  request.c.hash_id = static_cast<linefilter_hash_id>(hash_id);
  request.cpp.hash_id = hash_id;
  if (hash_id == HashId::kKeyed) {
    for (size_t i = 0; i < sizeof(request.c.secret); ++i) {
      request.c.secret[i] = request.cpp.secret.bytes[i] = static_cast<uint8_t>(3 * i);
    }
  } else if (KeyHash::HasSeed(hash_id)) {
    request.c.seed = request.cpp.seed = 77;
  }
  return request;
}

TEST(CApi, BuildsTheBytesOfTheCppApi) {
  for (const Layout layout : EveryLayout()) {
    for (const HashId hash_id : {HashId::kCaller, HashId::kXxh3, HashId::kKeyed, HashId::kParquet}) {
      SCOPED_TRACE(LayoutName(layout) + std::string(" ") + HashIdName(hash_id));
      const Request request = EachKindOfHash(layout, hash_id);
      linefilter_status status;
      linefilter_builder* const builder = linefilter_builder_new(&request.c, &status);
      ASSERT_NE(builder, nullptr) << status.message;
      FilterBuilder expected(request.cpp);
      for (const uint64_t number : RandomHashes(3000, 1)) {
        if (hash_id == HashId::kCaller) {
          linefilter_builder_add_hash(builder, number);
          expected.AddHash(number);
          continue;
        }
        const std::string text = "text " + std::to_string(number);
        linefilter_builder_add_u64(builder, number);
        linefilter_builder_add_key(builder, text.data(), text.size());
        expected.AddKey(number);
        expected.AddKey(text);
      }
      const std::string image = Finish(&expected);
      size_t size = 0;
      void* const made = linefilter_builder_finish(builder, &size, &status);
      ASSERT_NE(made, nullptr) << status.message;
      EXPECT_TRUE(std::string(static_cast<char*>(made), size) == image);
      linefilter_image_free(made);
      linefilter_builder_free(builder);
    }
  }
}

// A filter of each layout that threads share, and a concurrent one.
void ExpectBytesOfTheCppApi(const Request& request) {
  linefilter_filter* const filter = linefilter_filter_new(1000, &request.c, nullptr);
  linefilter_filter* const concurrent = linefilter_concurrent_new(1000, &request.c, nullptr);
  Filter expected = Created<Filter>(1000, request.cpp);
  std::vector<std::string> text;
  std::vector<const void*> keys;
  std::vector<size_t> sizes;
  const std::vector<uint64_t> numbers = RandomHashes(600, 2);
  for (const uint64_t number : numbers) text.push_back("text " + std::to_string(number));
  for (const std::string& key : text) {
    keys.push_back(key.data());
    sizes.push_back(key.size());
    expected.InsertKey(key);
  }
  for (const uint64_t number : numbers) expected.InsertKey(number);
  const std::string image = ImageOf(expected);
  for (linefilter_filter* const filled : {filter, concurrent}) {
    linefilter_filter_insert_keys(filled, keys.data(), sizes.data(), keys.size(), nullptr);
    linefilter_filter_insert_u64s(filled, numbers.data(), numbers.size(), nullptr);
    std::string of_c(image.size(), 0);
    EXPECT_EQ(linefilter_filter_write_to(filled, of_c.data(), of_c.size(), nullptr), LINEFILTER_OK);
    EXPECT_TRUE(of_c == image);
    linefilter_filter_free(filled);
  }
}

TEST(CApi, FillsTheBytesOfTheCppApi) {
  for (const Layout layout : EverySharedLayout()) {
    for (const HashId hash_id : {HashId::kXxh3, HashId::kKeyed, HashId::kParquet}) {
      SCOPED_TRACE(std::string(LayoutName(layout)) + " " + HashIdName(hash_id));
      ExpectBytesOfTheCppApi(EachKindOfHash(layout, hash_id));
    }
  }
}

// Each allocation of the default memory fails, one run after the other: NULL, LINEFILTER_OUT_OF_MEMORY, nothing leaked.
template <class Use>
void FailEachAllocation(const Use& use, uint64_t least) {
  for (uint64_t nth = 0;; ++nth) {
    const int64_t blocks = LiveMemoryNow().blocks, mapped = LiveMemoryNow().mapped_bytes;
    linefilter_status status;
    bool one_failed = false, is_done = false;
    {
      const FailingMemory memory(nth);
      is_done = use(&status);
      one_failed = memory.one_failed();
    }
    EXPECT_EQ(LiveMemoryNow().blocks, blocks) << "leaked at allocation " << nth;
    EXPECT_EQ(LiveMemoryNow().mapped_bytes, mapped) << "leaked at allocation " << nth;
    if (!one_failed) {
      EXPECT_TRUE(is_done) << status.message;
      EXPECT_GE(nth, least);
      return;
    }
    EXPECT_FALSE(is_done);
    EXPECT_EQ(status.code, LINEFILTER_OUT_OF_MEMORY) << status.message;
  }
}

TEST(CApi, SaysThatMemoryRanOut) {
  const linefilter_options options = OptionsInC(LINEFILTER_LAYOUT_BLOCKED, 10);
  constexpr uint64_t kKeys = 3000000;  // mapped
  std::string image = Build(EachKindOfHash(Layout::kBlocked, HashId::kXxh3).cpp, RandomHashes(1000, 3));
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_filter* const filter = linefilter_filter_new(kKeys, &options, status);
        void* const made = filter == nullptr ? nullptr : linefilter_filter_image(filter, nullptr, status);
        linefilter_image_free(made);
        linefilter_filter_free(filter);
        return made != nullptr;
      },
      3);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_builder* const builder = linefilter_builder_new(&options, status);
        linefilter_builder_add_u64(builder, 1);
        void* const made = builder == nullptr ? nullptr : linefilter_builder_finish(builder, nullptr, status);
        linefilter_image_free(made);
        linefilter_builder_free(builder);
        return made != nullptr;
      },
      2);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_view* const view =
            linefilter_view_open(image.data(), image.size(), LINEFILTER_VERIFY_WHOLE, nullptr, status);
        EXPECT_TRUE(view != nullptr || linefilter_view_may_contain_u64(view, 1));
        linefilter_view_free(view);
        return view != nullptr;
      },
      1);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_filter* const filter = linefilter_concurrent_from_image(image.data(), image.size(), nullptr, status);
        linefilter_filter* const sealed = filter == nullptr ? nullptr : linefilter_concurrent_seal(filter, status);
        if (filter != nullptr && sealed == nullptr) {
          EXPECT_GT(linefilter_filter_image_bytes(filter), 0u) << "as it was";
        }
        linefilter_filter_free(sealed);
        linefilter_filter_free(filter);
        return sealed != nullptr;
      },
      3);
}

// More than 64 handles take memory for a moment: without it all rows stay, and nothing is united.
TEST(CApi, ManyHandlesWithoutMemory) {
  const linefilter_options options = EachKindOfHash(Layout::kBlocked, HashId::kXxh3).c;
  const int64_t values[] = {1, 2, 3};
  const linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, values, 3);
  std::vector<linefilter_filter*> filters;
  std::vector<const linefilter_view*> views;
  for (int i = 0; i < 70; ++i) {
    filters.push_back(linefilter_filter_new(100, &options, nullptr));
    views.push_back(linefilter_filter_view(filters.back()));
  }
  FailEachAllocation(
      [&](linefilter_status* status) {
        uint32_t rows[3];
        size_t n = 77;
        linefilter_views_select_maybes(views.data(), views.size(), &column, 1, nullptr, 3, rows, &n, status);
        EXPECT_EQ(n, status->code == LINEFILTER_OK ? 0u : 3u);
        return status->code == LINEFILTER_OK;
      },
      1);
  ASSERT_EQ(linefilter_filter_add_column(filters[69], &column, 1, nullptr), LINEFILTER_OK);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_unite_filters(filters.data(), filters.size(), nullptr, 0, status);
        EXPECT_EQ(linefilter_view_may_contain_u64(views[0], 3), status->code == LINEFILTER_OK);
        return status->code == LINEFILTER_OK;
      },
      1);
  for (linefilter_filter* filter : filters) linefilter_filter_free(filter);
}

bool AlwaysMaybe(const void*, const void*, size_t) noexcept { return true; }

TEST(CApi, AJudgeWithoutMemoryIsUndecided) {
  const std::vector<const void*> keys(3000, "key");
  const std::vector<size_t> sizes(keys.size(), 3);
  const linefilter_fpr_keys none = {nullptr, nullptr, 0}, absent = {keys.data(), sizes.data(), keys.size()};
  linefilter_fpr_limit limit = {};
  limit.at_most = 0.01;
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_fpr_result result;
        const linefilter_fpr_verdict verdict =
            linefilter_check_fpr(AlwaysMaybe, nullptr, &none, &absent, &limit, &result);
        if (verdict == LINEFILTER_FPR_ABOVE) return true;
        EXPECT_EQ(verdict, LINEFILTER_FPR_UNDECIDED);
        const bool has_words = std::string(result.sentence).find("there is no memory") == 0;
        status->code = has_words ? LINEFILTER_OUT_OF_MEMORY : LINEFILTER_OK;
        return false;
      },
      3);
}

// The constants of C are those of the library: LINEFILTER_LAYOUT_NAME has the id of NAME.
TEST(CApi, HasAConstantForEachLayout) {
  const std::string header = test::ReadFile(LINEFILTER_SOURCE_DIR "/include/linefilter/c/types.h");
  for (const Layout layout : SupportedLayouts()) {
    std::string name = LayoutName(layout);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string constant = "LINEFILTER_LAYOUT_" + name + " = " + std::to_string(static_cast<int>(layout));
    EXPECT_NE(header.find(constant), std::string::npos) << constant;
  }
}

// Every function that a header of the C API declares is called by the tests in C; most of them with NULL, too. Those of
// Redis need a server, which their test in C++ starts.
TEST(CApi, EveryFunctionIsTested) {
  std::string test;
  for (const char* const part : {"", "_filters"}) {
    test += ReadFile(LINEFILTER_SOURCE_DIR "/tests/adapters/redis/redis_c_test" + std::string(part) + ".cc");
  }
  for (const auto& entry : std::filesystem::directory_iterator(LINEFILTER_SOURCE_DIR "/tests/c")) {
    if (entry.path().extension() == ".c") test += ReadFile(entry.path());
  }
  const std::regex function(R"(\n(?:const )?\w+\*? (linefilter_\w+)\()");
  std::set<std::string> functions;
  for (const auto& entry : std::filesystem::directory_iterator(LINEFILTER_SOURCE_DIR "/include/linefilter/c")) {
    const std::string header = ReadFile(entry.path());
    for (auto it = std::sregex_iterator(header.begin(), header.end(), function); it != std::sregex_iterator(); ++it) {
      functions.insert((*it)[1]);
    }
  }
  size_t of_others = 0;
  for (const std::string& name : functions) {
    of_others += name.find("linefilter_parquet_") == 0 || name.find("linefilter_redis_") == 0;
  }
  EXPECT_GE(functions.size() - of_others, 120u);
  EXPECT_LE(functions.size() - of_others, 213u) << "two kinds of handles have the calls of all";
  for (const std::string& name : functions) {
    EXPECT_NE(test.find(name + "("), std::string::npos) << name << " is in no test";
  }
}

}  // namespace
}  // namespace linefilter::test
