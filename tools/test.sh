#!/usr/bin/env bash
# tools/test.sh             installs what is missing, builds, and runs the fast tests: minutes
# tools/test.sh --all       also the slow ones, sanitizers, clang, other CPUs, the demo and the benchmark: 42 minutes
# tools/test.sh --nightly   --all, and what takes longer than each change can wait for (doc/TESTING.md names it)
#
# Debian 12 or Ubuntu 24.04, root or sudo. The last lines tell the minutes of each step and the slowest programs, the very last
# one counts; logs are kept in build/test-logs.
# JOBS=n sets how many processes build at once. One more of them test.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in packages steps ccache cmake sysroot sources portable release install abi debian duckdb bench_steps builds fuzz cpus matrix; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done

fast_steps() {
  step "packages" work "$ROOT/tools/install_packages.sh" test
  use_real_python
  use_ccache "$ROOT"
  if $STEP_OK; then
    step "release: build" work build_release
  fi
  HAVE_RELEASE=$STEP_OK
  HAD_CLANG=$(command -v clang++-19 || command -v clang++-16 || command -v clang++) || true
  if [[ -n $HAD_CLANG ]]; then export LINEFILTER_TEST_COMPILERS=2; fi
  if $HAVE_RELEASE; then
    step "release: fast tests" tests test_release "${FAST[@]}"
  fi
}

slow_steps() {
  step "packages of the slow tests" work "$ROOT/tools/install_packages.sh" slow
  beside one_core_steps
  syntax_steps
  if [[ -z $HAD_CLANG ]]; then step "what is a key, by g++ and clang" tests test_key_types; fi
  # Each change has no time for the minute that living_slow_test takes by itself, nor for all that less_by_day leaves out.
  if [[ -z ${LINEFILTER_NIGHTLY:-} ]]; then export LINEFILTER_LIVING_SECONDS=20 LINEFILTER_BY_DAY=yes; fi
  step "release: slow tests" tests test_release -L slow
  optimized_steps
  built_and_tested asan "build_asan" "test_asan"
  built_and_tested tsan "build_tsan" "test_tsan"
  built_and_tested fuzz "build_fuzz" "test_fuzz"
  : >"$STEP_LOGS/cpus"
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then every_cpu; fi
  cpu_steps
  if [[ $(uname -m) == x86_64 ]]; then
    forced_steps
  else
    echo "only on x86-64: targets forced"
  fi
  join
}

# What does one thing after the other, or waits for a network. These steps alone build in build/release while they run; those of
# the other row only run what is there.
one_core_steps() {
  step "program: demo.sh" tests test_demo
  step "benchmark: every kind of row, report, plots" tests test_bench
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then
    step "portable benchmark: needs no library, and no new CPU" tests test_portable
  fi
  step "instructions per key against the baseline" tests test_instructions
  install_steps
  abi_steps
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then debian_steps; fi
  duckdb_steps
}

# What --all leaves out. LINEFILTER_NIGHTLY has changed some steps of it, and what the tests do (tests/testing/nightly.h).
nightly_steps() {
  matrix_steps
}

# optimized COMPILER LEVEL|any
optimized() {
  built_and_tested "$1 for $2" "build_optimized $1 $2" "test_optimized $1 $2"
}

# Clang for one level that users compile for. By night clang for any CPU, too, and g++ for each level.
optimized_steps() {
  local levels=(any) level
  if [[ $(uname -m) == x86_64 ]]; then
    step "-march levels of this CPU" work list_march_levels "$STEP_LOGS/march"
    if $STEP_OK; then mapfile -t levels <"$STEP_LOGS/march"; fi
  fi
  optimized clang++ "${levels[0]}"
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then
    if [[ ${levels[0]} != any ]]; then optimized clang++ any; fi
    for level in "${levels[@]}"; do optimized g++ "$level"; done
  fi
}

# The last target, which is without vectors; by night each but the first, which is what all tests took already.
forced_steps() {
  local name first=2
  step "release: targets of this CPU" work list_targets "$STEP_LOGS/targets"
  if [[ -z ${LINEFILTER_NIGHTLY:-} ]]; then first=$(wc -l <"$STEP_LOGS/targets"); fi
  for name in $(tail -n "+$first" "$STEP_LOGS/targets"); do
    step "release: LINEFILTER_TARGET=$name" tests test_target "$name"
  done
}

# built_and_tested NAME BUILD TEST: a build, and its tests, which are pointless without it.
built_and_tested() {
  # shellcheck disable=SC2086  # a function and its arguments
  step "$1: build" work $2
  if $STEP_OK; then
    # shellcheck disable=SC2086
    step "$1: tests" tests $3
  fi
}

# A version manager's python3 is a script that looks for the real one, half a second of work at each start of several hundred.
# The folder of what it finds comes first from here on.
use_real_python() {
  local real
  real=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null) || return 0
  if [[ -x $real/python3 ]]; then PATH=$real:$PATH; fi
}

main() {
  case "${1:-}" in
    "" | --all) ;;
    --nightly) export LINEFILTER_NIGHTLY=yes ;;
    *) echo "usage: tools/test.sh [--all | --nightly]" >&2; exit 2 ;;
  esac
  cd "$ROOT"
  steps_begin "$ROOT/build/test-logs"
  fast_steps
  if [[ -n ${1:-} ]] && $HAVE_RELEASE; then
    slow_steps
  fi
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]] && $HAVE_RELEASE; then
    nightly_steps
  fi
  steps_end
}

main "$@"
