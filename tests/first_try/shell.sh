# What a user of the shell types first, from the documents alone. Each line once stopped or misled somebody.
# guide_slow_test.cc runs it in an empty folder; `exits N command` demands that exit code.
exits() {
  local wanted=$1 got=0
  shift
  "$@" > out 2> err || got=$?
  if [ "$got" -ne "$wanted" ]; then
    echo "line ${BASH_LINENO[0]}: exit code $got, not $wanted: $*"
    cat out err
    exit 1
  fi
}
says() { grep -q -- "$1" out err || { echo "line ${BASH_LINENO[0]}: nothing says '$1':"; cat out err; exit 1; }; }

# A filter in a file is a thing that lives.
exits 0 linefilter create seen.lf --num-keys 1M --fpr 0.1%
seq 1000 > monday.txt
seq 501 1500 > tuesday.txt
exits 0 linefilter add seen.lf monday.txt
linefilter add seen.lf --print new < tuesday.txt > new.txt
[ "$(wc -l < new.txt)" -ge 499 ]
linefilter query seen.lf monday.txt tuesday.txt --count > /dev/null
echo 7 | exits 0 linefilter query seen.lf
echo none | exits 1 linefilter query seen.lf
exits 0 linefilter create ids.lf --removable --num-keys 1e4 --fpr 1%
exits 0 linefilter add ids.lf monday.txt
exits 0 linefilter add ids.lf --remove monday.txt
exits 1 linefilter query ids.lf monday.txt
exits 2 linefilter add seen.lf --remove monday.txt
says --removable
exits 0 linefilter build monday.txt tuesday.txt --num-keys 1e5 --fpr 0.01 --out both.lf
exits 0 linefilter add both.lf --json < monday.txt
exits 2 linefilter add missing.lf monday.txt
says create

# Lines that were not seen before.
[ "$(cat monday.txt tuesday.txt | linefilter uniq | wc -l)" -ge 1498 ]
linefilter uniq monday.txt tuesday.txt > kept.txt 2> summary.txt
grep -q 1500 kept.txt
[ "$(linefilter uniq --filter state.lf monday.txt 2> /dev/null | wc -l)" -eq 1000 ]
[ "$(linefilter uniq --filter state.lf tuesday.txt 2> /dev/null | wc -l)" -ge 499 ]
(seq 1000000 | linefilter uniq 2> err | head -1 > /dev/null) || true  # it ends as cat would, and says nothing
[ ! -s err ]

# Images and keys from anywhere.
linefilter build monday.txt --fpr 0.01 --out - 2> report.txt > monday.lf
[ ! -e - ]
exits 0 linefilter info monday.lf
linefilter build monday.txt --fpr 0.01 --out /dev/stdout 2> report.txt > stdout.lf
cmp stdout.lf monday.lf
cat monday.lf | exits 0 linefilter info -
exits 0 linefilter info <(cat monday.lf)
exits 0 linefilter query <(cat monday.lf) <(cat monday.txt)
exits 0 linefilter verify monday.lf both.lf seen.lf
exits 0 linefilter info monday.lf both.lf --json
gzip -k monday.txt
exits 2 linefilter build monday.txt.gz --fpr 0.01 --out gz.lf
says 'gzip -dc'
gzip -dc monday.txt.gz | exits 0 linefilter build --fpr 0.01 --out gz.lf
printf 'a b\0c d\0' | exits 0 linefilter build -0 --fpr 0.01 --out null.lf
printf 'c d\0' | exits 0 linefilter query -0 null.lf
printf '1,alice,x\n2,bob,y\n' > table.csv
exits 0 linefilter build table.csv --field 2 --delimiter , --fpr 0.01 --out names.lf
echo alice | exits 0 linefilter query names.lf
printf '1\t"carol"\n' | exits 0 linefilter build --field 2 --fpr 0.01 --out quoted.lf
says quote
printf 'alice\r\nbob\r\n' | exits 0 linefilter build --fpr 0.01 --out crlf.lf
says 'arriage return'
exits 0 linefilter plan --num-keys 10M --fpr 0.1%
(ulimit -f 64; exits 2 linefilter create limited.lf --num-keys 1M --fpr 1%; says 'File too large')
[ ! -e limited.lf ] && [ "$(find . -name '.linefilter-*')" = '' ]

# Another kind of keys is refused, not answered.
printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0' > integers
exits 0 linefilter build integers --u64 --fpr 0.01 --out integers.lf
echo 1 | exits 2 linefilter query integers.lf
says --u64
exits 2 linefilter query monday.lf --u64 integers --count
exits 0 linefilter query integers.lf --u64 integers --count
exits 0 linefilter info integers.lf
says integer

# Exit codes and messages tell what to do.
exits 3 linefilter redis query seen --server 127.0.0.1:1 --timeout 100ms --patience 100ms monday.txt
exits 2 linefilter query
exits 0 linefilter stats seen.lf --at-most 1%
exits 2 linefilter create zero.lf --num-keys 10 --fpr 0
says 'is no rate'
exits 2 linefilter create typo.lf --num-keys 10 --fpr 1e0x%
exits 0 linefilter create small.lf --num-keys 100 --fpr 1%
exits 0 linefilter add small.lf monday.txt
says 'made for 100 keys'
exits 1 linefilter stats small.lf --at-most 99.99%
exits 0 linefilter build monday.txt --num-keys 10 --fpr 0.01 --out full.lf
exits 1 linefilter stats full.lf --at-most 1%
exits 0 linefilter build monday.txt --layout classic --fpr 0.01 --out classic.lf
exits 0 linefilter build monday.txt --layout blocked --fpr 0.01 --out blocked.lf
exits 2 linefilter merge classic.lf blocked.lf --out merged.lf
says '--layout blocked'

# This CPU, and the shell.
exits 0 linefilter bench --seconds 1
linefilter completion bash > completion.bash
bash -n completion.bash
exits 0 linefilter completion zsh
