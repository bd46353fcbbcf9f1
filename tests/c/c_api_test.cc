// What a test in C cannot show of the C API: that its bytes and answers are those of C++ and of the conformance
// vectors, what happens without memory, and that no function is left untested. (tests/c/ has the rest.)
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/c.h"
#include "linefilter/filter.h"
#include "tests/conformance/vectors.h"
#include "tests/testing/building.h"
#include "tests/testing/failing_memory.h"
#include "tests/testing/layouts.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

using test::ConformanceImage;
using test::FailingMemory;
using test::LiveMemoryNow;
using test::Question;

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
LINEFILTER_STAYS(uint32_t, reserved2, 124);
#undef LINEFILTER_STAYS

TEST(CApi, HashesAsTheConformanceVectors) {
  const auto vectors = test::ReadXxh3Vectors(std::string(kFolder) + "xxh3.txt");
  ASSERT_GE(vectors.size(), 26u);
  for (const auto& vector : vectors) {
    const std::string key = test::InputBytes(vector.size);
    EXPECT_EQ(linefilter_hash_key(key.data(), key.size(), vector.seed), vector.hash) << vector.size;
  }
  const auto keyed = test::ReadSiphashVectors(std::string(kFolder) + "siphash.txt");
  ASSERT_GE(keyed.size(), 30u);
  for (const auto& vector : keyed) {
    const std::string key = test::InputBytes(vector.size);
    EXPECT_EQ(linefilter_keyed_hash_key(key.data(), key.size(), SecretOf(vector.secret)), vector.hash) << vector.size;
  }
}

bool Ask(const linefilter_view* view, const Question& question) {
  if (question.IsHash()) return linefilter_view_may_contain_hash(view, question.number);
  if (question.kind == "u64") return linefilter_view_may_contain_u64(view, question.number);
  return linefilter_view_may_contain_key(view, question.Key().data(), question.Key().size());
}

// Broken ones too: what cannot be opened is NULL, which says "maybe" as the file asks.
TEST(CApi, AnswersAsTheConformanceImages) {
  const std::vector<ConformanceImage> images = test::ReadConformanceImages(std::string(kFolder) + "images.txt");
  ASSERT_GE(images.size(), 100u);
  size_t questions = 0;
  for (const ConformanceImage& image : images) {
    SCOPED_TRACE(image.name);
    linefilter_status status;
    linefilter_view* const view =
        linefilter_view_open(image.bytes.data(), image.bytes.size(), SecretOf(image.secret), &status);
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
  } else {
    request.c.seed = request.cpp.seed = 77;
  }
  return request;
}

TEST(CApi, BuildsTheBytesOfTheCppApi) {
  for (const Layout layout : test::EveryLayout()) {
    for (const HashId hash_id : {HashId::kCaller, HashId::kXxh3, HashId::kKeyed}) {
      SCOPED_TRACE(LayoutName(layout) + std::string(" ") + HashIdName(hash_id));
      const Request request = EachKindOfHash(layout, hash_id);
      linefilter_status status;
      linefilter_builder* const builder = linefilter_builder_new(&request.c, &status);
      ASSERT_NE(builder, nullptr) << status.message;
      FilterBuilder expected(request.cpp);
      for (const uint64_t number : test::RandomHashes(3000, 1)) {
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
      std::string image;
      ASSERT_TRUE(expected.Finish(&image).ok());
      size_t size = 0;
      void* const made = linefilter_builder_finish(builder, &size, &status);
      ASSERT_NE(made, nullptr) << status.message;
      EXPECT_TRUE(std::string(static_cast<char*>(made), size) == image);
      linefilter_image_free(made);
      linefilter_builder_free(builder);
    }
  }
}

TEST(CApi, FillsTheBytesOfTheCppApi) {
  for (const HashId hash_id : {HashId::kXxh3, HashId::kKeyed}) {
    SCOPED_TRACE(HashIdName(hash_id));
    const Request request = EachKindOfHash(Layout::kBlocked, hash_id);
    linefilter_filter* const filter = linefilter_filter_new(1000, &request.c, nullptr);
    linefilter_concurrent* const concurrent = linefilter_concurrent_new(1000, &request.c, nullptr);
    BlockedFilter expected;
    ASSERT_TRUE(expected.Create(1000, request.cpp).ok());
    std::vector<std::string> text;
    std::vector<const void*> keys;
    std::vector<size_t> sizes;
    const std::vector<uint64_t> numbers = test::RandomHashes(600, 2);
    for (const uint64_t number : numbers) text.push_back("text " + std::to_string(number));
    for (const std::string& key : text) {
      keys.push_back(key.data());
      sizes.push_back(key.size());
      expected.InsertKey(key);
    }
    for (const uint64_t number : numbers) expected.InsertKey(number);
    linefilter_filter_insert_keys(filter, keys.data(), sizes.data(), keys.size(), nullptr);
    linefilter_filter_insert_u64s(filter, numbers.data(), numbers.size(), nullptr);
    linefilter_concurrent_insert_keys(concurrent, keys.data(), sizes.data(), keys.size(), nullptr);
    linefilter_concurrent_insert_u64s(concurrent, numbers.data(), numbers.size(), nullptr);
    std::string image, of_filter(expected.ImageBytes(), 0), of_concurrent = of_filter;
    ASSERT_TRUE(expected.AppendImage(&image).ok());
    EXPECT_EQ(linefilter_filter_write_to(filter, of_filter.data(), of_filter.size(), nullptr), LINEFILTER_OK);
    EXPECT_EQ(linefilter_concurrent_write_to(concurrent, of_concurrent.data(), of_concurrent.size(), nullptr),
              LINEFILTER_OK);
    EXPECT_TRUE(of_filter == image);
    EXPECT_TRUE(of_concurrent == image);
    linefilter_filter_free(filter);
    linefilter_concurrent_free(concurrent);
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
  std::string image = test::Build(EachKindOfHash(Layout::kBlocked, HashId::kXxh3).cpp, test::RandomHashes(1000, 3));
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
      3);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_view* const view = linefilter_view_open(image.data(), image.size(), nullptr, status);
        EXPECT_TRUE(view != nullptr || linefilter_view_may_contain_u64(view, 1));
        linefilter_view_free(view);
        return view != nullptr;
      },
      1);
  FailEachAllocation(
      [&](linefilter_status* status) {
        linefilter_concurrent* const filter =
            linefilter_concurrent_from_image(image.data(), image.size(), nullptr, status);
        linefilter_filter* const sealed = filter == nullptr ? nullptr : linefilter_concurrent_seal(filter, status);
        if (filter != nullptr && sealed == nullptr) {
          EXPECT_GT(linefilter_concurrent_image_bytes(filter), 0u) << "as it was";
        }
        linefilter_filter_free(sealed);
        linefilter_concurrent_free(filter);
        return sealed != nullptr;
      },
      3);
}

