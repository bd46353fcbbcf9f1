# shellcheck shell=bash
# What the shared libraries promise to programs that were linked with them: names, and types behind the names. Kept in
# packaging/abi/, renewed by tools/abi.sh; doc/VERSIONING.md says what may change when. The names are those of 64-bit CPUs, the
# types those of x86-64 with Debian 12's compiler.

ABI=$ROOT/packaging/abi
ABI_DEBUG=$ROOT/build/abi
ABI_LIBRARIES=(liblinefilter liblinefilter_leveldb liblinefilter_redis liblinefilter_rocksdb)

# By night the types, too: until a release nobody is bound by them, and the debug libraries take two minutes and a half.
abi_steps() {
  step "ABI: exported symbols" tests test_symbols
  if [[ -z ${LINEFILTER_NIGHTLY:-} ]]; then return; fi
  if abi_of_types_is_known; then
    step "ABI: types" tests test_abi
  else
    echo "ABI: types are compared on x86-64 with g++ 12 alone"
  fi
}

abi_of_types_is_known() {
  [[ $(uname -m) == x86_64 && $(g++ -dumpversion) == 12 ]]
}

# shared_library NAME: where the release build has it.
shared_library() {
  find "$ROOT/build/release/lib" -name "$1.so"
}

# exported_symbols FILE: what it exports, by the names of the source, each once.
exported_symbols() {
  local symbols
  symbols=$(nm -DC --defined-only "$1") || return 1
  sed -E 's/^[0-9a-f]+ . //; s/@@?LINEFILTER_[0-9.]+$//' <<<"$symbols" | grep -v '^LINEFILTER_[0-9.]*$' |
    LC_ALL=C sort -u
}

test_symbols() {
  local name
  for name in "${ABI_LIBRARIES[@]}"; do
    expect "$name exports what packaging/abi/$name.symbols says (renew it by tools/abi.sh)" \
      diff "$ABI/$name.symbols" <(exported_symbols "$(shared_library "$name")")
    expect "$name exports the public API alone" public_alone "$(shared_library "$name")"
    expect "$name is named after its ABI" soname_is "$(shared_library "$name")" "$name.so.$(abi_version)"
    expect "no public function of $name was forgotten" none_forgotten "$name"
  done
  expect "what exports nothing is no good library" exports_nothing_is_bad
}

abi_version() {
  sed -n 's/^LINEFILTER_\([0-9.]*\) {$/\1/p' "$ROOT/build/release/linefilter.map"
}

soname_is() {
  readelf -d "$1" | grep -F "soname: [$2]"
}

NOT_PUBLIC='internal|redis_internal|N_[A-Z0-9_]+'  # namespaces in ours

# Functions of our public headers: nothing of namespace internal, of a SIMD target, of xxHash or of the standard library.
public_alone() {
  local symbols
  symbols=$(exported_symbols "$1") || return 1
  [[ -n $symbols ]] || { echo "no symbols in $1"; return 1; }
  ! grep -vE '^(linefilter::[A-Z][A-Za-z0-9]*(::~?[A-Za-z_0-9]+|::operator=)?\(|linefilter_[a-z0-9_]+$)' <<<"$symbols" &&
    ! grep -E "linefilter::($NOT_PUBLIC)::|XXH|^std::|(typeinfo|vtable) " <<<"$symbols"
}

exports_nothing_is_bad() {
  local folder status=0
  folder=$(mktemp -d)
  g++ -shared -o "$folder/empty.so" -x c++ /dev/null || status=1
  if public_alone "$folder/empty.so" || public_alone "$folder/none.so" || public_alone ""; then status=1; fi
  rm -rf "$folder"
  return "$status"
}

# none_forgotten NAME: a function of namespace linefilter is exported, or a header says that it is LINEFILTER_LOCAL.
none_forgotten() {
  local own exported forgotten
  own=$(mktemp)
  exported=$(mktemp)
  nm -C --defined-only "$(find "$ROOT/build/release/lib" -name "$1.a")" 2>/dev/null | sed -nE 's/^[0-9a-f]+ T //p' |
    grep -E '^linefilter(::|_)' | grep -vE "^linefilter::($NOT_PUBLIC)::" | LC_ALL=C sort -u >"$own"
  exported_symbols "$(shared_library "$1")" >"$exported"
  [[ -s $own && -s $exported ]] || { echo "no functions in $1 of build/release"; return 1; }
  forgotten=$(LC_ALL=C comm -23 "$own" "$exported" | grep -vE "::($(local_functions))\(") || true
  rm -f "$own" "$exported"
  [[ -z $forgotten ]] || { echo "neither LINEFILTER_EXPORT nor LINEFILTER_LOCAL:"; echo "$forgotten"; return 1; }
}

