#!/usr/bin/env bash
# tools/keep_records.sh VERSION: part of every release. Filters as build/release/linefilter keeps them in Redis, kept for ever in
# tests/releases/VERSION/redis; tests/adapters/redis/redis_releases_test.cc asks and fills them with every later version.
#
# NAME.record: a line `key value` for each string of the filter NAME, the value in hexadecimal digits. answers.txt: NAME, number of
# keys (the lines 0, 1, ... as seq prints them), and how many of the next 20000 numbers answer "maybe". secret: that of `keyed`.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PROGRAM=$ROOT/build/release/linefilter
FOLDER=$ROOT/tests/releases/${1:?usage: tools/keep_records.sh VERSION}/redis

fail() {
  echo "tools/keep_records.sh: $*" >&2
  exit 2
}
[[ ! -e $FOLDER ]] || fail "$FOLDER is there: what was released is never written again"
[[ -x $PROGRAM ]] || fail "$PROGRAM is not there: build it first (cmake --build --preset release)"
# redis-check-rdb is the server under another name, in a package that starts none (redis-tools).
BINARY=$(command -v redis-server || command -v redis-check-rdb) || fail "redis-tools is missing: tools/install_packages.sh test"

unset LINEFILTER_REDIS_PASSWORD REDISCLI_AUTH
WORK=$(mktemp -d)
PART=$WORK/redis  # complete or not there: what fails leaves nothing behind
SOCKET=$WORK/socket
trap 'kill "$SERVER" 2>/dev/null || true; wait; rm -rf "$WORK"' EXIT
mkdir "$PART"
(exec -a redis-server "$BINARY" --port 0 --unixsocket "$SOCKET" --dir "$WORK" --save "" --logfile "$WORK/log") &
SERVER=$!
for _ in {1..100}; do
  if [[ -S $SOCKET ]]; then break; fi
  sleep 0.1
done
redis-cli -s "$SOCKET" PING >/dev/null || fail "the server does not answer at $SOCKET: $(tail -n 1 "$WORK/log")"

printf '\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f' >"$PART/secret"

# filter COMMAND NAME [option...]: a command of `linefilter redis`, whose report nobody reads.
filter() {
  local -a secret=()
  if [[ $2 == keyed ]]; then secret=(--secret "$PART/secret"); fi
  "$PROGRAM" redis "$@" --server "unix:$SOCKET" "${secret[@]}"
}

# keep NAME NUM_KEYS: writes down what Redis has of the filter, and removes it there.
keep() {
  local key keys digits maybes
  keys=$(redis-cli -s "$SOCKET" --scan | LC_ALL=C sort)
  for key in $keys; do
    digits=$(redis-cli -e -s "$SOCKET" --raw GET "$key" | head -c -1 | od -An -v -tx1 | tr -d ' \n')
    echo "$key ${digits:?no value of $key}"
  done >"$PART/$1.record"
  maybes=$(seq "$2" $(($2 + 19999)) | filter query "$1" --count | awk '$1 == "maybe" { print $2 }') || true
  echo "$1 $2 ${maybes:?no count}" >>"$PART/answers.txt"
  redis-cli -s "$SOCKET" FLUSHALL >/dev/null
}

# created NAME NUM_KEYS [option of linefilter redis create...]
created() {
  filter create "$1" --num-keys "$2" "${@:3}" >/dev/null
  seq 0 $(($2 - 1)) | filter add "$1" >/dev/null
}

# loaded NAME NUM_KEYS [option of linefilter build...]
loaded() {
  seq 0 $(($2 - 1)) | "$PROGRAM" build --out "$WORK/image" "${@:3}" >/dev/null
  filter load "$1" "$WORK/image" >/dev/null
}

# Several shards, where a layout has them.
for layout in blocked split_block quotient; do
  created $layout 1000 --layout $layout --bits-per-key 10 --shard-bytes 512
  keep $layout 1000
done
created classic 1000 --layout classic --bits-per-key 10
keep classic 1000
loaded retrieval 1000 --layout retrieval --bits-per-key 10
keep retrieval 1000
created seed 50 --bits-per-key 10 --seed 77
keep seed 50
created keyed 50 --bits-per-key 10
keep keyed 50
created parquet 50 --layout split_block --hash parquet --bits-per-key 10
keep parquet 50
created '{tag}followed' 50 --bits-per-key 10 --followed 1000
keep '{tag}followed' 50

# Twice as many came, and half of them went.
created removable 1000 --removable --bits-per-key 20
seq 500 999 | filter add removable --remove >/dev/null
keep removable 500

# Two stages, made by others: by `build`, and by the writers of the filter themselves.
loaded container 6000 --grow --fpr 0.01
keep container 6000
filter create growing --num-keys 4096 --grow --fpr 0.01 >/dev/null
seq 0 9999 | filter add growing >/dev/null
keep growing 10000

# The next generation has its keys, and does not serve yet.
created switching 50 --bits-per-key 10
filter switch switching --begin --num-keys 100 --bits-per-key 12 >/dev/null
seq 0 49 | filter switch switching --add - >/dev/null
keep switching 50

mkdir -p "$(dirname "$FOLDER")"
mv "$PART" "$FOLDER"
echo "kept: $FOLDER"
