// FilterBuilder takes keys and makes one image. The protocol is (Add)* Finish, and again.
//
//   linefilter::FilterBuilder builder(options);
//   for (const std::string& key : keys) builder.AddKey(key);
//   linefilter::Status status = builder.FinishToFile("users.filter");
//   if (!status.ok()) ...  // status.message() says what to do
//
// The size follows from the keys that really came, unless options.num_keys tells it. Keys that came again do not count:
// - Where at most 4096 keys came, repeats among them, the distinct ones are counted.
// - Where more came, a sample estimates how many are distinct, with a standard error of 1.65 %. If all keys are more
//   than 1.05 times as many, the distinct ones are counted, too. That takes 15 to 100 ns per key and no memory.
// - Else the size is for all keys that came, at most about 5 % more than the distinct ones.
// So the image depends on the set of keys and on how many were added alone, not on their order. A filter that gives
// keys back counts every key, because a key that came twice must be removed twice (options.removable).
//
// Memory is 8 bytes per key, whatever the keys' length, and the image while Finish runs; `retrieval` of any size needs
// a work area besides (below), and `quotient` takes one if the limit permits it. Nothing is copied when it grows.
// Hashes that are in an array already are borrowed (BorrowHashes): that saves the copy, and of `blocked` half of the
// memory or more. What an image of a few thousand keys took is kept for the next one, up to 63 KiB for keys and 1 MiB
// of work area: who makes many small filters takes one builder for all. It is not thread-safe, not even in const calls
// (ImageBytes removes repeats, sizing computes a rate). No thread is started: Finish uses those of options.executor,
// and so does AddHashes of many.
//
// Large images are made in bulk: the hashes are sorted, where they lie, into ranges of blocks, and each range is made
// while it sits in the cache. This takes, beside hashes and image:
// - to sort, 4 KiB per range for each thread; several threads take at most 2 bytes per key. A range is 256 KiB of
//   `blocked`, 64 KiB of `retrieval`; there are at most 8192;
// - to make ranges of `retrieval`, about 0.7 MiB for each thread and 4 bytes per key of a range. Several threads take
//   at most 2 bytes per key, but up to four of them work wherever each has four ranges to make;
// - hashes that are borrowed are sorted into other memory. `retrieval` takes 8 bytes per key of it, and `blocked`, from
//   16 MiB on, 4 bytes per key or 32 MiB, if that is more.
// Where memory_limit leaves no room for it, fewer threads work, and at last keys are inserted one by one: that is
// slower and gives the same bytes. `retrieval` cannot insert, so it answers kOverLimit.
#ifndef LINEFILTER_BUILDER_H_
#define LINEFILTER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include "linefilter/hash.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/key_kinds.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter {

namespace internal {
struct BulkContext;
struct BulkPlan;
struct HashChunk;
struct LayoutMaker;
struct ProbeState;
class Partition;

// Memory that is used again, whatever it was for.
struct WorkArea {
  void* memory = nullptr;
  uint64_t bytes = 0;
};
}  // namespace internal

class AtomicFile;

// linefilter/builder.h begins with how it is used and what memory it takes.
class LINEFILTER_EXPORT FilterBuilder {
 public:
  // Bad options are reported by Finish (and by status()); Add calls are then ignored.
  explicit FilterBuilder(const FilterOptions& options) noexcept;
  ~FilterBuilder();
  FilterBuilder(const FilterBuilder&) = delete;
  FilterBuilder& operator=(const FilterBuilder&) = delete;

  // Duplicates are legal. Adjacent ones, as sorted input has them, take no memory, except in what gives keys back.
  LINEFILTER_INLINE void AddKey(Key key) noexcept {
    uint64_t hash = 0;
    if (key_hash_.Of(key, &hash)) {
      AddHash(hash);
    } else {
      RefuseKey();
    }
  }
  // Adds n keys of any type that is a Key, as AddKey would one by one. Those of std::string_view, std::string and
  // uint64_t are hashed together, which is faster.
  template <class T, std::enable_if_t<std::is_convertible_v<const T&, Key>, int> = 0>
  void AddKeys(const T* keys, size_t n) noexcept {
    const auto add = [this](const uint64_t* hashes, size_t, size_t size) { AddHashes(hashes, size); };
    if (!key_hash_.InGroups(keys, n, add) && n != 0) RefuseKey();
  }
#if defined(__cpp_lib_span)
  template <class T, size_t kExtent>
  void AddKeys(std::span<T, kExtent> keys) noexcept {  // see above; from C++20 on
    AddKeys(keys.data(), keys.size());
  }
#endif
  LINEFILTER_INLINE void AddHash(uint64_t hash) noexcept {
    if (tail_ != tail_end_ && (num_keys_ == 0 || hash != last_)) {
      *tail_++ = last_ = hash;
      ++num_keys_;
    } else {
      AddSlow(hash);
    }
  }
  void AddHashes(const uint64_t* hashes, size_t n) noexcept;
  // Does the same for hashes that stay where they are, unchanged, until the image is made or Reset is called. Give all
  // hashes of an image at once: only the first keys of an image are not copied, and where others follow, or where many
  // come again, these are copied, too.
  void BorrowHashes(const uint64_t* hashes, size_t n) noexcept;

