#include "lib/c/convert.h"

#include <cstring>

#include "lib/base/memory.h"

namespace linefilter::internal {

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

Status FromC(const linefilter_options* options, FilterOptions* to) noexcept {
  const Status read = options == nullptr ? Status() : ReadOptions(*options, to);
  return read.ok() ? CheckAllocator(to->allocator) : read;  // before the handle is made with it
}

Status FromCNotNull(const linefilter_options* options, FilterOptions* to) noexcept {
  return options != nullptr ? FromC(options, to) : NoOptions();
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
