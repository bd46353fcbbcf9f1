// A ScalableFilter grows: it is for sets whose size nobody knows when the filter is made.
//
//   linefilter::ScalableFilter seen;  // with room for a thousand keys at first, and 1 % for ever
//   linefilter::Status status = seen.Create(1000, linefilter::FilterOptions::AtFpr(0.01));
//   if (!status.ok()) ...  // status.message() says what to do
//   if (seen.InsertKey("alice@example.org")) ...  // certainly new
//   if (!seen.growth_status().ok()) ...  // it could not grow: no key is lost, but the rate rises
//
// It is a row of `blocked` filters, its stages, each with room for twice the keys of the one before. A key that no
// stage has goes into the newest; when that is full the next is opened. options.fpr is the bound on the false-positive
// rate of all stages together, and holds at every moment, however many keys come. A lookup reads one line per stage.
//
// It costs 1.5 to 1.8 times the bits of one `blocked` filter that knew the count and has that bound, when it has grown
// a thousandfold and the last stage is full. (That is for 0.01 to 1 %, with max_growth = 1000; without, it costs 1.7 to
// 2.1 times.) Just after a stage was opened it costs about twice that. At 10 % it is 2.4 and 4.7 times. doc/DESIGN.md,
// "Growing", has the figures.
//
// One writer may use it, or any number of readers. Before Create, or moved from, it answers "maybe" and takes nothing.
#ifndef LINEFILTER_SCALABLE_H_
#define LINEFILTER_SCALABLE_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/key_filter.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

class FilterView;

namespace internal {
struct Growth;  // lib/filters/growth.h
}

// How a ScalableFilter grows.
struct GrowthOptions {
  // 0 means growth without end, for bounds from about 0.002 % up, and a millionfold at least. Else the filter has room
  // for at least max_growth times its first capacity, in as many stages as max_growth has binary digits: 1000 takes 10.
  // Unlimited growth keeps a part of the bound for stages that may never come, and is larger for it. After ten stages
  // it has a fifth more than one with room for a thousandfold, and a twentieth more than one for a millionfold.
  uint64_t max_growth = 0;
};

// The facts of a stage, and how full it is.
struct StageFacts {
  uint64_t capacity = 0;    // the keys that it was made for
  uint64_t num_keys = 0;    // the certainly new keys that went into it; above `capacity`: it could not grow
  uint64_t num_blocks = 0;  // of 64 bytes
  uint32_t num_probes = 0;  // bits per key that are set and tested
  double fpr = 0;           // its share of the bound: the highest rate that it has with `capacity` keys
};

// This filter grows, as told above. Its layout is kContainer.
class LINEFILTER_EXPORT ScalableFilter final : public KeyFilter {
 public:
  ScalableFilter() noexcept;
  ~ScalableFilter();
  // The filter moved from is as before Create.
  ScalableFilter(ScalableFilter&& other) noexcept;
  ScalableFilter& operator=(ScalableFilter&& other) noexcept;

  // Makes room for first_capacity keys (0 counts as 1) at first. options.fpr is the bound; bits_per_key and num_probes
  // are refused, `layout` is kAuto or kBlocked. memory_limit holds for all that MemoryUse tells. On an error the filter
  // is as it was; so a filter that is made anew has its old and its new memory until Create returns
  // (BlockedFilter::Create). It is kInvalidArgument also if a stage within max_growth would be finer than `blocked` can
  // be, a rate of about 1.5e-8. Without max_growth that holds for the first 20 stages (a bound below 3e-6).
  Status Create(uint64_t first_capacity, const FilterOptions& options, const GrowthOptions& growth = {}) noexcept;
  // Makes a mutable copy of an image that a ScalableFilter wrote, verified. It goes on growing as the original would:
  // the same insertions give the same bytes. Options, memory and errors are those of BlockedFilter::CreateFromImage: on
  // an error the filter is as it was. Another image, of an empty set or of stages without the growth of a
  // ScalableFilter, is kIncompatible. Set memory_limit for an image from others: it says how large the next stage will
  // be, up to some hundred times its own bytes.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;

  // Goes on with a file that Save wrote, as BlockedFilter::Load does.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept;
  // Becomes a copy of `other`, which grows as it would, with its allocator and memory_limit. On an error, and if
  // `other` was never created (kInvalidArgument), the filter is as it was.
  Status CloneFrom(const ScalableFilter& other) noexcept;

  // key_filter.h has insertions and the ways to an image, filter_base.h the questions. A key that may have been seen
  // before changes nothing. Writing the image to a sink takes 1/16384 of it, and up to 64 KiB, for the moment.

  // Ok means that no stage holds more keys than it was made for, so the bound holds. Else it says why no further stage
  // could be opened: max_growth, memory_limit, no memory, or a size that `blocked` cannot have. Keys then go on into
  // the newest stage: none is lost, and the rate rises above the bound. A failed allocation is tried again each time
  // that a sixteenth of the stage came to it. If that succeeds, or the filter is made of an image, the stage that took
  // too many is still told of (kOverLimit), until Clear.
  Status growth_status() const noexcept;
  // How many stages there are; 0 before Create.
  uint32_t num_stages() const noexcept;
  // The facts of stage `index` below num_stages(), the oldest first.
  StageFacts stage(uint32_t index) const noexcept;
  // The bound: FilterOptions::fpr of Create.
  double fpr() const noexcept;
  // The limit that Create or CreateFromImage was given; kNoMemoryLimit before.
  uint64_t memory_limit() const noexcept;
  // The growth options that Create was given.
  GrowthOptions growth() const noexcept;
  // How many keys were certainly new; a key that was a false positive when it came is not counted.
  uint64_t num_keys() const noexcept;

  // Removes all keys and all stages but the first.
  void Clear() noexcept;

 private:
  struct LINEFILTER_LOCAL Writing;  // its table KeyFilter::Image
  struct LINEFILTER_LOCAL Growing;  // its insertions
  LINEFILTER_LOCAL Status Start(const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL Status CopyView(const FilterView& view, const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL Status CopyStages(const FilterBase& from) noexcept;
  LINEFILTER_LOCAL Status AddStage(uint64_t body_bytes, uint32_t num_probes) noexcept;
  LINEFILTER_LOCAL Status OpenStage() noexcept;
  LINEFILTER_LOCAL uint64_t MakeRoom() noexcept;
  LINEFILTER_LOCAL uint64_t InsertGroups(const uint64_t* hashes, size_t n, uint8_t* were_new) noexcept;
  LINEFILTER_LOCAL void DropStages(uint32_t keep) noexcept;
  LINEFILTER_LOCAL void Bind() noexcept;
  LINEFILTER_LOCAL void Release() noexcept;

  internal::Growth* growth_ = nullptr;  // null before Create
};

}  // namespace linefilter

#endif  // LINEFILTER_SCALABLE_H_
