# shellcheck shell=bash disable=SC2034  # STEP_OK is read by tools/test.sh
# Runs the steps of tools/test.sh: each with its own log, its duration and a count of what passed and failed.

STEPS_PASSED=0
STEPS_FAILED=0
STEP_OK=true    # how the last step ended
STEP_LOGS=      # folder of the logs, set by steps_begin
STEP_COUNTS=    # file in which the running step notes "passed failed" pairs

# steps_begin FOLDER
steps_begin() {
  STEP_LOGS=$1
  STEP_COUNTS=$STEP_LOGS/counts
  mkdir -p "$STEP_LOGS"
}

# count PASSED FAILED: called by a step, as often as it likes.
count() {
  echo "$1 $2" >>"$STEP_COUNTS"
}

# note TEXT: called by a step; stands behind its result line.
note() {
  echo "$*" >>"$STEP_COUNTS.notes"
}

# step NAME tests|work FUNCTION [ARGUMENT...]: runs the function in a subshell under `set -e`; sets STEP_OK.
# `tests`: it counts, and a run without a single test is a failure. `work`: a preparation, which counts only if it fails.
# Never call it behind if, && or ||: bash would then ignore `set -e` inside of the function too.
step() {
  local name=$1 kind=$2 started=$SECONDS status=0 passed failed log notes
  shift 2
  log=$STEP_LOGS/$(tr -cs 'A-Za-z0-9_\n' '-' <<<"$name").log
  : >"$STEP_COUNTS"
  : >"$STEP_COUNTS.notes"
  printf '%-52s ' "$name"
  set +e
  (set -e; "$@") >"$log" 2>&1 </dev/null
  status=$?
  set -e
  read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$STEP_COUNTS")
  notes=$(paste -sd ';' "$STEP_COUNTS.notes")
  if [[ $status -ne 0 && $failed -eq 0 ]]; then
    failed=1
  elif [[ $kind == tests && $((passed + failed)) -eq 0 ]]; then
    echo "no test ran" >>"$log"
    failed=1
  fi
  STEPS_PASSED=$((STEPS_PASSED + passed))
  STEPS_FAILED=$((STEPS_FAILED + failed))
  STEP_OK=true
  if [[ $failed -ne 0 ]]; then
    STEP_OK=false
    printf 'FAILED  %4d s  (%d passed, %d failed)  %s\n' $((SECONDS - started)) "$passed" "$failed" "$notes"
    show_failure "$log"
  elif [[ $kind == tests ]]; then
    printf 'ok      %4d s  (%d passed)  %s\n' $((SECONDS - started)) "$passed" "$notes"
  else
    printf 'ok      %4d s  %s\n' $((SECONDS - started)) "$notes"
  fi
}

# The lines that say what went wrong may stand far above the end.
show_failure() {
  echo "---- $1: faults, and its end ----"
  grep -nE 'error:|: Failure$|^\[  FAILED  \]|^FAILED|(Address|Thread|Leak)Sanitizer|runtime error:' "$1" | head -n 20 || true
  echo "..."
  tail -n "${FAILURE_LINES:-80}" "$1"
  echo "----"
}

# steps_end: the last line, alone; the result is the script's.
steps_end() {
  rm -f "$STEP_COUNTS" "$STEP_COUNTS.notes"
  echo "$STEPS_PASSED passed, $STEPS_FAILED failed"
  [[ $STEPS_FAILED -eq 0 && $STEPS_PASSED -gt 0 ]]
}
