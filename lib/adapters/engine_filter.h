// The adapters share this: options checked once, an image or something that answers "maybe", an image asked. It is
// compiled without exceptions, and with RTTI where the engine has it (cmake/LinefilterRtti.cmake).
#ifndef LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_
#define LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>

#include "lib/adapters/engine_sizes.h"
#include "linefilter/builder.h"
#include "linefilter/hash.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter::internal {

// Both engines call our filters this in their files. Layout and density stand in each image, and do not change it.
// The number stays as long as image format 1 is written. With another one a database opens without its filters, and
// none of them is read wrongly. (Before there was a number: "linefilter.Image".)
inline constexpr char kEngineFilterName[] = "linefilter.Image.1";

// This is stored where no image could be made. It is shorter than any, so it answers "maybe". (So would no byte at all,
// but that is how LevelDB stores that a part of a table has no keys.)
inline constexpr char kNoImage[1] = {'\0'};

// Calls visit(num_keys) for the fullest filter of each size: fewer keys in as many bytes have a lower rate. It visits
// every size up to eight blocks (beyond, `auto` takes whole blocks) and, in `classic`, 600 keys. Then, near the limit
// of rates, it visits one in sixteen up to 1,001 blocks, whose rate is the limit. visit may raise *bits_per_key.
template <class Visit>
void ForEachFullestFilter(Layout layout, const double* bits_per_key, const Visit& visit) {
  uint64_t last = 0;
  const uint64_t block_bytes = FactsOf(layout).block_bytes, step = block_bytes == 0 ? 64 : block_bytes;
  const bool is_auto = layout == Layout::kAuto, has_blocks = block_bytes != 0;
  for (uint64_t bytes = has_blocks ? step : 1; bytes <= 1001 * 64;) {
    const uint64_t num_keys = static_cast<uint64_t>(8 * static_cast<double>(bytes) / *bits_per_key);
    if (num_keys > last) visit(last = num_keys);
    const bool has_bytes = is_auto ? bytes < 8 * 64 : !has_blocks && num_keys < 600;
    bytes += has_bytes ? 1 : bytes < 16 * 64 ? step : bytes / 1024 * 64;
  }
}

// The largest filter that a policy's rate is promised for. We chose it, because no table is likely to have more keys;
// LevelDB counts those of a filter in an int.
constexpr double kMostKeys = 4294967296.0;

// Tells how likely an absent key has the whole hash of one of so many keys, which no density mends. Layouts of blocks
// have a term of their own, which does not grow with the number of keys.
inline double EqualHashFprOf(Layout layout) {
  constexpr double kHashes = 18446744073709551616.0;
  return layout == Layout::kAuto || FactsOf(layout).block_bytes != 0 ? 0 : kMostKeys / kHashes;
}

// Sets *bits_per_key so that filters of at most kMostKeys keys have an expected rate of at most fpr, to at most 0.03
// percent more than the least. Large ones need the limit. Small ones of whole blocks are better where they are rounded
// up; small ones of `classic` are worse, because their fill varies (at an fpr of 1e-2 by 8 percent, at 1e-5 by 70). So
// all of them get up to 5 percent more bits.
inline Status BitsPerKeyForAnySize(Layout layout, double fpr, double* bits_per_key) noexcept {
  constexpr double kMoreThanLimit = 1.0003;  // for the sizes that are left out: in `classic` they need 0.16 / keys
  Status status;
  Sizing sizing;
  const auto size_of = [&](uint64_t num_keys) {
    if (status.ok()) status = SizeForBitsPerKey(layout, num_keys, *bits_per_key, &sizing);
    return status.ok();
  };
  double worst = 0;
  *bits_per_key = kMaxBitsPerKey;
  ForEachFullestFilter(layout, bits_per_key, [&](uint64_t num_keys) {
    if (size_of(num_keys) && sizing.expected_fpr > worst) worst = sizing.expected_fpr;
  });
  if (!status.ok()) return status;
  const Layout of_large = layout == Layout::kAuto ? Layout::kBlocked : layout;
  const double equal = EqualHashFprOf(layout);
  const double of_most = equal + (1 - equal) * FprForBitsPerKey(of_large, kMaxBitsPerKey);
  const double least = worst > of_most ? worst : of_most;
  if (least > fpr) {  // 1.006: not less than that when it is rounded to be printed
    return Status::Error(StatusCode::kInvalidArgument,
                         "fpr is %g: filters of up to 2^32 keys reach %.3g with the most bits (layout %s): ask for "
                         "that or more",
                         fpr, 1.006 * least, LayoutName(layout));
  }
  // A filter that misses it needs the next size: no density up to there is enough. This goes on until all reach it.
  *bits_per_key = kMoreThanLimit * BitsPerKeyForFpr(of_large, (fpr - equal) / (1 - equal));
  if (*bits_per_key > kMaxBitsPerKey) *bits_per_key = kMaxBitsPerKey;
  for (bool is_enough = false; !is_enough;) {
    is_enough = true;
    ForEachFullestFilter(layout, bits_per_key, [&](uint64_t num_keys) {
      while (size_of(num_keys) && sizing.expected_fpr > fpr && *bits_per_key < kMaxBitsPerKey) {
        const double next = sizing.bits_per_key * (1 + 1e-12);
        *bits_per_key = next < kMaxBitsPerKey ? next : kMaxBitsPerKey;
        is_enough = false;
      }
    });
  }
  return status;
}

