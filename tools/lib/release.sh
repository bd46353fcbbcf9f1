# shellcheck shell=bash
# Steps: the release build, its tests on each SIMD target, and the programs as a user runs them.

# With Python by name: by itself it would be left out silently where something is missing.
build_release() {
  build_preset release -DLINEFILTER_PYTHON=ON
}

test_release() {
  run_ctest "$ROOT/build/release" "$@"
}

# list_targets FILE: the targets of this CPU, best first, as the program names them.
list_targets() {
  "$ROOT/build/release/linefilter" targets --json | grep -o '"target": *"[^"]*"' | cut -d '"' -f 4 >"$1"
  note "$(paste -sd ' ' "$1")"
}

# The tests with the target forced; first of all, that it is. Each change runs those that go the farthest through the library, by
# night all. Not those that measure rates or force each target themselves,
# nor those of faults, of engines and servers, of a reader in Python and of the Python module, of documents, sizes and
# programs around the filters, where no target matters.
NOT_FORCED_TESTS=("${RATE_TESTS[@]}" alignment remote_body golden kernels no_false_negative peers quotient retrieval split_block conformance
  alloc_faults damage faults kill leveldb leveldb_files parallel 'redis_[a-z_]*' 'tools_redis[a-z_]*' rocksdb rocksdb_files conformance_python python
  counters engine_rtti equal_hashes examples fpr_example fpr_judge growth_plan interval key_families key_types layering machine measure readme scale sizing tools_fpr tools_input tools_living tools_plan tools_secret)
FORCED_TESTS=(builder bulk columns concurrent container filter fold inline malformed parquet_view scalable states target view)
test_target() {
  local -a which=(-R "$(named "${FORCED_TESTS[@]}")")
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then which=(-LE slow -E "$(named "${NOT_FORCED_TESTS[@]}")"); fi
  export LINEFILTER_TARGET=$1
  if ! "$ROOT/build/release/linefilter" targets --json | grep "\"chosen_target\": *\"$1\""; then
    echo "LINEFILTER_TARGET=$1 is not obeyed"
    return 1
  fi
  run_ctest "$ROOT/build/release" "${which[@]}"
}

# Where the fast tests ran before there was a clang, which takes the second compiler.
test_key_types() {
  LINEFILTER_TEST_COMPILERS=2 test_release -R '^key_types$'
}

# The main job as the README promises it, by the build that is there. It ends with an error if a key is lost or the table or the
# plot is missing.
test_demo() {
  BUILD=$ROOT/build/release ROUNDS=1 "$ROOT/tools/demo.sh"  # no time is judged
  count 1 0
}
