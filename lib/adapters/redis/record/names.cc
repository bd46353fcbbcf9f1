#include "lib/adapters/redis/record/names.h"

#include <cstdio>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

// They lie in the slot of the record.
std::string BesideRecord(std::string_view name, const char* what) {
  const bool has_tag = !HashTagOf(name).empty();
  return (has_tag ? std::string(name) : "{" + std::string(name) + "}") + what;
}

}  // namespace

Status CheckName(std::string_view name) {
  if (name.empty()) return Status::Error(StatusCode::kInvalidArgument, "a filter in Redis needs a name: give one");
  if (name.size() > kMaxNameBytes) {
    return Status::Error(StatusCode::kInvalidArgument, "the name %s has %llu bytes: choose one of at most %llu",
                         Printable(name).c_str(), static_cast<unsigned long long>(name.size()),
                         static_cast<unsigned long long>(kMaxNameBytes));
  }
  // It would end the tag of shards early: all would lie in one slot, of a first part of the name or of none.
  if (name.find('}') != std::string_view::npos && HashTagOf(name).empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the name %s has a closing brace that ends no hash tag like {users}: choose another one",
                         Printable(name).c_str());
  }
  for (const char byte : name) {
    if (byte == '\0' || byte == '\n') {
      return Status::Error(StatusCode::kInvalidArgument, "the name %s has a newline or a zero byte: choose another one",
                           Printable(name).c_str());
    }
  }
  return Status();
}

Printable::Printable(std::string_view name) noexcept {
  size_t n = 0;
  for (; n < kMostBytes && n < name.size(); ++n) text_[n] = name[n] < 32 || name[n] > 126 ? '?' : name[n];
  snprintf(text_ + n, sizeof(text_) - n, "%s", name.size() > n ? "..." : "");
}

std::string ShardName(std::string_view name, uint64_t generation, uint64_t shard) {
  char tail[48];
  snprintf(tail, sizeof(tail), ":%016llx:%llu", static_cast<unsigned long long>(generation),
           static_cast<unsigned long long>(shard));
  // A brace of the name's own would end the tag early, or begin it: the first '{' and the next '}' count.
  if (!HashTagOf(name).empty()) return std::string(name) + tail;
  return "{" + std::string(name) + tail + "}";
}

std::string StreamName(std::string_view name) { return BesideRecord(name, ":stream"); }
std::string ClaimName(std::string_view name, uint64_t stage) {
  char what[32];
  snprintf(what, sizeof(what), ":opening:%016llx", static_cast<unsigned long long>(stage));
  return BesideRecord(name, what);
}

}  // namespace linefilter::redis_internal
