// This tells how many keys the size is for, and removes those that came again.
#include "lib/base/memory.h"
#include "lib/build/builder_chunk.h"
#include "lib/build/hash_reader.h"
#include "lib/build/repeat_sketch.h"
#include "lib/build/repeats.h"
#include "linefilter/builder.h"

namespace linefilter {

uint64_t FilterBuilder::SizeOf(const Chunk& chunk) const noexcept {
  Chunk& own = const_cast<Chunk&>(chunk);
  return &chunk == current_ ? static_cast<uint64_t>(tail_ - own.hashes()) : chunk.capacity();
}

uint64_t FilterBuilder::NumHashes() const noexcept {
  uint64_t n = 0;
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) n += SizeOf(*chunk);
  return n;
}

uint64_t FilterBuilder::HeldBytes() const noexcept {
  return chunk_memory_ + (sketch_ == nullptr ? 0 : sizeof(*sketch_));
}

void FilterBuilder::FreeSketch() noexcept {
  internal::RepeatSketch* const sketch = sketch_;
  sketch_ = nullptr;
  num_sketched_ = 0;
  if (sketch != nullptr) internal::Deallocate(options_.allocator, sketch, sizeof(*sketch));
}

// Whether the chunks have, or are estimated to have, so many repeats that they are removed. The sketch is kept for the
// next time; without memory for it, it is made of all hashes again.
bool FilterBuilder::ShowsRepeats() noexcept {
  if (num_keys_ <= internal::kCountedExactly) return internal::FewMayRepeat(first_, NumHashes());
  constexpr uint64_t kBytes = sizeof(internal::RepeatSketch);
  if (sketch_ == nullptr && HeldBytes() + kBytes <= options_.memory_limit) {
    sketch_ = static_cast<internal::RepeatSketch*>(internal::Allocate(options_.allocator, kBytes));
  }
  internal::RepeatSketch for_once;
  internal::RepeatSketch& sketch = sketch_ == nullptr ? for_once : *sketch_;
  if (num_sketched_ == 0) sketch.Clear();
  uint64_t known = num_sketched_, num_hashes = 0;
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    const uint64_t size = SizeOf(*chunk), skipped = known < size ? known : size;
    sketch.Add(chunk->hashes() + skipped, size - skipped, num_keys_);
    known -= skipped;
    num_hashes += size;
  }
  if (sketch_ != nullptr) num_sketched_ = num_hashes;
  return sketch.ShowsRepeats(num_keys_);
}

void FilterBuilder::RemoveRepeats() noexcept {
  uint64_t left = internal::SortDistinct(first_, NumHashes());
  num_sketched_ = num_sketched_ == 0 ? 0 : left;
  current_ = first_;
  for (; left > current_->capacity(); current_ = current_->next) left -= current_->capacity();
  tail_ = current_->hashes() + left;
  tail_end_ = current_->hashes() + current_->capacity();
  FreeChunksAfter(current_);
}

// Adjacent repeats were dropped as they came, which depends on the order. So the set of hashes and the number of keys
// that were added decide, and nothing else.
uint64_t FilterBuilder::KeysToSizeFor() noexcept {
  if (options_.num_keys != 0) return options_.num_keys;
  if (repeats_are_adjacent_ || !internal::DropsRepeats(options_.layout)) return num_keys_;
  if (counted_at_ == num_keys_) return counted_;
  const bool shows_repeats = ShowsRepeats();
  if (shows_repeats) RemoveRepeats();
  const bool is_exact = shows_repeats || num_keys_ <= internal::kCountedExactly;
  counted_at_ = num_keys_;
  return counted_ = is_exact ? NumHashes() : num_keys_;
}

}  // namespace linefilter
