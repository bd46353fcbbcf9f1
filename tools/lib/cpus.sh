# shellcheck shell=bash
# Steps: other CPUs. Foreign ones by cross builds under qemu-user, lesser x86-64 ones by qemu and valgrind.
# tools/cpus.sh runs them alone and writes what ran to doc/CPUS.md.

# A row for each CPU: the build; qemu's -cpu, or `host` (this CPU runs it); the tests; the targets that must run there and no
# others, `plain` being code without vectors. They are all that Highway 1.0.3 compiles for it.
# The tests: all; bytes: BYTES_TESTS; brief: these, and all by tools/cpus.sh; dispatch: DISPATCH_TESTS, and all by
# tools/cpus.sh; order: BYTES_TESTS and ORDER_TESTS, and all by tools/cpus.sh and by tools/test.sh --nightly.
CPUS=(
  "release|Nehalem|dispatch|SSSE3 plain"        # Highway's SSE4 wants AES, too
  "aarch64|cortex-a57|brief|NEON"
  "s390x|max|order|plain"
)
# What tools/cpus.sh and tools/test.sh --nightly run, and CI has no time for.
MORE_CPUS=(
  # Without what qemu warns about, for it has none of it: a script's quiet program is tested, too.
  "release|Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-invpcid,-rtm|dispatch|AVX2 SSE4 SSSE3 plain"
  "release|qemu64|bytes|plain"                  # the first x86-64
  "i386|host|order|SSE4 SSSE3 plain"            # Debian 12's qemu-i386 hangs when a program forks
  "i386|coreduo|bytes|plain"                    # what the library wants of 32-bit x86: SSE2
  "aarch64|a64fx|bytes|SVE NEON"                # 512 bits
  # SVE with vectors of 128 bits. That length and 256 bits have targets of their own.
  "aarch64|max,sve-default-vector-length=16|bytes|SVE2_128 SVE2 SVE NEON"
  "aarch64|max,sve-default-vector-length=32|bytes|SVE_256 SVE2 SVE NEON"
  "aarch64|max,sve-default-vector-length=48|bytes|SVE2 SVE NEON"
  "aarch64|max,sve-default-vector-length=256|bytes|SVE2 SVE NEON"
  "armhf|cortex-a9|bytes|plain"
  "armhf|cortex-a15|all|plain"                  # Highway looks for NEON when it is compiled, and Debian's armhf is without
  "armhf-neon|cortex-a15|bytes|NEON"
  "ppc64le|power9|brief|plain"                  # as power8, qemu 7.2 lets the C library take what it has not
  "s390x-vectors|max|bytes|EMU128"
)
# Debian's names of the architectures of cross builds. s390x-vectors: Highway's vectors on a big-endian machine (EMU128). It
# withholds them from g++ before 12.3 (Debian 12's), whose own vectorizer makes wrong code of them: without that one they
# are right. Newer compilers get them anyway. armhf-neon: for CPUs with NEON and VFPv4.
declare -A FOREIGN=([i386]=i386 [aarch64]=arm64 [armhf]=armhf [armhf-neon]=armhf [ppc64le]=ppc64el [s390x]=s390x
  [s390x-vectors]=s390x)
FOREIGN_BUILDS=(aarch64 s390x)
MORE_BUILDS=(i386 armhf armhf-neon ppc64le s390x-vectors)

every_cpu() {
  CPUS+=("${MORE_CPUS[@]}")
  FOREIGN_BUILDS+=("${MORE_BUILDS[@]}")
}

