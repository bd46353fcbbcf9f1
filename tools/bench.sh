#!/usr/bin/env bash
# tools/bench.sh [--quick] [--accuracy] [--engines] [option of linefilter_bench...]: adds this machine to BENCHMARKS.md.
# tools/bench.sh --portable [aarch64]: makes one file for other machines, which compares CPUs.
#
#   tools/bench.sh             the full matrix: bench/results/<cpu>.json, BENCHMARKS.md, doc/plots/, doc/benchmarks.html;
#                              at most 90 minutes. Interrupted, or told to end by --minutes: the same command goes on where it stopped
#   tools/bench.sh --quick     about a minute, a first look: everything goes to build/bench-quick/
#   tools/bench.sh --accuracy  measures the false-positive rates anew too, which are the same on every CPU
#   tools/bench.sh --engines   measures the filters inside LevelDB, RocksDB and tables anew too; some minutes, 5 GB in /tmp
#   tools/bench.sh --portable  makes build/portable/linefilter_bench, which needs no library: copy it to any x86-64 Linux
#                              since 2016 (`--portable aarch64`: to any aarch64 Linux), and run it there. In ten minutes it
#                              leaves linefilter-<cpu>.json. `linefilter_bench compare A.json B.json` sets two beside each other
#   tools/bench.sh --fresh     measures all rows anew; this and all else goes to linefilter_bench (see its --help)
#
# Installs what is missing (root or sudo; Debian 12, Ubuntu 24.04) and builds build/release. Keep the machine idle.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build/release
BENCH=$BUILD/linefilter_bench
LOG=$ROOT/build/bench.log

# shellcheck source=tools/lib/cmake.sh
source "$ROOT/tools/lib/cmake.sh"
# shellcheck source=tools/lib/script.sh
source "$ROOT/tools/lib/script.sh"
for part in packages sysroot sources portable; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done

build_bench() {
  STEP="preparing the folders"
  mkdir -p "$ROOT/build"
  : >"$LOG"
  # Whoever left the benchmark out of build/release, or the example that it measures, has it now.
  quietly "configuring" configure "$BUILD" --preset release -DLINEFILTER_BUILD_BENCH=ON -DLINEFILTER_BUILD_EXAMPLES=ON
  quietly "building" cmake --build "$BUILD" --parallel "$JOBS" --target linefilter_bench linefilter_bench_engines \
    linefilter_bench_tables linefilter_bench_columns linefilter_tool
}

# The last CPU that this process may use: interrupts tend to go to the first. Nothing where it cannot be pinned.
pinned() {
  local cpu
  command -v taskset >/dev/null || return 0
  cpu=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
  if [[ -n $cpu ]] && taskset -c "$cpu" true 2>/dev/null; then
    echo "taskset -c $cpu"
  fi
}

# measure FILE OPTION...: exit code 3 says that the time was over before the rows were.
measure() {
  local file=$1 pin status=0
  shift
  pin=$(pinned)
  echo "to $file${pin:+, by $pin}"
  # shellcheck disable=SC2086  # a command and its arguments, or nothing
  $pin "$BENCH" --out "$file" "$@" || status=$?
  [[ $status -eq 0 || $status -eq 3 ]] || fail "linefilter_bench ended with exit code $status: its message is above"
}

measure_accuracy() {
  local status=0
  "$BENCH" --accuracy --out "$@" || status=$?
  [[ $status -eq 0 ]] || fail "linefilter_bench --accuracy ended with exit code $status: its message is above"
}

report() {
  "$ROOT/tools/report" --results "$1" --out "$2" --plots "$3" ||
    fail "tools/report ended with an error: its message is above"
}

# make_portable [aarch64]
make_portable() {
  local cpu=${1:-}
  [[ -z $cpu || $cpu == aarch64 ]] || fail "--portable makes files for this CPU's kind, or for aarch64; not for '$cpu'"
  [[ $cpu != "$(uname -m)" ]] || cpu=""
  mkdir -p "$ROOT/build"
  : >"$LOG"
  say "1/3 packages"
  STEP="installing packages"
  "$ROOT/tools/install_packages.sh" bench ||
    fail "tools/install_packages.sh bench did not succeed: its message is above"
  if [[ -n $cpu ]] && ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    install_missing "$LOG" g++-aarch64-linux-gnu libc6-dev-arm64-cross ||
      fail "the cross compiler cannot be installed: see $LOG"
  fi
  say "2/3 build (log: $LOG)"
  quietly "building the portable benchmark" build_portable "$cpu"
  say "3/3 done"
  tail -n 1 "$LOG"
  printf 'copy it to a machine, keep that idle, and run it: ten minutes, and it leaves linefilter-<cpu>.json there\n'
  printf 'then compare: linefilter_bench compare A.json B.json\n'
}

