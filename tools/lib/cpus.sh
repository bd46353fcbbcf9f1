# shellcheck shell=bash
# Steps: other CPUs. Foreign ones by a cross build under qemu-user, lesser x86-64 ones by qemu and valgrind.

# build_cross NAME ARCH: NAME is the toolchain file's name, ARCH Debian's name of the architecture.
build_cross() {
  make_sysroot "$2" "$ROOT/build/sysroot-$2"
  build "$ROOT/build/$1" "-DCMAKE_TOOLCHAIN_FILE=$ROOT/cmake/toolchains/$1.cmake" \
    "-DLINEFILTER_SYSROOT=$ROOT/build/sysroot-$2" -DCMAKE_BUILD_TYPE=Release -DLINEFILTER_BUILD_BENCH=ON
}

test_cross() {
  run_ctest "$ROOT/build/$1" "${FAST_BITS[@]}"
}

# Highway's vectors on a big-endian machine (EMU128). It withholds them from g++ before 12.3 (Debian 12's), whose own
# vectorizer makes wrong code of them: without that one they are right. Newer compilers get them anyway.
VECTOR_TESTS=(golden kernels inline retrieval)
build_s390x_vectors() {
  make_sysroot s390x "$ROOT/build/sysroot-s390x"
  # shellcheck disable=SC2034  # read by build
  local -a BUILD_TARGETS=("${VECTOR_TESTS[@]/%/_test}")
  build "$ROOT/build/s390x-vectors" "-DCMAKE_TOOLCHAIN_FILE=$ROOT/cmake/toolchains/s390x.cmake" \
    "-DLINEFILTER_SYSROOT=$ROOT/build/sysroot-s390x" -DCMAKE_BUILD_TYPE=Release -DLINEFILTER_BUILD_BENCH=OFF \
    -DLINEFILTER_BUILD_TOOLS=OFF "-DCMAKE_CXX_FLAGS=-DHWY_BROKEN_EMU128=0 -DLINEFILTER_TEST_EMU128 -fno-tree-vectorize"
}

test_s390x_vectors() {
  run_ctest "$ROOT/build/s390x-vectors" -R "$(named "${VECTOR_TESTS[@]}")"
}

# The programs that look at bytes and answers on all targets.
BYTES_TESTS=(golden kernels alignment malformed view hash)

# programs NAME...: the paths of those test programs in the release build. A name that does not exist fails when it is run.
programs() {
  local name
  for name in "$@"; do
    echo "$ROOT/build/release/tests/${name}_test"
  done
}

# test_behind PREFIX: these programs of the release build behind qemu or valgrind; notes the target that Highway takes there.
test_behind() {
  local -a list
  mapfile -t list < <(programs "${BYTES_TESTS[@]}")
  # shellcheck disable=SC2086  # the prefix is several words
  note "$($1 "$ROOT/build/release/linefilter" targets --json | grep -o '"chosen_target": *"[^"]*"')"
  run_programs "$1" "${list[@]}"
}

# The release build has to run without AVX2 (Nehalem) and on the first x86-64 (qemu64).
test_qemu_x86() {
  test_behind "qemu-x86_64 -cpu $1"
}

# valgrind hides AVX-512, so this is AVX2. It also watches machine code that the sanitizers' builds do not contain.
test_valgrind() {
  test_behind "valgrind --quiet --error-exitcode=99 --leak-check=full"
}
