// What the adapters share: options checked once, an image or something that answers "maybe", an image asked. Compiled
// without exceptions or RTTI, as LevelDB is.
#ifndef LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_
#define LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/builder.h"
#include "linefilter/engine_options.h"
#include "linefilter/hash.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter::internal {

// What engines call our filters in their files: the format family of doc/FORMAT.md. Layout, density and format version
// stand in each image, so the name never changes.
inline constexpr char kEngineFilterName[] = "linefilter.Image";

// Stored where no image could be made: shorter than any, so it answers "maybe". Not nothing, which is "no keys" to
// LevelDB.
inline constexpr char kNoImage[1] = {'\0'};

// Sets *bits_per_key so that filters of any number of keys have an expected rate of at most fpr. Large ones need the
// limit. Small ones of whole blocks are better, for they are rounded up; small ones of `classic` are worse, for their
// fill varies (at an fpr of 1e-2 by 8 percent, at 1e-5 by 70), so that all of them get up to 5 percent more bits.
inline Status BitsPerKeyForAnySize(Layout layout, double fpr, double* bits_per_key) noexcept {
  constexpr uint64_t kSmall = 300;
  constexpr int kMostRounds = 20;  // 2 to 4 are enough if it can be reached
  double aim = fpr, worst = 1;
  for (int round = 0; worst > fpr && round < kMostRounds; ++round) {
    *bits_per_key = BitsPerKeyForFpr(layout == Layout::kAuto ? Layout::kBlocked : layout, aim);
    worst = 0;
    for (uint64_t n = 1; n <= kSmall; ++n) {
      Sizing sizing;
      const Status status = SizeForBitsPerKey(layout, n, *bits_per_key, &sizing);
      if (!status.ok()) return status;
      if (sizing.expected_fpr > worst) worst = sizing.expected_fpr;
    }
    if (worst > fpr) aim *= fpr / worst;
  }
  if (worst <= fpr) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "fpr is %g: filters of a few keys reach %.2g at most (layout %s): ask for that or more", fpr,
                       worst, LayoutName(layout));
}

// An fpr becomes bits_per_key here, once, in some ms: sizing by fpr takes 60 us, which filters of 2 KiB cannot pay
// each.
inline Status ToFilterOptions(const EngineFilterOptions& engine, FilterOptions* options) noexcept {
  options->bits_per_key = engine.bits_per_key;
  options->fpr = engine.fpr;
  options->layout = engine.layout;
  const Status status = FilterBuilder(*options).status();
  if (!status.ok() || engine.fpr == 0) return status;
  if (engine.layout == Layout::kAuto && engine.fpr < FprForBitsPerKey(Layout::kBlocked, kMaxBitsPerKey)) {
    options->layout = Layout::kClassic;  // it alone reaches that
  }
  options->fpr = 0;
  return BitsPerKeyForAnySize(options->layout, engine.fpr, &options->bits_per_key);
}

// Appends the image of the builder's keys, or kNoImage, and leaves the builder empty. (Not FilterBuilder::Finish:
// inline, and compiled here without its catch, it could become that of the whole program.)
inline void AppendImage(FilterBuilder* builder, std::string* out) {
  const size_t old_size = out->size();
  const uint64_t image_bytes = builder->ImageBytes();
  if (image_bytes != 0) {
    out->resize(old_size + image_bytes);
    if (builder->FinishTo(&(*out)[old_size], image_bytes, nullptr).ok()) return;
    out->resize(old_size);
  }
  builder->Reset();
  out->append(kNoImage, sizeof(kNoImage));
}

// Of an image with more than 4 KiB of body, verifies what a lookup of that hash reads.
inline Status VerifyFor(const FilterView& view, uint64_t hash) noexcept {
  if (view.num_blocks() == 0) return view.Verify();
  constexpr uint64_t kBlocksPerChunk = (64 << 10) / 64;
  return view.VerifyChunks(BlockIndex(hash, view.num_blocks()) / kBlocksPerChunk, 1);
}

// Opens an image and asks it. An answer "absent" is verified.
inline bool AskImage(std::string_view image, std::string_view key, bool verify_large_filters) noexcept {
  constexpr size_t kVerifiedByOpening = 4096;
  if (!verify_large_filters || image.size() <= kVerifiedByOpening) {
    return ImageMayContainKey(image.data(), image.size(), key);
  }
  const FilterView view(image.data(), image.size());
  if (view.hash_id() != HashId::kXxh3) return true;
  const uint64_t hash = HashKey(key, view.seed());
  if (view.MayContainHash(hash)) return true;
  return view.num_chunks() != 0 && !VerifyFor(view, hash).ok();
}

inline void Report(const Status& from, Status* to) noexcept {
  if (to != nullptr) *to = from;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_
