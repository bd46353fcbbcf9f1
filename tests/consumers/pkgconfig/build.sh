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

static_flags() {  # static_flags NAME: our libraries as static ones, the others as they are
  echo "-DLINEFILTER_STATIC $(pkg-config --static --cflags --libs "$1" |
    sed -E 's/-llinefilter(_[a-z]+)?\b/-Wl,-Bstatic & -Wl,-Bdynamic/g')"
}

flags=$(pkg-config --cflags --libs linefilter)
compile "$1/cpp" "$cxx" ../use.cc "$flags"
compile "$1/c" "$cc" ../readers/read.c "$flags"
if [ "$2" = both ]; then
  flags=$(static_flags linefilter)
  compile "$1/cpp_static" "$cxx" ../use.cc "$flags"
  compile "$1/c_static" "$cc" ../readers/read.c "$flags"
  compile "$1/redis_static" "$cxx" ../redis/main.cc "$(static_flags linefilter-redis)"
  compile "$1/redis_c" "$cc" ../redis/main.c "$(pkg-config --cflags --libs linefilter-redis)"
  for engine in leveldb redis rocksdb; do
    flags=$(pkg-config --cflags --libs "linefilter-$engine")
    compile "$1/$engine" "$cxx" "../$engine/main.cc" "$flags"
  done
fi