# DISPATCH: where this CPU runs the same kernels itself, that an older one is not given what it cannot run. BYTES: bytes and
# answers on all targets. NOT_CPU: those that ask nothing of the CPU or are the benchmark's. SYSTEM: those that ask the system and
# engines, and take long where all of that is emulated (tools/cpus.sh runs them there, too).
DISPATCH_TESTS=(golden hash inline target view)
BYTES_TESTS=(alignment remote_body columns conformance container golden hash image_lookup inline kernels malformed parquet_hash quotient retrieval split_block target view)
# ORDER: what else reads and writes numbers of several bytes, or counts with doubles.
ORDER_TESTS=(append arrow builder concurrent file keyed_hash low_load filter 'parquet_[a-z]*' releases rotating scalable sst_reader states swappable)
NOT_CPU_TESTS=(compare counters fpr_example fpr_judge fpr_monitor_threads interval key_types layering machine measure passes peers readme scale)
SYSTEM_TESTS=(alloc_faults examples faults join kill leveldb leveldb_demands 'redis_[a-z_]*' rocksdb tools tools_fpr tools_input tools_living tools_parquet tools_plan 'tools_redis[a-z_]*' tools_secret tools_stats)

# cpu_steps: everything above, and valgrind.
cpu_steps() {
  local name
  for name in "${FOREIGN_BUILDS[@]}"; do
    step "$name: build" work build_cross "$name"
    if $STEP_OK; then
      steps_of_build "$name"
    fi
  done
  if [[ $(uname -m) == x86_64 ]]; then
    steps_of_build release
    step "release under valgrind" tests test_valgrind
  fi
}

steps_of_build() {
  local row name cpu tests targets
  for row in "${CPUS[@]}"; do
    IFS='|' read -r name cpu tests targets <<<"$row"
    if [[ $name == "$1" ]]; then
      if [[ $name/$cpu == i386/host ]] && refuses_i386; then cpu=coreduo tests=bytes targets=plain; fi
      step "$name on $cpu" tests test_on_cpu "$name" "$cpu" "$tests" "$targets"
    fi
  done
}

# A kernel may refuse 32-bit programs (ia32_emulation=off). Then qemu runs the tests of bytes, which do not fork. What is
# asked is the loader of the cross compiler's C library.
refuses_i386() { ! /usr/i686-linux-gnu/lib/ld-linux.so.2 --version &>/dev/null; }

# build_cross NAME: the tests that will run, and the programs that they start.
build_cross() {
  local folder=$ROOT/build/$1 sysroot=$ROOT/build/sysroot-${FOREIGN[$1]} kind=all flags="" tests left_out cpu=emulated disabled=
  case $1 in
    aarch64 | ppc64le) kind=brief ;;
    i386) if refuses_i386; then kind=bytes; else kind=order cpu=host; fi ;;
    s390x) kind=order ;;
    s390x-vectors) kind=bytes flags="-DHWY_BROKEN_EMU128=0 -fno-tree-vectorize" ;;
    armhf-neon) kind=bytes flags="-mfpu=neon-vfpv4 -mfp16-format=ieee" ;;
  esac
  # No CPU of CPUS has them, and to compile them takes two thirds of the time of kernels.
  if [[ $1 == aarch64 && -n ${LINEFILTER_BY_DAY:-} ]]; then disabled="(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)"; fi
  make_sysroot "${FOREIGN[$1]}" "$sysroot"
  configure "$folder" "-DCMAKE_TOOLCHAIN_FILE=$ROOT/cmake/toolchains/${1%-*}.cmake" "-DLINEFILTER_SYSROOT=$sysroot" \
    "-DCMAKE_CXX_FLAGS=$flags" "-DLINEFILTER_DISABLED_TARGETS=$disabled" -DCMAKE_BUILD_TYPE=Release "${QUICK_TESTS[@]}"
  mapfile -t left_out < <(left_out_on "$cpu")
  mapfile -t tests < <(tests_on_cpu "$kind" "$folder" "${left_out[@]}")
  build_tests "$folder" "${tests[@]}"
}

# left_out_on CPU: what takes too long where that is emulated.
left_out_on() {
  if [[ $1 == host || -n ${EVERY_TEST:-} ]]; then return; fi
  printf '%s\n' "${SYSTEM_TESTS[@]}"
}

