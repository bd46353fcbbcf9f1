#!/usr/bin/env bash
# tools/coverage.sh   how many lines of lib/ the fast tests run: a row per file, the total, and the lines that never run
#
# Builds with g++ and --coverage in build/coverage, runs the fast tests but those that measure rates, and reads what they
# counted with gcov. The packages of `tools/install_packages.sh test`, and python3. Ends with 1 if a test fails or if
# fewer lines run than LEAST (95) percent. JOBS=n sets how many processes build and test at once.
#
# Not counted: what a test runs in a child process that is killed or ends by _exit.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build/coverage
# shellcheck source=/dev/null
source "$ROOT/tools/lib/cmake.sh"  # build, FAST_BITS

# -O1: unoptimized, Highway is 50 times slower. Threads count too. No NDEBUG: tests ask less (tests/testing/measure_fpr.h).
build "$BUILD" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=None -DLINEFILTER_BUILD_BENCH=OFF -DLINEFILTER_PYTHON=OFF -DLINEFILTER_WERROR=OFF \
  "-DCMAKE_CXX_FLAGS=-O1 -g1 --coverage -fprofile-update=atomic"
find "$BUILD" -name '*.gcda' -delete
(cd "$BUILD" && ctest -j "$JOBS" --output-on-failure --no-tests=error "${FAST_BITS[@]}")
# All programs: of an inline function of lib/ the linker keeps one copy, which may be the test's.
find "$BUILD" -name '*.gcno' | sort | xargs -n 1 "${GCOV:-gcov}" --json-format --stdout |
  python3 "$ROOT/tools/lib/coverage.py" "$ROOT" "${LEAST:-95}"
