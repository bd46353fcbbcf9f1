# shellcheck shell=bash
# The foreign libraries for a cross build, unpacked into a folder of the build tree.
#
# The machine's package database is left alone: no foreign architecture is added to it, nothing is installed. apt reads the
# foreign index into a private state folder (its signatures are checked as usual), and dpkg-deb unpacks what it downloads.

# Development files; the shared libraries that libhwy-dev and libbenchmark-dev stand on (libhwy1, libhwy1t64) are added by
# what those depend on.
SYSROOT_PACKAGES=(libbenchmark-dev libhwy-dev libxxhash-dev libgtest-dev libgmock-dev libcli11-dev nlohmann-json3-dev)

# apt_mirror CODENAME: where apt gets that release from, or nothing.
apt_mirror() {
  # shellcheck disable=SC2016  # apt's variables, not the shell's
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
    awk -v name="$1" '$1 == name && !uri { uri = $2 } END { print uri }'
}

# foreign_source_lines ARCH: sources.list lines that offer this distribution's packages for ARCH.
foreign_source_lines() {
  local arch=$1 id codename uri keyring suite
  id=$(. /etc/os-release && echo "$ID")
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  keyring=/usr/share/keyrings/$id-archive-keyring.gpg
  case "$id" in
    # The mirror that this machine already uses has every architecture. Before the first update apt cannot tell it.
    debian)
      uri=$(apt_mirror "$codename")
      if [[ -z $uri ]]; then
        as_root apt-get -q update >&2
        uri=$(apt_mirror "$codename")
      fi
      [[ -n $uri ]] || { echo "sysroot: apt knows no mirror of $codename" >&2; return 1; }
      echo "deb [arch=$arch signed-by=$keyring] $uri $codename main" ;;
    # Ubuntu keeps all but amd64 and i386 on another server.
    ubuntu)
      uri=http://ports.ubuntu.com/ubuntu-ports
      if [[ $arch == amd64 || $arch == i386 ]]; then uri=http://archive.ubuntu.com/ubuntu; fi
      for suite in "$codename" "$codename-updates"; do
        echo "deb [arch=$arch signed-by=$keyring] $uri $suite main universe"
      done ;;
    *) echo "sysroot: Debian or Ubuntu is needed, this is '$id'" >&2; return 1 ;;
  esac
}

# write_apt_conf APT ARCH: a private state of apt in the folder APT, whose sources.list is the caller's. Read before
# /etc/apt/apt.conf.d, so the machine's proxy settings stay in force.
write_apt_conf() {
  local apt=$1 arch=$2
  mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,parts}
  : >"$apt/state/status"
  cat >"$apt/apt.conf" <<EOF
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferencesparts "$apt/parts";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
EOF
}

# make_sysroot ARCH FOLDER: FOLDER/usr gets the headers and libraries. A complete one of the same packages is kept.
make_sysroot() {
  local arch=$1 folder=$2 apt=$2.apt deb stamp libraries
  stamp="$(. /etc/os-release && echo "$VERSION_CODENAME") $arch ${SYSROOT_PACKAGES[*]}"
  if [[ -f $folder/.complete && $(<"$folder/.complete") == "$stamp" ]]; then
    echo "sysroot: $folder is complete"
    return
  fi
  rm -rf "$folder" "$apt"
  mkdir -p "$folder" "$apt/debs"
  write_apt_conf "$apt" "$arch"
  foreign_source_lines "$arch" >"$apt/sources.list"
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$apt/debs" || exit
    apt-get -q update
    # What the -dev packages link to has its version in the name.
    libraries=$(apt-cache depends libhwy-dev libbenchmark-dev |
      awk '$1 == "Depends:" && $2 ~ /^lib(hwy|benchmark)[0-9]/ { print $2 }')
    # shellcheck disable=SC2086  # several words
    apt-get -q download "${SYSROOT_PACKAGES[@]}" $libraries
  )
  for deb in "$apt"/debs/*.deb; do
    dpkg-deb -x "$deb" "$folder"
  done
  rm -rf "$apt"
  echo "$stamp" >"$folder/.complete"
}
