// Callbacks of the C API may not leave, by an exception or a jump. C++ refuses those that may throw; of those that
// leave all the same no key is lost.
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/bulk.h"
#include "linefilter/c.h"
#include "linefilter/executor.h"
#include "linefilter/memory.h"
#include "tests/testing/random.h"

namespace linefilter {
namespace {

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
    linefilter_options options;
    linefilter_options_init(&options, sizeof(options));
    options.layout = layout;
    options.bits_per_key = bits_per_key;
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
  linefilter_view* const view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, nullptr, nullptr);
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

}  // namespace
}  // namespace linefilter
