# shellcheck shell=bash
# What each job needs from the distribution (Debian 12, Ubuntu 24.04), and installing it.

# packages_of GROUP: the packages of a group, the groups it stands on included. (Tests of Redis start servers of their own:
# redis-tools has the program, and redis-server would start a service.)
packages_of() {
  case "$1" in
    build) echo "g++ cmake ninja-build pkg-config git ca-certificates libhwy-dev libxxhash-dev libcli11-dev nlohmann-json3-dev" \
                "dpkg-dev file" ;;  # the last two for cpack
    demo) echo "$(packages_of build) gnuplot-nox libbloom-dev libleveldb-dev wamerican-insane wbritish-insane wngerman" ;;
    install) echo "$(packages_of build) libleveldb-dev librocksdb-dev libhiredis-dev libssl-dev python3 python3-dev pybind11-dev python3-pybind11" \
                  "python3-numpy" ;;
    test) echo "$(packages_of install) libgtest-dev libgmock-dev libbenchmark-dev libsqlite3-dev redis-tools ccache" \
               "python3-setuptools python3-wheel python3-pip python3-build python3-pytest mypy" ;;
    bench) echo "$(packages_of build) libbenchmark-dev libleveldb-dev librocksdb-dev libbloom-dev gnuplot-nox python3" \
                "wamerican-insane wbritish-insane wngerman" ;;
    slow) echo "$(packages_of test) $(packages_of demo) $(packages_of bench) clang libclang-rt-dev clang-16 clang-19 valgrind qemu-user util-linux" \
               "doxygen $(browser_packages)" \
               "g++-s390x-linux-gnu libc6-dev-s390x-cross g++-aarch64-linux-gnu libc6-dev-arm64-cross" \
               "g++-i686-linux-gnu libc6-dev-i386-cross g++-arm-linux-gnueabihf libc6-dev-armhf-cross" \
               "g++-powerpc64le-linux-gnu libc6-dev-ppc64el-cross" \
               "$(packages_of root) lintian abigail-tools clang-format shellcheck" ;;
    root) echo "debootstrap" ;;
    *) echo "unknown package group '$1' (build, demo, install, test, bench, slow, root)" >&2; return 2 ;;
  esac
}

# What opens doc/benchmarks.html in tests/bench/html_report_slow.py. Ubuntu has it as a snap alone, which is no package.
browser_packages() {
  if [[ $(. /etc/os-release && echo "$ID") != ubuntu ]]; then
    echo "chromium chromium-driver"
  fi
}

# missing_packages PACKAGE...: those that are not installed for this machine's architecture.
missing_packages() {
  local native installed package
  native=$(dpkg --print-architecture)
  # dpkg-query fails when it does not know one of the names: that name is then simply not in its output.
  installed=$(dpkg-query -W -f='${Package} ${Architecture} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk -v native="$native" '($2 == native || $2 == "all") && $3 == "installed" { print $1 }') || true
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# as_root COMMAND...: by sudo where we are not root. sudo asks for a password on the terminal and fails where there is none.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_missing LOG PACKAGE...: installs; what apt says goes to LOG.
install_missing() {
  local log=$1
  shift
  # An upgrade in the background may hold the lock for a while; a busy mirror may need a second try. Nothing that is on
  # the machine is ever removed to make room for our packages.
  local options=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -q update >"$log" 2>&1 </dev/null &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -q -y --no-install-recommends --no-remove \
      install "$@" >>"$log" 2>&1 </dev/null
}
