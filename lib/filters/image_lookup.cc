// ImageMayContainKey asks one question of one image, as engines do at every Get. Both hashes, of the key and of what
// the check covers, are inlined: where all code is cold, as within a Get, each function that is left out counts.
#include <string_view>

#include "lib/base/endian.h"
#include "lib/base/xxh3-inl.h"
#include "lib/image/trailer.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/view.h"

namespace linefilter {
namespace {

// Takes the images that are not plain. It verifies a body above 4 KiB only for an "absent".
[[gnu::noinline]] bool AskOther(const uint8_t* image, size_t size, std::string_view key, VerifyMode verify) {
  const FilterView view(image, size, VerifyMode::kTrusted);
  uint64_t hash = 0;
  if (!view.key_hash().Of(key, &hash) || view.MayContainHash(hash)) return true;
  if (verify == VerifyMode::kTrusted || view.num_chunks() == 0) return false;
  if (verify == VerifyMode::kWhole) return !view.Verify().ok();
  const auto is_sound = [](void* context, uint64_t chunk) {
    return static_cast<const FilterView*>(context)->VerifyChunks(chunk, 1).ok();
  };
  const internal::LayoutRecord& record = *internal::FindLayout(view.layout());
  return !record.absence_is_sound(view.probe_state(), hash, {is_sound, const_cast<FilterView*>(&view)});
}

// The hash is made before the check, so that the latencies of the two overlap. Rejected: always_inline, with which
// g++ 12 does not inline the hash of the check (50 keys: 8.1 in place of 7.8 ns).
template <bool kVerify>
inline bool AskPlain(const uint8_t* image, size_t size, uint64_t hash) {
  const uint64_t body_bytes = size - internal::kFixedTrailerBytes;
  const uint8_t* const fixed = image + body_bytes;
  if (kVerify) {
    const uint64_t covered_hash = internal::InlineXxh3<internal::kCheckSeed>(image, body_bytes);
    if (internal::CheckOf(covered_hash, internal::LoadLE32(fixed + 4), size) != internal::LoadLE32(fixed)) return true;
  }
  const internal::LayoutRecord* const record = internal::FindLayout(static_cast<Layout>(fixed[4]));
  return record == nullptr || record->body_may_contain(image, body_bytes, fixed[5], hash);
}

// g++ inlines XXH3 of up to so many bytes, which calls nothing, so that no register is saved for it. (clang calls it.)
constexpr size_t kMostBytesOfShortKey = 128;

template <bool kVerify>
[[gnu::noinline]] bool AskWithLongKey(const uint8_t* image, size_t size, std::string_view key) {
  return AskPlain<kVerify>(image, size, HashKey(key));
}

template <bool kVerify>
[[gnu::noinline, gnu::flatten]] bool Ask(const uint8_t* image, size_t size, std::string_view key, VerifyMode verify) {
  if (!internal::IsPlainImage(image, size)) return AskOther(image, size, key, verify);
  if (key.size() > kMostBytesOfShortKey) return AskWithLongKey<kVerify>(image, size, key);
  return AskPlain<kVerify>(image, size, internal::InlineHashKey(key.data(), key.size(), 0));
}

}  // namespace

bool ImageMayContainBytes(const void* image, size_t size, const void* key, size_t key_size,
                          VerifyMode verify) noexcept {
  const uint8_t* const bytes = static_cast<const uint8_t*>(image);
  const std::string_view asked(static_cast<const char*>(key), key_size);
  return verify == VerifyMode::kTrusted ? Ask<false>(bytes, size, asked, verify)
                                        : Ask<true>(bytes, size, asked, verify);
}

}  // namespace linefilter
