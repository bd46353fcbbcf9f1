#!/usr/bin/env bash
# tools/perf.sh stat|record|instructions [--update] [ROWS-REGEX]: where the time of the benchmark's rows goes.
#
#   stat          cycles, instructions, cache and branch misses of linefilter_bench --rows ROWS-REGEX, by perf stat
#   record        the same rows under perf record; then: perf report -i build/perf/perf.data
#   instructions  instructions per key, counted by callgrind: exact, the same on every run, and possible on every machine.
#                 Compared with bench/instructions.json: more than 5 % more fails (exit code 1). --update stores the counts.
#
# stat and record see the whole program: choose few rows, so that their loops (1 s a repetition) outweigh the filling.
# Rows of stat and record are those of linefilter_bench --list, those of instructions have names like single/blocked/AVX2.
# BUILD=folder takes another build than build/release. Where the instructions of a row are:
#   valgrind --tool=callgrind --toggle-collect=linefilter_counted_row --callgrind-out-file=build/perf/row \
#     build/release/linefilter_instructions '^single/blocked/AVX2$' && callgrind_annotate build/perf/row
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build/release}
OUT=$ROOT/build/perf
COUNTED=linefilter_counted_row  # the function in bench/instructions.cc

fail() {
  printf 'tools/perf.sh: %s\n' "$@" >&2
  exit 2
}

usage() {
  sed -n 's/^# \{0,1\}//; 2,13p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# build TARGET: brings it up to date; what the compiler says is shown only if it fails.
build() {
  local log=$OUT/build.log
  mkdir -p "$OUT"
  if [[ ! -f $BUILD/CMakeCache.txt ]]; then
    (cd "$ROOT" && cmake --preset release -B "$BUILD") >"$log" 2>&1 || { cat "$log" >&2; fail "cmake failed: see above"; }
  fi
  cmake --build "$BUILD" --target "$1" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "building $1 failed: see above"; }
}

# program NAME: where the build left it.
program() {
  [[ -x $BUILD/$1 ]] || fail "$BUILD/$1 is not there: was it built with -DLINEFILTER_BUILD_BENCH=ON?"
  echo "$BUILD/$1"
}

need_perf() {
  if ! perf --version >/dev/null 2>&1; then
    fail "perf is missing, or is not that of this kernel: install linux-perf (Debian) or linux-tools-$(uname -r) (Ubuntu)." \
         "Without it, tools/perf.sh instructions counts instructions by callgrind"
  fi
}

# has_event EVENT: perf can count it here. (It says "<not supported>" or "<not counted>" and ends well all the same.)
has_event() {
  local said
  said=$(perf stat -x, -e "$1" true 2>&1) && ! grep -q '<not' <<<"$said"
}

paranoid() {
  cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo unknown
}

run_stat() {
  need_perf
  if ! has_event cycles:u; then
    fail "perf cannot count cycles here: a virtual machine without a virtual PMU, or kernel.perf_event_paranoid is above 2" \
         "(it is $(paranoid)). On this machine use tools/perf.sh instructions, or tools/perf.sh record, which can do without"
  fi
  local event events=()
  for event in cycles:u instructions:u branches:u branch-misses:u cache-references:u cache-misses:u L1-dcache-load-misses:u \
    dTLB-load-misses:u task-clock page-faults; do
    if has_event "$event"; then events+=("$event"); fi
  done
  build linefilter_bench
  perf stat -e "$(IFS=,; echo "${events[*]}")" -- "$(program linefilter_bench)" --min-time 1 --rows "$1"
}

run_record() {
  local event=cycles:u
  need_perf
  if ! has_event "$event"; then
    event=cpu-clock:u
    has_event "$event" || fail "perf can sample neither cycles nor the clock: kernel.perf_event_paranoid is $(paranoid)," \
      "2 or less is needed (sysctl kernel.perf_event_paranoid=2), and in a container a seccomp profile that allows it"
    echo "no hardware counters here: perf samples the clock instead of cycles; cache misses cannot be seen"
  fi
  build linefilter_bench
  perf record -e "$event" -o "$OUT/perf.data" -- "$(program linefilter_bench)" --min-time 1 --rows "$1"
  echo "look at it with: perf report -i $OUT/perf.data"
}

run_instructions() {
  local rows=$1 folder=$OUT/instructions options=() executable
  shift
  command -v valgrind >/dev/null || fail "valgrind is missing: install the package valgrind"
  command -v python3 >/dev/null || fail "python3 is missing: install the package python3"
  build linefilter_instructions
  executable=$(program linefilter_instructions)
  rm -rf "$folder"
  mkdir -p "$folder"
  # All targets are forced in turn by the program itself.
  if ! env -u LINEFILTER_TARGET LD_BIND_NOW=1 valgrind --quiet --tool=callgrind "--zero-before=$COUNTED" \
    "--dump-after=$COUNTED" "--callgrind-out-file=$folder/profile" "$executable" "$rows" >"$folder/rows.txt" 2>"$folder/log"; then
    tail -n 20 "$folder/log" >&2
    fail "linefilter_instructions failed under callgrind: see above"
  fi
  if [[ -n $rows ]]; then options+=(--some); fi
  "$ROOT/bench/compare_instructions.py" "$folder" "${options[@]}" "$@"
}

main() {
  local what=${1:-} rows='' options=()
  [[ $# -gt 0 ]] || usage
  shift
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --update) options+=(--update) ;;
      -*) usage ;;
      *) [[ -z $rows ]] || usage; rows=$1 ;;
    esac
    shift
  done
  if [[ $what != instructions && ${#options[@]} -gt 0 ]]; then
    fail "--update goes with instructions only"
  fi
  case "$what" in
    stat) run_stat "$rows" ;;
    record) run_record "$rows" ;;
    instructions) run_instructions "$rows" "${options[@]}" ;;
    *) usage ;;
  esac
}

main "$@"
