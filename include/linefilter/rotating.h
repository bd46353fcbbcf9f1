// A RotatingFilter has the keys of a sliding window. It forgets in steps: keys go into the newest of some generations,
// lookups ask all of them, and a rotation drops the oldest.
//
//   linefilter::RotatingFilter seen;
//   linefilter::Status status = seen.Create(1000000, 4, options);  // a million keys per window, 4 generations
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

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "linefilter/filter_base.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

// When a generation ends.
enum class Rotation : uint8_t {
  kByCaller = 0,  // by Rotate alone: a window in time
  kByCount = 1,   // also when window_keys / (G - 1) keys went into the newest one: a window in keys, of which each
                  // counts once in every generation that it goes into
};

// There are at least two generations: one that takes keys, and one before it.
inline constexpr uint32_t kMinGenerations = 2;
// The most generations, which an image can hold.
inline constexpr uint32_t kMaxGenerations = 64;
// The last number of a generation that an image can hold. A rotation after it is like any other, and keeps the number.
inline constexpr uint64_t kLastGeneration = (uint64_t{1} << 48) - 1;

// Any number of threads fill, ask and rotate it at once. It is not copied and not moved.
class LINEFILTER_EXPORT RotatingFilter final {
 public:
  RotatingFilter() noexcept;  // answers "maybe" and takes nothing, until Create
  ~RotatingFilter();
  RotatingFilter(const RotatingFilter&) = delete;
  RotatingFilter& operator=(const RotatingFilter&) = delete;

  // Makes it for window_keys keys within a window (0 counts as 1). num_generations is 2 to 64: more of them forget in
  // finer steps (the window is exact to 1 / (G - 1)) and take longer to ask. options.fpr is the rate when all
  // generations are full; options.bits_per_key is that of each generation, whose rates add up. It is not thread-safe:
  // other threads come when it has returned. On an error the filter is as it was; so a filter that is made anew has its
  // old and its new memory until Create returns (BlockedFilter::Create).
  Status Create(uint64_t window_keys, uint32_t num_generations, const FilterOptions& options,
                Rotation rotation = Rotation::kByCaller) noexcept;
  // Goes on from a snapshot: its generations, their number, its way to rotate. The options, memory and errors are as
  // those of BlockedFilter::CreateFromImage: on an error the filter is as it was. An image of anything else is
  // kIncompatible. The call is not thread-safe.
  Status CreateFromImage(const void* image, size_t size, const FilterOptions& options = {}) noexcept;

  // Any number of threads may call everything below at once.

