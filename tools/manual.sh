#!/usr/bin/env bash
# tools/manual.sh: the reference of the public headers, by Doxygen: build/doc/html/index.html. Seconds.
#
# Every public name must have words: one that has none is named, and the exit code is 1. Headers are written with plain
# comments (tools/lib/doxygen_filter.py makes Doxygen's of them). The packages: tools/install_packages.sh slow.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v doxygen >/dev/null; then
  echo "manual.sh: doxygen is missing: tools/install_packages.sh slow" >&2
  exit 2
fi
# Doxygen starts the filter for each header: the interpreter itself, and not what may choose one at each start.
PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH
rm -rf build/doc
mkdir -p build/doc
status=0
doxygen doc/Doxyfile >build/doc/warnings 2>&1 || status=1
sort -u build/doc/warnings >&2
# What Doxygen 1.9 does not look at: the values of an enum.
python3 tools/lib/undocumented.py build/doc/xml >&2 || status=1
if [[ $status -ne 0 ]]; then
  echo "manual.sh: the names above need a comment in their header, the other lines tell what Doxygen did not understand" >&2
  exit 1
fi
echo "manual: build/doc/html/index.html, $(python3 tools/lib/undocumented.py --count build/doc/xml) names"
