# shellcheck shell=bash
# Steps: the fuzz targets (tests/fuzz), built by clang with libFuzzer, and a short search by each. A long one is a command
# of its own, tools/fuzz.sh; the committed corpus is an ordinary test, fuzz_corpus.

FUZZ_TARGETS=(arrow build file footer parquet parse targets)
FUZZ_SECONDS=10  # for each target in CI

build_fuzz() {
  # shellcheck disable=SC2034  # read by build
  local -a BUILD_TARGETS=(fuzzers) less
  mapfile -t less < <(less_by_day)
  build_preset fuzz "${less[@]}"
  check_sanitizer fuzz __asan_report_load
  check_sanitizer fuzz __ubsan_handle
  check_sanitizer fuzz __sanitizer_cov_8bit_counters_init
}

test_fuzz() {
  "$ROOT/tools/fuzz.sh" "$FUZZ_SECONDS"
  count ${#FUZZ_TARGETS[@]} 0
}
