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
  local name status=0
  debug_library "$ROOT/build/abi"
  if [[ -f $ABI/liblinefilter.abi ]] && grep -qF "soname='liblinefilter.so.$(abi_version)'" "$ABI/liblinefilter.abi"; then
    compare_abi "$ABI/liblinefilter.abi" || status=$?
    if [[ $((status & 3)) -ne 0 ]]; then
      fail "abidiff did not work (exit code $status)"
    fi
    if is_released && ! only_added; then
      fail "this breaks programs that are linked with liblinefilter.so.$(abi_version): undo it, or raise the version in" \
        "CMakeLists.txt as doc/VERSIONING.md says"
    fi
  fi
  write_abi "$ABI/liblinefilter.abi" "$ROOT/build/abi"
  for name in "${ABI_LIBRARIES[@]}"; do
    exported_symbols "$(shared_library "$name")" >"$ABI/$name.symbols"
  done
  git -C "$ROOT" --no-pager diff --stat -- "$ABI"
}

# New functions alone: nothing that was there is gone or other.
only_added() {
  local name
  abidiff --no-show-locs --no-added-syms "$ABI/liblinefilter.abi" \
    "$ROOT/build/abi/liblinefilter.so" || return 1
  for name in "${ABI_LIBRARIES[@]}"; do
    if LC_ALL=C comm -23 "$ABI/$name.symbols" <(exported_symbols "$(shared_library "$name")") | grep .; then
      return 1
    fi
  done
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
