# shellcheck shell=bash
# Compiles once what several checkouts and runs have in common. Sourced by tools/test.sh, and by whoever wants to share its cache:
#
#   source tools/lib/ccache.sh && use_ccache . && cmake --preset release && cmake --build build/release

# use_ccache ROOT: from here on CMake configures builds that ask ccache first, if it is installed and no other launcher is wanted.
# ROOT is the source tree: objects of two trees are the same if their files are. `-march=native` names other instructions on
# another CPU, so each kind of CPU has a part of the cache for itself.
use_ccache() {
  local native
  if [[ -n ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] || ! command -v ccache >/dev/null; then return; fi
  native=$(g++ -march=native -Q --help=target 2>/dev/null | sha256sum) || return 0
  CCACHE_BASEDIR=$(cd "$1" && pwd)
  export CCACHE_BASEDIR CCACHE_NOHASHDIR=1 CCACHE_NAMESPACE=${native:0:16}
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
}