  // Adds the forms of columns to those of the keys of this image, which tells them, and their kind (KeyFilter has the
  // rules), and the number of keys, whatever the size of the body. They are forgotten with the keys. Keys of another
  // kind or form than the options and this tell are not noticed: for them say NoteKeyForms(kUnknownKeyForms).
  void NoteKeyForms(uint64_t forms) noexcept { noted_.AddForms(forms); }
  // Those of the options and those that were noted since the last image, as FilterBase::key_forms tells them.
  uint64_t key_forms() const noexcept { return key_kinds().key_forms(); }
  // Only the library itself uses this.
  internal::KeyKinds key_kinds() const noexcept {
    internal::KeyKinds kinds(options_.key_kind);
    kinds.Add(noted_);
    return kinds;
  }

  // The keys that were added so far, each time that they came. sizing() tells how many the size counts.
  uint64_t num_keys() const noexcept { return num_keys_; }
  // How its keys become hashes.
  const KeyHash& key_hash() const noexcept { return key_hash_; }
  // The first error so far: bad options, memory that ran out, a limit exceeded, a key where callers hash
  // (kIncompatible). Finish returns the same.
  const Status& status() const noexcept { return status_; }

  // The bytes that Finish would write now; 0 if status() is an error. After more keys it looks at those that are new
  // (0.4 ns each), or counts all distinct ones (above): who asks after every few keys takes EstimateBytes.
  uint64_t ImageBytes() const noexcept;
  // Tells the same for num_keys distinct keys before anything is built, and the most memory that a builder would hold
  // meanwhile. (What it kept of an earlier image it uses, or gives back where it is in the way.) It is the most for
  // keys with repeats. It assumes uniformly distributed hashes. Others (poor, or many times the same) matter for
  // `retrieval` alone: each hash that its fullest range has beyond its share adds 4 bytes, never beyond memory_limit.
  static Status EstimateBytes(const FilterOptions& options, uint64_t num_keys, uint64_t* image_bytes,
                              uint64_t* peak_memory = nullptr) noexcept;

  // Ends the image, and starts a new, empty one with the same options. It appends the image to *image, of which nothing
  // before its old end is touched: so an image goes into a file of blocks. On an error here and below the keys are kept
  // and nothing is written.
  Status Finish(std::string* image) {
    return internal::AppendToString(image, ImageBytes(),
                                    [this](void* out, size_t n) { return FinishTo(out, n, nullptr); });
  }
  // Does the same into `size` bytes at `out`, at least ImageBytes() (else kInvalidArgument). *written says how many; it
  // may be null.
  Status FinishTo(void* out, size_t size, size_t* written) noexcept;
  // Does the same through a sink, piece by piece; on an error it may have received a part.
  Status FinishToSink(const Sink& sink) noexcept;
  // Does the same into a file. It is complete and synced before it gets its name; an old file of that name stays until
  // then.
  Status FinishToFile(const char* path) noexcept;

  // The size and shape of what the last successful Finish made; its num_keys is what the size counts. (Its expected_fpr
  // is computed here: that takes some microseconds, as long as all else of a small filter.)
  const Sizing& sizing() const noexcept;

  // Forgets all keys and any error but that of the options, and gives all memory back.
  void Reset() noexcept;

 protected:
  // Returns what Finish would return, and sets *image_bytes, for callers that must allocate the image first.
  LINEFILTER_LOCAL Status CheckFinish(uint64_t* image_bytes) const noexcept;
  // The next image has this size and layout if it has sizing.num_keys keys, whatever the options say. `sizing` is of
  // linefilter/sizing.h. It is for policies of engines, which size few keys in another way.
  void SizeAs(const Sizing& sizing) noexcept {
    sized_ = sizing;
    has_sized_ = true;
  }
  // Promises, of a builder without keys, that a key comes again right behind itself alone. Then nothing is estimated,
  // and num_keys counts distinct keys: for engines, whose keys are sorted.
  void RepeatsAreAdjacent() noexcept { repeats_are_adjacent_ = true; }
  // The next images tell this kind of keys, whatever the options say: for who sees the kind only as the keys come.
  void SetKeyKind(KeyKind kind) noexcept { options_.key_kind = kind; }

 private:
  using Chunk = internal::HashChunk;

