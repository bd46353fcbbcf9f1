#!/usr/bin/env bash
# tools/perf.sh instructions [--update] [ROWS-REGEX]: instructions per key, counted by callgrind: exact, the same on every
# run, and possible on every machine.
#
# Compared with bench/instructions.json: more than 5 % more fails (exit code 1). --update stores the counts. Rows have names
# like single/blocked/AVX2. BUILD=folder takes another build than build/release. Where the instructions of a row are:
#   valgrind --tool=callgrind --toggle-collect=linefilter_counted_row --callgrind-out-file=build/perf/row \
#     build/release/linefilter_instructions '^single/blocked/AVX2$' && callgrind_annotate build/perf/row
# Cycles and cache misses, where the machine lets perf count them, of few rows, so that their loops outweigh the filling:
#   perf stat -- build/release/linefilter_bench --min-time 1 --rows ROWS-REGEX
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build/release}
# shellcheck source=tools/lib/cmake.sh
source "$ROOT/tools/lib/cmake.sh"
COUNTED=linefilter_counted_row  # the function in bench/instructions.cc

fail() {
  printf 'tools/perf.sh: %s\n' "$@" >&2
  exit 2
}

usage() {
  sed -n 's/^# \{0,1\}//; 2,10p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

main() {
  local rows='' options=() folder=$ROOT/build/perf/instructions executable=$BUILD/linefilter_instructions
  [[ ${1:-} == instructions ]] || usage
  shift
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --update) options+=(--update) ;;
      -*) usage ;;
      *) [[ -z $rows ]] || usage; rows=$1 ;;
    esac
    shift
  done
  command -v valgrind >/dev/null || fail "valgrind is missing: install the package valgrind"
  command -v python3 >/dev/null || fail "python3 is missing: install the package python3"
  rm -rf "$folder"
  mkdir -p "$folder"
  [[ -f $BUILD/CMakeCache.txt ]] || configure "$BUILD" --preset release >"$folder/log" 2>&1 || fail "cmake failed: see $folder/log"
  cmake --build "$BUILD" --target linefilter_instructions >"$folder/log" 2>&1 ||
    fail "the build failed (was it configured with -DLINEFILTER_BUILD_BENCH=ON?): see $folder/log"
  # All targets are forced in turn by the program itself.
  if ! env -u LINEFILTER_TARGET LD_BIND_NOW=1 valgrind --quiet --tool=callgrind "--zero-before=$COUNTED" \
    "--dump-after=$COUNTED" "--callgrind-out-file=$folder/profile" "$executable" "$rows" >"$folder/rows.txt" 2>"$folder/log"; then
    tail -n 20 "$folder/log" >&2
    fail "linefilter_instructions failed under callgrind: see above"
  fi
  if [[ -n $rows ]]; then options+=(--some); fi
  "$ROOT/bench/compare_instructions.py" "$folder" "${options[@]}"
}

main "$@"
