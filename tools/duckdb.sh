#!/usr/bin/env bash
# tools/duckdb.sh [some|all]: compares Bloom filters in Parquet files with DuckDB's, as tools/test.sh --all does (some) and
# --nightly (all: a million members, and 100,000 questions of each type).
#
# It needs the release build (tools/test.sh makes it), and Node.js with npm, which brings DuckDB. doc/TESTING.md says what is compared.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in packages steps cmake install duckdb; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done

main() {
  case "${1:-some}" in
    some) unset LINEFILTER_NIGHTLY ;;
    all) export LINEFILTER_NIGHTLY=yes ;;
    *) echo "usage: tools/duckdb.sh [some|all]" >&2; exit 2 ;;
  esac
  if [[ ! -f $ROOT/build/release/CMakeCache.txt ]]; then
    echo "tools/duckdb.sh: there is no build/release: run tools/test.sh first" >&2
    exit 1
  fi
  steps_begin "$ROOT/build/test-logs"
  duckdb_steps
  steps_end
}

main "$@"