  LINEFILTER_LOCAL Status AppendChunk() noexcept;
  void AddSlow(uint64_t hash) noexcept;
  LINEFILTER_LOCAL Status CopyBorrowed() noexcept;
  LINEFILTER_LOCAL uint64_t AddChunks(const uint64_t* hashes, uint64_t n) noexcept;
  void RefuseKey() noexcept;
  LINEFILTER_LOCAL void Fail(const Status& status) noexcept;
  LINEFILTER_LOCAL void FreeChunksAfter(Chunk* last) noexcept;
  LINEFILTER_LOCAL void SpareChunksAfter(Chunk* last) noexcept;
  LINEFILTER_LOCAL void BeginAgain() noexcept;
  LINEFILTER_LOCAL Status SizeNow(Sizing* sizing) const noexcept;
  LINEFILTER_LOCAL uint64_t SizeOf(const Chunk& chunk) const noexcept;
  template <class Visit>
  void ForEachSpan(const Visit& visit) const noexcept;
  template <class Visit>
  void ForEachSpanOf(uint64_t part, uint64_t num_parts, const Visit& visit) const noexcept;
  // builder_count.cc
  LINEFILTER_LOCAL uint64_t NumHashes() const noexcept;
  LINEFILTER_LOCAL Status KeysToSizeFor(uint64_t* num_keys) noexcept;
  LINEFILTER_LOCAL bool ShowsRepeats() noexcept;
  LINEFILTER_LOCAL void SketchByThreads(uint32_t level) noexcept;
  LINEFILTER_LOCAL Status RemoveRepeats() noexcept;
  // builder_finish.cc
  LINEFILTER_LOCAL Status Plan(const Sizing& sizing, uint64_t image_bytes, internal::BulkPlan* plan) const noexcept;
  LINEFILTER_LOCAL Status BuildBody(const Sizing& sizing, const internal::BulkPlan& plan, uint8_t* body, bool is_zero,
                                    internal::Partition* partition) noexcept;
  LINEFILTER_LOCAL Status BuildOfBorrowed(const internal::BulkContext& context, const internal::ProbeState& state,
                                          uint8_t* body, bool is_zero, internal::Partition* partition) noexcept;
  LINEFILTER_LOCAL Status InsertAll(const Sizing& sizing, uint8_t* body, bool is_zero, size_t num_threads) noexcept;
  LINEFILTER_LOCAL void InsertByThreads(const internal::LayoutMaker& maker, const internal::ProbeState& state,
                                        uint8_t* body, bool is_zero, size_t num_threads) noexcept;
  LINEFILTER_LOCAL Status BuildOneRange(const Sizing& sizing, const internal::BulkPlan& plan, uint8_t* body) noexcept;
  LINEFILTER_LOCAL Status WriteImage(const Sink& sink, const Sizing& sizing, internal::Partition* partition) noexcept;
  LINEFILTER_LOCAL Status FinishThrough(const Sink& sink, AtomicFile* file) noexcept;
  LINEFILTER_LOCAL Status Finished(const Status& status, const Sizing& sizing, internal::Partition* partition) noexcept;

  FilterOptions options_;
  KeyHash key_hash_;
  Status status_;
  mutable Sizing sizing_;
  mutable bool has_fpr_ = true;  // of sizing_
  mutable Sizing sized_;         // for sized_.num_keys keys; ImageBytes and Finish both use it
  mutable bool has_sized_ = false;
  bool repeats_are_adjacent_ = false;
  Chunk* first_ = nullptr;
  Chunk* current_ = nullptr;
  Chunk* spare_ = nullptr;  // those of the last image; chunk_memory_ counts them
  mutable internal::WorkArea work_area_;
  const uint64_t* borrowed_ = nullptr;  // num_borrowed_ hashes; where there are some, the chunks have none
  size_t num_borrowed_ = 0;
  uint64_t* tail_ = nullptr;
  uint64_t* tail_end_ = nullptr;
  uint64_t last_ = 0;
  uint64_t num_keys_ = 0;                  // that were added; the chunks have fewer where repeats were dropped
  uint64_t counted_at_ = 0, counted_ = 0;  // so many of counted_at_ keys count
  uint64_t num_sketched_ = 0;              // hashes of the chunks that sketch_ has
  uint64_t chunk_memory_ = 0;
  uint64_t chunks_at_once_ = 2;  // how many chunks threads fill at once
  internal::KeyKinds noted_;     // with those of the options the kinds and forms of the next image
  bool options_are_good_;
  uint32_t sketch_level_ = 0;
  uint64_t own_[136];     // the first chunk, from the first line that begins here
  uint64_t sketch_[128];  // lib/build/repeat_sketch.h; last, because few keys do not touch it
};

}  // namespace linefilter

#endif  // LINEFILTER_BUILDER_H_
