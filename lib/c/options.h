// The options and keys of C become those of C++, and a status becomes one of C. Everything here is inline, because the
// C API of an adapter is a library of its own, to which the library exports nothing but what users call.
#ifndef LINEFILTER_LIB_C_OPTIONS_H_
#define LINEFILTER_LIB_C_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "linefilter/c/types.h"
#include "linefilter/hash.h"
#include "linefilter/key.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Hands a status over, ok or not: *to (may be null) and the code.
inline linefilter_code ToC(const Status& status, linefilter_status* to) noexcept {
  const linefilter_code code = static_cast<linefilter_code>(status.code());
  if (to != nullptr) {
    const size_t length = strnlen(status.message(), sizeof(to->message) - 1);
    to->code = code;
    memcpy(to->message, status.message(), length);
    to->message[length] = '\0';
  }
  return code;
}

// The status of a request that makes no sense.
inline Status Refused(const char* what) noexcept { return Status::Error(StatusCode::kInvalidArgument, "%s", what); }
// The status of a null handle: most likely an error that nobody looked at.
inline Status NoHandle(const char* what) noexcept {
  return Status::Error(StatusCode::kInvalidArgument, "the %s is NULL: look at the error of what should have made it",
                       what);
}
// The status where there must be some options.
inline Status NoOptions() noexcept {
  return Refused("no options were given: call linefilter_options_init, and set bits_per_key or fpr");
}

// The first version of linefilter_options has so many bytes. Members are added behind these, and mean their default
// when zero. So there must be no padding for them to fall into.
inline constexpr size_t kLeastOptionsBytes = offsetof(linefilter_options, executor) + sizeof(linefilter_executor);
static_assert(kLeastOptionsBytes == offsetof(linefilter_options, foldable));
static_assert(offsetof(linefilter_options, body_bytes) == offsetof(linefilter_options, key_kind) + sizeof(uint32_t));
static_assert(offsetof(linefilter_options, num_keys) == offsetof(linefilter_options, body_bytes) + sizeof(uint64_t));
static_assert(offsetof(linefilter_options, removable) == offsetof(linefilter_options, num_keys) + sizeof(uint64_t));
static_assert(offsetof(linefilter_options, turnovers) == offsetof(linefilter_options, removable) + sizeof(uint32_t));
static_assert(sizeof(linefilter_options) == offsetof(linefilter_options, turnovers) + sizeof(uint32_t));
static_assert(sizeof(linefilter_options) <= LINEFILTER_MAX_OPTIONS_BYTES);

// The caller's options as this version knows them, whatever version the caller was compiled with.
inline Status ReadKnown(const linefilter_options& options, linefilter_options* known) {
  const size_t size = options.size;
  if (size < kLeastOptionsBytes || size > LINEFILTER_MAX_OPTIONS_BYTES) {  // nobody set it: nothing is known to follow
    return Status::Error(StatusCode::kInvalidArgument,
                         "the options have size %llu: call linefilter_options_init(&options, sizeof(options)) first",
                         static_cast<unsigned long long>(size));
  }
  linefilter_options_init(known, sizeof(*known));
  memcpy(known, &options, size < sizeof(*known) ? size : sizeof(*known));
  const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(&options);
  uint32_t any = known->reserved;
  for (size_t i = sizeof(*known); i < size; ++i) any |= bytes[i];
  if (any == 0) return Status();
  return Status::Error(StatusCode::kUnsupported,
                       "the options set something that is newer than this version of linefilter: upgrade it");
}

inline Allocator FromC(const linefilter_allocator& allocator) noexcept {
  return Allocator{allocator.allocate, allocator.deallocate, allocator.context};
}

inline Executor FromC(const linefilter_executor& executor) noexcept {
  return Executor{executor.run, executor.context, executor.num_threads};
}

// Checks what the C++ API cannot, because it does not see it any more. The allocator is not looked at.
inline Status ReadOptions(const linefilter_options& options, FilterOptions* to) noexcept {
  linefilter_options known;
  const Status read = ReadKnown(options, &known);
  if (!read.ok()) return read;
  if (known.layout < 0 || known.layout > 255) {
    return Status::Error(StatusCode::kInvalidArgument, "layout is %d: choose one of LINEFILTER_LAYOUT_...",
                         static_cast<int>(known.layout));
  }
  if (known.hash_id < 0 || known.hash_id > 255) {
    return Status::Error(StatusCode::kInvalidArgument, "hash_id is %d: choose one of LINEFILTER_HASH_...",
                         static_cast<int>(known.hash_id));
  }
  if (known.foldable > 1) {
    return Status::Error(StatusCode::kInvalidArgument, "foldable is %u: set 0 or 1",
                         static_cast<unsigned>(known.foldable));
  }
  if (known.removable > 1) {
    return Status::Error(StatusCode::kInvalidArgument, "removable is %u: set 0 or 1",
                         static_cast<unsigned>(known.removable));
  }
  if (known.key_kind < LINEFILTER_KEY_KIND_UNKNOWN || known.key_kind > LINEFILTER_KEY_KIND_MIXED) {
    return Status::Error(StatusCode::kInvalidArgument, "key_kind is %d: choose one of LINEFILTER_KEY_KIND_...",
                         static_cast<int>(known.key_kind));
  }
  to->key_kind = static_cast<KeyKind>(known.key_kind);
  to->bits_per_key = known.bits_per_key;
  to->fpr = known.fpr;
  to->body_bytes = known.body_bytes;
  to->num_keys = known.num_keys;
  to->num_probes = known.num_probes;
  to->layout = static_cast<Layout>(known.layout);
  to->foldable = known.foldable != 0;
  to->removable = known.removable != 0;
  to->turnovers = known.turnovers;
  to->seed = known.seed;
  memcpy(to->secret.bytes, known.secret, sizeof(to->secret.bytes));
  to->hash_id = static_cast<HashId>(known.hash_id);
  to->allocator = FromC(known.allocator);
  to->memory_limit = known.memory_limit;
  to->executor = FromC(known.executor);
  return Status();
}

inline std::string_view KeyFromC(const void* key, size_t size) noexcept {
  return std::string_view(static_cast<const char*>(key), size);
}

// C hands many keys of bytes over like this.
struct BytesKeys {
  const void* const* keys;
  const size_t* sizes;
  std::string_view operator[](size_t i) const { return KeyFromC(keys[i], sizes[i]); }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_OPTIONS_H_
