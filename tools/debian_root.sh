#!/usr/bin/env bash
# tools/debian_root.sh [--suite NAME] [COMMAND...]: runs the README's two commands, or the given ones, in an empty Debian made by
# debootstrap, on a copy of what is committed: tools/demo.sh, then tools/test.sh. Needs root or sudo, a network and Debian; takes
# half an hour. --suite: another release than the machine's, such as trixie.
#
# The packages of linefilter are tried in such a root by tools/test.sh --nightly (tools/lib/debian.sh); this is for those who build.
# The root stays in build/debian/root until the next time.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in packages steps cmake sysroot install abi debian; do
  # shellcheck source=/dev/null
  source "$ROOT/tools/lib/$part.sh"
done

main() {
  local command status=0
  if [[ ${1:-} == --suite ]]; then
    [[ $# -ge 2 && $2 =~ ^[a-z]+$ ]] || { echo "debian_root.sh: --suite NAME: the name of a release, such as trixie" >&2; exit 2; }
    export DEBIAN_SUITE=$2  # make_debian_root reads it
    shift 2
  fi
  [[ $(. /etc/os-release && echo "$ID") == debian ]] || { echo "debian_root.sh: this is not Debian" >&2; exit 1; }
  "$ROOT/tools/install_packages.sh" root
  make_debian_root  # nothing but what debootstrap calls minbase: the scripts install the rest themselves
  as_root mkdir "$DEBIAN/root/linefilter"
  git -C "$ROOT" archive HEAD | as_root tar -C "$DEBIAN/root/linefilter" -xf -
  [[ $# -gt 0 ]] || set -- tools/demo.sh tools/test.sh
  for command in "$@"; do
    echo "==== in an empty Debian: $command"
    in_root sh -c "cd /linefilter && exec $command" || { status=$?; echo "debian_root.sh: $command: exit code $status" >&2; }
  done
  return "$status"
}

main "$@"
