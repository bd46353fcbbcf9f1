#!/usr/bin/env bash
# tools/cpus.sh: the tests on every CPU that this machine is or emulates, and what ran where, which it writes to doc/CPUS.md when
# nothing failed. tools/test.sh --all runs some of these CPUs, and of some a part of the tests. Half an hour on two cores.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in packages steps cmake sysroot release cpus; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done
PAGE=$ROOT/doc/CPUS.md
every_cpu
# shellcheck disable=SC2034  # read by test_on_cpu
EVERY_TEST=yes

test_this_cpu() {
  test_release "${FAST[@]}"
  record_cpu release "$(sed -n '/^model name/{s/^[^:]*: *//p;q}' /proc/cpuinfo | grep . || echo host)" \
    "$ROOT/build/release/Testing/Temporary/LastTest.log"
}

# The page with the rows of this run in place of the old ones.
write_page() {
  local rows
  rows=$(awk -F '|' -v machine="$(uname -m)" '{
    images = $6 == "-" ? "-" : $6 " x " split($3, unused, " ")
    name = $1 == "release" ? machine : $1
    printf "| %s | %s | %s | %d | %d | %s | %s |\n", name, $2, $3, $4, $5, images, $7 == 0 ? "-" : $7 }' "$STEP_LOGS/cpus")
  awk -v rows="$rows" '
    /^The rows are of an earlier state/ { outdated = 1 }
    outdated { outdated = $0 != ""; next }
    /^\|---/ { print; print rows; skipping = 1; next }
    /^\|/ && skipping { next }
    { print }' "$PAGE" >"$PAGE.new"
  mv "$PAGE.new" "$PAGE"
}

main() {
  cd "$ROOT"
  steps_begin "$ROOT/build/test-logs"
  step "packages" work "$ROOT/tools/install_packages.sh" slow
  step "release: build" work build_release
  : >"$STEP_LOGS/cpus"
  step "release: fast tests" tests test_this_cpu
  cpu_steps
  steps_end
  write_page
}

main "$@"
