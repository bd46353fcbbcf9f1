#include "lib/filters/lazy_checks.h"

#include <cstddef>
#include <new>

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/image/trailer.h"

namespace linefilter::internal {

static_assert(kChunkBytes == uint64_t{1} << kChunkShift);

size_t LazyChecks::BytesFor(const CheckedBody& checked) {
  return sizeof(LazyChecks) + 2 * static_cast<size_t>(NumChunks(checked.body_bytes)) * sizeof(ChunkMark);
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
  for (uint64_t i = 0; i < 2 * num_chunks(); ++i) new (&lazy_.marks()[i]) ChunkMark(0);
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

// When the last chunk is found sound, the marks are taken away (lazy.h). Who still verifies a chunk then may set its
// mark once more, which is harmless, and counts below 0.
bool LazyChecks::Keep(uint64_t chunk, bool is_sound) {
  if (is_sound && lazy_.all_sound.load(std::memory_order_relaxed)) return true;
  ChunkMark& mark = is_sound ? lazy_.marks()[chunk] : damaged()[chunk];
  const bool was_known = mark.exchange(1, std::memory_order_relaxed) != 0;
  if (!is_sound) {
    uint64_t none = kNone;
    first_damaged_.compare_exchange_strong(none, chunk, std::memory_order_relaxed);
  } else if (!was_known && num_left_.fetch_sub(1, std::memory_order_relaxed) == 1) {
    lazy_.all_sound.store(true, std::memory_order_relaxed);
    for (uint64_t i = 0; i < num_chunks(); ++i) lazy_.marks()[i].store(0, std::memory_order_relaxed);
  }
  return is_sound;
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