# tests_on_cpu dispatch|bytes|brief|order|all FOLDER [TEST...]: without the TESTs.
tests_on_cpu() {
  local kind=$1 folder=$2
  shift 2
  if [[ -n ${EVERY_TEST:-} && $kind =~ ^(dispatch|brief)$ ]]; then
    kind=all
  elif [[ $kind == order && -n ${EVERY_TEST:-}${LINEFILTER_NIGHTLY:-} ]]; then
    kind=all
  fi
  case $kind in
    dispatch) printf '%s\n' "${DISPATCH_TESTS[@]}" ;;
    bytes | brief) printf '%s\n' "${BYTES_TESTS[@]}" ;;
    order) bits_tests "$folder" | grep -E "$(named "${BYTES_TESTS[@]}" "${ORDER_TESTS[@]}")" | grep -vE "$(named "$@")" ;;
    all)
      bits_tests "$folder" | grep -vE "$(named "${NOT_CPU_TESTS[@]}" "$@")"
      echo fpr ;;
  esac
}

# test_on_cpu NAME CPU TESTS TARGETS: a row of CPUS. ctest knows the emulator of builds that this CPU cannot run.
test_on_cpu() {
  local folder=$ROOT/build/$1 emulator="" left_out log tests
  export QEMU_CPU=$2 LINEFILTER_EXPECTED_TARGETS=$4
  mapfile -t left_out < <(left_out_on "$2")
  mapfile -t tests < <(tests_on_cpu "$3" "$folder" "${left_out[@]}")
  case $1/$2 in
    */host) ;;
    release/*) emulator=qemu-x86_64 ;;
    i386/*) emulator=qemu-i386 ;;
  esac
  if [[ -n $emulator ]]; then
    export LINEFILTER_TEST_EFFORT=0.003 LINEFILTER_TEST_EMULATOR=$emulator
    log=$STEP_LOGS/programs
    run_programs "$emulator" "$folder" "$log" "${tests[@]}"
  else
    log=$folder/Testing/Temporary/LastTest.log
    run_ctest "$folder" -R "$(named "${tests[@]}")"
  fi
  record_cpu "$1" "$2" "$log"
}

# record_cpu NAME CPU LOG: what ran, for the table of doc/CPUS.md; from what the tests printed.
record_cpu() {
  local targets programs cases rates images="-"
  targets=$(sed -n '/^targets: /{s///p;q}' "$3")
  if [[ -z $targets ]]; then
    echo "target_test did not tell the targets of $2"
    return 1
  fi
  note "$targets"
  programs=$(grep -c '^\[  PASSED  \]' "$3")
  cases=$(grep -c '^\[       OK \]' "$3")
  rates=$(grep -cE '^\[       OK \] ((Blocked|Classic|Retrieval|Small)Fpr|FprOfKeys)\.' "$3" || true)
  if grep '^\[       OK \] Golden.TheLibraryMakesTheseImagesOnEveryTarget' "$3" >/dev/null; then
    images=$(grep -c '^[^#]' "$ROOT/tests/golden/images.txt")
  fi
  echo "$1|$2|$targets|$programs|$cases|$images|$rates" >>"$STEP_LOGS/cpus"
}

# valgrind hides AVX-512, so this is AVX2. It also watches machine code that the sanitizers' builds do not contain. Each number of
# probes takes seconds: each change runs 0, 1 and 6 of them. alignment_test finds reads beyond an image without valgrind, and
# golden_test takes as long as all others: these run by night.
test_valgrind() {
  local tests=(hash kernels malformed view) cases_out="LargeKernels.*"  # which takes minutes
  if [[ -n ${EVERY_TEST:-}${LINEFILTER_NIGHTLY:-} ]]; then
    tests+=(alignment golden)
  else
    cases_out+=":KernelsOfForeignBodies.*:*/*_2:*/*_3:*/*_4:*/*_5:*/*_7:*/*_8:*/*_9:*/*_1?:*/*_2?:*/*_3?"
  fi
  export LINEFILTER_TEST_EFFORT=0.003 GTEST_FILTER=-$cases_out
  run_programs "valgrind --quiet --error-exitcode=99 --leak-check=full" "$ROOT/build/release" "$STEP_LOGS/programs" "${tests[@]}"
}
