# shellcheck shell=bash
# Steps: the same tests from other builds for this CPU: sanitizers, clang, other -march.

# Sanitizers need the address space laid out as they expect; newer kernels randomize more than the older ones bear.
unrandomized() {
  if setarch "$(uname -m)" -R true 2>/dev/null; then
    echo "setarch $(uname -m) -R"
  fi
}

# check_sanitizer PRESET SYMBOL: a preset that silently instruments nothing must not look green.
check_sanitizer() {
  local library
  library=$(find "$ROOT/build/$1" -name liblinefilter.a -print -quit)
  if ! nm "$library" 2>/dev/null | grep "$2" >/dev/null; then
    echo "$library is not instrumented: no $2 in it"
    return 1
  fi
}

# less_by_day: options of the builds beside the release build, one in each line. Each change leaves out two targets: SSSE3, and
# AVX3_DL, which takes most of its code from AVX3. That is a quarter of the time of kernels. Sanitizers instrument of the program what reads
# foreign bytes. By night they have all, and so has tools/fuzz.sh when it is run alone.
less_by_day() {
  local targets="" program=ON
  if [[ -n ${LINEFILTER_BY_DAY:-} ]]; then
    program=OFF
    if [[ $(uname -m) == x86_64 ]]; then targets="(HWY_AVX3_DL|HWY_SSSE3)"; fi
  fi
  printf '%s\n' "-DLINEFILTER_DISABLED_TARGETS=$targets" "-DLINEFILTER_SANITIZE_PROGRAM=$program"
}

# What reads documents, times and the machine calls nothing in which these sanitizers could find a fault; nor does a program that
# is compiled without them. NIGHT_ASAN_TESTS call the library as others do, by a program that takes 0.2 s to start with these
# sanitizers. What reads foreign bytes and lines stays: tools_input and tools_parquet.
NOT_ASAN_TESTS=(counters fpr_judge interval key_families layering machine measure peers readme scale)
NIGHT_ASAN_TESTS=(examples redis_dedup redis_killed_rebuilder tools tools_fpr tools_living tools_plan tools_redis tools_redis_bench
  tools_redis_switch tools_secret tools_stats)
asan_leaves_out() {
  printf '%s\n' "${NOT_ASAN_TESTS[@]}"
  if [[ -z ${LINEFILTER_NIGHTLY:-} ]]; then printf '%s\n' "${NIGHT_ASAN_TESTS[@]}"; fi
}

# In the build of the fuzz targets, by clang: g++ takes three times as long for the tests.
build_asan() {
  local -a tests left_out less
  mapfile -t less < <(less_by_day)
  configure "$ROOT/build/fuzz" --preset fuzz "${less[@]}"
  mapfile -t left_out < <(asan_leaves_out)
  mapfile -t tests < <(bits_tests "$ROOT/build/fuzz" | grep -vE "$(named "${left_out[@]}")")
  build_tests "$ROOT/build/fuzz" "${tests[@]}"
  check_sanitizer fuzz __asan_report_load
  check_sanitizer fuzz __ubsan_handle
  # Code of the public headers is instrumented as well.
  if ! nm "$ROOT/build/fuzz/tests/layouts/CMakeFiles/inline_test.dir/inline_test.cc.o" | grep __asan_report_load >/dev/null; then
    echo "inline_test is not instrumented: give it INSTRUMENTED in tests/layouts/CMakeLists.txt"
    return 1
  fi
}

# Cases that measure rates or memory, or fill large filters, where other cases run the same code on fewer keys.
RATE_CASES="RetrievalLevels.TellTheMeasuredRate:ScalableFilterTest.ItsMeanRate*"
RATE_CASES+=":Rotating.AllGenerationsTogetherKeepTheRate:LevelDBDatabase.LargeBlocks*"
RATE_CASES+=":ApproximateSize.HasTheErrorThatSimulationShows:RoomFor.GoesBeyondABitPerKeyWhereTheRateIsHigh"
RATE_CASES+=":Union.OfAFullSmallFilterDoesNotDestroyALargeOne:FoldMultiset.IsToTheByteAFilterMadeOfThatSize:LargeKernels.*"
RATE_CASES+=":FoldToFpr.FindsTheLeastSizeOfAll:BorrowedHashes.GiveTheBytesOfCopiedOnes*:Repeats.OfAStreamAreCountedWithinItsMemory"
RATE_CASES+=":BuildFromSource.NeedsMorePassesWithLessMemory:BulkBuild.ExceedsTheEstimateByOneFullRangeAtMost"

# Cases that start the program or open a database some dozen times for code that other cases run, too.
START_CASES="ToolsParquetAskTest.DecimalsHaveAWidthAndAnOrder:ToolsParquetAskTest.RealNumbers:ToolsParquetAskTest.TimesHaveAUnitAndAZone"
START_CASES+=":ToolsParquetAskTest.ZeroHasTwoSigns:ToolsParquetAskTest.Dates:ToolsParquetAskTest.SmallIntegersHaveASign"
START_CASES+=":ToolsOptionsTest.WhatMeansTheSameHasOneName:ToolsInputTest.CompressedInputIsRefusedWithThePipe"
START_CASES+=":DamagedFilters.LoseNoKeyWithParanoidChecksWhereverTheDamage:LevelDBPolicy.AppendsAnImageThatHoldsEveryKey"
START_CASES+=":RocksDBDatabase.OpensWithAnyPolicyAndWithNone:RocksDBInterface.IsRefusedInVersionsThatWereNotLookedUp"

