/* A filter is held to a rate: ours through a view, another one through a callback. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kMembers = 1000, kStrangers = 13000 };

/* Keys are integers, in order. */
static uint64_t numbers[kMembers + kStrangers];
static const void* keys[kMembers + kStrangers];
static size_t sizes[kMembers + kStrangers];
static linefilter_fpr_keys members, absent;

static void MakeKeys(void) {
  for (size_t i = 0; i < kMembers + kStrangers; ++i) {
    for (size_t byte = 0; byte < 8; ++byte) ((uint8_t*)&numbers[i])[byte] = (uint8_t)((uint64_t)i >> (8 * byte));
    keys[i] = &numbers[i];
    sizes[i] = 8;
  }
  members.keys = keys;
  members.sizes = sizes;
  members.n = kMembers;
  absent.keys = keys + kMembers;
  absent.sizes = sizes + kMembers;
  absent.n = kStrangers;
}

static linefilter_fpr_limit AtMost(double rate) {
  linefilter_fpr_limit limit;
  memset(&limit, 0, sizeof(limit));
  limit.at_most = rate;
  return limit;
}

static linefilter_filter* NewFilter(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* const filter = linefilter_filter_new(kMembers, &options, NULL);
  for (uint64_t i = 0; i < kMembers; ++i) linefilter_filter_insert_u64(filter, i);
  return filter;
}

/* That of another library: the numbers below *filter, and those that end with 7 among 256 others. */
static bool IsBelow(const void* filter, const void* key, size_t size) {
  const uint8_t* const bytes = (const uint8_t*)key;
  const unsigned value = bytes[0] + 256u * bytes[1];
  return size == 8 && (value < *(const unsigned*)filter || bytes[0] == 7);
}

static void TestOurFilter(void) {
  linefilter_filter* const filter = NewFilter();
  const linefilter_view* const view = linefilter_filter_view(filter);
  linefilter_fpr_limit limit = AtMost(0.012);
  linefilter_fpr_result result;
  uint64_t maybes = 0;
  for (uint64_t i = 0; i < kStrangers; ++i) maybes += linefilter_view_may_contain_u64(view, kMembers + i);
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, &result) == LINEFILTER_FPR_WITHIN);
  CHECK(result.verdict == LINEFILTER_FPR_WITHIN && result.reserved == 0);
  CHECK(result.num_members == kMembers && result.num_lost == 0 && result.num_absent_members == 0);
  CHECK(result.num_queries == kStrangers && result.false_positives == maybes);
  CHECK(result.fpr == (double)maybes / kStrangers && result.fpr_low < result.fpr && result.fpr < result.fpr_high);
  CHECK(result.lost[0] == UINT64_MAX && result.absent_members[9] == UINT64_MAX && result.num_queries_needed == 0);
  CHECK(strstr(result.sentence, "at most 1.5 times the limit of 1.2 %") != NULL);
  limit.at_most = 0.005;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, NULL) == LINEFILTER_FPR_ABOVE);
  limit.at_most = 0.012;
  absent.n = 100;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(result.num_queries_needed > 10000);
  absent.n = kStrangers;
  limit.at_most = 0;
  limit.baseline_num_queries = 2 * kStrangers;
  limit.baseline_false_positives = 2 * maybes;
  limit.resolution = 2;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, &result) == LINEFILTER_FPR_WITHIN);
  CHECK(strstr(result.sentence, "1 times that of the baseline") != NULL);
  CHECK(result.limit == (double)maybes / kStrangers);
  CHECK(result.bits_per_key == 8.0 * (double)linefilter_view_body_bytes(view) / kMembers);
  limit.baseline_bits_per_key = result.bits_per_key;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, NULL) == LINEFILTER_FPR_WITHIN);
  limit.baseline_bits_per_key = 0.98 * result.bits_per_key;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, NULL) == LINEFILTER_FPR_ABOVE);
  limit.baseline_bits_per_key = 0;
  limit.baseline_false_positives = maybes / 2;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &limit, &result) == LINEFILTER_FPR_ABOVE);
  linefilter_filter_free(filter);
}

static void TestAnotherFilter(void) {
  const linefilter_fpr_limit limit = AtMost(0.005);
  linefilter_fpr_result result;
  unsigned end = kMembers;
  CHECK(linefilter_check_fpr(IsBelow, &end, &members, &absent, &limit, &result) == LINEFILTER_FPR_WITHIN);
  CHECK(result.num_queries == kStrangers && result.false_positives == 51);
  end = kMembers - 20;
  CHECK(linefilter_check_fpr(IsBelow, &end, &members, &absent, &limit, &result) == LINEFILTER_FPR_ABOVE);
  CHECK(result.num_lost == 20 && result.lost[0] == kMembers - 20 && result.lost[9] == kMembers - 11);
  CHECK(strstr(result.sentence, "20 of 1000 members answered \"absent\"") != NULL);
  CHECK(strstr(result.sentence, "(position 980)") != NULL && strstr(result.sentence, "and 10 more") != NULL);
  end = kMembers;
  absent.keys = keys + kMembers - 2; /* two members, of other addresses and twice among the members */
  members.keys = keys;
  numbers[0] = numbers[kMembers - 1];
  CHECK(linefilter_check_fpr(IsBelow, &end, &members, &absent, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(result.num_absent_members == 2 && result.num_queries == kStrangers - 2);
  CHECK(result.absent_members[0] + result.absent_members[1] == 1 && result.absent_members[2] == UINT64_MAX);
  CHECK(strstr(result.sentence, "2 absent keys are members") != NULL);
  MakeKeys();
}

static void TestMisuse(void) {
  linefilter_filter* const filter = NewFilter();
  const linefilter_view* const view = linefilter_filter_view(filter);
  const linefilter_fpr_limit none = AtMost(0), limit = AtMost(0.012);
  const linefilter_fpr_keys no_keys = {NULL, NULL, 0}, null_keys = {NULL, sizes, 1}, null_sizes = {keys, NULL, 1};
  linefilter_fpr_result result;
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, &none, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(strstr(result.sentence, "at_most is not between 0 and 1") != NULL);
  CHECK(linefilter_check_fpr(NULL, view, &members, &no_keys, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(strstr(result.sentence, "no absent key was asked") != NULL);
  CHECK(linefilter_check_fpr(NULL, view, &no_keys, &absent, &limit, &result) == LINEFILTER_FPR_WITHIN);
  CHECK(linefilter_check_fpr(NULL, NULL, &members, &absent, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(strstr(result.sentence, "filter is NULL") != NULL && result.fpr_high == 1);
  CHECK(linefilter_check_fpr(NULL, view, NULL, &absent, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(linefilter_check_fpr(NULL, view, &members, NULL, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(linefilter_check_fpr(NULL, view, &members, &absent, NULL, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(linefilter_check_fpr(NULL, view, &null_keys, &absent, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(linefilter_check_fpr(NULL, view, &members, &null_sizes, &limit, &result) == LINEFILTER_FPR_UNDECIDED);
  CHECK(strstr(result.sentence, "NULL: give all of them") != NULL);
  linefilter_filter_free(filter);
}

void RunTesting(void) {
  MakeKeys();
  RUN(TestOurFilter);
  RUN(TestAnotherFilter);
  RUN(TestMisuse);
}
