# shellcheck shell=bash disable=SC2153  # ROOT is tools/test.sh's
# Steps: Debian packages of the release build, and what they are good for in an empty Debian, made by debootstrap, that has
# never seen the sources.

DEBS=$ROOT/build/debs
DEBIAN=$ROOT/build/debian       # CODENAME-PACKAGES.tar: an empty Debian with these; root: where the packages are tried
DEBIAN_BASE=(g++ cmake make)

debian_steps() {
  if [[ $(. /etc/os-release && echo "$ID") != debian ]]; then
    echo "packages: only on Debian"
    return
  fi
  step "packages: made and inspected" tests test_debs
  if $STEP_OK; then
    step "packages: an empty Debian" work make_debian_root "${DEBIAN_BASE[@]}"
    if $STEP_OK; then
      step "packages: installed and used there" tests test_debian
    fi
  fi
}

make_debs() {
  rm -rf "$DEBS"
  (cd "$ROOT/build/release" && cpack -G DEB -B "$DEBS")
  rm -rf "$DEBS/_CPack_Packages"
}

# deb NAME: the file of a package.
deb() {
  local file
  file=$(find "$DEBS" -name "$1_*.deb") || return 1
  [[ -n $file ]] || { echo "$DEBS has no $1" >&2; return 1; }
  echo "$file"
}

test_debs() {
  local abi version name
  make_debs
  abi=$(abi_version)
  version=$(dpkg-deb -f "$(deb liblinefilter-dev)" Version)
  for name in "$DEBS"/*.deb; do
    dpkg-deb -I "$name"
    dpkg-deb -c "$name"
  done
  expect "the library needs no Highway at run time, on x86" needs_highway_as_the_cpu_does "liblinefilter$abi"
  expect "its headers need the Highway that it was built with" depends liblinefilter-dev "libhwy-dev \(>= $(hwy_version)"
  expect "headers go with their library" depends liblinefilter-dev "liblinefilter$abi \(= $version\)"
  expect "the library needs a C library" depends "liblinefilter$abi" 'libc6 \(>= '
  expect "the adapter of LevelDB needs the engine" depends "liblinefilter-leveldb$abi" 'libleveldb[0-9][a-z0-9]* '
  expect "and the library" depends "liblinefilter-leveldb$abi" "liblinefilter$abi \(>= $version\)"
  expect "the adapter of RocksDB needs the engine of the very version" depends "liblinefilter-rocksdb$abi" "librocksdb$(rocksdb_version 0) "
  expect "it needs the library" depends "liblinefilter-rocksdb$abi" "liblinefilter$abi \(>= $version\)"
  expect "the adapter of Redis needs hiredis" depends "liblinefilter-redis$abi" 'libhiredis[0-9][a-z0-9.]* '
  expect "and it needs the library" depends "liblinefilter-redis$abi" "liblinefilter$abi \(>= $version\)"
  expect "and OpenSSL, for TLS" depends "liblinefilter-redis$abi" 'libssl[0-9][a-z0-9.]* '
  expect "headers of hiredis" depends liblinefilter-redis-dev 'libhiredis-dev$'
  expect "its static library needs OpenSSL" depends liblinefilter-redis-dev 'libssl-dev$'
  expect "headers of LevelDB" depends liblinefilter-leveldb-dev 'libleveldb-dev$'
  expect "headers of RocksDB of the very version" depends liblinefilter-rocksdb-dev "librocksdb-dev \(>= $(rocksdb_version 0)\)$"
  expect "and of no newer one" depends liblinefilter-rocksdb-dev "librocksdb-dev \(<< $(rocksdb_version 1)\)$"
  expect "the library alone is in its package" only_files "liblinefilter$abi" \
    "./usr/lib/[^ ]*liblinefilter.so.${abi}[0-9.]*|./usr/share/doc/.*"
  expect "the Python module needs the Python that it was built for" depends python3-linefilter "python3 \(>= $(python_version 0)\)"
  expect "and no newer one" depends python3-linefilter "python3 \(<< $(python_version 1)\)"
  expect "it needs NumPy" depends python3-linefilter 'python3-numpy( |$)'
  expect "it holds the library, which needs no Highway, on x86" needs_highway_as_the_cpu_does python3-linefilter
  expect "the Python module alone is in its package" only_files python3-linefilter \
    './usr/lib/python3/dist-packages/linefilter/[^/]*|./usr/share/doc/.*'
  for name in __init__.py py.typed '_linefilter\.cpython-[a-z0-9_-]*\.so'; do
    expect "$name is there" has_file python3-linefilter "./usr/lib/python3/dist-packages/linefilter/$name"
  done
  expect "what depends on it will say so" grep -qx "liblinefilter $abi liblinefilter$abi (>= $version)" \
    <(dpkg-deb --ctrl-tarfile "$(deb "liblinefilter$abi")" | tar -xO ./shlibs)
  expect "no file names the place where it was built" no_build_paths "$DEBS"
  expect "a missing package is no good one" missing_is_bad
  expect "nothing is mounted where that would stay" mounts_nothing_for_all
  expect "lintian finds no error" lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs "$DEBS"/*.deb
}

# needs_highway_as_the_cpu_does PACKAGE: elsewhere than on x86 Highway finds the targets (cmake/LinefilterDependencies.cmake).
needs_highway_as_the_cpu_does() {
  case "$(uname -m)" in
    x86_64 | i?86) ! depends "$1" 'libhwy1' ;;
    *) depends "$1" "libhwy1[a-z0-9]* \(>= $(hwy_version)" ;;
  esac
}

# The version of the headers that the build found.
hwy_version() {
  pkg-config --modversion libhwy
}

# rocksdb_version N: of the RocksDB whose headers the build found, as a pattern; with N = 1 the next one.
rocksdb_version() {
  awk -v n="$1" '$2 == "ROCKSDB_MAJOR" { major = $3 } $2 == "ROCKSDB_MINOR" { minor = $3 } END { print major "\\." minor + n }' \
    /usr/include/rocksdb/version.h
}

# python_version N: as a pattern; with N = 1 the next one.
python_version() {
  /usr/bin/python3 -c 'import sys; print(r"3\.%d" % (sys.version_info[1] + int(sys.argv[1])))' "$1"
}

# depends PACKAGE PATTERN
depends() {
  dpkg-deb -f "$(deb "$1")" Depends | tr ',' '\n' | sed 's/^ *//' | grep -E "^($2)"
}

