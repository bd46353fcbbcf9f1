// The random cases of quotient_test in numbers: in the night as many as doc/TESTING.md tells, else a few more than
// there.
#include "tests/layouts/quotient/quotient_test.h"
#include "tests/testing/nightly.h"

namespace linefilter::quotient_test {
namespace {

uint64_t Cases(uint64_t at_night) { return test::IsNightly() ? at_night : at_night / 100; }

TEST(QuotientSlow, CasesMakeTheSameBytesByEveryWay) { ExpectSameBytesByEveryWay(Cases(1000000), 1000000); }
TEST(QuotientSlow, RemovalsDoAsAPlainListOfEntries) { ExpectRemovalsLikeAPlainList(Cases(200000), 1000000); }
TEST(QuotientSlow, HostileBlocksAreAnsweredLikeTheReference) { ExpectTheReferenceOnHostileBlocks(Cases(5000000), 2); }
TEST(QuotientSlow, HostileBlocksAreChangedLikeTheReference) {
  ExpectTheReferenceChangesHostileBlocks(Cases(1000000), 2);
}

}  // namespace
}  // namespace linefilter::quotient_test
