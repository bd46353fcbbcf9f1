// The obvious reader and writer of a filter in Redis, written from doc/REDIS.md alone: whole strings, one command at a
// time. It talks through a function of the test's, and shares nothing with the library.
#ifndef LINEFILTER_TESTS_REFERENCE_REDIS_H_
#define LINEFILTER_TESTS_REFERENCE_REDIS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/reference/reference.h"

namespace reference {

// Runs a command; what it answers as text, an integer in decimal; of nil and errors nothing.
using RedisCommand = std::function<std::string(const std::vector<std::string>& words)>;

// Section 2: the lines of a header record but the first and the check; false if it is not one.
bool ReadRedisRecord(const std::string& record, std::map<std::string, std::string>* fields);
// Section 2, of these lines ("version 1", ...).
std::string WriteRedisRecord(const std::vector<std::string>& lines);
// Section 1: `generation` is 16 hexadecimal digits.
std::string NameOfRedisShard(const std::string& name, const std::string& generation, uint64_t shard);

// The generation that serves, with its whole body (a container with its table and how it goes on); false if there is
// none, a shard is lost, or its mark is newer than the record.
bool ReadRedisFilter(const RedisCommand& run, const std::string& name, Filter* filter);
// A filter of one generation, not `container`, with the bits of `filter`.
void WriteRedisFilter(const RedisCommand& run, const std::string& name, const Filter& filter, uint64_t shard_bytes);
// Section 4, of `blocked` and `classic`, by single bits.
void SetBitsInRedis(const RedisCommand& run, const std::string& name, const Filter& filter, uint64_t hash);
// Section 4, of `quotient`: a key comes or goes by the script `write`.
enum class Change { kInsert, kRemove };
void ChangeBlockInRedis(const RedisCommand& run, const std::string& name, uint64_t hash, Change change);

}  // namespace reference

#endif  // LINEFILTER_TESTS_REFERENCE_REDIS_H_