# Class::Function of each, with | between.
local_functions() {
  awk '/^(class|struct) .*[{]/ { sub(/ *( final|:|[{]).*$/, ""); class = $NF }
    /^ *LINEFILTER_LOCAL / { sub(/[(].*$/, ""); n = split($0, words, /[ *&]+/); print class "::" words[n] }' \
    "$ROOT"/include/linefilter/{,c/,internal/}*.h | sort -u | paste -sd '|'
}

# Debug information tells the types. The release build has none, so what holds exported functions, a few files that compile
# in seconds, is compiled once more, not optimized, into libraries of the same names; what they call is left open. (That of
# Redis is, a little: else functions of the standard library that return types of ours would be functions, and exported.)
debug_libraries() {
  local sources=() core=() file name
  rm -rf "$ABI_DEBUG"
  mkdir -p "$ABI_DEBUG"
  for file in "$ROOT"/lib/*/*.cc "$ROOT"/lib/adapters/redis/*/*.cc; do
    if [[ -f $file ]]; then sources+=("${file#"$ROOT/"}"); fi
  done
  # shellcheck disable=SC2016  # for the inner shell; its $4 is several words
  printf '%s\n' "${sources[@]}" | xargs -P "$JOBS" -I FILE sh -c 'cd "$2" && g++ -std=c++17 -g -fPIC \
    -fvisibility=hidden -fvisibility-inlines-hidden \
    $(case $3 in */redis/*) echo -O1 ;; *) echo -O0 -fno-exceptions -fno-rtti ;; esac) \
    "-ffile-prefix-map=$2/=" -DHWY_WANT_AVX3_DL \
    -DLINEFILTER_ASKS_FOR_GFNI $4 -Iinclude -I. -c "$3" -o "$1/$(echo "$3" | tr / _).o"' \
    sh "$ABI_DEBUG" "$ROOT" FILE "$(version_definitions)"
  for name in leveldb rocksdb; do
    link_debug_library "liblinefilter_$name" "$ABI_DEBUG/lib_adapters_$name.cc.o"
    rm "$ABI_DEBUG/lib_adapters_$name.cc.o"
  done
  core=("$ABI_DEBUG"/lib_adapters_redis_*.o)
  link_debug_library liblinefilter_redis "${core[@]}"
  rm "${core[@]}"
  core=("$ABI_DEBUG"/*.o)
  link_debug_library liblinefilter "${core[@]}"
}

# link_debug_library NAME OBJECT...
link_debug_library() {
  local name=$1
  shift
  g++ -shared -o "$ABI_DEBUG/$name.so" "$@" "-Wl,-soname,$name.so.$(abi_version)" \
    "-Wl,--version-script,$ROOT/build/release/linefilter.map"
}

# As lib/CMakeLists.txt defines it for lib/c/types.cc.
version_definitions() {
  project_version 3 |
    awk -F . '{ print "-DLINEFILTER_VERSION_MAJOR=" $1, "-DLINEFILTER_VERSION_MINOR=" $2, "-DLINEFILTER_VERSION_PATCH=" $3 }'
}

# write_abi NAME: the types behind what is exported, as text.
write_abi() {
  abidw --headers-dir "$ROOT/include" --drop-private-types --no-comp-dir-path --no-corpus-path --no-show-locs \
    --no-elf-needed --no-write-default-sizes --no-parameter-names --exported-interfaces-only \
    --out-file "$ABI/$1.abi" "$ABI_DEBUG/$1.so"
}

# compare_abi NAME [option...]: the committed types and today's. abidiff's exit code: 0 the same, 4 changed, 12 changed incompatibly.
compare_abi() {
  local name=$1
  shift
  abidiff --no-show-locs "$@" "$ABI/$name.abi" "$ABI_DEBUG/$name.so"
}

# With what breaks nobody (a last enumerator), or packaging/abi/ would not know of it when it is removed.
test_abi() {
  local name
  debug_libraries
  for name in "${ABI_LIBRARIES[@]}"; do
    expect "the debug library of $name has all that is exported" diff \
      <(exported_symbols "$(shared_library "$name")") <(exported_symbols "$ABI_DEBUG/$name.so")
    expect "types are those of packaging/abi/$name.abi (doc/VERSIONING.md says what to do)" compare_abi "$name" --harmless
  done
}