# Memory must be refused as malloc refuses it, with a null pointer: the tests of allocation failure ask for too much.
test_asan() {
  local -a left_out
  mapfile -t left_out < <(asan_leaves_out)
  export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1
  export UBSAN_OPTIONS=print_stacktrace=1
  if [[ -z ${LINEFILTER_NIGHTLY:-} ]]; then export GTEST_FILTER="-$RATE_CASES:$START_CASES"; fi
  UNRANDOMIZED=$(unrandomized) run_ctest "$ROOT/build/fuzz" -LE slow -E "$(named "${RATE_TESTS[@]}" "${left_out[@]}" conformance_python)"
  if grep '^\[  PASSED  \] 0 tests' "$ROOT/build/fuzz/Testing/Temporary/LastTest.log"; then
    echo "a program ran no case"
    return 1
  fi
}

# The tests that start threads. g++'s TSan: clang's does not see accesses by AVX2 and AVX-512 instructions. Of engines,
# tables, Parquet and bulk those cases alone that do, and of the last not those that count its memory: they take long here.
# A RedisFilter is one thread's: one of its programs shows that such objects share nothing, the others run by night.
THREADS_TESTS=(c_api columns_threads concurrent fpr_monitor_threads living_slow many mapped parallel redis_async redis_cached redis_metrics redis_switch rotating_threads swappable
  swappable_recent target view)
NIGHT_THREADS_TESTS=(redis_dedup redis_expire redis_failover redis_faults redis_filter redis_load redis_new_once redis_record
  redis_removal_writers redis_router)
LONG_TESTS=(bulk leveldb parquet_view parquet_write rocksdb sst_reader)
LONG_CASES="*Threads*:BulkBuild.AddsManyHashes*:BulkBuild.GivesTheBytesOfInsertionHowever*:BuildFromSource.GivesTheBytes*"
LONG_CASES+=":LevelDBDatabase.LosesNoKey:RocksDBDatabase.LosesNoKeyAndSparesReads"
threads_tests() {
  printf '%s\n' "${THREADS_TESTS[@]}"
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then printf '%s\n' "${NIGHT_THREADS_TESTS[@]}"; fi
}

build_tsan() {
  local -a threads less
  mapfile -t threads < <(threads_tests)
  mapfile -t less < <(less_by_day)
  configure "$ROOT/build/tsan" --preset tsan -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_STANDARD=20 -DLINEFILTER_BUILD_BENCH=OFF \
    -DLINEFILTER_BUILD_TOOLS=OFF "${less[@]}"
  build_tests "$ROOT/build/tsan" "${threads[@]}" "${LONG_TESTS[@]}"
  check_sanitizer tsan __tsan_read
}

test_tsan() {
  local -a threads
  mapfile -t threads < <(threads_tests)
  export TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1
  export LINEFILTER_LIVING_SECONDS=5
  # shellcheck disable=SC2034  # read by run_ctest
  UNRANDOMIZED=$(unrandomized)
  run_ctest "$ROOT/build/tsan" -R "$(named "${threads[@]}")"
  GTEST_FILTER=$LONG_CASES run_ctest "$ROOT/build/tsan" -R "$(named "${LONG_TESTS[@]}")"
  # A program of which no case has such a name would pass.
  [[ $(grep -cE '^\[  PASSED  \] [1-9]' "$ROOT/build/tsan/Testing/Temporary/LastTest.log") -eq ${#LONG_TESTS[@]} ]]
}

# list_march_levels FILE: what this CPU can run of the levels that users compile for. Highway's static
# target, and with it the inlined path, changes with each; the bits must not. Without AVX-512 the native target is that of v3.
list_march_levels() {
  /lib64/ld-linux-x86-64.so.2 --help | sed -n 's/^ *\(x86-64-v3\) (supported.*/\1/p' >"$1"
  if [[ ! -s $1 ]] || g++ -march=native -dM -E -x c++ /dev/null | grep -w __AVX512F__ >/dev/null; then
    echo native >>"$1"
  fi
  note "$(paste -sd ' ' "$1")"
}

# What an optimizer or a level can break: kernels, the inlined path, the bytes they make. The rest is compiled and run by clang in
# build_asan, without what that leaves out.
OPTIMIZED_TESTS=(alignment columns conformance filter golden hash inline kernels no_false_negative quotient retrieval split_block view)
NIGHT_OPTIMIZED_TESTS=(builder bulk concurrent container fold keyed_hash malformed parquet_hash remote_body removable repeats scalable)
optimized_tests() {
  printf '%s\n' "${OPTIMIZED_TESTS[@]}"
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then printf '%s\n' "${NIGHT_OPTIMIZED_TESTS[@]}"; fi
}

# build_optimized COMPILER LEVEL: `any` is no level. As C++20, which users may ask for; the release build is C++17.
# Warnings of g++ stay warnings there: version 12 takes its own AVX-512 header for uninitialized (GCC bug 105593).
build_optimized() {
  local flags="" werror=ON
  local -a tests less
  mapfile -t tests < <(optimized_tests)
  mapfile -t less < <(less_by_day)
  if [[ $2 != any ]]; then flags=-march=$2; fi
  if [[ $1 == g++ && $2 != any ]]; then werror=OFF; fi
  configure "$ROOT/build/$1-$2" "-DCMAKE_CXX_COMPILER=$1" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=$flags" \
    -DCMAKE_CXX_STANDARD=20 -DLINEFILTER_WERROR=$werror -DLINEFILTER_BUILD_TOOLS=OFF -DLINEFILTER_TEST_OPTIONS=-O1 "${QUICK_TESTS[@]}" \
    "${less[@]}"
  build_tests "$ROOT/build/$1-$2" "${tests[@]}"
}

test_optimized() {
  local -a tests
  mapfile -t tests < <(optimized_tests)
  run_ctest "$ROOT/build/$1-$2" -R "$(named "${tests[@]}")"
}
