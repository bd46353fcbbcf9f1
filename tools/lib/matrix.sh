# shellcheck shell=bash
# Steps: the sources and the public headers under strict warnings, as C++17, 20 and 23, by several compilers. Nothing is linked.

# syntax_steps: what each change can wait for. The sources are compiled as C++20 by g++ in build_tsan, by clang in build_optimized.
syntax_steps() {
  step "C++17 and 23: public headers alone" tests compile_headers_twice
}

compile_headers_twice() {
  compile_headers 17 g++
  compile_headers 23 clang++-16
}

# matrix_steps: everything, which takes most of an hour on two cores.
matrix_steps() {
  step "matrix: public headers alone" tests compile_headers "17 20 23" g++ clang++-16 clang++-19
  step "matrix: public headers alone, optimized" tests compile_headers_optimized g++
  step "matrix: lib, tools, tests" tests compile_sources "17 20 23" "lib tools tests" g++ clang++-16 clang++-19
}

# compile_headers STANDARDS COMPILER...
compile_headers() {
  local standards=$1
  shift
  # shellcheck disable=SC2086  # a list of words
  matrix headers --standards $standards --compilers "$@"
}

# g++ alone looks for null pointers, and only where it optimizes.
compile_headers_optimized() {
  matrix headers --optimized --compilers "$@"
}

# compile_sources STANDARDS FOLDERS COMPILER...: with the definitions and folders of the release build.
compile_sources() {
  local standards=$1 folders=$2 commands
  shift 2
  commands=$(mktemp)
  ninja -C "$ROOT/build/release" -t compdb >"$commands"
  # shellcheck disable=SC2086  # lists of words
  matrix sources --commands "$commands" --standards $standards --under $folders --compilers "$@"
  rm -f "$commands"
}

# Counts one test for each file, compiler and standard: matrix.py says it in its last line.
matrix() {
  local status=0 failed total said
  said=$(mktemp)
  python3 "$ROOT/tools/lib/matrix.py" "$@" --root "$ROOT" --jobs "$JOBS" >"$said" 2>&1 || status=$?
  cat "$said"
  read -r failed total < <(sed -n '$s/^\([0-9]*\) of \([0-9]*\) do not compile$/\1 \2/p' "$said") || true
  rm -f "$said"
  [[ -n ${total:-} ]] || return 1
  count $((total - failed)) "$failed"
  return "$status"
}
