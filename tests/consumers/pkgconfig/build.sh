#!/bin/sh
# build.sh FOLDER: the program by pkg-config alone, with the shared library and with the static one; with each adapter.
set -eu
cd "$(dirname "$0")"
cxx="${CXX:-c++} -std=c++17"
set -x
pkg-config --exists 'linefilter >= 0.1 linefilter < 0.2'
# shellcheck disable=SC2046,SC2086  # flags are words
{
  $cxx ../use.cc $(pkg-config --cflags --libs linefilter) -o "$1/shared"
  archive=$(pkg-config --variable=libdir linefilter)/liblinefilter.a
  $cxx -DLINEFILTER_STATIC ../use.cc $(pkg-config --cflags linefilter) \
    $(pkg-config --static --libs linefilter | sed "s|-llinefilter\b|$archive|") -o "$1/static"
  for engine in leveldb rocksdb; do
    if pkg-config --exists linefilter-$engine; then
      $cxx ../$engine/main.cc $(pkg-config --cflags --libs linefilter-$engine) -o "$1/$engine"
    fi
  done
}
