#!/usr/bin/env bash
# tools/keep_images.sh VERSION: part of every release. Images as build/release/linefilter writes them, kept for ever in
# tests/releases/VERSION; tests/image/releases_test.cc reads them with every later version of the library.
#
# answers.txt: file, number of keys (the lines 0, 1, ... as seq prints them), and how many of the next 20000 numbers
# answer "maybe". secret: the 16 bytes of the keyed images.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PROGRAM=$ROOT/build/release/linefilter
FOLDER=$ROOT/tests/releases/${1:?usage: tools/keep_images.sh VERSION}
PART=$FOLDER.part  # complete or not there: what fails leaves nothing behind

if [[ -e $FOLDER ]]; then
  echo "tools/keep_images.sh: $FOLDER is there: what was released is never written again" >&2
  exit 2
fi
if [[ ! -x $PROGRAM ]]; then
  echo "tools/keep_images.sh: $PROGRAM is not there: build it first (cmake --build --preset release)" >&2
  exit 2
fi
trap 'rm -rf "$PART"' EXIT
rm -rf "$PART"
mkdir -p "$PART"
printf '\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f' >"$PART/secret"

# count FILE NUM_KEYS [option --secret]: asks, and writes the line of answers.txt.
count() {
  local file=$1 num_keys=$2 maybes
  maybes=$(seq "$num_keys" $((num_keys + 19999)) |
    "$PROGRAM" query "$file" --count "${@:3}" | awk '$1 == "maybe" { print $2 }') || true
  echo "$(basename "$file") $num_keys ${maybes:?no count}" >>"$PART/answers.txt"
}

# keep NAME NUM_KEYS [option of linefilter build...]: an option --secret is needed to ask, too.
keep() {
  local file=$PART/$1.filter num_keys=$2
  local -a secret=()
  shift 2
  if [[ " $* " == *" --secret "* ]]; then secret=(--secret "$PART/secret"); fi
  seq 0 $((num_keys - 1)) | "$PROGRAM" build --out "$file" "$@" >/dev/null
  count "$file" "$num_keys" "${secret[@]}"
}

# keep_removed NAME NUM_KEYS [option...]: twice as many came, and half of them went.
keep_removed() {
  local file=$PART/$1.filter num_keys=$2
  seq 0 $((2 * num_keys - 1)) | "$PROGRAM" build --out "$file" "${@:3}" >/dev/null
  seq "$num_keys" $((2 * num_keys - 1)) | "$PROGRAM" add "$file" --remove >/dev/null
  rm "$file.lock"
  count "$file" "$num_keys"
}

layouts=$("$PROGRAM" oracle --from 10 --to 10 --json | grep -o '"layout": *"[a-z_]*"' | cut -d '"' -f 4)
# keep_each NAME [option...]: no key, a body without chunk checks (no `container` is so small), one with them, a seed, a secret.
keep_each() {
  local name=$1
  shift
  keep "${name}_empty" 0 "$@"
  keep "${name}_small" 50 "$@"
  keep "${name}_large" 8000 "$@"
  keep "${name}_seed" 50 "$@" --seed 77
  keep "${name}_keyed" 5000 "$@" --secret "$PART/secret"
}

for layout in $layouts; do keep_each "$layout" --layout "$layout" --bits-per-key 10; done
keep_each removable --removable --bits-per-key 10  # a multiset, whose keys can be removed
keep_each container --grow --fpr 0.01
keep_removed removed 8000 --removable --bits-per-key 10
keep parquet 5000 --layout split_block --hash parquet --bits-per-key 10
mv "$PART" "$FOLDER"
echo "kept: $FOLDER"