# only_files PACKAGE PATTERN: these, and nothing else (folders aside).
only_files() {
  local files
  files=$(files_of "$1") && [[ -n $files ]] && ! grep -vxE "$2" <<<"$files"
}

has_file() {
  local files
  files=$(files_of "$1") && grep -xE "$2" <<<"$files"
}

files_of() {
  local file list
  file=$(deb "$1") && list=$(dpkg-deb -c "$file") && awk '$1 !~ /^d/ { print $6 }' <<<"$list"
}

# no_build_paths FOLDER: in the packages there.
no_build_paths() {
  local folder status=0 name
  folder=$(mktemp -d)
  for name in "$1"/*.deb; do dpkg-deb -x "$name" "$folder" || status=1; done
  if grep -rlF -- "$ROOT" "$folder"; then status=1; fi
  rm -rf "$folder"
  return "$status"
}

missing_is_bad() {
  ! only_files no-such-package '.*' && ! has_file no-such-package '.*' && ! no_build_paths /no/such/folder
}

# A machine that gives nobody mounts of its own, but would let us mount for all; only said, not done.
mounts_nothing_for_all() {
  local said
  said=$(as_root() { echo "$@"; [[ $1 != unshare ]]; } && in_root true) && [[ $said == *chroot* ]] && ! grep -F rbind <<<"$said"
}

# make_debian_root PACKAGE...: unpacks an empty Debian of this machine's release, or of $DEBIAN_SUITE, with these packages besides, as
# $DEBIAN/root; each such set is made once.
make_debian_root() {
  local own codename mirror tar include=() proxies=() IFS=-
  own=$(. /etc/os-release && echo "$VERSION_CODENAME")
  codename=${DEBIAN_SUITE:-$own}
  tar="$DEBIAN/$codename${*:+-$*}.tar"
  unset IFS
  if [[ ! -f $tar ]]; then
    mirror=$(debootstrap_mirror "$own")  # a mirror has all releases
    [[ -n $mirror ]] || { echo "apt knows no mirror of $codename: apt-get update" >&2; return 1; }
    if [[ $mirror == https:* ]]; then include=(--include=ca-certificates); fi  # apt in there needs them
    mkdir -p "$DEBIAN"
    remove_root
    as_root mkdir -p "$DEBIAN/root/etc/dpkg/dpkg.cfg.d"
    echo force-unsafe-io | as_root tee "$DEBIAN/root/etc/dpkg/dpkg.cfg.d/quick"  # who wants to keep it makes it anew
    mapfile -t proxies < <(proxies)
    as_root env "${proxies[@]}" debootstrap --variant=minbase "${include[@]}" "$codename" "$DEBIAN/root" "$mirror"
    # Not by debootstrap, which fetches one after the other.
    if [[ $# -gt 0 ]]; then in_root apt-get -q -y --no-install-recommends install "$@"; fi
    in_root apt-get clean
    as_root tar -C "$DEBIAN/root" -cf "$tar.new" .
    as_root mv "$tar.new" "$tar"
  fi
  remove_root
  mkdir -p "$DEBIAN/root"
  as_root tar -C "$DEBIAN/root" -xpf "$tar"
}

# What is mounted there, by whomever, is left alone.
remove_root() {
  as_root rm -rf --one-file-system "$DEBIAN/root"
}

# debootstrap_mirror CODENAME: apt's own, as one address: cloud images name a file of them, of which debootstrap knows nothing.
debootstrap_mirror() {
  local uri
  uri=$(apt_mirror "$1")
  if [[ $uri == mirror+file:* ]]; then
    uri=${uri#mirror+file:}
    uri=$(awk '/^[a-z]/ { print $1; exit }' "${uri%/}")
  fi
  echo "$uri"
}

# What this shell, or else apt, says of proxies, as arguments of env.
proxies() {
  local name value
  for name in http https; do
    value=$(printenv "${name}_proxy") || eval "$(apt-config shell value "Acquire::$name::Proxy")"
    if [[ -n $value && $value != DIRECT ]]; then echo "${name}_proxy=$value"; fi
  done
  printenv no_proxy | sed 's/^/no_proxy=/'
}

# in_root COMMAND...: in the empty Debian, with the network of this machine, and /proc and /dev where it may be lent them: a
# container may forbid mounts. They are mounted for the command alone (unshare): else they would stay, and what removes the
# root would empty this machine's /dev.
in_root() {
  local root=$DEBIAN/root run='exec chroot "$@"' apart=() proxies=()
  as_root cp /etc/resolv.conf "$root/etc/resolv.conf"
  if as_root unshare --mount true 2>/dev/null; then
    apart=(unshare --mount)
    # shellcheck disable=SC2016  # for the inner shell
    run='for d in proc dev; do mount --rbind "/$d" "$1/$d" 2>/dev/null || true; done; '$run
  fi
  mapfile -t proxies < <(proxies)
  as_root "${apart[@]}" sh -c "$run" sh "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "${proxies[@]}" "$@"
}

# first_block LANGUAGE PAGE: the first block of the page in that language, which is a whole program.
first_block() {
  awk -v fence="\`\`\`$1" '$0 == fence && !done { inside = 1; next } /^```$/ { if (inside) done = 1; inside = 0 } inside' "$ROOT/$2"
}

# The examples of README.md and doc/guide/c.md, copied out of them, and the readers of tests/consumers/readers/: each reads what each example made.
test_debian() {
  local root=$DEBIAN/root name passed failed
  as_root mkdir "$root/debs" "$root/consumer"
  as_root cp "$DEBS"/*.deb "$root/debs"
  as_root cp -r "$ROOT/tests/consumers/." "$root/consumer"
  for name in cpp c python; do
    first_block "$name" "$([[ $name == c ]] && echo doc/guide/c.md || echo README.md)" | as_root tee "$root/consumer/readme.$name" >/dev/null
  done
  in_root sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install /debs/*.deb'
  in_root sh /consumer/clean_debian.sh "$(project_version 2)" 2>&1 | tee "$DEBIAN/log"
  passed=$(grep -c '^PASS ' "$DEBIAN/log") || true
  failed=$(grep -c '^FAIL ' "$DEBIAN/log") || true
  count "$passed" "$failed"
  grep -qx 'END' "$DEBIAN/log"
}
