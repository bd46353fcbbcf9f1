// 1e7 keys of a CountingBlockedFilter, each replaced by another: no live key is lost, the rate stays that of the model.
#include "gtest/gtest.h"
#include "tests/testing/churn.h"

namespace linefilter {
namespace {

TEST(CountingChurn, Of10MillionKeysLosesNoneAndKeepsTheRate) { test::ExpectGoodChurn(10000000, 3, 0.05); }

}  // namespace
}  // namespace linefilter