// C++ refuses callbacks that may throw, as in the C++ API.
static_assert(!std::is_convertible_v<bool (*)(void*, const void*, size_t), linefilter_sink>);
static_assert(std::is_same_v<linefilter_sink, decltype(Sink::write)>);
static_assert(std::is_same_v<decltype(linefilter_allocator::allocate), decltype(Allocator::allocate)>);
static_assert(std::is_same_v<decltype(linefilter_allocator::deallocate), decltype(Allocator::deallocate)>);
static_assert(std::is_same_v<decltype(linefilter_executor::run), decltype(Executor::run)>);
static_assert(std::is_same_v<decltype(linefilter_source::read), decltype(HashSource::read)>);
static_assert(std::is_same_v<decltype(linefilter_source::rewind), decltype(HashSource::rewind)>);

// A host whose callbacks do what none may: they leave, by an exception or a jump. (A program
// in C, or in C++14, may hand over such a callback unseen.) The memory is its own: what does not return leaks.
class LeavingHost {
 public:
  explicit LeavingHost(bool jumps) : jumps_(jumps) {}
  ~LeavingHost() {
    for (void* const pointer : memory_) free(pointer);
  }
  LeavingHost(const LeavingHost&) = delete;
  LeavingHost& operator=(const LeavingHost&) = delete;

  linefilter_options Options(linefilter_layout layout, double bits_per_key) {
    linefilter_options options = OptionsInC(layout, bits_per_key);
    options.allocator.allocate = reinterpret_cast<decltype(options.allocator.allocate)>(Allocate);
    options.allocator.deallocate = reinterpret_cast<decltype(options.allocator.deallocate)>(Deallocate);
    options.executor.run = reinterpret_cast<decltype(options.executor.run)>(Run);
    options.executor.num_threads = 2;
    options.allocator.context = options.executor.context = this;
    return options;
  }
  // Calls use() and lets its nth callback leave; false if none did. In `use` nothing may want to be destroyed.
  template <class Use>
  bool Leaves(int nth, const Use& use) {
    calls_left_ = nth;
    const bool left = LeavesNow(use);
    calls_left_ = -1;
    return left;
  }
  static bool Write(void* context, const void*, size_t) { return static_cast<LeavingHost*>(context)->Called(), true; }

 private:
  struct Left {};

  template <class Use>
  bool LeavesNow(const Use& use) {
    try {
      if (setjmp(back_) != 0) return true;
      use();
      return false;
    } catch (const Left&) {
      return true;
    }
  }
  void Called() {
    if (calls_left_ < 0 || calls_left_-- != 0) return;
    if (jumps_) longjmp(back_, 1);
    throw Left();
  }
  static void* Allocate(void* context, size_t size, size_t alignment) {
    LeavingHost& self = *static_cast<LeavingHost*>(context);
    self.Called();
    return *self.memory_.insert(aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)).first;
  }
  static void Deallocate(void* context, void* pointer, size_t, size_t) {
    LeavingHost& self = *static_cast<LeavingHost*>(context);
    self.Called();
    self.memory_.erase(pointer);
    free(pointer);
  }
  static void Run(void* context, void (*task)(void*, size_t), void* argument, size_t num_tasks) {
    for (size_t i = 0; i < num_tasks; ++i) task(argument, i);
    static_cast<LeavingHost*>(context)->Called();
  }

  bool jumps_;
  int calls_left_ = -1;
  jmp_buf back_;
  std::set<void*> memory_;
};