main() {
  local slug option quick=false accuracy=false engines=false
  local results=$ROOT/bench/results page=$ROOT/BENCHMARKS.md plots=$ROOT/doc/plots
  local -a passed_on=() short=()
  if [[ ${1:-} == --portable ]]; then
    [[ $# -le 2 ]] || fail "--portable takes a kind of CPU, and nothing else"
    make_portable "${2:-}"
    return
  fi
  for option in "$@"; do
    case "$option" in
      --quick) quick=true ;;
      --accuracy) accuracy=true ;;
      --engines) engines=true ;;
      --out | --out=*) fail "the name of the results file is chosen here: for another one call $BENCH" ;;
      -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
      *) passed_on+=("$option") ;;
    esac
  done

  say "1/4 packages"
  STEP="installing packages"
  # The preset builds the tests too; their packages take seconds.
  "$ROOT/tools/install_packages.sh" test bench ||
    fail "tools/install_packages.sh test bench did not succeed: its message is above"

  say "2/4 build (log: $LOG)"
  build_bench
  STEP="naming this CPU"
  slug=$("$BENCH" --print-cpu-slug)
  [[ -n $slug ]] || fail "linefilter_bench --print-cpu-slug printed nothing"

  say "3/4 measuring"
  STEP="measuring"
  if $quick; then
    results=$ROOT/build/bench-quick page=$results/BENCHMARKS.md plots=$results/plots
    rm -rf "$results"
    mkdir -p "$results"
    short=(--quick)
  fi
  measure "$results/$slug.json" "${short[@]}" "${passed_on[@]}"
  [[ -f $results/$slug.json ]] || return 0  # --list
  if $accuracy || [[ ! -f $results/accuracy.json ]]; then
    STEP="measuring the accuracy"
    measure_accuracy "$results/accuracy.json" "${short[@]}"
  fi
  if $engines || [[ ! -f $results/engines.json ]]; then
    STEP="measuring inside the engines"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH"_engines --out "$results/engines.json" "${short[@]}" ||
      fail "linefilter_bench_engines ended with an error: its message is above"
  fi
  if ! $quick && [[ ! -f $results/parquet.json ]]; then
    STEP="measuring the plan of Parquet"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH" --plan parquet --out "$results/parquet.json" ||
      fail "linefilter_bench --plan parquet ended with an error: its message is above"
  fi
  if ! $quick && [[ ! -f $results/quotient.json ]]; then
    STEP="measuring the plan of quotient"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH" --plan quotient --out "$results/quotient.json" ||
      fail "linefilter_bench --plan quotient ended with an error: its message is above"
  fi
  if ! $quick && [[ ! -f $results/churn.json ]]; then
    STEP="measuring filters whose keys change"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH" --churn --out "$results/churn.json" ||
      fail "linefilter_bench --churn ended with an error: its message is above"
  fi
  if ! $quick && [[ ! -f $results/columns.json ]]; then
    STEP="measuring columns"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH"_columns --out "$results/columns.json" ||
      fail "linefilter_bench_columns ended with an error: its message is above"
  fi
  if ! $quick && [[ ! -f $results/joins.json ]]; then
    STEP="measuring joins"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH"_columns --joins --out "$results/joins.json" ||
      fail "linefilter_bench_columns --joins ended with an error: its message is above"
  fi
  if $engines || [[ ! -f $results/tables.json ]]; then
    STEP="measuring inside tables"
    # shellcheck disable=SC2046  # a command and its arguments, or nothing
    $(pinned) "$BENCH"_tables --out "$results/tables.json" "${short[@]}" ||
      fail "linefilter_bench_tables ended with an error: its message is above"
  fi

  say "4/4 tables and plots"
  STEP="writing the report"
  report "$results" "$page" "$plots"
  printf '\nresults: %s\ntables:  %s\nplots:   %s\nHTML:    %s\ndone in %d s\n' "$results/$slug.json" "$page" \
    "$plots/*.svg" "${plots%/*}/benchmarks.html" "$SECONDS"
}

main "$@"
