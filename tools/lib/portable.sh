# shellcheck shell=bash
# The portable benchmark (tools/bench.sh --portable): one file that needs no library where it runs. Needs cmake.sh,
# packages.sh, sysroot.sh and sources.sh.

MOST_PORTABLE_BYTES=$((8 << 20))

# portable_file [aarch64]: where it is.
portable_file() {
  echo "$ROOT/build/portable${1:+-$1}/linefilter_bench"
}

# build_portable [aarch64]: makes it. Here it is linked of what build/release is compiled of.
build_portable() {
  local cpu=${1:-} folder=$ROOT/build/release sources=$ROOT/build/sources file
  local -a options=(--preset release)
  file=$(portable_file "$cpu")
  make_sources "$sources"
  if [[ -n $cpu ]]; then
    folder=$ROOT/build/$cpu-bench
    make_sysroot arm64 "$ROOT/build/sysroot-arm64"
    options=("-DCMAKE_TOOLCHAIN_FILE=$ROOT/cmake/toolchains/$cpu.cmake" "-DLINEFILTER_SYSROOT=$ROOT/build/sysroot-arm64"
      -DCMAKE_BUILD_TYPE=Release -DLINEFILTER_BUILD_TESTS=OFF -DLINEFILTER_BUILD_EXAMPLES=OFF -DLINEFILTER_PYTHON=OFF)
  fi
  configure "$folder" "${options[@]}" -DLINEFILTER_BUILD_BENCH=ON -DLINEFILTER_BENCH_PORTABLE=ON "-DLINEFILTER_SOURCES=$sources"
  cmake --build "$folder" --parallel "$JOBS" --target linefilter_bench_portable
  mkdir -p "${file%/*}"
  cp "$folder/linefilter_bench_portable" "$file.new"
  mv "$file.new" "$file"  # one that runs stays as it is
  check_portable "$file"
}

# check_portable FILE: fails if it needs a library or is too large.
check_portable() {
  local bytes
  bytes=$(stat -c %s "$1")
  if [[ $bytes -gt $MOST_PORTABLE_BYTES ]]; then
    echo "$1 has $bytes bytes, more than the $MOST_PORTABLE_BYTES that it may have"
    return 1
  fi
  if ! readelf -d "$1" | grep 'no dynamic section' >/dev/null; then
    echo "$1 asks for libraries (readelf -d)"
    return 1
  fi
  echo "$1: $bytes bytes, needs no library"
}

# smoke_portable FILE JSON [EMULATOR...]: runs every kind of row for a moment, compares the results with themselves.
smoke_portable() {
  local file=$1 json=$2
  shift 2
  rm -f "$json"
  "$@" "$file" --smoke --out "$json"
  "$@" "$file" compare "$json" "$json"
}
