# shellcheck shell=bash
# Steps: what `cmake --install` of the release build gives, used by small projects (tests/consumers/) that see nothing else.

INSTALLED=$ROOT/build/install     # everything of these steps
PREFIX="$INSTALLED/moved tree"    # the installed tree, in another place than it was installed to
CONSUMERS=$INSTALLED/consumers    # copies: no path leads back to the sources

# project_version N: its first N numbers. The version of a consumer is that of the library without the last.
project_version() {
  sed -nE 's/^project\(linefilter VERSION ([0-9.]+).*$/\1/p' "$ROOT/CMakeLists.txt" | cut -d . -f "1-$1"
}

# next_minor: what comes after it.
next_minor() {
  project_version 2 | awk -F . '{ print $1 "." $2 + 1 }'
}

install_steps() {
  step "install" work install_tree
  if $STEP_OK; then
    step "install: consumers of the installed tree" tests test_consumers
  fi
  step "install: add_subdirectory, FetchContent, recipes" tests test_embedders
}

install_tree() {
  rm -rf "$INSTALLED"
  mkdir -p "$INSTALLED"
  cmake --install "$ROOT/build/release" --prefix "$INSTALLED/first"
  mv "$INSTALLED/first" "$PREFIX"
  cp -r "$ROOT/tests/consumers" "$CONSUMERS"
}

# What doc/INSTALL.md says has a folder of its own: build/release keeps its tests and its benchmark.
documented_build() {
  local command before cache=$ROOT/build/release/CMakeCache.txt
  command=$(sed -nE 's/^(cmake --preset [a-z]+).*/\1/p' "$ROOT/doc/INSTALL.md")
  before=$(cksum <"$cache")
  (cd "$ROOT" && bash -c "$command") || return 1
  [[ -e $ROOT/build/package/cmake_install.cmake && $(cksum <"$cache") == "$before" ]]
}

# expect NAME COMMAND...: a test of its own, whose output is in the log.
expect() {
  local name=$1
  shift
  echo "==== $name"
  if "$@"; then
    count 1 0
  else
    echo "FAILED: $name"
    count 0 1
  fi
}

# consume NAME [cmake argument...]: configures and builds a consumer (in build/$AS, if that is set), and runs its programs, each in a
# folder of its own.
consume() {
  local name=$1 program folder=$INSTALLED/build/${AS:-$1}
  shift
  cmake -S "$CONSUMERS/$name" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$(wanted)" "$@" &&
    cmake --build "$folder" -j "$JOBS" || return 1
  for program in "$folder"/consumer*; do
    run_in_folder "$program" || return 1
  done
}

wanted() {
  echo "-DLINEFILTER_WANTED=$(project_version 2)"
}

run_in_folder() {
  local status=0 folder
  folder=$(mktemp -d)
  # A program that reads images is tried with one; the others look at no argument.
  (cd "$folder" && "$1" "$INSTALLED/sample.filter" sample) || status=$?
  rm -rf "$folder"
  return "$status"
}

test_consumers() {
  local installed="-DCMAKE_PREFIX_PATH=$PREFIX" kind
  LD_LIBRARY_PATH=  # what is found must be found without it
  echo sample | "$PREFIX/bin/linefilter" build --out "$INSTALLED/sample.filter" --bits-per-key 10
  for kind in cpp17 cpp20 c static leveldb rocksdb redis; do
    expect "$kind" consume "$kind" "$installed"
  done
  expect "pkg-config" consume_by_pkg_config "$PREFIX" both
  expect "Python below /usr/local finds the module" python_finds_it
  expect "a plugin with the static library exports its own function alone" exports_only_its_own "$INSTALLED/build/static/libplugin.so"
  expect "an unknown component is named" refuses 'no component .nonsense.' nonsense
  expect "without an engine an optional component is left out, another refused" cmake -S "$CONSUMERS/missing" \
    -B "$INSTALLED/build/missing" -G Ninja "$installed" "$(wanted)"
  expect "another RocksDB than the component's is refused" cmake -S "$CONSUMERS/other_rocksdb" \
    -B "$INSTALLED/build/other_rocksdb" -G Ninja "$installed" "$(wanted)"
  for kind in "linefilter::shared;linefilter::static" "linefilter::leveldb;linefilter::static" \
    "linefilter::leveldb_static;linefilter::rocksdb" "linefilter::redis;linefilter::static"; do
    expect "both kinds in one program are refused: $kind" refuses_mixed "$kind"
  done
  expect "another minor version is refused" refuses_version
  expect "no consumer saw the sources" unseen
}

