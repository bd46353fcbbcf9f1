#!/usr/bin/env bash
# tools/install_packages.sh GROUP...: installs what the groups need and the machine lacks.
#
#   build   compiler, CMake, the libraries that linefilter stands on, what cpack uses
#   demo    build, and what tools/demo.sh uses: real word lists, gnuplot
#   install build, and what the parts that are left out without it stand on: LevelDB, RocksDB, hiredis, OpenSSL, Python
#   test    install, and GoogleTest, Google Benchmark, SQLite, a server of Redis and what tests Python
#   bench   build, and what the benchmark compares with, its keys and its plots: LevelDB, RocksDB, libbloom
#   slow    test, demo and bench, and what tools/test.sh --all uses: clang, valgrind, qemu, cross compilers, Doxygen, Chromium;
#           clang-format and shellcheck
#   root    what tools/debian_root.sh uses: debootstrap
#
# Debian 12 or Ubuntu 24.04, as root or with sudo. When nothing is missing it only looks, and needs neither.
set -euo pipefail

# shellcheck source=tools/lib/packages.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/packages.sh"

fail() {
  echo "install_packages.sh: $*" >&2
  exit 1
}

main() {
  local group names missing log
  local -a packages=()
  [[ $# -gt 0 ]] || fail "say which group of packages: build, demo, install, test, bench, slow or root"
  for group in "$@"; do
    names=$(packages_of "$group") || exit 2
    read -ra names <<<"$names"
    packages+=("${names[@]}")
  done
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)

  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "this machine has no apt-get (Debian 12 or Ubuntu 24.04 is expected). Please install by other means:" \
         "${packages[*]}"
  fi
  mapfile -t missing < <(missing_packages "${packages[@]}")
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "packages ($*): all ${#packages[@]} are installed"
    return
  fi
  if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
    fail "packages are missing, and there is neither root nor sudo to install them. Please have them installed:" \
         "apt-get install ${missing[*]}"
  fi

  log=$(mktemp)
  # shellcheck disable=SC2064  # the name is known now
  trap "rm -f '$log'" EXIT
  echo "packages ($*): installing ${#missing[@]}: ${missing[*]}"
  if ! install_missing "$log" "${missing[@]}"; then
    cat "$log" >&2
    fail "apt-get could not install ${missing[*]} (its log is above)"
  fi
}

main "$@"
