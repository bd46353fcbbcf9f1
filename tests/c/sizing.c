/* How large for which rate. */
#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestLimits(void) {
  linefilter_status status;
  linefilter_sizing sizing;
  const double limits[2] = {LINEFILTER_MIN_BITS_PER_KEY, LINEFILTER_MAX_BITS_PER_KEY};
  for (int i = 0; i < 2; ++i) {
    const double beyond = limits[i] + (i == 0 ? -0.01 : 0.01);
    CHECK(linefilter_sizing_for_bits_per_key(LINEFILTER_LAYOUT_BLOCKED, 1000, limits[i], &sizing, &status) ==
          LINEFILTER_OK);
    CHECK(linefilter_sizing_for_bits_per_key(LINEFILTER_LAYOUT_BLOCKED, 1000, beyond, &sizing, &status) ==
          LINEFILTER_INVALID_ARGUMENT);
  }
}

static void TestSizing(void) {
  linefilter_status status;
  linefilter_sizing sizing, smaller;
  CHECK(linefilter_sizing_for_fpr(LINEFILTER_LAYOUT_BLOCKED, 1000000, 0.01, &sizing, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status));
  CHECK(sizing.layout == LINEFILTER_LAYOUT_BLOCKED && sizing.num_keys == 1000000 && sizing.body_bytes % 64 == 0);
  CHECK(sizing.expected_fpr > 0.0099 && sizing.expected_fpr <= 0.01 && sizing.num_probes > 4);
  CHECK(sizing.bits_per_key > 9 && sizing.bits_per_key < 11);
  CHECK(linefilter_sizing_expected_fpr(LINEFILTER_LAYOUT_BLOCKED, 1000000, sizing.body_bytes, sizing.num_probes) ==
        sizing.expected_fpr);
  CHECK(linefilter_sizing_max_keys(LINEFILTER_LAYOUT_BLOCKED, sizing.body_bytes, 0.01) >= 1000000);
  CHECK(linefilter_sizing_for_bits_per_key(LINEFILTER_LAYOUT_RETRIEVAL, 1000000, 8, &smaller, NULL) == LINEFILTER_OK);
  CHECK(smaller.num_probes == 0 && smaller.body_bytes < sizing.body_bytes &&
        smaller.expected_fpr < sizing.expected_fpr);
  CHECK(linefilter_sizing_for_bits_per_key(LINEFILTER_LAYOUT_AUTO, 1000, 65, &smaller, &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "bits_per_key is 65") && smaller.num_keys == 1000000);
  CHECK(linefilter_sizing_for_fpr(257, 1000, 0.01, &smaller, &status) == LINEFILTER_INVALID_ARGUMENT); /* not blocked */
  CHECK(linefilter_sizing_expected_fpr(257, 1000, 64000, 6) == 1 && linefilter_sizing_max_keys(257, 64000, 0.01) == 0);
  /* Of 1e12 keys one agrees in the whole hash with an absent key with probability 5.42e-8. */
  const uint64_t many = UINT64_C(1000000000000);
  CHECK(linefilter_sizing_for_fpr(LINEFILTER_LAYOUT_CLASSIC, many, 1e-12, &smaller, &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "the same 64-bit hash"));
  CHECK(linefilter_sizing_expected_fpr(LINEFILTER_LAYOUT_CLASSIC, many, 8 * many, 30) >= 5.42e-8);
  CHECK(linefilter_layout_max_num_probes(LINEFILTER_LAYOUT_BLOCKED) == 16);
  CHECK(linefilter_layout_num_probes(LINEFILTER_LAYOUT_CLASSIC, 10) == 7);
  const double fpr = linefilter_layout_fpr(LINEFILTER_LAYOUT_BLOCKED, 12);
  CHECK(fpr > 0.003 && fpr < 0.005);
  CHECK(linefilter_layout_bits_per_key(LINEFILTER_LAYOUT_BLOCKED, fpr) > 11.999);
  CHECK(linefilter_layout_bits_per_key(LINEFILTER_LAYOUT_BLOCKED, fpr) < 12.001);
}

/* Keys that are removed and replaced raise the rate of quotient, and so its size. */
static void TestTurnovers(void) {
  linefilter_status status;
  linefilter_sizing sizing, turned;
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.fpr = 0.01;
  options.removable = 1;
  CHECK(linefilter_sizing_for_options(1000000, &options, &sizing, &status) == LINEFILTER_OK);
  CHECK(sizing.layout == LINEFILTER_LAYOUT_QUOTIENT && sizing.num_probes == 1 && sizing.expected_fpr <= 0.01);
  options.turnovers = 20;
  CHECK(linefilter_sizing_for_options(1000000, &options, &turned, &status) == LINEFILTER_OK);
  CHECK(turned.body_bytes > sizing.body_bytes && turned.expected_fpr <= 0.01 && turned.bits_per_key < 12.1);
  CHECK(linefilter_sizing_expected_fpr_after(20, turned.layout, 1000000, turned.body_bytes, 1) == turned.expected_fpr);
  CHECK(linefilter_sizing_expected_fpr(turned.layout, 1000000, turned.body_bytes, 1) < turned.expected_fpr);
  options.removable = 0;
  CHECK(linefilter_sizing_for_options(1000000, &options, &sizing, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "turnovers is 20"));
  options.turnovers = 0, options.removable = 2;
  CHECK(linefilter_sizing_for_options(1000000, &options, &sizing, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "removable"));
  options.removable = 1, options.layout = LINEFILTER_LAYOUT_BLOCKED;
  CHECK(linefilter_sizing_for_options(1000000, &options, &sizing, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "choose quotient"));
  CHECK(linefilter_sizing_for_options(1000000, NULL, &sizing, &status) == LINEFILTER_INVALID_ARGUMENT);
}

void RunSizing(void) {
  RUN(TestLimits);
  RUN(TestTurnovers);
  RUN(TestSizing);
}
