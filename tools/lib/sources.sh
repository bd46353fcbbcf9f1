# shellcheck shell=bash
# Sources of the libraries that linefilter_bench_portable links statically and of which the distribution has shared ones
# alone. They are the distribution's, so they have the version of its headers. Needs sysroot.sh and packages.sh.

SOURCE_PACKAGES=(highway benchmark)

# source_lines: sources.list lines that offer this distribution's sources.
source_lines() {
  local id codename suite
  id=$(. /etc/os-release && echo "$ID")
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  case "$id" in
    debian)
      foreign_source_lines "$(dpkg --print-architecture)" | sed 's/^deb \[[^]]*signed-by/deb-src [signed-by/' ;;
    ubuntu)
      for suite in "$codename" "$codename-updates"; do
        echo "deb-src [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg] http://archive.ubuntu.com/ubuntu $suite main universe"
      done ;;
    *) echo "sources: Debian or Ubuntu is needed, this is '$id'" >&2; return 1 ;;
  esac
}

# make_sources FOLDER: FOLDER/highway-VERSION and FOLDER/benchmark-VERSION. Complete ones are kept.
make_sources() {
  local folder=$1 apt=$1.apt stamp dsc
  stamp="$(. /etc/os-release && echo "$VERSION_CODENAME") ${SOURCE_PACKAGES[*]}"
  if [[ -f $folder/.complete && $(<"$folder/.complete") == "$stamp" ]]; then
    echo "sources: $folder is complete"
    return
  fi
  rm -rf "$folder" "$apt"
  mkdir -p "$folder"
  write_apt_conf "$apt" "$(dpkg --print-architecture)"
  source_lines >"$apt/sources.list"
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$apt" || exit
    apt-get -q update
    apt-get -q source --download-only "${SOURCE_PACKAGES[@]}"
  )
  for dsc in "$apt"/*.dsc; do
    (cd "$folder" && dpkg-source --no-check --no-copy -x "$dsc")
  done
  rm -rf "$apt"
  echo "$stamp" >"$folder/.complete"
}
