// There are G live generations and a spare one, each a `blocked` body filled by atomic ORs, in a ring of slots. Readers
// and inserters share with rotations nothing but one number, that of the newest generation. What it tells of the slots
// is computed beforehand (Window).
//
// A rotation, under the mutex, stores number n + 1, whose slot is clear, and then clears the slot of n + 1 - G, which
// is the next spare.
//
// This is why no key is lost before G rotations. Let an insertion read number g (at or after its call). It sets bits in
// the slot of g, by the same words as the rotation that cleared it, whose release it has acquired: so its ORs come
// behind those zeros. The slot is not cleared again before the rotation to g + G, the G-th from g on. A lookup that
// begins after the insertion reads a number n >= g, because the caller's synchronization orders both reads, and asks n
// + 1 - G .. n. So it misses slot g only if n >= g + G, and finds zeros there only if the rotation to g + G has begun.
// That is G rotations after the number g was read, which was during the insertion. A reader that was overtaken may read
// slots that are being cleared or filled anew. It is of the second kind, and else sees others' bits: false positives.
//
// An inserter that was overtaken reads the number again, behind its ORs, and inserts once more if it has moved. The
// bits that it left in a slot that is another generation's by now make false positives and nothing else: words are
// changed by OR and cleared by store, one by one. It need not be ordered more strongly than acquire: if the second read
// is stale, the rotations that it misses are at once with the insertion, and counted above.
//
// The zeros are stored with release, so a reader who has read one in the place of a bit, and has an acquire fence
// behind that, sees the new number, too. That holds though clearing leaves out words that it reads as 0. Those have not
// changed, so nobody misses a bit there by it. The zero that a reader sees is an older one, of a clearing that did
// store it, or of the beginning. Should the clearing read a 0 that is stale, an OR of the generation that goes is left
// standing: a false positive, and nothing else. (The ORs of the slot's next generation come behind the whole clearing:
// they are by inserters that have acquired a later number.)
#include "lib/filters/ring.h"

#include <new>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/options.h"

