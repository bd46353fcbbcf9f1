// A filter's keys in Redis (doc/REDIS.md) have names: the header record has the filter's own, shards that with a tag.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_NAMES_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/status.h"

namespace linefilter::redis_internal {

inline constexpr size_t kMaxNameBytes = 200;

// A name has 1 to kMaxNameBytes bytes, without NUL and newline, and a closing brace only with a hash tag of its own.
Status CheckName(std::string_view name);
// A name for sentences: what is not printable is replaced, what is long cut. It needs no memory, which may be what the
// sentence is about.
class Printable {
 public:
  explicit Printable(std::string_view name) noexcept;
  const char* c_str() const noexcept { return text_; }

 private:
  static constexpr size_t kMostBytes = 60;  // of a sentence of 254
  char text_[kMostBytes + sizeof("...")];
};
// This is "{NAME:ID:SHARD}", so that shards lie in slots of their own; without braces if NAME has a hash tag, which
// then decides.
std::string ShardName(std::string_view name, uint64_t generation, uint64_t shard);
// This is "{NAME}:stream", without braces if NAME has a hash tag. It lies in the slot of the record.
std::string StreamName(std::string_view name);
// Whoever opens the stage behind the one of that id has this name, for some seconds.
std::string ClaimName(std::string_view name, uint64_t stage);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_NAMES_H_
