// A RotatingFilter has the keys of a sliding window. It forgets in steps: keys go into the newest of some generations,
// lookups ask all of them, and a rotation drops the oldest.
//
//   linefilter::RotatingFilter seen;
//   linefilter::Status status = seen.Create(1000000, 4, options);  // a million keys per window, 4 generations
//   if (!status.ok()) ...  // status.message() says what to do
//   if (seen.InsertKey(url)) fetch(url);                           // any thread, without a lock
//   seen.Rotate();  // every third of the window, by your clock; or Rotation::kByCount does it
//
// With G generations the window is G - 1 rotations long. A key is guaranteed to be "maybe" in every lookup that begins
// after its insertion returned, until G rotations ended or began since the insertion was called. (A rotation that was
// waiting then, for a snapshot or another rotation, ends since.) Insertions, lookups and rotations may run at once, on
// any threads. ("After" is meant as in linefilter/concurrent.h.) A key that is inserted again lives on from then. One
// that is older than G rotations is forgotten: "absent", but for false positives.
//
// - A rotation is one atomic store; then its caller clears what was dropped, for the next one, 0.1 ms per MB. Only
//   other rotations and snapshots wait for that.
// - An insertion during which a rotation comes inserts again, into what is newest then: a thread that was stopped for
//   long between the two does not lose its key with the generation it had begun with.
// - All memory, G + 1 generations, is taken by Create. A lookup reads a line of each generation; the false positives of
//   all are added up, so that each is made for options.fpr / G.
// - After fork the child may ask, insert, and destroy it. It must not rotate or write snapshots: they may wait for a
//   thread that it does not have. For the same reason kByCount may never rotate there. A child with a window of its own
//   makes it of an image that the parent wrote (CreateFromImage).
// - If several threads insert the same absent key at once, more than one may be told that it was certainly new.
#ifndef LINEFILTER_ROTATING_H_
#define LINEFILTER_ROTATING_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"
#include "linefilter/key_filter.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

class FilterView;

namespace internal {
struct Ring;  // lib/filters/ring.h
}

// When a generation ends.
enum class Rotation : uint8_t {
  kByCaller = 0,  // by Rotate alone: a window in time
  // Also when window_keys / (G - 1) keys went into the newest one: a window in keys, of which each counts once in every
  // generation that it goes into. While one thread is stopped, others may fill G generations, and with them goes what
  // it inserted: let a generation last longer than a thread may be stopped.
  kByCount = 1,
};

// There are at least two generations: one that takes keys, and one before it.
inline constexpr uint32_t kMinGenerations = 2;
// The most generations, which an image can hold.
inline constexpr uint32_t kMaxGenerations = 64;
// The last number of a generation that an image can hold. A rotation after it is like any other, and keeps the number.
inline constexpr uint64_t kLastGeneration = (uint64_t{1} << 48) - 1;

// Any number of threads fill, ask and rotate it at once.
class LINEFILTER_EXPORT RotatingFilter final : public KeyFilter {
 public:
  RotatingFilter() noexcept;  // answers "maybe" and takes nothing, until Create
  ~RotatingFilter();
  RotatingFilter(const RotatingFilter&) = delete;
  RotatingFilter& operator=(const RotatingFilter&) = delete;

  // Makes it for window_keys keys within a window (0 counts as 1). num_generations is 2 to 64: more of them forget in
  // finer steps (the window is exact to 1 / (G - 1)) and take longer to ask. options.fpr is the rate when all
  // generations are full; options.bits_per_key is that of each generation, whose rates add up. options.layout is kAuto
  // or kBlocked. It is not thread-safe: other threads come when it has returned. On an error the filter is as it was;
  // so a filter that is made anew has its old and its new memory until Create returns (BlockedFilter::Create).
  Status Create(uint64_t window_keys, uint32_t num_generations, const FilterOptions& options,
                Rotation rotation = Rotation::kByCaller) noexcept;
  // Goes on from a snapshot: its generations, their number, its way to rotate. The options, memory and errors are as
  // those of BlockedFilter::CreateFromImage: on an error the filter is as it was. An image of anything else is
  // kIncompatible. The call is not thread-safe.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;

  // Goes on with a file that Save wrote, as BlockedFilter::Load does. The call is not thread-safe.
  Status Load(const char* path, const FilterOptions& options = {}) noexcept;
  // Becomes a snapshot of `other` (below), with its allocator, while others insert into that: a rotation of `other`
  // waits for it. On an error, and if `other` was never created (kInvalidArgument), the filter is as it was. The call
  // is not thread-safe for this filter.
  Status CloneFrom(const RotatingFilter& other) noexcept;

  // Any number of threads may call at once everything below, and what filter_base.h and key_filter.h have.
  //
  // A key is "maybe" if one of the generations says so, and certainly new if none had it. Every insertion, new or not,
  // begins the key's window anew. A batch asks the generations that are live when it begins: keep it short against a
  // rotation's period.
  //
  // A filter is written, or saved, as a snapshot of the live generations while insertions go on, as in
  // ConcurrentFilter. It is an image of layout `container`, which FilterView and CreateFromImage take. A rotation waits
  // for it. With kByCount nobody waits, and the newest generation takes more keys than it is made for: the longer the
  // writing, the higher the rate, until that generation is dropped. So write to memory first (WriteImageTo,
  // AppendImage), then to what is slow. WriteImage takes up to 1 MiB and 1/16384 of the image for the moment. Its sink
  // must not rotate this filter, write or save it, nor insert into it if it is kByCount: it would wait for itself.

  // Drops the oldest generation and begins a new one, with either Rotation. Returns the number of the new one; 0 before
  // Create. Several callers go one after the other, and each rotates. The number stays at kLastGeneration.
  uint64_t Rotate() noexcept;
  // The rotations so far, those before a snapshot included.
  uint64_t generation() const noexcept;

  // The number of generations, G.
  uint32_t num_generations() const noexcept;
  // How many keys each is made for.
  uint64_t keys_per_generation() const noexcept;
  // When a generation ends.
  Rotation rotation() const noexcept;
  // The share of one bits in the generation that began `age` rotations ago (0 = the newest), read while others are set.
  // It is 0 for an age that none has.
  double FillRatioOfAge(uint32_t age) const noexcept;
  // The distinct keys of that generation, estimated from its share of one bits.
  SizeEstimate ApproximateSizeOfAge(uint32_t age) const noexcept;

 private:
  struct LINEFILTER_LOCAL Writing;  // its table KeyFilter::Image
  LINEFILTER_LOCAL Status CopyView(const FilterView& view, const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL void Bind(internal::Ring* ring, const KeyHash& key_hash) noexcept;

  internal::Ring* ring_ = nullptr;  // null before Create
};

}  // namespace linefilter

#endif  // LINEFILTER_ROTATING_H_
