#include "lib/c/convert.h"

#include <cstring>

#include "lib/base/memory.h"

namespace linefilter::internal {
namespace {

// The numbers of C are those of C++.
template <class Enum>
constexpr bool Is(Enum in_cpp, int32_t in_c) {
  return static_cast<int32_t>(in_cpp) == in_c;
}
static_assert(Is(StatusCode::kOk, LINEFILTER_OK));
static_assert(Is(StatusCode::kInvalidArgument, LINEFILTER_INVALID_ARGUMENT));
static_assert(Is(StatusCode::kCorrupt, LINEFILTER_CORRUPT));
static_assert(Is(StatusCode::kUnsupported, LINEFILTER_UNSUPPORTED));
static_assert(Is(StatusCode::kIncompatible, LINEFILTER_INCOMPATIBLE));
static_assert(Is(StatusCode::kOutOfMemory, LINEFILTER_OUT_OF_MEMORY));
static_assert(Is(StatusCode::kOverLimit, LINEFILTER_OVER_LIMIT));
static_assert(Is(StatusCode::kIoError, LINEFILTER_IO_ERROR));
static_assert(Is(StatusCode::kNotFound, LINEFILTER_NOT_FOUND));
static_assert(Is(StatusCode::kUnavailable, LINEFILTER_UNAVAILABLE));
static_assert(Is(Layout::kAuto, LINEFILTER_LAYOUT_AUTO));
static_assert(Is(HashId::kCaller, LINEFILTER_HASH_CALLER));
static_assert(Is(HashId::kXxh3, LINEFILTER_HASH_XXH3));
static_assert(Is(HashId::kKeyed, LINEFILTER_HASH_KEYED));
static_assert(Is(HashId::kParquet, LINEFILTER_HASH_PARQUET));
static_assert(Is(KeyKind::kUnknown, LINEFILTER_KEY_KIND_UNKNOWN));
static_assert(Is(KeyKind::kText, LINEFILTER_KEY_KIND_TEXT));
static_assert(Is(KeyKind::kInteger, LINEFILTER_KEY_KIND_INTEGER));
static_assert(Is(KeyKind::kMixed, LINEFILTER_KEY_KIND_MIXED));
static_assert(sizeof(HashSecret) == LINEFILTER_SECRET_BYTES);
static_assert(kNoMemoryLimit == LINEFILTER_NO_MEMORY_LIMIT);

// The first version of linefilter_options has so many bytes. Members are added behind these, and mean their default
// when zero. So there must be no padding for them to fall into.
constexpr size_t kLeastOptionsBytes = offsetof(linefilter_options, executor) + sizeof(linefilter_executor);
static_assert(kLeastOptionsBytes == offsetof(linefilter_options, foldable));
static_assert(offsetof(linefilter_options, body_bytes) == offsetof(linefilter_options, key_kind) + sizeof(uint32_t));
static_assert(offsetof(linefilter_options, num_keys) == offsetof(linefilter_options, body_bytes) + sizeof(uint64_t));
static_assert(offsetof(linefilter_options, removable) == offsetof(linefilter_options, num_keys) + sizeof(uint64_t));
static_assert(offsetof(linefilter_options, turnovers) == offsetof(linefilter_options, removable) + sizeof(uint32_t));
static_assert(sizeof(linefilter_options) == offsetof(linefilter_options, turnovers) + sizeof(uint32_t));
static_assert(sizeof(linefilter_options) <= LINEFILTER_MAX_OPTIONS_BYTES);

// The caller's options as this version knows them, whatever version the caller was compiled with.
Status ReadKnown(const linefilter_options& options, linefilter_options* known) {
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

}  // namespace

linefilter_code ToC(const Status& status, linefilter_status* to) noexcept {
  const linefilter_code code = static_cast<linefilter_code>(status.code());
  if (to != nullptr) {
    const size_t length = strnlen(status.message(), sizeof(to->message) - 1);
    to->code = code;
    memcpy(to->message, status.message(), length);
    to->message[length] = '\0';
  }
  return code;
}

Status Refused(const char* what) noexcept { return Status::Error(StatusCode::kInvalidArgument, "%s", what); }

Status NoHandle(const char* what) noexcept {
  return Status::Error(StatusCode::kInvalidArgument, "the %s is NULL: look at the error of what should have made it",
                       what);
}

Layout LayoutFromC(linefilter_layout layout) noexcept {
  return layout < 0 || layout > 255 ? kNoLayout : static_cast<Layout>(layout);
}

KeyKind KeyKindFromC(linefilter_key_kind kind) noexcept {
  const bool is_one = kind >= LINEFILTER_KEY_KIND_UNKNOWN && kind <= LINEFILTER_KEY_KIND_MIXED;
  return is_one ? static_cast<KeyKind>(kind) : KeyKind::kUnknown;
}

VerifyMode ToVerifyMode(linefilter_verify_mode verify) noexcept {
  const bool is_one = verify >= LINEFILTER_VERIFY_AUTO && verify <= LINEFILTER_VERIFY_TRUSTED;
  return is_one ? static_cast<VerifyMode>(verify) : VerifyMode::kAuto;
}

Allocator FromC(const linefilter_allocator& allocator) noexcept {
  return Allocator{allocator.allocate, allocator.deallocate, allocator.context};
}

Executor FromC(const linefilter_executor& executor) noexcept {
  return Executor{executor.run, executor.context, executor.num_threads};
}

Status FromC(const linefilter_options* options, FilterOptions* to) noexcept {
  if (options == nullptr) return Status();
  linefilter_options known;
  const Status read = ReadKnown(*options, &known);
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
  return CheckAllocator(to->allocator);  // before the handle is made with it
}

Status SetSize(const FilterOptions& from, linefilter_options* options) noexcept {
  if (options == nullptr) return Refused("the options are NULL");
  linefilter_options known;
  const Status read = ReadKnown(*options, &known);
  if (!read.ok()) return read;
  if (options->size < sizeof(known)) {
    return Refused("the options are of a version that has no body_bytes: compile the program with this one's headers");
  }
  options->bits_per_key = from.bits_per_key;
  options->fpr = from.fpr;
  options->foldable = from.foldable ? 1 : 0;
  options->removable = from.removable ? 1 : 0;
  options->turnovers = from.turnovers;
  options->num_keys = from.num_keys;
  options->body_bytes = from.body_bytes;
  options->num_probes = from.num_probes;
  options->layout = static_cast<linefilter_layout>(from.layout);
  options->hash_id = static_cast<linefilter_hash_id>(from.hash_id);
  options->seed = from.seed;
  memcpy(options->secret, from.secret.bytes, sizeof(options->secret));
  return Status();
}

Status FromCNotNull(const linefilter_options* options, FilterOptions* to) noexcept {
  if (options != nullptr) return FromC(options, to);
  return Refused("no options were given: call linefilter_options_init, and set bits_per_key or fpr");
}

void ToC(const Sizing& sizing, linefilter_sizing* to) noexcept {
  to->num_keys = sizing.num_keys;
  to->body_bytes = sizing.body_bytes;
  to->bits_per_key = sizing.bits_per_key;
  to->expected_fpr = sizing.expected_fpr;
  to->num_probes = sizing.num_probes;
  to->layout = static_cast<linefilter_layout>(sizing.layout);
}

Sink FromC(linefilter_sink sink, void* context) noexcept { return Sink{sink, context}; }

Status CheckPath(const char* path) noexcept { return path != nullptr ? Status() : Refused("the path is NULL"); }

}  // namespace linefilter::internal
