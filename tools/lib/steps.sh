# shellcheck shell=bash disable=SC2034  # STEP_OK is read by tools/test.sh
# Runs the steps of tools/test.sh: each with its own log, its duration and a count of what passed and failed. Two rows of steps
# may run at once (beside); each step prints its line when it ends.

STEP_OK=true      # how the last step of this row ended
STEP_LOGS=        # folder of the logs, set by steps_begin
STEP_RESULTS=     # file with a line for each step that ended: seconds, passed, failed, name
STEP_PROGRAMS=    # file with a line for each test program that ended: seconds, step, name
STEP_NAME=        # the running step
STEP_COUNTS=      # file in which it notes "passed failed" pairs
STEP_BESIDE=      # process of the row that runs beside the others
STEPS_BEGUN=0     # $SECONDS at that moment

# steps_begin FOLDER
steps_begin() {
  STEP_LOGS=$1
  STEP_RESULTS=$STEP_LOGS/results
  STEP_PROGRAMS=$STEP_LOGS/program-times
  STEPS_BEGUN=$SECONDS
  mkdir -p "$STEP_LOGS"
  : >"$STEP_RESULTS"
  : >"$STEP_PROGRAMS"
}

# count PASSED FAILED: called by a step, as often as it likes.
count() {
  echo "$1 $2" >>"$STEP_COUNTS"
}

# note TEXT: called by a step; stands behind its result line.
note() {
  echo "$*" >>"$STEP_COUNTS.notes"
}

# program_took SECONDS NAME: called by a step for each test program; the slowest of all stand at the end.
program_took() {
  if [[ -n $STEP_PROGRAMS ]]; then
    printf '%s\t%s\t%s\n' "$1" "${STEP_NAME:-}" "$2" >>"$STEP_PROGRAMS"
  fi
}

# step NAME tests|work FUNCTION [ARGUMENT...]: runs the function in a subshell under `set -e`; sets STEP_OK.
# `tests`: it counts, and a run without a single test is a failure. `work`: a preparation, which counts only if it fails.
# Never call it behind if, && or ||: bash would then ignore `set -e` inside of the function too.
step() {
  local kind=$2 started=$SECONDS status=0 passed failed log notes took result=ok
  STEP_NAME=$1
  shift 2
  log=$STEP_LOGS/$(tr -cs 'A-Za-z0-9_\n' '-' <<<"$STEP_NAME").log
  STEP_COUNTS=${log%.log}.counts
  : >"$STEP_COUNTS"
  : >"$STEP_COUNTS.notes"
  set +e
  (set -e; "$@") >"$log" 2>&1 </dev/null
  status=$?
  set -e
  read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$STEP_COUNTS")
  notes=$(paste -sd ';' "$STEP_COUNTS.notes")
  rm -f "$STEP_COUNTS" "$STEP_COUNTS.notes"
  if [[ $status -ne 0 && $failed -eq 0 ]]; then
    failed=1
  elif [[ $kind == tests && $((passed + failed)) -eq 0 ]]; then
    echo "no test ran" >>"$log"
    failed=1
  fi
  took=$((SECONDS - started))
  printf '%s\t%s\t%s\t%s\n' "$took" "$passed" "$failed" "$STEP_NAME" >>"$STEP_RESULTS"
  STEP_OK=true
  if [[ $failed -ne 0 ]]; then
    STEP_OK=false
    result=FAILED
    notes="($passed passed, $failed failed)  $notes"
  elif [[ $kind == tests ]]; then
    notes="($passed passed)  $notes"
  fi
  printf '%-52s %-7s %4d s  %s\n' "$STEP_NAME" "$result" "$took" "$notes"
  if ! $STEP_OK; then
    show_failure "$log"
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

# beside FUNCTION: its steps run while those after this call do, until join. They are the ones that leave a core idle.
beside() {
  ("$@") &
  STEP_BESIDE=$!
  trap 'trap - INT; kill 0' INT  # the shell lets what runs beside it ignore Ctrl-C
}

join() {
  local status=0
  wait "$STEP_BESIDE" || status=$?
  STEP_BESIDE=
  if [[ $status -ne 0 ]]; then
    printf '0\t0\t1\t%s\n' "the steps beside ended with exit code $status" >>"$STEP_RESULTS"
  fi
}

# steps_end: minutes of the steps, the slowest programs and, alone in the last line, the result, which is the script's too.
steps_end() {
  local passed failed
  echo
  echo "minutes of the steps (two rows of them may run at once: they sum up to more than the run):"
  sort -t $'\t' -k 1,1nr "$STEP_RESULTS" | awk -F '\t' '{ printf "%6.1f  %s\n", $1 / 60, $4 }'
  if [[ -s $STEP_PROGRAMS ]]; then
    echo "the slowest programs, in seconds:"
    # Not by head: it ends first, and of a long list sort then ends with SIGPIPE, which is this script's end, too.
    sort -t $'\t' -k 1,1nr "$STEP_PROGRAMS" | awk -F '\t' 'NR <= 10 { printf "%6.0f  %s (%s)\n", $1, $3, $2 }'
  fi
  awk -v s=$((SECONDS - STEPS_BEGUN)) 'BEGIN { printf "all steps: %d s = %.1f minutes\n", s, s / 60 }'
  read -r passed failed < <(awk -F '\t' '{ p += $2; f += $3 } END { print p + 0, f + 0 }' "$STEP_RESULTS")
  echo "$passed passed, $failed failed"
  [[ $failed -eq 0 && $passed -gt 0 ]]
}
