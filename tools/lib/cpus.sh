# shellcheck shell=bash
# Steps: other CPUs. Foreign ones by a cross build under qemu-user, lesser x86-64 ones by qemu and valgrind.

# build_cross NAME ARCH: NAME is the toolchain file's name, ARCH Debian's name of the architecture.
build_cross() {
  make_sysroot "$2" "$ROOT/build/sysroot-$2"
  build "$ROOT/build/$1" "-DCMAKE_TOOLCHAIN_FILE=$ROOT/cmake/toolchains/$1.cmake" \
    "-DLINEFILTER_SYSROOT=$ROOT/build/sysroot-$2" -DCMAKE_BUILD_TYPE=Release -DLINEFILTER_BUILD_BENCH=OFF
}

# All fast tests, the command line included. Emulated CPUs are 10 to 50 times slower.
test_cross() {
  run_ctest "$ROOT/build/$1" -LE slow --timeout 1800
}

# The programs that look at bytes and answers on all targets.
BYTES_TESTS=(golden kernels)

# programs NAME...: the paths of those test programs in the release build. A name that does not exist fails when it is run.
programs() {
  local name
  for name in "$@"; do
    echo "$ROOT/build/release/tests/${name}_test"
  done
}

# The release build has to run where there is no AVX2 (Nehalem), and on the first x86-64 (qemu64).
test_qemu_x86() {
  local -a list
  mapfile -t list < <(programs "${BYTES_TESTS[@]}")
  run_programs "qemu-x86_64 -cpu $1" "${list[@]}"
}

# valgrind hides AVX-512, so this is AVX2; and it sees reads past the end of an image that the sanitizers' build does
# in another way.
test_valgrind() {
  local -a list
  mapfile -t list < <(programs "${BYTES_TESTS[@]}")
  run_programs "valgrind --quiet --error-exitcode=99 --leak-check=full" "${list[@]}"
}
