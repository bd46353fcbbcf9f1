#!/bin/sh
# clean_debian.sh MINOR: run in an empty Debian in which our packages of version MINOR are installed and no source is
# (tools/lib/debian.sh): the README's examples are compiled and run, and what each saved is read in every language. A line
# "PASS what" or "FAIL what" for each, and "END".
cd /consumer || exit 1
minor=${1:?usage: clean_debian.sh MINOR}

check() {
  what=$1
  shift
  echo "==== $what: $*"
  if "$@"; then echo "PASS $what"; else echo "FAIL $what"; fi
}

in_folder() {  # in_folder NAME COMMAND...: in an empty folder of that name
  mkdir -p "/images/$1" && cd "/images/$1" && shift && "$@"
  status=$?
  cd /consumer || exit 1
  return "$status"
}

languages="cpp c python"
check "C++ example compiles" g++ -std=c++17 -Wall -Wextra -Werror -x c++ readme.cpp -x none -llinefilter -o example_cpp
check "C++ example runs" in_folder cpp /consumer/example_cpp
check "C++ reader compiles" g++ -std=c++17 readers/read.cc -llinefilter -o read_cpp
check "C example compiles" gcc -std=c99 -Wall -Wextra -Werror -x c readme.c -x none -llinefilter -o example_c
check "C example runs" in_folder c /consumer/example_c
check "C reader compiles" gcc -std=c99 readers/read.c -llinefilter -o read_c
check "Python example runs" in_folder python python3 /consumer/readme.python

answers() {  # answers LANGUAGE IMAGE: of keys of which the examples have added some
  set -- "$1" "$2" alice@example.org bob@example.org carol@example.org dave@example.org "" 42 $(seq 1000)
  language=$1
  shift
  if [ "$language" = python ]; then python3 readers/read.py "$@"; else "./read_$language" "$@"; fi
}

agrees() {  # agrees LANGUAGE IMAGE: as C++ says, and there is a key that is found, and one that is not
  answers cpp "$2" >expected && answers "$1" "$2" >answer && cmp expected answer && grep -qx maybe answer && grep -qx absent answer
}

for language in $languages; do
  check "$language example leaves an image" test -n "$(find "/images/$language" -type f)"
done
for image in /images/*/*; do
  for language in $languages; do
    check "$language reads $image" agrees "$language" "$image"
  done
  check "the program verifies $image" linefilter verify "$image"
done

check "CMake finds it" cmake -S cpp20 -B /build/cpp20 -DCMAKE_BUILD_TYPE=Release "-DLINEFILTER_WANTED=$minor"
check "CMake builds with it" cmake --build /build/cpp20
check "what CMake built runs" in_folder cmake /build/cpp20/consumer
for engine in leveldb rocksdb; do
  check "$engine: compiles" g++ -std=c++17 "$engine/main.cc" "-llinefilter_$engine" "-l$engine" -o "use_$engine"
  check "$engine: runs" in_folder "$engine" "/consumer/use_$engine"
done
check "redis: compiles" g++ -std=c++17 redis/main.cc -llinefilter_redis -llinefilter -o use_redis
check "redis: runs" in_folder redis /consumer/use_redis
check "the manual is there" test -s /usr/share/man/man1/linefilter.1.gz
# Without --no-remove a package that is needed would take others with it.
check "packages can be removed" apt-get -q -y purge 'liblinefilter*' linefilter-tools python3-linefilter
check "and leave nothing" test -z "$(find /usr -path '/usr/share/doc' -prune -o -name '*linefilter*' -print)"
echo END