namespace linefilter::internal {
namespace {

// So many hashes go into one generation without a look at the number: few, so that a rotation is noticed soon; enough
// for the look-ahead of the kernels.
constexpr size_t kGroup = 256;

// Words that are 0 are not written: pages that no key has touched stay the kernel's (2 ms per MB against 0.04), and
// lines that are clean stay clean.
void ClearShared(uint8_t* body, uint64_t size) {
  for (uint64_t i = 0; i < size; i += kWordBytes) {
    if (LoadSharedWord(body + i) == 0) continue;
    __atomic_store_n(reinterpret_cast<SharedWord*>(body + i), uint64_t{0}, __ATOMIC_RELEASE);
  }
}

}  // namespace

Status Ring::Make(uint32_t num_generations, uint64_t generation_bytes, uint32_t num_probes, uint64_t owner_bytes,
                  const FilterOptions& options, Ring** ring) {
  const Status status = CheckAllocator(options.allocator);
  if (!status.ok()) return status;
  Ring sized;
  sized.num_generations = num_generations;
  sized.generation_bytes = generation_bytes;
  const uint64_t needed = owner_bytes + sized.memory();
  if (needed > options.memory_limit) return OverLimit(needed, options.memory_limit);
  void* const memory = Allocate(options.allocator, sizeof(Ring) + sized.windows_bytes());
  if (memory == nullptr) return OutOfMemory(sizeof(Ring) + sized.windows_bytes());
  Ring* const made = new (memory) Ring;
  made->num_generations = num_generations;
  made->generation_bytes = generation_bytes;
  made->num_probes = num_probes;
  made->allocator = options.allocator;
  made->of_slots = reinterpret_cast<Window*>(made + 1);
  const uint64_t bodies_bytes = generation_bytes * made->num_slots();
  made->bodies = static_cast<uint8_t*>(AllocateZeroed(made->allocator, bodies_bytes));
  if (made->bodies == nullptr) {
    Free(made);
    return OutOfMemory(bodies_bytes);
  }
  made->BindSlots();
  *ring = made;
  return Status();
}

void Ring::Free(Ring* ring) {
  if (ring == nullptr) return;
  const Allocator allocator = ring->allocator;
  const uint64_t ring_bytes = sizeof(Ring) + ring->windows_bytes();
  Deallocate(allocator, ring->bodies, ring->generation_bytes * ring->num_slots());
  ring->~Ring();
  Deallocate(allocator, ring, ring_bytes);
}

// Slot s is followed by s + 1. While s has the newest generation, s + 1 is the spare, and s + 2 has the oldest.
void Ring::BindSlots() {
  Stage* const all = reinterpret_cast<Stage*>(of_slots + num_slots());
  const uint64_t num_blocks = generation_bytes / 64;
  for (uint32_t i = 0; i < 2 * num_slots(); ++i) {
    new (all + i) Stage(MakeStage(BodyOfSlot(i % num_slots()), num_blocks, num_probes));
  }
  for (uint32_t slot = 0; slot < num_slots(); ++slot) {
    Window* const window = new (of_slots + slot) Window;
    const Stage* const oldest = all + (slot + 2) % num_slots();
    BindStages(oldest, num_generations, true, &window->all);
    BindStages(oldest, num_generations - 1, true, &window->older);
    BindSharedBody(StageLayout().layout, {BodyOfSlot(slot), generation_bytes, num_probes}, &window->newest);
    changes_of_newest = &ChangesOf(StageLayout().layout, window->newest);
  }
}

const uint8_t* Ring::BodyOfAge(uint32_t age) const {
  return BodyOfSlot((SlotOf(newest.load(std::memory_order_acquire)) + num_slots() - age) % num_slots());
}

uint64_t Ring::generation() const {
  const uint64_t number = newest.load(std::memory_order_acquire) >> kSlotBits;
  return number < kLastGeneration ? number : kLastGeneration;
}

// A batch does this before each part of it, so that both ways give the same filter. An image may tell of a generation
// that is full, and a snapshot may have held up a rotation.
bool Ring::Insert(uint64_t hash) {
  if (rotation == Rotation::kByCount && keys_in_newest.load(std::memory_order_relaxed) >= keys_per_generation) {
    Count(0);
  }
  const uint64_t into = newest.load(std::memory_order_acquire);
  const Window& window = At(into);
  const bool was_older = window.older.may_contain(window.older, hash);
  const bool is_new = changes_of_newest->insert(window.newest, hash);
  InsertAgain(&hash, 1, into);
  if (rotation == Rotation::kByCount && is_new) Count(1);
  return is_new && !was_older;
}

uint64_t Ring::InsertBatch(const uint64_t* hashes, size_t n, uint8_t* were_new) {
  uint8_t was_older[kGroup], is_new[kGroup];
  uint64_t num_new = 0;
  for (size_t begin = 0, size; begin < n; begin += size) {
    size = n - begin < kGroup ? n - begin : kGroup;
    if (rotation == Rotation::kByCount) {  // not more than fit, or, if a snapshot holds the rotation up, a group
      uint64_t count = keys_in_newest.load(std::memory_order_relaxed);
      if (count >= keys_per_generation) {
        Count(0);
        count = keys_in_newest.load(std::memory_order_relaxed);
      }
      const uint64_t left = count < keys_per_generation ? keys_per_generation - count : keys_per_generation;
      if (left < size) size = static_cast<size_t>(left);
    }
    const uint64_t into = newest.load(std::memory_order_acquire);
    const Window& window = At(into);
    window.older.kernels->may_contain_to_bytes(window.older, hashes + begin, size, was_older);
    const uint64_t num_set = changes_of_newest->insert_batch(window.newest, hashes + begin, size, is_new);
    InsertAgain(hashes + begin, size, into);
    for (size_t i = 0; i < size; ++i) {
      const uint8_t answer = is_new[i] & static_cast<uint8_t>(was_older[i] ^ 1);
      num_new += answer;
      if (were_new != nullptr) were_new[begin + i] = answer;
    }
    if (rotation == Rotation::kByCount && num_set != 0) Count(num_set);
  }
  return num_new;
}

// It goes on until no rotation came between the choice of a generation and the end of the insertion into it.
void Ring::InsertAgain(const uint64_t* hashes, size_t n, uint64_t into) {
  for (uint64_t now; (now = newest.load(std::memory_order_acquire)) != into; into = now) {
    const ProbeState& state = At(now).newest;
    (void)changes_of_newest->insert_batch(state, hashes, n, nullptr);
  }
}

// The number of keys is that of a moment. A thread that finds it reached rotates, unless another is at it (or a
// snapshot, which the next insertion behind it makes up for).
void Ring::Count(uint64_t num_new) {
  if (keys_in_newest.fetch_add(num_new, std::memory_order_relaxed) + num_new < keys_per_generation) return;
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (keys_in_newest.load(std::memory_order_relaxed) >= keys_per_generation) (void)Rotate();
}

uint64_t Ring::Rotate() {
  const uint64_t before = newest.load(std::memory_order_relaxed);
  const uint32_t slot = (SlotOf(before) + 1) % num_slots();
  keys_in_newest.store(0, std::memory_order_relaxed);
  newest.store(((before >> kSlotBits) + 1) << kSlotBits | slot, std::memory_order_release);
  ClearShared(BodyOfSlot((slot + 1) % num_slots()), generation_bytes);
  return generation();
}

}  // namespace linefilter::internal
