// Assertions about a Status that fail with its message: EXPECT_TRUE(IsOk(filter.Create(1000, options))).
#ifndef LINEFILTER_TESTS_TESTING_STATUS_H_
#define LINEFILTER_TESTS_TESTING_STATUS_H_

#include <string>

#include "gtest/gtest.h"
#include "linefilter/status.h"

namespace linefilter::test {

// The code is as expected, and the message has the words.
inline testing::AssertionResult Says(StatusCode code, const Status& status, const std::string& words = "") {
  if (status.code() == code && std::string(status.message()).find(words) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "code " << static_cast<int>(status.code()) << ", not " << static_cast<int>(code)
                                     << " with \"" << words << "\": " << status.message();
}

inline testing::AssertionResult IsOk(const Status& status) { return Says(StatusCode::kOk, status); }

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_STATUS_H_
