#include "lib/filters/lazy_checks.h"

#include <cstddef>
#include <new>

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/image/trailer.h"

namespace linefilter::internal {

static_assert(kChunkBytes == uint64_t{1} << kChunkShift);

// A power of two, 64 to 128 for each chunk: then one in 64 reaches two chunks. At most 2^16, which the L2 has. There
// are none where a key has several blocks. A single stage has the kernels of its own layout (BindImageStages), which
// look at ranges.
uint64_t LazyChecks::NumRanges(const CheckedBody& checked) {
  constexpr uint64_t kMost = uint64_t{1} << 16, kOfChunk = 64;
  const LayoutFacts& facts = checked.record->facts;
  const bool has_one_block = facts.block_bytes != 0 && !facts.has_stages;
  if (!has_one_block && checked.num_stages != 1) return 0;
  uint64_t num_ranges = kOfChunk;
  while (num_ranges < kMost && num_ranges < kOfChunk * NumChunks(checked.body_bytes)) num_ranges *= 2;
  return num_ranges;
}

size_t LazyChecks::BytesFor(const CheckedBody& checked) {
  const uint64_t num_marks = 2 * NumChunks(checked.body_bytes) + NumRanges(checked);
  return sizeof(LazyChecks) + static_cast<size_t>(num_marks) * sizeof(ChunkMark);
}

LazyChecks* LazyChecks::Make(const CheckedBody& checked, ProbeState* state) {
  static_assert(offsetof(LazyChecks, lazy_) + sizeof(LazyBody) == sizeof(LazyChecks), "the marks follow");
  void* const memory = Allocate(Allocator(), BytesFor(checked));
  if (memory == nullptr) return nullptr;
  LazyChecks* const made = new (memory) LazyChecks(checked, *state);
  state->kernels = state->kernels->lazily;
  state->may_contain = state->kernels->may_contain;
  state->inline_test = InlineTest::kNone;
  state->changes = true;
  state->owner = made->lazy_.marks();
  return made;
}

LazyChecks::LazyChecks(const CheckedBody& checked, const ProbeState& state)
    : checked_(checked), num_left_(NumChunks(checked.body_bytes)) {
  lazy_.trusted = state;
  lazy_.absence_is_sound = [](LazyBody* body, uint64_t hash) {
    const auto is_sound = [](void* self, uint64_t chunk) { return static_cast<LazyChecks*>(self)->IsSound(chunk); };
    LazyChecks& self = Of(body);
    return self.checked_.record->absence_is_sound(body->trusted, hash, {is_sound, &self});
  };
  lazy_.verify_rest = [](LazyBody* body) { return Of(body).VerifyRest(); };
  const uint64_t num_ranges = NumRanges(checked);
  if (num_ranges != 0) {
    lazy_.ranges = lazy_.marks() + 2 * num_chunks();
    lazy_.range_shift = static_cast<uint8_t>(1 + __builtin_clzll(num_ranges));
  }
  for (uint64_t i = 0; i < 2 * num_chunks() + num_ranges; ++i) new (&lazy_.marks()[i]) ChunkMark(0);
}

void LazyChecks::Free(LazyChecks* checks) {
  if (checks == nullptr) return;
  const size_t bytes = BytesFor(checks->checked_);
  checks->~LazyChecks();
  Deallocate(Allocator(), checks, bytes);
}

LazyChecks& LazyChecks::Of(LazyBody* body) {
  return *reinterpret_cast<LazyChecks*>(reinterpret_cast<char*>(body) - offsetof(LazyChecks, lazy_));
}

uint64_t LazyChecks::num_chunks() const { return NumChunks(checked_.body_bytes); }

// Calls act(range, first chunk, last chunk) for each range that reaches this chunk, and perhaps for one before them.
template <class Act>
void LazyChecks::ForRangesOf(uint64_t chunk, const Act& act) {
  if (lazy_.ranges == nullptr) return;
  const uint64_t num_blocks = lazy_.trusted.num_units, num_ranges = NumRanges(checked_);
  const uint64_t index_mask = checked_.record->index_mask;
  const unsigned shift = kChunkShift - lazy_.trusted.unit_shift;
  const auto chunk_of = [&](uint64_t hash) { return BlockIndex(hash & index_mask, num_blocks) >> shift; };
  // Blocks are at most 2^32, ranges at most 2^16.
  uint64_t range = (chunk << shift) * num_ranges / num_blocks;
  for (; range < num_ranges; ++range) {
    const uint64_t first_hash = range << lazy_.range_shift;
    const uint64_t last_hash = first_hash + ((uint64_t{1} << lazy_.range_shift) - 1);
    if (chunk_of(first_hash) > chunk) return;
    act(range, chunk_of(first_hash), chunk_of(last_hash));
  }
}

// Marks the ranges of which this was the last chunk. Of two threads that find its last two, both may miss a range at
// the end of both: its keys are then proven by their chunk.
void LazyChecks::MarkRangesOf(uint64_t chunk) {
  ForRangesOf(chunk, [&](uint64_t range, uint64_t reached, uint64_t last) {
    while (reached <= last && lazy_.marks()[reached].load(std::memory_order_relaxed) != 0) ++reached;
    if (reached > last) lazy_.ranges[range].store(1, std::memory_order_relaxed);
  });
}

// The bytes of a chunk that was sound have changed: lookups are told, unless they look at no mark any more.
void LazyChecks::ForgetSound(uint64_t chunk) {
  if (lazy_.marks()[chunk].exchange(0, std::memory_order_relaxed) == 0) return;
  num_left_.fetch_add(1, std::memory_order_relaxed);
  ForRangesOf(chunk,
              [&](uint64_t range, uint64_t, uint64_t) { lazy_.ranges[range].store(0, std::memory_order_relaxed); });
}

// A chunk that was damaged once stays so, and then the marks stay. Else they are taken away when the last chunk is
// found sound (lazy.h). Who still verifies a chunk then may set its mark once more, which is harmless, and counts below
// 0.
bool LazyChecks::Keep(uint64_t chunk, bool is_sound) {
  if (!is_sound) {
    damaged()[chunk].store(1, std::memory_order_relaxed);
    uint64_t none = kNone;
    first_damaged_.compare_exchange_strong(none, chunk, std::memory_order_relaxed);
    ForgetSound(chunk);
    return false;
  }
  if (lazy_.all_sound.load(std::memory_order_relaxed)) return true;
  if (damaged()[chunk].load(std::memory_order_relaxed) != 0) return true;
  if (lazy_.marks()[chunk].exchange(1, std::memory_order_relaxed) != 0) return true;
  if (num_left_.fetch_sub(1, std::memory_order_relaxed) != 1 || !status().ok()) {
    MarkRangesOf(chunk);
    return true;
  }
  lazy_.all_sound.store(true, std::memory_order_relaxed);
  for (uint64_t i = 0; i < num_chunks(); ++i) lazy_.marks()[i].store(0, std::memory_order_relaxed);
  for (uint64_t i = 0; i < NumRanges(checked_); ++i) lazy_.ranges[i].store(0, std::memory_order_relaxed);
  return true;
}

bool LazyChecks::IsSound(uint64_t chunk) {
  if (lazy_.marks()[chunk].load(std::memory_order_relaxed) != 0) return true;
  if (damaged()[chunk].load(std::memory_order_relaxed) != 0) return false;
  const uint32_t check = LoadLE32(checked_.checks + 4 * chunk);
  return Keep(chunk, ChunkCheck(checked_.body, checked_.body_bytes, chunk) == check);
}

Status LazyChecks::Verify(uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i) {
    const Status status = VerifyChunks(checked_.body, checked_.body_bytes, checked_.checks, i, 1);
    if (!Keep(i, status.ok())) return status;
  }
  return Status();
}

Status LazyChecks::VerifyRest() {
  for (uint64_t i = 0; i < num_chunks() && !lazy_.all_sound.load(std::memory_order_relaxed) && IsSound(i); ++i) {
  }
  return status();
}

Status LazyChecks::status() const {
  const uint64_t chunk = first_damaged_.load(std::memory_order_relaxed);
  return chunk == kNone ? Status() : DamagedChunk(checked_.body_bytes, chunk);
}

}  // namespace linefilter::internal