# consume_by_pkg_config TREE KIND: what is installed there (tests/consumers/pkgconfig/build.sh).
consume_by_pkg_config() {
  local tree=$1 kind=$2 folder="$INSTALLED/build/pkgconfig $2" program
  mkdir -p "$folder"
  PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name linefilter.pc)") "$CONSUMERS/pkgconfig/build.sh" "$folder" "$kind" \
    "$(project_version 2)" "$(next_minor)" || return 1
  for program in "$folder"/*; do
    LD_LIBRARY_PATH=$(dirname "$(find "$tree" -name 'liblinefilter.*' -print -quit)") run_in_folder "$program" || return 1
  done
}

# Where it looks if the prefix is /usr/local is where we have it.
python_finds_it() {
  local folder
  folder=$(/usr/bin/python3 -c 'import site; print([p for p in site.getsitepackages() if p.startswith("/usr/local/")][0])') || return 1
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PREFIX/${folder#/usr/local/} /usr/bin/python3 -c \
    'import sys, linefilter; sys.exit(not linefilter.__file__.startswith(sys.argv[1]))' "$PREFIX"
}

exports_only_its_own() {
  [[ $(nm -D --defined-only "$1" | awk '{ print $3 }') == PluginAnswers ]] || { nm -DC --defined-only "$1"; return 1; }
}

# refuses PATTERN COMPONENT: find_package fails with a sentence that matches.
refuses() {
  local folder=$INSTALLED/build/refused
  rm -rf "$folder"
  mkdir -p "$folder"
  printf '%s\n' "cmake_minimum_required(VERSION 3.22)" "project(consumer LANGUAGES CXX)" \
    "find_package(linefilter ${3:-$(project_version 2)} REQUIRED ${2:+COMPONENTS $2})" >"$folder/CMakeLists.txt"
  ! cmake -S "$folder" -B "$folder/build" -G Ninja "-DCMAKE_PREFIX_PATH=$PREFIX" >"$folder/log" 2>&1 || return 1
  tr -s ' \n' ' ' <"$folder/log" | grep -E "$1"
}

refuses_version() {
  local version
  for version in "$(next_minor)" 0.0.9; do
    refuses "compatible with requested version \"${version//./\\.}\"" "" "$version" || return 1
  done
}

# refuses_mixed TARGETS: CMake does not let a program link them.
refuses_mixed() {
  local folder=$INSTALLED/build/mixed
  rm -rf "$folder"
  mkdir -p "$folder"
  ! cmake -S "$CONSUMERS/mixed" -B "$folder" -G Ninja "-DCMAKE_PREFIX_PATH=$PREFIX" "$(wanted)" "-DMIXED=$1" >"$folder/log" 2>&1 ||
    return 1
  tr -s ' \n' ' ' <"$folder/log" | grep -oE 'property of [^ ]* does( not|n.t) .*LINEFILTER_KIND[^.]*'
}

documents_tell_version() {
  grep -F "find_package(linefilter $(project_version 2) REQUIRED" "$ROOT/doc/INSTALL.md" &&
    grep -F "| $(project_version 3), [semver.org]" "$ROOT/doc/VERSIONING.md" &&
    grep -F "| \`liblinefilter.so.$(abi_version)\` |" "$ROOT/doc/VERSIONING.md"
}

# What CMake and Ninja were told names no folder of the source tree but build/.
unseen() {
  ! grep -rlE "$ROOT/(include|lib|cmake|tests|tools)\b" "$INSTALLED/build" --include=build.ninja --include=CMakeCache.txt \
    --include='*.cmake'
}

# In a project that builds the library itself. Which one counts here, not how fast it is: no SIMD, nothing optimized. By night the
# shared library, too, which is compiled as the static one is.
test_embedders() {
  local quick=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS=-O0 -DHWY_COMPILE_ONLY_SCALAR")
  expect "add_subdirectory: static" consume subdirectory "-DLINEFILTER_SOURCES=$ROOT" "${quick[@]}"
  expect "add_subdirectory: a plugin exports its own function alone" \
    exports_only_its_own "$INSTALLED/build/subdirectory/libplugin.so"
  expect "add_subdirectory: nothing of ours but the library" only_the_library "$INSTALLED/build/subdirectory"
  expect "installed, the static library alone" one_kind subdirectory static
  expect "what the embedder installs and packs is kept apart from it" nothing_mixed_in "$INSTALLED/build/subdirectory"
  expect "documents tell the version" documents_tell_version
  expect "the documented installation leaves build/release as it was" documented_build
  expect "recipes of vcpkg and Conan" /usr/bin/python3 "$ROOT/tests/packaging/check.py" "$ROOT"
  if [[ -n ${LINEFILTER_NIGHTLY:-} ]]; then test_shared_embedder "${quick[@]}"; fi
  expect "FetchContent: an engine in a prefix of its own" engine_is_found
  expect "at the top level, static and to absolute places" configure_far
  expect "the Debian package of that needs no shared library" needs_no_runtime
  expect "pkg-config is told these places" tells_far_places
  expect "what is installed asks for the Highway that was built with it" asks_for_own_highway
}

test_shared_embedder() {
  expect "FetchContent: shared" consume fetchcontent "-DFETCHCONTENT_SOURCE_DIR_LINEFILTER=$ROOT" "$@"
  expect "FetchContent: the program needs the shared library" \
    grep -q 'liblinefilter\.so\.0' <(readelf -d "$INSTALLED/build/fetchcontent/consumer")
  expect "installed, the shared library alone" one_kind fetchcontent shared
}

# one_kind EMBEDDER KIND: what it has built is installed, is of this kind alone, and is used.
one_kind() {
  local build=$INSTALLED/build/$1 kind=$2 tree="$INSTALLED/$2 alone" pattern='*.so*'
  cmake -DLINEFILTER_INSTALL=ON "$build" && cmake --build "$build" -j "$JOBS" && cmake --install "$build" --prefix "$tree" || return 1
  if [[ $kind == shared ]]; then pattern='*.a'; fi
  [[ -z $(find "$tree" -name "$pattern") ]] || { echo "there is another kind"; return 1; }
  AS="$kind alone" consume cpp17 "-DCMAKE_PREFIX_PATH=$tree" && consume_by_pkg_config "$tree" "$kind"
}

# Our components have names of their own, and cpack is the embedder's.
nothing_mixed_in() {
  local components
  [[ ! -e $1/CPackConfig.cmake ]] || { echo "our cpack would pack what is the embedder's"; return 1; }
  components=$(grep -oE 'CMAKE_INSTALL_COMPONENT STREQUAL "[^"]*"' "$1/linefilter/cmake_install.cmake") || return 1
  ! grep -v '"linefilter_' <<<"$components"
}

# The shared adapter has no source of its own to compile, but its users need the engine's headers.
engine_is_found() {
  local own=$INSTALLED/engine build=$INSTALLED/build/engine
  mkdir -p "$own/include" "$own/lib"
  ln -sfn /usr/include/leveldb "$own/include/leveldb"
  ln -sfn "$("${CXX:-c++}" -print-file-name=libleveldb.so)" "$own/lib/libleveldb.so"
  cmake -S "$CONSUMERS/fetchcontent" -B "$build" -G Ninja "-DFETCHCONTENT_SOURCE_DIR_LINEFILTER=$ROOT" \
    -DLINEFILTER_LEVELDB=ON "-DCMAKE_PREFIX_PATH=$own" || return 1
  ninja -C "$build" -t commands consumer_leveldb | grep 'consumer_leveldb.dir.* -c ' | grep -F -- "-isystem $own/include"
}

configure_far() {
  local part off=()
  for part in BUILD_TOOLS BUILD_TESTS BUILD_BENCH BUILD_EXAMPLES PYTHON; do off+=("-DLINEFILTER_$part=OFF"); done
  cmake -S "$ROOT" -B "$INSTALLED/build/far" -G Ninja -DBUILD_SHARED_LIBS=OFF "${off[@]}" \
    -DCMAKE_INSTALL_LIBDIR=/far/lib -DCMAKE_INSTALL_INCLUDEDIR=/far/include
}

needs_no_runtime() {
  grep -F 'CPACK_DEBIAN_LINEFILTER_DEVELOPMENT_PACKAGE_DEPENDS "libhwy-dev (>= ' "$INSTALLED/build/far/CPackConfig.cmake"
}

tells_far_places() {
  local name
  for name in linefilter linefilter-leveldb linefilter-rocksdb linefilter-redis; do
    [[ $(PKG_CONFIG_PATH=$INSTALLED/build/far pkg-config --variable=libdir "$name") == /far/lib ]] || { echo "$name: libdir"; return 1; }
  done
  [[ $(PKG_CONFIG_PATH=$INSTALLED/build/far pkg-config --variable=includedir linefilter) == /far/include ]]
}

asks_for_own_highway() {
  cmake -S "$CONSUMERS/highway" -B "$INSTALLED/build/highway" -G Ninja "-DLINEFILTER_SOURCES=$ROOT" &&
    grep -F 'find_package(hwy 1.2.7 CONFIG QUIET)' "$INSTALLED/build/highway/linefilter/linefilterConfig.cmake"
}

only_the_library() {
  local targets installed
  targets=$(ninja -C "$1" -t targets all) && installed=$(cmake --install "$1" --prefix "$INSTALLED/nothing") || return 1
  [[ -n $targets ]] && ! grep -E '(_test|linefilter_tool|linefilter_bench|redis_dedup|sst_reader|uses_store)' <<<"$targets" &&
    ! grep linefilter <<<"$installed"
}
