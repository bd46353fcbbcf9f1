// Runs an operation again and again, each time with another of its allocations failing.
#ifndef LINEFILTER_TESTS_FILTERS_ALLOC_FAULTS_TEST_H_
#define LINEFILTER_TESTS_FILTERS_ALLOC_FAULTS_TEST_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/status.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/failing_memory.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// One run of an operation with one of its allocations failing.
class Attempt {
 public:
  Attempt(uint64_t nth, bool stays) : nth_(nth), stays_(stays) {}

  // To be called once, with the operation alone. It succeeds, or it says that memory ran out.
  template <class Operation>
  Status Run(const Operation& operation) {
    Status status;
    {
      const FailingMemory memory(nth_, stays_);
      status = operation();
      one_failed_ = memory.one_failed();
    }
    if (status.ok()) return status;
    EXPECT_TRUE(one_failed_) << "there was memory: " << status.message();
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << status.message();
    EXPECT_GT(std::strlen(status.message()), 20u);
    return status;
  }
  bool one_failed() const { return one_failed_; }

 private:
  uint64_t nth_;
  bool stays_, one_failed_ = false;
};

inline uint64_t num_failed;  // allocations, in the whole program

// Calls test(attempt) for each allocation that the operation in it makes, and once more; returns how many these are.
// All that the test makes must be gone when it returns.
template <class Test>
uint64_t FailEach(const std::string& name, const Test& test) {
  uint64_t num_allocations = 0;
  Attempt undisturbed(~uint64_t{0}, false);  // makes, too, what libraries allocate once for ever
  test(&undisturbed);
  for (const bool stays : {false, true}) {
    for (uint64_t nth = 0;; ++nth) {
      SCOPED_TRACE(name + ": allocation " + std::to_string(nth) + (stays ? " and all after it" : ""));
      const LiveMemory before = LiveMemoryNow();
      Attempt attempt(nth, stays);
      test(&attempt);
      const LiveMemory after = LiveMemoryNow();
      EXPECT_EQ(after.blocks, before.blocks) << "leaked";
      EXPECT_EQ(after.mapped_bytes, before.mapped_bytes) << "leaked";
      if (testing::Test::HasFailure()) return num_allocations;
      if (!attempt.one_failed()) break;
      ++num_failed;
      num_allocations += !stays;
    }
  }
  return num_allocations;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_ALLOC_FAULTS_TEST_H_
