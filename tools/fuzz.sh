#!/usr/bin/env bash
# tools/fuzz.sh [--merge] [SECONDS] [TARGET...]: looks for bytes that break the library, with libFuzzer (tests/fuzz).
#
#   tools/fuzz.sh              every target for 600 s, as many at once as there are cores
#   tools/fuzz.sh 3600 parse   one target for an hour, on all cores
#   tools/fuzz.sh --merge      what build/fuzz-corpus reaches, with the fewest inputs, becomes tests/fuzz/corpus;
#                              those there that have names stay
#
# Targets: arrow, build, file, footer, parquet, parse, targets; the first lines of tests/fuzz/*_fuzz.cc tell what each demands. clang is needed:
# tools/install_packages.sh slow. Runs begin with the inputs of tests/fuzz/corpus and build/fuzz-corpus; new ones stay in
# the latter. Exit code 1: something was found. Its input is in build/fuzz-findings (again: build/fuzz/fuzz/TARGET_fuzz
# INPUT); when it is mended, the input belongs into tests/fuzz/corpus, under a name.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in cmake builds fuzz; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done
CORPUS=$ROOT/build/fuzz-corpus FINDINGS=$ROOT/build/fuzz-findings LOGS=$ROOT/build/fuzz-logs
COMMITTED=$ROOT/tests/fuzz/corpus

fail() {
  printf 'tools/fuzz.sh: %s\n' "$@" >&2
  exit 2
}

usage() {
  sed -n 's/^# \{0,1\}//; 2,12p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

program() {
  echo "$ROOT/build/fuzz/fuzz/$1_fuzz"
}

# Inputs beyond that only take longer.
most_bytes() {
  case "$1" in
    parse | file | footer) echo 1024 ;;
    *) echo 256 ;;
  esac
}

# search TARGET PROCESS SECONDS: one process; its exit code goes beside its log. Entropic scheduling took a fifth to two
# fifths of the time.
search() {
  local log=$LOGS/$1-$2 status=0
  # shellcheck disable=SC2046  # a command and its arguments, or nothing
  $(unrandomized) "$(program "$1")" -max_total_time="$3" -max_len="$(most_bytes "$1")" -entropic=0 -timeout=30 -rss_limit_mb=1024 \
    -malloc_limit_mb=64 -print_final_stats=1 -artifact_prefix="$FINDINGS/$1-" "$CORPUS/$1" "$COMMITTED/$1" \
    >"$log.log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.exit"
}

# search_all SECONDS TARGET...: as many processes at once as there are cores; of few targets several each.
search_all() {
  local seconds=$1 target process each
  shift
  each=$((JOBS / $# > 1 ? JOBS / $# : 1))
  for target in "$@"; do
    for ((process = 1; process <= each; ++process)); do
      while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do wait -n; done
      search "$target" "$process" "$seconds" &
    done
  done
  wait
}

# report SECONDS TARGET...: a line per target; what was found is shown. libFuzzer ends with 72 when it is told to.
report() {
  local seconds=$1 target all=0 found=0 executions edges exits log
  shift
  printf '%-10s %14s %12s %10s %8s %9s\n' target executions 'a second' edges inputs findings
  for target in "$@"; do
    executions=$(awk '/^stat::number_of_executed_units/ { n += $2 } END { printf "%.0f", n }' "$LOGS/$target"-*.log)
    edges=$(awk '/ cov: / { sub(/.* cov: /, ""); if ($1 + 0 > n) n = $1 + 0 } END { print n + 0 }' "$LOGS/$target"-*.log)
    exits=$(awk '$1 != 0 && $1 != 72 { ++n } END { print n + 0 }' "$LOGS/$target"-*.exit)
    printf '%-10s %14s %12d %10d %8d %9d\n' "$target" "$executions" $((executions / seconds)) "$edges" \
      "$(find "$CORPUS/$target" "$COMMITTED/$target" -type f | wc -l)" "$exits"
    all=$((all + executions)) found=$((found + exits))
  done
  printf '%d executions, %d findings\n' "$all" "$found"
  for log in "$LOGS"/*.exit; do
    if [[ $(<"$log") -ne 0 ]]; then
      printf '\n---- %s\n' "${log%.exit}.log"
      grep -av '^#' "${log%.exit}.log" | tail -n 60
    fi
  done
  if grep -qx 72 "$LOGS"/*.exit; then fail "a search was interrupted: it says nothing"; fi
  [[ $found -eq 0 && $all -gt 0 ]]
}

# merge TARGET...: the committed corpus anew.
merge() {
  local target folder
  for target in "$@"; do
    folder=$(mktemp -d)
    # shellcheck disable=SC2046
    $(unrandomized) "$(program "$target")" -set_cover_merge=1 -use_counters=0 -max_len="$(most_bytes "$target")" -rss_limit_mb=1024 \
      "$folder" "$COMMITTED/$target" "$CORPUS/$target" >"$LOGS/$target-merge.log" 2>&1 ||
      fail "merging $target failed: see $LOGS/$target-merge.log"
    # An input that was given a name shows something that was found: it stays, whatever the others reach.
    find "$COMMITTED/$target" -type f -regextype egrep -regex '.*/[0-9a-f]{40}' -delete
    find "$folder" -type f -exec cp {} "$COMMITTED/$target/" \;
    rm -rf "$folder"
    printf '%-10s %5d inputs %8d bytes\n' "$target" "$(find "$COMMITTED/$target" -type f | wc -l)" \
      "$(find "$COMMITTED/$target" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')"
  done
}

main() {
  local seconds=600 merge=false target status targets=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --merge) merge=true ;;
      [1-9]*) [[ $1 =~ ^[0-9]+$ ]] || usage; seconds=$1 ;;
      *) [[ " ${FUZZ_TARGETS[*]} " == *" $1 "* ]] || usage; targets+=("$1") ;;
    esac
    shift
  done
  if [[ ${#targets[@]} -eq 0 ]]; then targets=("${FUZZ_TARGETS[@]}"); fi
  command -v clang++ >/dev/null || fail "clang++ is missing: tools/install_packages.sh slow"
  rm -rf "$LOGS"
  mkdir -p "$LOGS" "$FINDINGS"
  for target in "${targets[@]}"; do mkdir -p "$CORPUS/$target" "$COMMITTED/$target"; done
  set +e  # behind if, && or || bash would ignore the errors inside of the function too
  (set -e; build_fuzz) >"$LOGS/build.log" 2>&1
  status=$?
  set -e
  if [[ $status -ne 0 ]]; then
    tail -n 40 "$LOGS/build.log" >&2
    fail "the build failed: $LOGS/build.log"
  fi
  # Little is kept of freed memory: the caches matter more here. A null pointer where memory runs out, as malloc has it.
  export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=2:detect_stack_use_after_return=0:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
  if $merge; then
    merge "${targets[@]}"
  else
    search_all "$seconds" "${targets[@]}"
    report "$seconds" "${targets[@]}"
  fi
}

main "$@"
