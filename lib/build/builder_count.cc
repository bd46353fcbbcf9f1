// This tells how many keys the size is for, and removes those that came again.
#include <cstring>

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

// Whether the chunks have, or are estimated to have, so many repeats that they are removed. The sketch goes on with
// what is new, until there are so many keys that it looks at fewer hashes.
bool FilterBuilder::ShowsRepeats() noexcept {
  if (num_keys_ <= internal::kCountedExactly) return internal::FewMayRepeat(first_, NumHashes());
  static_assert(sizeof(sketch_) == internal::SetSketch::kWords * sizeof(*sketch_));
  internal::SetSketch sketch(sketch_);
  const uint32_t level = internal::SketchLevel(num_keys_);
  if (num_sketched_ == 0 || level != sketch_level_) {
    memset(sketch_, 0, sizeof(sketch_));
    sketch_level_ = level;
    num_sketched_ = 0;
  }
  uint64_t known = num_sketched_;
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    const uint64_t size = SizeOf(*chunk), skipped = known < size ? known : size;
    sketch.Add(chunk->hashes() + skipped, size - skipped, level);
    known -= skipped;
    num_sketched_ += size - skipped;
  }
  return sketch.ShowsRepeats(num_keys_);
}

void FilterBuilder::RemoveRepeats() noexcept {
  uint64_t left = internal::SortDistinct(first_, NumHashes());
  num_sketched_ = num_sketched_ == 0 ? 0 : left;
  current_ = first_;
  for (; left > current_->capacity(); current_ = current_->next) left -= current_->capacity();
  tail_ = current_->hashes() + left;
  tail_end_ = current_->hashes() + current_->capacity();
  SpareChunksAfter(current_);
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