// Where functions without exceptions have no unwind tables, a throw ends the program.
#if defined(__arm__)
const std::vector<bool> kWaysToLeave = {true};
#else
const std::vector<bool> kWaysToLeave = {false, true};
#endif

// A finished builder has all that was added to it; false if it says that it has not.
bool HasOrRefuses(linefilter_builder* builder, const std::vector<uint64_t>& hashes) {
  linefilter_status status;
  size_t size = 0;
  void* const image = linefilter_builder_finish(builder, &size, &status);
  if (image == nullptr) {
    EXPECT_EQ(status.code, LINEFILTER_IO_ERROR) << status.message;
    EXPECT_NE(std::string(status.message).find("did not return"), std::string::npos) << status.message;
    return false;
  }
  linefilter_view* const view = linefilter_view_open(image, size, nullptr, nullptr);
  EXPECT_EQ(linefilter_view_count_maybes(view, hashes.data(), hashes.size()), hashes.size()) << "lost keys";
  linefilter_view_free(view);
  linefilter_image_free(image);
  return true;
}

// Each callback of a finish, one run after the other.
TEST(CApi, LosesNoKeyWhenACallbackLeavesAFinish) {
  const std::vector<uint64_t> hashes = test::RandomHashes(12000, 5);  // at 40 bits per key several ranges
  for (const bool jumps : kWaysToLeave) {
    for (const bool to_sink : {false, true}) {
      int nth = 0, refused = 0;
      for (bool left = true; left; ++nth) {
        SCOPED_TRACE((jumps ? "longjmp at callback " : "throw at callback ") + std::to_string(nth));
        LeavingHost host(jumps);
        const linefilter_options options = host.Options(LINEFILTER_LAYOUT_RETRIEVAL, 64);
        linefilter_builder* const builder = linefilter_builder_new(&options, nullptr);
        linefilter_builder_add_hashes(builder, hashes.data(), hashes.size());
        left = host.Leaves(nth, [&] {
          if (to_sink) {
            linefilter_builder_finish_to_sink(builder, reinterpret_cast<linefilter_sink>(LeavingHost::Write), &host,
                                              nullptr);
          } else {
            linefilter_image_free(linefilter_builder_finish(builder, nullptr, nullptr));
          }
        });
        if (linefilter_builder_num_keys(builder) != 0) refused += !HasOrRefuses(builder, hashes);  // else it was done
        linefilter_builder_reset(builder);
        linefilter_builder_add_hashes(builder, hashes.data(), hashes.size());
        EXPECT_TRUE(HasOrRefuses(builder, hashes)) << "after a reset";
        linefilter_builder_free(builder);
      }
      EXPECT_GT(nth, 5);
      EXPECT_GT(refused, 2);
    }
  }
}

// And of an addition of so many hashes that threads fill several chunks at once.
TEST(CApi, LosesNoKeyWhenACallbackLeavesAnAddition) {
  const std::vector<uint64_t> hashes = test::RandomHashes(4300000, 6), more = test::RandomHashes(1000000, 7);
  for (const bool jumps : kWaysToLeave) {
    int nth = 0, refused = 0;
    for (bool left = true; left; ++nth) {
      SCOPED_TRACE((jumps ? "longjmp at callback " : "throw at callback ") + std::to_string(nth));
      LeavingHost host(jumps);
      const linefilter_options options = host.Options(LINEFILTER_LAYOUT_BLOCKED, 8);
      linefilter_builder* const builder = linefilter_builder_new(&options, nullptr);
      linefilter_builder_add_hashes(builder, hashes.data(), hashes.size());
      left = host.Leaves(nth, [&] { linefilter_builder_add_hashes(builder, more.data(), more.size()); });
      refused += !HasOrRefuses(builder, hashes);
      linefilter_builder_free(builder);
    }
    EXPECT_GT(nth, 5);
    EXPECT_GT(refused, 1);
  }
}

// Every function that a header of the C API declares is called by the tests in C; most of them with NULL, too.
TEST(CApi, EveryFunctionIsTested) {
  std::string test;
  for (const auto& entry : std::filesystem::directory_iterator(LINEFILTER_SOURCE_DIR "/tests/c")) {
    if (entry.path().extension() == ".c") test += test::ReadFile(entry.path());
  }
  const std::regex function(R"(LINEFILTER_EXPORT[^;(]*\b(linefilter_\w+)\()");
  std::set<std::string> functions;
  for (const auto& entry : std::filesystem::directory_iterator(LINEFILTER_SOURCE_DIR "/include/linefilter/c")) {
    const std::string header = test::ReadFile(entry.path());
    for (auto it = std::sregex_iterator(header.begin(), header.end(), function); it != std::sregex_iterator(); ++it) {
      functions.insert((*it)[1]);
    }
  }
  EXPECT_GE(functions.size(), 140u);
  for (const std::string& name : functions) {
    EXPECT_NE(test.find(name + "("), std::string::npos) << name << " is in no test";
  }
}

}  // namespace
}  // namespace linefilter
