# shellcheck shell=bash
# Steps: Bloom filters in Parquet files of a real engine. npm brings DuckDB; tests/parquet/duckdb lets it write files and asks
# both, and duckdb_check compares. examples/parquet_scan lets it scan a file without the row groups that we exclude.

DUCKDB=$ROOT/build/duckdb      # DuckDB, and what it wrote
DUCKDB_TEST=$ROOT/tests/parquet/duckdb
DUCKDB_SECONDS=100             # npm has no more; it takes 2
# What npm says where it reaches no registry. Everything else, a version that is gone or damaged above all, is a fault.
NO_ANSWER='^(E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|PROTO|403|407|429|5[0-9][0-9])|ERR_SOCKET_TIMEOUT)$'

duckdb_steps() {
  step "DuckDB: from npm" work fetch_duckdb
  if $STEP_OK && [[ -f $DUCKDB/complete ]]; then
    step "DuckDB: its Parquet filters and ours" tests test_duckdb
    step "DuckDB: a scan that leaves row groups out" tests test_duckdb_scan
  fi
}

# Without npm, or a network, nothing is compared, and the line of the step says so.
fetch_duckdb() {
  local stamp said=$DUCKDB/npm.log status=0 code
  mkdir -p "$DUCKDB"
  cp "$DUCKDB_TEST"/{*.mjs,package.json,package-lock.json} "$ROOT"/examples/parquet_scan/scan.mjs "$DUCKDB"
  stamp=$(cksum <"$DUCKDB/package-lock.json")
  if [[ -f $DUCKDB/complete && $(<"$DUCKDB/complete") == "$stamp" ]]; then
    echo "$DUCKDB is complete"
    return
  fi
  rm -f "$DUCKDB/complete"
  if ! command -v node || ! command -v npm; then
    leave_out_duckdb "this machine has no npm (Node.js)"
    return
  fi
  (cd "$DUCKDB" && timeout "$DUCKDB_SECONDS" npm ci --no-audit --no-fund --fetch-retries=1) >"$said" 2>&1 || status=$?
  cat "$said"
  code=$(sed -nE 's/^npm (ERR!|error) code //p' "$said" | head -n 1)
  if [[ $status -eq 0 ]]; then
    echo "$stamp" >"$DUCKDB/complete"
  elif [[ $status -eq 124 ]]; then
    leave_out_duckdb "npm did not answer within $DUCKDB_SECONDS s"
  elif [[ $code =~ $NO_ANSWER ]]; then
    leave_out_duckdb "npm does not reach its registry ($code)"
  else
    return "$status"
  fi
}

leave_out_duckdb() {
  note "LEFT OUT: $1, so DuckDB's Parquet filters are not compared with ours, and no scan is"
}

# By night with a million members and 100,000 questions of each type.
test_duckdb() {
  local amount=some folder=$DUCKDB/files
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then amount=all; fi
  cmake --build "$ROOT/build/release" -j "$JOBS" --target duckdb_check
  rm -rf "$folder"
  mkdir "$folder"
  expect "DuckDB writes files" node "$DUCKDB/write.mjs" "$folder" "$amount"
  expect "no value is lost that it stored, in no form that it takes for equal" duckdb_check stored "$folder"
  expect "of the same values we make the same bytes" duckdb_check ours "$folder"
  expect "DuckDB answers" node "$DUCKDB/probe.mjs" "$folder" "$amount"
  expect "we answer the same, in its files and where our filters are in their place" duckdb_check answers "$folder"
}

# Times are told and not judged: other steps run meanwhile.
test_duckdb_scan() {
  local folder=$DUCKDB/scan groups=10
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then groups=40; fi
  cmake --build "$ROOT/build/release" -j "$JOBS" --target row_groups
  rm -rf "$folder"
  mkdir "$folder"
  expect "the same rows are found, and fewer are read" duckdb_scan "$folder" "$groups"
}

# A query is a line.
duckdb_scan() {
  local status=0 line
  node "$DUCKDB/scan.mjs" "$1" "$ROOT/build/release/row_groups" "$2" >"$DUCKDB/scan.log" || status=$?
  while read -r line; do note "$line"; done <"$DUCKDB/scan.log"
  cat "$DUCKDB/scan.log"
  return "$status"
}

# The last line counts, also where there are faults.
duckdb_check() {
  local status=0
  "$ROOT/build/release/tests/duckdb_check" "$@" | tee "$DUCKDB/$1.log" || status=$?
  note "$(tail -n 1 "$DUCKDB/$1.log")"
  return "$status"
}
