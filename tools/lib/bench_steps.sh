# shellcheck shell=bash
# Steps: the benchmark as a user runs it (no time is judged), and instructions per key, which are exact and judged.

# Every planned row has a result, every target of this CPU has rows of `blocked`, and the report can read and draw them.
test_bench() {
  local folder=$STEP_LOGS json targets report status=0
  json=$folder/bench-quick.json targets=$folder/bench-targets report=$folder/report
  rm -rf "$json" "$report"  # rows that stand in a file would not be run again
  mkdir -p "$report"
  # Ended after the first group by --minutes, then gone on with.
  "$ROOT/build/release/linefilter_bench" --quick --minutes 0.001 --out "$json" || status=$?
  if [[ $status -ne 3 ]]; then
    echo "linefilter_bench --minutes 0.001 ended with exit code $status, not 3: more is to be measured"
    return 1
  fi
  # Google Benchmark's variables change nothing: all rows have times.
  BENCHMARK_FILTER=nothing BENCHMARK_REPETITIONS=2 "$ROOT/build/release/linefilter_bench" --quick --out "$json"
  "$ROOT/build/release/linefilter_bench" --quick --list >"$folder/bench-rows"
  list_targets "$targets"
  check_bench_rows "$json" "$folder/bench-rows" "$targets" >"$folder/bench-accesses"
  note "$(<"$folder/bench-accesses")"
  count 1 0

  "$ROOT/tools/report" "$json" --out "$report/BENCHMARKS.md" --plots "$report/plots"
  if [[ ! -s $report/BENCHMARKS.md ]] || ! compgen -G "$report/plots/*.svg" >/dev/null; then
    echo "tools/report left no page or no plot in $report"
    return 1
  fi
  count 1 0
}

# check_bench_rows JSON ROWS TARGETS: prints the number of rows by access, or says what is missing and fails.
check_bench_rows() {
  python3 - "$@" <<'PYTHON'
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    rows = json.load(file)["rows"]
planned = open(sys.argv[2], encoding="utf-8").read().split()
targets = open(sys.argv[3], encoding="utf-8").read().split()
wrong = []
measured = {row["row"] for row in rows}
wrong += [f"{name} was measured twice" for name, times in collections.Counter(row["row"] for row in rows).items() if times > 1]
wrong += [f"no result of the row {name}" for name in planned if name not in measured]
if not planned:
    wrong.append("linefilter_bench --quick --list names no row")
for target in targets:
    for access in ("single", "batch", "insert_single", "insert_batch"):
        if not any(row["layout"] == "blocked" and row["target"] == target and row["access"] == access for row in rows):
            wrong.append(f"blocked has no row {access} with {target}, which this CPU has")
for row in rows:
    if not row["ns"] > 0 and not row["floor"]:
        wrong.append(f"{row['row']} took {row['ns']} ns")
if wrong:
    sys.exit("\n".join(wrong))
by_access = collections.Counter(row["access"] for row in rows)
print(f"{len(rows)} rows:", ", ".join(f"{count} {access}" for access, count in sorted(by_access.items())))
PYTHON
}

# The file for other machines: its size, that it needs no library, that it runs here, and on a CPU of 2008 (no time counts there).
test_portable() {
  local file json=$STEP_LOGS/portable.json
  local -a nehalem=(qemu-x86_64 -cpu Nehalem)
  build_portable
  file=$(portable_file)
  note "$(stat -c %s "$file") bytes"
  count 1 0
  smoke_portable "$file" "$json"
  count 1 0
  if [[ $(uname -m) == x86_64 ]]; then
    smoke_portable "$file" "$json" "${nehalem[@]}"
    python3 -c 'import json, sys
targets = json.load(open(sys.argv[1]))["context"]["targets"]
assert "SSSE3" in targets and not any(target.startswith("AVX") for target in targets), targets' "$json"
    count 1 0
  fi
}

# Instructions per key against bench/instructions.json. Other compilers than the baseline's are not compared, and the line
# says so. The same counts then prove that the comparison can fail.
test_instructions() {
  local status=0 log=$STEP_LOGS/instructions.txt
  "$ROOT/tools/perf.sh" instructions >"$log" || status=$?
  cat "$log"
  case $status in
    0) note "$(tail -n 1 "$log")"; count 1 0 ;;
    3) note "$(tail -n 1 "$log")" ;;
    *) return "$status" ;;
  esac
  grep ': improved' "$log" | while read -r line; do note "$line"; done || true
  prove_instructions "$ROOT/build/perf/instructions"
}

# prove_instructions FOLDER: changes a baseline of these very counts and expects the comparison to see it.
prove_instructions() {
  local folder=$1 exact changed
  exact=$(mktemp) changed=$(mktemp)
  rm "$exact"
  "$ROOT/bench/compare_instructions.py" "$folder" --baseline "$exact" --update >/dev/null
  # What is done to the row (one that every machine has), the exit code, and what must be said.
  expect_comparison "rows[row] *= 1.00" 0 'rows compared, 0 faults'
  expect_comparison "rows[row] *= 0.96" 0 'rows compared, 0 faults'
  expect_comparison "rows[row] *= 0.94" 1 "FAILED $PROVEN_ROW: "
  expect_comparison "rows[row] *= 1.06" 0 "$PROVEN_ROW: improved"
  expect_comparison "del rows[row]" 1 "FAILED $PROVEN_ROW: not in the baseline"
  expect_comparison "rows[row + '_gone'] = 1" 1 "FAILED ${PROVEN_ROW}_gone: not in this run"
  expect_comparison "toolchains['another'] = toolchains.pop(toolchain)" 3 'NOT COMPARED'
  rm -f "$exact" "$changed"
}
PROVEN_ROW=hash_u64

# expect_comparison CHANGE EXIT-CODE TEXT: of prove_instructions.
expect_comparison() {
  local change=$1 expected=$2 text=$3 said status=0
  python3 - "$exact" "$changed" "$PROVEN_ROW" "$change" <<'PYTHON'
import json
import sys

exact, changed, row, change = sys.argv[1:]
with open(exact, encoding="utf-8") as file:
    baseline = json.load(file)
toolchains = baseline["toolchains"]
(toolchain,) = toolchains
rows = toolchains[toolchain]
assert row in rows, f"{row} was not measured: {sorted(rows)}"
exec(change)
with open(changed, "w", encoding="utf-8") as file:
    json.dump(baseline, file)
PYTHON
  said=$("$ROOT/bench/compare_instructions.py" "$folder" --baseline "$changed") || status=$?
  if [[ $status -ne $expected ]] || ! grep -F "$text" <<<"$said" >/dev/null; then
    printf '%s\nafter "%s" the comparison ended with %d instead of %d, or did not say "%s"\n' "$said" "$change" "$status" \
      "$expected" "$text"
    count 0 1
    return 1
  fi
  count 1 0
}
