// A filter in Redis as the state before the last change of the hash wrote it (commit 0d463e1): the check of its record
// was made by another hash.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_EARLIER_H_
#define LINEFILTER_TESTS_TESTING_REDIS_EARLIER_H_

namespace linefilter::test {

// `linefilter redis create seen --num-keys 100 --bits-per-key 10 --shard-bytes 64`.
inline constexpr char kEarlierRecord[] =
    "linefilter-redis 1\n"
    "version 1\n"
    "hash xxh3\n"
    "seed 0000000000000000\n"
    "current 14ea87b79fcb14ac\n"
    "current.layout blocked\n"
    "current.probes 7\n"
    "current.bytes 128\n"
    "current.shard-bytes 64\n"
    "current.keys 100\n"
    "check 47743b7527e1c37a\n";
inline constexpr const char* kEarlierShards[] = {"{seen:14ea87b79fcb14ac:0}", "{seen:14ea87b79fcb14ac:1}"};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_EARLIER_H_
