// Running a test on every target of this machine.
#ifndef LINEFILTER_TESTS_TESTING_TARGETS_H_
#define LINEFILTER_TESTS_TESTING_TARGETS_H_

#include <cstddef>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/target.h"
#include "tests/testing/status.h"

namespace linefilter::test {

// Forces a target for its lifetime and then returns to the one before.
class ScopedTarget {
 public:
  explicit ScopedTarget(const char* name) : before_(ChosenTarget()) {
    EXPECT_TRUE(IsOk(ForceTarget(name)));
    EXPECT_STREQ(ChosenTarget(), name);
  }
  ~ScopedTarget() { EXPECT_TRUE(ForceTarget(before_.c_str()).ok()); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

 private:
  const std::string before_;
};

// Calls test(name) with each supported target forced; fails if there is none.
template <class Test>
void OnEveryTarget(const Test& test) {
  const TargetList targets = SupportedTargets();
  ASSERT_GT(targets.size, 0u);
  for (size_t i = 0; i < targets.size; ++i) {
    SCOPED_TRACE(targets.names[i]);
    const ScopedTarget forced(targets.names[i]);
    test(targets.names[i]);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TARGETS_H_
