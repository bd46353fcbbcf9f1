#!/bin/sh
# build.sh FOLDER KIND MINOR NEXT: programs by pkg-config alone, of a version of MINOR, which is below NEXT. KIND: `both` kinds of
# library are installed, and each adapter; or the core alone as `shared` or `static`.
set -eu
cd "$(dirname "$0")"
cc="${CC:-cc} -std=c99"
cxx="${CXX:-c++} -std=c++17"
set -x
pkg-config --exists "linefilter >= $3 linefilter < $4"

compile() {  # compile PROGRAM COMPILER SOURCE FLAGS: as pkg-config gives them, quoted for a shell: a folder may have a space
  program=$1 compiler=$2 source=$3
  eval "set -- $4"
  # shellcheck disable=SC2086  # a command and its options
  $compiler "$source" "$@" -o "$program"
}

flags=$(pkg-config --cflags --libs linefilter)
compile "$1/cpp" "$cxx" ../use.cc "$flags"
compile "$1/c" "$cc" ../readers/read.c "$flags"
if [ "$2" = both ]; then
  flags="-DLINEFILTER_STATIC $(pkg-config --static --cflags --libs linefilter | sed 's/-llinefilter\b/-Wl,-Bstatic & -Wl,-Bdynamic/')"
  compile "$1/cpp_static" "$cxx" ../use.cc "$flags"
  compile "$1/c_static" "$cc" ../readers/read.c "$flags"
  for engine in leveldb rocksdb; do
    flags=$(pkg-config --cflags --libs "linefilter-$engine")
    compile "$1/$engine" "$cxx" "../$engine/main.cc" "$flags"
  done
fi
