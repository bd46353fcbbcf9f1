#!/usr/bin/env bash
# tools/abi.sh          compares what the shared libraries promise with packaging/abi/, as CI does
# tools/abi.sh --renew  writes packaging/abi/ anew; refuses it where programs that are linked with a release would break
#
# Of the release build (tools/test.sh makes it), on x86-64 with Debian 12's g++ and abigail-tools. See doc/VERSIONING.md.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in packages steps cmake install abi; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done

fail() {
  echo "tools/abi.sh: $*" >&2
  exit 1
}

# Until the first version of this SONAME is released nobody is bound.
is_released() {
  local first
  first=$(abi_version)
  case $first in
    0.*) first=$first.0 ;;
    *) first=$first.0.0 ;;
  esac
  ! grep -qxF "## $first (unreleased)" "$ROOT/CHANGELOG.md"
}

renew() {
  local name
  # The types of another compiler or CPU would take the place of what is compared.
  abi_of_types_is_known || fail "--renew works on x86-64 with g++ 12 alone (Debian 12), as the comparison does"
  debug_libraries
  if is_released; then
    for name in "${ABI_LIBRARIES[@]}"; do
      only_added "$name" || fail "this breaks programs that are linked with $name.so.$(abi_version): undo it, or raise the version" \
        "in CMakeLists.txt as doc/VERSIONING.md says"
    done
  fi
  for name in "${ABI_LIBRARIES[@]}"; do
    write_abi "$name"
    exported_symbols "$(shared_library "$name")" >"$ABI/$name.symbols"
  done
  git -C "$ROOT" --no-pager diff --stat -- "$ABI"
}

# only_added NAME: new functions, and what additions.abignore lets in: nothing that was there under this SONAME is gone or
# other.
only_added() {
  grep -qsF "soname='$1.so.$(abi_version)'" "$ABI/$1.abi" || return 0
  compare_abi "$1" --no-added-syms --suppressions "$ABI/additions.abignore" || return 1
  ! LC_ALL=C comm -23 "$ABI/$1.symbols" <(exported_symbols "$(shared_library "$1")") | grep .
}

main() {
  [[ -n $(shared_library liblinefilter) ]] || fail "build/release has no shared library: run tools/test.sh first"
  command -v abidiff >/dev/null || fail "abidiff is missing: tools/install_packages.sh slow"
  case "${1:-}" in
    "")
      steps_begin "$ROOT/build/test-logs"
      abi_steps
      steps_end ;;
    --renew) renew ;;
    *) echo "usage: tools/abi.sh [--renew]" >&2; exit 2 ;;
  esac
}

main "$@"
