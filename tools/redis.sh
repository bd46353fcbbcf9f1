#!/usr/bin/env bash
# tools/redis.sh: builds the program and the fast tests of Redis, TLS among them, and runs them, with the hiredis, OpenSSL and server
# that are installed, whatever their versions. For the next Debian: tools/debian_root.sh --suite trixie tools/redis.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

FOLDER=build/redis
TESTS='^(tools_)?redis'

main() {
  local tests
  tools/install_packages.sh test
  # What a newer compiler warns of is its own affair.
  cmake -S . -B "$FOLDER" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLINEFILTER_WERROR=OFF -DLINEFILTER_PYTHON=OFF \
    -DCMAKE_REQUIRE_FIND_PACKAGE_OpenSSL=ON
  mapfile -t tests < <(ctest --test-dir "$FOLDER" -N -L fast -R "$TESTS" | awk '$1 == "Test" && $2 ~ /^#/ { print $NF "_test" }')
  [[ ${#tests[@]} -gt 0 ]] || { echo "redis.sh: no test of Redis: is hiredis there (libhiredis-dev)?" >&2; exit 1; }
  cmake --build "$FOLDER" --target linefilter_tool "${tests[@]}"
  dpkg-query -W -f='${Package} ${Version}\n' libhiredis-dev libssl-dev redis-tools
  ctest --test-dir "$FOLDER" -L fast -R "$TESTS" --output-on-failure --no-tests=error
}

main
