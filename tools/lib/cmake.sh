# shellcheck shell=bash disable=SC2034  # FAST and FAST_BITS are read by the steps
# Configuring, building and ctest, for the steps. Everything lies under $ROOT/build.

JOBS=${JOBS:-$(nproc)}
TEST_JOBS=$((JOBS + 1))  # a third of the programs wait for servers and for each other

# configure FOLDER [cmake argument...]: a folder that another source tree left behind is not ours: start anew.
configure() {
  local folder=$1
  shift
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$ROOT" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  cmake -S "$ROOT" -B "$folder" -G Ninja "$@"
}

# build FOLDER [cmake argument...]: configures, and builds everything, or BUILD_TARGETS where the caller has set them.
build() {
  configure "$@"
  cmake --build "$1" -j "$JOBS" ${BUILD_TARGETS[@]+--target "${BUILD_TARGETS[@]}"}
}

# For builds that are not the one that users have: no benchmark, no Python module.
QUICK_TESTS=(-DLINEFILTER_BUILD_BENCH=OFF -DLINEFILTER_PYTHON=OFF)

# build_preset PRESET [cmake argument...]
build_preset() {
  local preset=$1
  shift
  build "$ROOT/build/$preset" --preset "$preset" "$@"
}

# build_tests FOLDER TEST...: what these tests of a configured folder need, and no more.
build_tests() {
  local folder=$1
  shift
  cmake --build "$folder" -j "$JOBS" --target "${@/%/_test}"
}

# named TEST...: ctest's expression for these and no others.
named() {
  local IFS='|'
  echo "^($*)\$"
}

# The fast tests without those that measure false-positive rates: same bits, same rate, and the bits are what the rest
# compares. They are for the release build; elsewhere they take half the time, or 10 to 50 times as long.
RATE_TESTS=(fpr expected_fpr fpr_mutants fpr_regression quotient_model retrieval_model sharding)
FAST=(-LE slow)
FAST_BITS=(-LE slow -E "$(named "${RATE_TESTS[@]}")")

# bits_tests FOLDER: the names of the tests that FAST_BITS runs in a configured folder.
bits_tests() {
  ninja -C "$1" -t targets all | sed -n 's/^\([a-z0-9_]*\)_test: phony$/\1/p' | grep -vE '^cmake_|_slow$' |
    grep -vE "$(named "${RATE_TESTS[@]}")"
}

# run_ctest FOLDER [ctest argument...]: counts test programs; notes how many cases they ran and which were skipped inside.
run_ctest() {
  local folder=$1 report status=0
  shift
  report=$folder/ctest.xml
  rm -f "$report"
  (cd "$folder" && ${UNRANDOMIZED:-} ctest -j "$TEST_JOBS" --output-on-failure --no-tests=error --output-junit "$report" "$@") ||
    status=$?
  count_ctest "$report"
  time_ctest "$report"
  note_cases "$folder/Testing/Temporary/LastTest.log"
  return "$status"
}

# The attributes of <testsuite>: tests, failures, disabled, skipped. A test that ctest did not run has not passed.
count_ctest() {
  local report=$1 tests failures disabled skipped
  [[ -f $report ]] || return 0
  tests=$(testsuite_attribute "$report" tests)
  failures=$(testsuite_attribute "$report" failures)
  disabled=$(testsuite_attribute "$report" disabled)
  skipped=$(testsuite_attribute "$report" skipped)
  count $((tests - failures - disabled - skipped)) $((failures + disabled + skipped))
}

# The attributes name and time of each <testcase>.
time_ctest() {
  local name seconds
  [[ -f $1 ]] || return 0
  sed -n 's/^.*<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*$/\1 \2/p' "$1" | while read -r name seconds; do
    program_took "$seconds" "$name"
  done
}

testsuite_attribute() {
  awk -v name="$2" '{ if (match($0, "(^|[ \t])" name "=\"[0-9]+\"")) { s = substr($0, RSTART, RLENGTH)
    gsub(/[^0-9]/, "", s); print s; found = 1; exit } } END { if (!found) print 0 }' "$1"
}

note_cases() {
  local cases skipped
  [[ -f $1 ]] || return 0
  cases=$(awk '/^\[  PASSED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$1")
  skipped=$(sed -n 's/^\[  SKIPPED \] \([A-Za-z0-9_./]*\)$/\1/p' "$1" | sort -u | paste -sd ' ')
  note "$cases cases${skipped:+, skipped by themselves: $skipped}"
}

# run_programs PREFIX FOLDER LOG TEST...: tests of a build behind a prefix (valgrind, qemu), JOBS at once; LOG gets all that
# they print.
run_programs() {
  local prefix=$1 folder=$2/tests log=$3 outputs name status passed failed=0
  shift 3
  outputs=$(mktemp -d)
  # shellcheck disable=SC2016  # for the inner shell, where the prefix is several words
  printf '%s\n' "$@" | xargs -P "$JOBS" -I TEST sh -c '
    status=0 begun=$(date +%s)
    timeout 1800 $1 "$2" >"$3" 2>&1 || status=$?
    echo "$status" >"$3.status"
    echo $(($(date +%s) - begun)) >"$3.seconds"' sh "$prefix" "$folder/TEST_test" "$outputs/TEST"
  : >"$log"
  for name in "$@"; do
    status=$(<"$outputs/$name.status")
    program_took "$(<"$outputs/$name.seconds")" "$name"
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$outputs/$name")
    echo "==== $prefix ${name}_test"
    tee -a "$log" <"$outputs/$name"
    if [[ $status -eq 0 && ${passed:-0} -gt 0 ]]; then
      count 1 0
    else
      echo "==== ${name}_test failed (exit code $status, ${passed:-0} cases passed)"
      count 0 1
      failed=1
    fi
  done
  rm -rf "$outputs"
  note_cases "$log"
  return "$failed"
}
