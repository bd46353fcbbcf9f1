#!/usr/bin/env bash
# tools/demo.sh: the main job on real keys, beside the filters of other libraries, from a fresh clone to a table, a plot and a
# verdict in five lines. It runs for a quarter of a minute when it is built.
#
# Installs what is missing (root or sudo; Debian 12, Ubuntu 24.04), builds the demo in build/demo, makes filters
# of one word list, saves and maps them, and looks every word of the other lists up: in them, and in the filters of LevelDB and
# libbloom. Leaves images, table, plot and verdict in demo/. Run it as often as you like, from anywhere. BUILD=folder takes
# another build, as it was configured; times are the median of ROUNDS=5.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# A folder of its own: a configuration without tests must not stay behind in build/release.
OWN_BUILD=$ROOT/build/demo
BUILD=${BUILD:-$OWN_BUILD}
ROUNDS=${ROUNDS:-5}
OUT=$ROOT/demo
LOG=$ROOT/build/demo.log
WORDS=/usr/share/dict
INSERTED=$WORDS/american-english-insane
# The British list shares most of its words, the German one hardly any: the first tries members, the second the FPR.
ASKED=("$WORDS/british-english-insane" "$WORDS/ngerman")

# shellcheck source=tools/lib/cmake.sh
source "$ROOT/tools/lib/cmake.sh"
# shellcheck source=tools/lib/script.sh
source "$ROOT/tools/lib/script.sh"

main() {
  local list demo_words=() status=0
  STEP="installing packages"
  say "1/4 packages"
  "$ROOT/tools/install_packages.sh" demo || fail "tools/install_packages.sh demo did not succeed: its message is above"

  say "2/4 build (log: $LOG)"
  STEP="preparing the folders"
  mkdir -p "$ROOT/build" "$OUT"
  : >"$LOG"
  if [[ $BUILD == "$OWN_BUILD" ]]; then
    quietly "configuring" configure "$BUILD" --preset release -DLINEFILTER_BUILD_TESTS=OFF -DLINEFILTER_BUILD_BENCH=OFF
  fi
  quietly "building" cmake --build "$BUILD" --parallel "$JOBS" --target linefilter_demo

  say "3/4 filters of real words"
  STEP="finding the word lists"
  for list in "${ASKED[@]}"; do
    if [[ -r $list ]]; then demo_words+=("$list"); fi
  done
  [[ -r $INSERTED && ${#demo_words[@]} -gt 0 ]] ||
    fail "$INSERTED and one of ${ASKED[*]} are needed: packages wamerican-insane, wbritish-insane, wngerman"
  STEP="running the demo"
  "$BUILD/linefilter_demo" "$ROUNDS" "$OUT" "$INSERTED" "${demo_words[@]}" || status=$?
  [[ $status -eq 0 ]] || fail "linefilter_demo ended with exit code $status: its message is above"

  say "4/4 plot"
  quietly "plotting" gnuplot -e "folder='$OUT'; heading='Filters of 10 bits per word, on real words'" \
    "$ROOT/tools/demo/plot.gp"
  STEP="looking for the results"
  [[ -s $OUT/demo.png && -s $OUT/table.txt && -s $OUT/verdict.txt ]] || fail "$OUT has no plot, table or verdict"
  printf '\ntable:   %s\nplot:    %s\nimages:  %s\ndone in %d s\n' "$OUT/table.txt" "$OUT/demo.png" "$OUT/*.filter" \
    "$SECONDS"
  printf '\nVERDICT (%s)\n' "$OUT/verdict.txt"
  cat "$OUT/verdict.txt"
}

main "$@"