  // True if the key was certainly new, that is, in no generation. Every insertion, new or not, begins the key's window
  // anew. A filter of the caller's hashes ignores InsertKey and answers false.
  LINEFILTER_INLINE bool InsertKey(Key key) noexcept {
    uint64_t hash = 0;
    return key_hash_.Of(key, &hash) && InsertHash(hash);
  }
  // The same for a hash.
  bool InsertHash(uint64_t hash) noexcept;
  // Inserts a batch and returns how many were certainly new. `were_new` is null or gets n bytes of 1 or 0.
  uint64_t InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new = nullptr) noexcept;

  // This is a lookup as in linefilter/filter_base.h: it is "maybe" if one of the generations says so.
  LINEFILTER_INLINE bool MayContainKey(Key key) const noexcept {
    uint64_t hash = 0;
    return !key_hash_.Of(key, &hash) || MayContainHash(hash);
  }
  // The same for a hash.
  bool MayContainHash(uint64_t hash) const noexcept {
    const internal::ProbeState& all = Window().all;
    return all.may_contain(all, hash);
  }
  // Gives n answers, one byte each. A batch asks the generations that are live when it begins: keep it short against a
  // rotation's period.
  void MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept;
  // Gives n answers, one bit each.
  void MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept;
  // Only counts how many are "maybe".
  uint64_t CountMaybes(const uint64_t* hashes, size_t n) const noexcept;
  // Gives n answers for keys of bytes.
  void MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept;
  // Gives n answers for integers.
  void MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept;
  // Ok if calls by key can be answered; else it says why they answer "maybe".
  Status KeyStatus() const noexcept;

  // Drops the oldest generation and begins a new one, with either Rotation. Returns the number of the new one; 0 before
  // Create. Several callers go one after the other, and each rotates. The number stays at kLastGeneration.
  uint64_t Rotate() noexcept;
  // The rotations so far, those before a snapshot included.
  uint64_t generation() const noexcept {
    const uint64_t number = newest_.load(std::memory_order_acquire) >> kSlotBits;
    return number < kLastGeneration ? number : kLastGeneration;
  }

  // kBlocked, the layout of each generation; kAuto before Create.
  Layout layout() const noexcept { return layout_; }
  // These tell whose hashes it holds: key_hash() and hash_id().
  const KeyHash& key_hash() const noexcept { return key_hash_; }  // see FilterBase
  HashId hash_id() const noexcept { return key_hash_.id; }
  // For a keyed hash this is CheckOfSecret of the secret.
  uint64_t seed() const noexcept { return key_hash_.seed; }
  // The secret of a keyed hash.
  const HashSecret& secret() const noexcept { return key_hash_.secret; }
  // The number of generations, G.
  uint32_t num_generations() const noexcept { return num_generations_; }
  // How many keys each is made for.
  uint64_t keys_per_generation() const noexcept { return keys_per_generation_; }
  // When a generation ends.
  Rotation rotation() const noexcept { return rotation_; }
  // Bits per key that are set and tested in each generation.
  uint32_t num_probes() const noexcept { return num_probes_; }
  // The bytes of the live generations together.
  uint64_t body_bytes() const noexcept { return generation_bytes_ * num_generations_; }
  // The target that answers lookups.
  const char* target() const noexcept;

  // The share of one bits in the generation that began `age` rotations ago (0 = the newest), read while others are set.
  // It is 0 for an age that none has.
  double FillRatio(uint32_t age) const noexcept;
  // The distinct keys of that generation, estimated from its share of one bits.
  double EstimatedKeys(uint32_t age) const noexcept;
  // The rate at which absent keys answer "maybe", from these very bits, as FilterBase::ExpectedFpr() of a snapshot has
  // it. It reads them all, up to 2^20 blocks of a generation, and a sample of so many in a larger one. 1 before Create.
  double ExpectedFpr() const noexcept;
  // The bytes held, this object included.
  uint64_t MemoryUse() const noexcept;

  // These make a snapshot of the live generations while insertions go on, as in ConcurrentBlockedFilter. It is an image
  // of layout `container`, which FilterView and CreateFromImage take. A rotation waits for it. With kByCount nobody
  // waits, and the newest generation takes more keys than it is made for: the longer the writing, the higher the rate,
  // until that generation is dropped. So write to memory first (WriteImageTo, AppendImage), then to what is slow.
  uint64_t ImageBytes() const noexcept;
  // Writes to a sink, piece by piece; this takes up to 1 MiB and 1/16384 of the image for the moment. `sink` must not
  // rotate this filter, write or save it, nor insert into it if it is kByCount: it would wait for itself.
  Status WriteImage(const Sink& sink) const noexcept;
  // Writes ImageBytes() bytes to `out` (size may be more; less is kInvalidArgument).
  Status WriteImageTo(void* out, size_t size) const noexcept;
  // Appends the image to *image.
  Status AppendImage(std::string* image) const {
    return internal::AppendToString(image, ImageBytes(), [this](void* out, size_t n) { return WriteImageTo(out, n); });
  }
  // Writes a file. It is complete and synced before it gets its name; an old file of that name stays until then.
  // Rotations wait for the writing.
  Status Save(const char* path) const noexcept;

 private:
  static constexpr uint32_t kSlotBits = 8;
  // How the generations are asked while a certain one is the newest.
  struct Views {
    internal::ProbeState all, older, newest;
  };
  struct Snapshot;

  const Views& Window() const noexcept { return ViewsAt(newest_.load(std::memory_order_acquire)); }
  const Views& ViewsAt(uint64_t newest) const noexcept { return views_[newest & ((1u << kSlotBits) - 1)]; }
  LINEFILTER_LOCAL uint32_t num_slots() const noexcept { return num_generations_ + 1; }
  LINEFILTER_LOCAL uint8_t* BodyOfSlot(uint32_t slot) const noexcept { return bodies_ + generation_bytes_ * slot; }
  LINEFILTER_LOCAL const uint8_t* BodyOfAge(uint32_t age) const noexcept;
  LINEFILTER_LOCAL uint64_t ViewsBytes() const noexcept;
  LINEFILTER_LOCAL void Release() noexcept;
  LINEFILTER_LOCAL void Adopt(RotatingFilter* made) noexcept;
  LINEFILTER_LOCAL Status Allocate(uint32_t num_generations, uint64_t generation_bytes, uint32_t num_probes,
                                   const FilterOptions& options) noexcept;
  LINEFILTER_LOCAL void Bind() noexcept;
  LINEFILTER_LOCAL void InsertAgain(const uint64_t* hashes, size_t n, uint64_t into) noexcept;
  LINEFILTER_LOCAL void Count(uint64_t num_new) noexcept;
  LINEFILTER_LOCAL uint64_t RotateLocked() noexcept;

  // This is the number of the newest generation, and behind it, in kSlotBits, its slot. It counts on beyond
  // kLastGeneration, because every rotation must change it.
  std::atomic<uint64_t> newest_{0};
  Views* views_;  // one for each slot
  Views none_;    // before Create
  uint8_t* bodies_ = nullptr;
  uint64_t generation_bytes_ = 0, keys_per_generation_ = 0;
  uint32_t num_generations_ = 0, num_probes_ = 0;
  Layout layout_ = Layout::kAuto;
  Rotation rotation_ = Rotation::kByCaller;
  KeyHash key_hash_;
  Allocator allocator_;
  std::atomic<uint64_t> keys_in_newest_{0};  // with kByCount: keys that changed a bit of it
  mutable std::mutex mutex_;                 // rotations and snapshots hold it
};

}  // namespace linefilter

#endif  // LINEFILTER_ROTATING_H_