// An fpr becomes bits_per_key here, once, in some ms: sizing by fpr takes 60 us, too much for each filter of 2 KiB.
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

// Grows *out's memory for the image of num_keys keys. This comes before the builder holds any: an exception from here
// passes through this code, which cannot clean up. It resizes: reserve may grow by no more than is asked.
inline void MakeRoomForImage(const FilterOptions& options, uint64_t num_keys, std::string* out) {
  constexpr size_t kBlockAndTrailer = 128;
  const double body_bytes = static_cast<double>(num_keys) * options.bits_per_key / 8;
  const size_t old_size = out->size();
  out->resize(old_size + static_cast<size_t>(body_bytes * (1 + 4.0 / 65536)) + kBlockAndTrailer);
  out->resize(old_size);
}

// Appends the image of the builder's keys, or kNoImage, and leaves the builder empty. There is room for it.
// (FilterBuilder::Finish is not used: inline, and compiled here without its catch, it could become the program's.)
inline void AppendImage(EngineBuilder* builder, std::string* out) {
  builder->ChooseSize();
  const size_t old_size = out->size();
  const uint64_t image_bytes = builder->ImageBytes();
  if (image_bytes != 0) {
    const size_t size = static_cast<size_t>(image_bytes);  // MakeRoomForImage had room for it
    out->resize(old_size + size);
    if (builder->FinishTo(&(*out)[old_size], size, nullptr).ok()) return;
    out->resize(old_size);
  }
  builder->Reset();
  out->append(kNoImage, sizeof(kNoImage));
}

// Asks an image; if `verify` says so, an answer "absent" is verified.
inline bool AskImage(std::string_view image, std::string_view key, bool verify) noexcept {
  return ImageMayContainKey(image.data(), image.size(), key, verify ? VerifyMode::kLazy : VerifyMode::kTrusted);
}

// Makes and asks filters of 1 to 1024 keys, so that the first filter of a policy costs no more than the second. Then
// the target is chosen, and code is in memory. It cannot help where malloc gives the work area of `retrieval` (0.7 MB)
// back to the system, as it does for the first filters of each thread.
inline void UseOnce(const EngineSizes& sizes) noexcept {
  std::string text;  // too short to be allocated, which might throw here: it binds what strings grow by (3 us)
  text.resize(8);
  text.append(kNoImage, sizeof(kNoImage));
  constexpr uint64_t kMost = 1024;
  char image[static_cast<size_t>(kMaxBitsPerKey) * kMost / 8 + 128];
  for (uint64_t num_keys = 1; num_keys <= kMost; num_keys *= 2) {
    EngineBuilder builder(sizes);
    for (uint64_t i = 0; i < num_keys; ++i) builder.AddHash(MixHash(i));
    builder.ChooseSize();
    size_t size = 0;
    if (!builder.FinishTo(image, sizeof(image), &size).ok()) return;
    const std::string_view filter(image, size);
    for (const bool verify : {false, true}) AskImage(filter, "", verify);
  }
}

// Makes the policy of an engine, if that is `good`; else null, and *status (it may be null) says why.
template <class Policy>
const Policy* NewPolicy(const Status& good, const EngineFilterOptions& options, Status* status) noexcept {
  FilterOptions filter_options;
  EngineSizes sizes;
  Status made = good.ok() ? ToFilterOptions(options, &filter_options) : good;
  if (made.ok()) {
    const double of_density = FprForBitsPerKey(filter_options.layout, filter_options.bits_per_key);
    made = sizes.Create(filter_options, options.fpr != 0 ? options.fpr : of_density);
  }
  const Policy* const policy = made.ok() ? new (std::nothrow) Policy(sizes, options.verify) : nullptr;
  if (made.ok() && policy == nullptr) made = Status::Error(StatusCode::kOutOfMemory, "no memory for a policy");
  if (policy != nullptr) UseOnce(sizes);
  if (status != nullptr) *status = made;
  return policy;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_ADAPTERS_ENGINE_FILTER_H_
