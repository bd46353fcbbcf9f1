// This tells how many keys the size is for, and removes those that came again.
#include <cstring>

#include "lib/base/parallel.h"
#include "lib/build/builder_chunk.h"
#include "lib/build/hash_reader.h"
#include "lib/build/repeat_sketch.h"
#include "lib/build/repeats.h"
#include "linefilter/builder.h"

namespace linefilter {

using internal::SetSketch;

namespace {

// From so many hashes on, which take a quarter of a millisecond, threads are worth their start.
constexpr uint64_t kSketchedByThreads = uint64_t{1} << 20;
constexpr size_t kMostSketchers = 16;  // which read as fast as memory gives

}  // namespace

uint64_t FilterBuilder::SizeOf(const Chunk& chunk) const noexcept {
  Chunk& own = const_cast<Chunk&>(chunk);
  return &chunk == current_ ? static_cast<uint64_t>(tail_ - own.hashes()) : chunk.capacity();
}

uint64_t FilterBuilder::NumHashes() const noexcept {
  uint64_t n = 0;
  ForEachSpan([&](const uint64_t*, uint64_t size) { n += size; });
  return n;
}

// Whether there are, or are estimated to be, so many repeats that they are removed. The sketch goes on with what is
// new, until there are so many keys that it looks at fewer hashes.
bool FilterBuilder::ShowsRepeats() noexcept {
  if (num_keys_ <= internal::kCountedExactly) return internal::FewMayRepeat(first_, NumHashes());
  static_assert(sizeof(sketch_) == SetSketch::kWords * sizeof(*sketch_));
  SetSketch sketch(sketch_);
  const uint32_t level = internal::SketchLevel(num_keys_);
  if (num_sketched_ == 0 || level != sketch_level_) {
    memset(sketch_, 0, sizeof(sketch_));
    sketch_level_ = level;
    num_sketched_ = 0;
  }
  if (num_sketched_ == 0 && options_.executor.run != nullptr && num_keys_ >= kSketchedByThreads) {
    SketchByThreads(level);
    num_sketched_ = NumHashes();
    return sketch.ShowsRepeats(num_keys_);
  }
  uint64_t known = num_sketched_;
  ForEachSpan([&](const uint64_t* hashes, uint64_t size) {
    const uint64_t skipped = known < size ? known : size;
    sketch.Add(hashes + skipped, size - skipped, level);
    known -= skipped;
    num_sketched_ += size - skipped;
  });
  return sketch.ShowsRepeats(num_keys_);
}

// Each thread has a part of the hashes, and a sketch of its own.
void FilterBuilder::SketchByThreads(uint32_t level) noexcept {
  struct alignas(64) Thread {
    uint64_t words[SetSketch::kWords];
  };
  Thread threads[kMostSketchers] = {};
  const size_t asked = options_.executor.num_threads, num_threads = asked < kMostSketchers ? asked : kMostSketchers;
  internal::ShareOut(options_.executor, num_threads, num_threads, [&](size_t, uint64_t part) {
    SetSketch sketch(threads[part].words);
    ForEachSpanOf(part, num_threads, [&](const uint64_t* hashes, uint64_t n) { sketch.Add(hashes, n, level); });
  });
  for (const Thread& thread : threads) {
    for (size_t i = 0; i < SetSketch::kWords; ++i) sketch_[i] |= thread.words[i];
  }
}

Status FilterBuilder::RemoveRepeats() noexcept {
  if (num_borrowed_ != 0) {
    const Status status = CopyBorrowed();
    if (!status.ok()) return status;
  }
  uint64_t left = internal::SortDistinct(first_, NumHashes());
  num_sketched_ = num_sketched_ == 0 ? 0 : left;
  current_ = first_;
  for (; left > current_->capacity(); current_ = current_->next) left -= current_->capacity();
  tail_ = current_->hashes() + left;
  tail_end_ = current_->hashes() + current_->capacity();
  SpareChunksAfter(current_);
  return Status();
}

// Adjacent repeats were dropped as they came, which depends on the order. So the set of hashes and the number of keys
// that were added decide, and nothing else.
Status FilterBuilder::KeysToSizeFor(uint64_t* num_keys) noexcept {
  *num_keys = options_.num_keys != 0 ? options_.num_keys : num_keys_;
  if (options_.num_keys != 0 || repeats_are_adjacent_ || !internal::DropsRepeats(options_)) return Status();
  if (counted_at_ != num_keys_) {
    const bool shows_repeats = ShowsRepeats();
    const Status status = shows_repeats ? RemoveRepeats() : Status();
    if (!status.ok()) return status;
    const bool is_exact = shows_repeats || num_keys_ <= internal::kCountedExactly;
    counted_at_ = num_keys_;
    counted_ = is_exact ? NumHashes() : num_keys_;
  }
  *num_keys = counted_;
  return Status();
}

}  // namespace linefilter
