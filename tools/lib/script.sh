# shellcheck shell=bash disable=SC2034  # STEP is read by fail
# What tools/bench.sh and tools/demo.sh begin with: they say what they do, and what failed. LOG is the script's.

STEP="the start"
say() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }
fail() {
  printf '\ntools/%s: failed at: %s\n' "$(basename "$0")" "$STEP" >&2
  printf '%s\n' "$@" >&2
  exit 1
}
trap 'fail "line $LINENO: exit code $?"' ERR

# quietly WHAT COMMAND...: the output goes to the log, and its end to the terminal if the command fails.
quietly() {
  STEP=$1
  shift
  if ! "$@" >>"$LOG" 2>&1; then
    tail -n 40 "$LOG" >&2
    fail "the command was: $*" "its whole output: $LOG"
  fi
}
