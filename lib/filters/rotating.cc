// There are G live generations and a spare one, each a `blocked` body filled by atomic ORs, in a ring of slots. Readers
// and inserters share with rotations nothing but one number, that of the newest generation. What it tells of the slots
// is computed beforehand (Views).
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
#include "linefilter/rotating.h"

#include <cstring>
#include <new>
#include <utility>

#include "lib/base/equal_hashes.h"
#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/filters/hash_keys.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/options.h"
#include "lib/layouts/stages.h"
#include "linefilter/sizing.h"

namespace linefilter {

using internal::HashAndAsk;
using internal::kWordBytes;
using internal::Stage;

namespace {

// So many hashes go into one generation without a look at the number: few, so that a rotation is noticed soon; enough
// for the look-ahead of the kernels.
constexpr size_t kGroup = 256;

// Words that are 0 are not written: pages that no key has touched stay the kernel's (2 ms per MB against 0.04), and
// lines that are clean stay clean.
void ClearShared(uint8_t* body, uint64_t size) {
  for (uint64_t i = 0; i < size; i += kWordBytes) {
    if (internal::LoadSharedWord(body + i) == 0) continue;
    __atomic_store_n(reinterpret_cast<internal::SharedWord*>(body + i), uint64_t{0}, __ATOMIC_RELEASE);
  }
}

Status CheckRequest(const FilterOptions& options) {
  const Status layout = internal::CheckLayoutIsBlocked(options, "the generations of a rotating filter have");
  if (!layout.ok()) return layout;
  if (options.foldable) {
    return Status::Error(StatusCode::kInvalidArgument, "a rotating filter cannot be folded: leave out foldable");
  }
  return internal::CheckOptions(Layout::kBlocked, options);
}

}  // namespace

RotatingFilter::RotatingFilter() noexcept {
  for (internal::ProbeState* state : {&none_.all, &none_.older, &none_.newest}) {
    internal::BindConstant(internal::AlwaysMaybeKernels(), state);
  }
  views_ = &none_;
}

RotatingFilter::~RotatingFilter() { Release(); }

// These are the views, and behind them the ring of stages twice over, so that those of each window stand in a row.
uint64_t RotatingFilter::ViewsBytes() const noexcept {
  return num_generations_ == 0 ? 0 : num_slots() * (sizeof(Views) + 2 * sizeof(Stage));
}

void RotatingFilter::Release() noexcept {
  if (views_ != &none_) internal::Deallocate(allocator_, views_, ViewsBytes());
  internal::Deallocate(allocator_, bodies_, generation_bytes_ * num_slots());
  views_ = &none_;
  bodies_ = nullptr;
  newest_.store(0, std::memory_order_relaxed);
  keys_in_newest_.store(0, std::memory_order_relaxed);
  generation_bytes_ = keys_per_generation_ = 0;
  num_generations_ = num_probes_ = 0;
  layout_ = Layout::kAuto;
  rotation_ = Rotation::kByCaller;
  key_hash_ = KeyHash();
  allocator_ = Allocator();
}

// Create and CreateFromImage make all this. The views and the ring know the bodies by address, and no other place.
void RotatingFilter::Adopt(RotatingFilter* made) noexcept {
  Release();
  views_ = std::exchange(made->views_, &made->none_);
  bodies_ = std::exchange(made->bodies_, nullptr);
  newest_.store(made->newest_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  keys_in_newest_.store(made->keys_in_newest_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  generation_bytes_ = made->generation_bytes_;
  keys_per_generation_ = made->keys_per_generation_;
  num_generations_ = made->num_generations_;
  num_probes_ = made->num_probes_;
  layout_ = made->layout_;
  rotation_ = made->rotation_;
  key_hash_ = made->key_hash_;
  allocator_ = made->allocator_;
}

// This is for a filter that has nothing yet.
Status RotatingFilter::Allocate(uint32_t num_generations, uint64_t generation_bytes, uint32_t num_probes,
                                const FilterOptions& options) noexcept {
  const Status status = internal::CheckAllocator(options.allocator);
  if (!status.ok()) return status;
  num_generations_ = num_generations;
  generation_bytes_ = generation_bytes;
  num_probes_ = num_probes;
  const uint64_t bodies_bytes = generation_bytes * num_slots(), needed = MemoryUse();
  if (needed > options.memory_limit) {
    Release();
    return internal::OverLimit(needed, options.memory_limit);
  }
  allocator_ = options.allocator;
  void* const views = internal::Allocate(allocator_, ViewsBytes());
  if (views != nullptr) views_ = static_cast<Views*>(views);
  bodies_ = views == nullptr ? nullptr : static_cast<uint8_t*>(internal::AllocateZeroed(allocator_, bodies_bytes));
  if (bodies_ == nullptr) {
    Release();
    return internal::OutOfMemory(bodies_bytes);
  }
  Bind();
  return Status();
}

// Slot s is followed by s + 1. While s has the newest generation, s + 1 is the spare, and s + 2 has the oldest.
void RotatingFilter::Bind() noexcept {
  Stage* const ring = reinterpret_cast<Stage*>(views_ + num_slots());
  const uint64_t num_blocks = generation_bytes_ / 64;
  for (uint32_t i = 0; i < 2 * num_slots(); ++i) {
    new (ring + i) Stage(internal::MakeStage(BodyOfSlot(i % num_slots()), num_blocks, num_probes_));
  }
  for (uint32_t slot = 0; slot < num_slots(); ++slot) {
    Views* const views = new (views_ + slot) Views;
    const Stage* const oldest = ring + (slot + 2) % num_slots();
    internal::BindStages(oldest, num_generations_, true, &views->all);
    internal::BindStages(oldest, num_generations_ - 1, true, &views->older);
    internal::BindSharedBody(internal::StageLayout(), {BodyOfSlot(slot), generation_bytes_, num_probes_},
                             &views->newest);
  }
  layout_ = Layout::kBlocked;
}

Status RotatingFilter::Create(uint64_t window_keys, uint32_t num_generations, const FilterOptions& options,
                              Rotation rotation) noexcept {
  Status status = CheckRequest(options);
  if (status.ok() && (num_generations < kMinGenerations || num_generations > kMaxGenerations)) {
    status = Status::Error(StatusCode::kInvalidArgument,
                           "%u generations were asked for: choose 2 to 64; 4 forget in steps of a third of the window",
                           num_generations);
  }
  if (status.ok() && rotation != Rotation::kByCaller && rotation != Rotation::kByCount) {
    status = Status::Error(StatusCode::kInvalidArgument, "the rotation is neither kByCaller nor kByCount");
  }
  Sizing sizing;
  if (status.ok()) {
    const uint64_t steps = num_generations - 1;
    FilterOptions of_each = options;
    of_each.fpr /= num_generations;  // 0 stays 0: bits_per_key goes for each
    const uint64_t keys = window_keys / steps + (window_keys % steps != 0);
    status = internal::SizeForOptions(Layout::kBlocked, keys == 0 ? 1 : keys, of_each, &sizing);
    if (!status.ok() && options.fpr != 0) {
      status = Status::Error(status.code(), "fpr %g in %u generations, a share for each: %s", options.fpr,
                             num_generations, Status(status).message());
    }
  }
  RotatingFilter made;
  if (status.ok()) status = made.Allocate(num_generations, sizing.body_bytes, sizing.num_probes, options);
  if (!status.ok()) return status;
  made.keys_per_generation_ = sizing.num_keys;
  made.rotation_ = rotation;
  made.key_hash_ = options.key_hash();
  Adopt(&made);
  return Status();
}

// A batch does this before each part of it, so that both ways give the same filter. An image may tell of a generation
// that is full, and a snapshot may have held up a rotation.
bool RotatingFilter::InsertHash(uint64_t hash) noexcept {
  if (rotation_ == Rotation::kByCount && keys_in_newest_.load(std::memory_order_relaxed) >= keys_per_generation_) {
    Count(0);
  }
  const uint64_t into = newest_.load(std::memory_order_acquire);
  const Views& views = ViewsAt(into);
  const bool was_older = views.older.may_contain(views.older, hash);
  const bool is_new = views.newest.kernels->insert(views.newest, hash);
  InsertAgain(&hash, 1, into);
  if (rotation_ == Rotation::kByCount && is_new) Count(1);
  return is_new && !was_older;
}

uint64_t RotatingFilter::InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new) noexcept {
  uint8_t was_older[kGroup], is_new[kGroup];
  uint64_t num_new = 0;
  for (size_t begin = 0, size; begin < n; begin += size) {
    size = n - begin < kGroup ? n - begin : kGroup;
    if (rotation_ == Rotation::kByCount) {  // not more than fit, or, if a snapshot holds the rotation up, a group
      uint64_t count = keys_in_newest_.load(std::memory_order_relaxed);
      if (count >= keys_per_generation_) {
        Count(0);
        count = keys_in_newest_.load(std::memory_order_relaxed);
      }
      const uint64_t left = count < keys_per_generation_ ? keys_per_generation_ - count : keys_per_generation_;
      if (left < size) size = static_cast<size_t>(left);
    }
    const uint64_t into = newest_.load(std::memory_order_acquire);
    const Views& views = ViewsAt(into);
    views.older.kernels->may_contain_to_bytes(views.older, hashes + begin, size, was_older);
    const uint64_t num_set = views.newest.kernels->insert_batch(views.newest, hashes + begin, size, is_new);
    InsertAgain(hashes + begin, size, into);
    for (size_t i = 0; i < size; ++i) {
      const uint8_t answer = is_new[i] & static_cast<uint8_t>(was_older[i] ^ 1);
      num_new += answer;
      if (were_new != nullptr) were_new[begin + i] = answer;
    }
    if (rotation_ == Rotation::kByCount && num_set != 0) Count(num_set);
  }
  return num_new;
}

// It goes on until no rotation came between the choice of a generation and the end of the insertion into it.
void RotatingFilter::InsertAgain(const uint64_t* hashes, size_t n, uint64_t into) noexcept {
  for (uint64_t newest; (newest = newest_.load(std::memory_order_acquire)) != into; into = newest) {
    const internal::ProbeState& state = ViewsAt(newest).newest;
    (void)state.kernels->insert_batch(state, hashes, n, nullptr);
  }
}

// The number of keys is that of a moment. A thread that finds it reached rotates, unless another is at it (or a
// snapshot, which the next insertion behind it makes up for).
void RotatingFilter::Count(uint64_t num_new) noexcept {
  if (keys_in_newest_.fetch_add(num_new, std::memory_order_relaxed) + num_new < keys_per_generation_) return;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (keys_in_newest_.load(std::memory_order_relaxed) >= keys_per_generation_) (void)RotateLocked();
}

uint64_t RotatingFilter::Rotate() noexcept {
  if (layout_ == Layout::kAuto) return 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  return RotateLocked();
}

uint64_t RotatingFilter::RotateLocked() noexcept {
  const uint64_t newest = newest_.load(std::memory_order_relaxed);
  const uint64_t number = (newest >> kSlotBits) + 1;
  const uint32_t slot = (static_cast<uint32_t>(newest & ((1u << kSlotBits) - 1)) + 1) % num_slots();
  keys_in_newest_.store(0, std::memory_order_relaxed);
  newest_.store(number << kSlotBits | slot, std::memory_order_release);
  ClearShared(BodyOfSlot((slot + 1) % num_slots()), generation_bytes_);
  return generation();
}

void RotatingFilter::MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers) const noexcept {
  const internal::ProbeState& all = Window().all;
  all.kernels->may_contain_to_bytes(all, hashes, n, answers);
}

void RotatingFilter::MayContainHashesToBits(const uint64_t* hashes, size_t n, uint8_t* bits) const noexcept {
  const internal::ProbeState& all = Window().all;
  all.kernels->may_contain_to_bits(all, hashes, n, bits);
}

uint64_t RotatingFilter::CountMaybes(const uint64_t* hashes, size_t n) const noexcept {
  const internal::ProbeState& all = Window().all;
  return all.kernels->count_maybes(all, hashes, n);
}

void RotatingFilter::MayContainKeys(const std::string_view* keys, size_t n, uint8_t* answers) const noexcept {
  HashAndAsk(*this, keys, n, answers);
}

void RotatingFilter::MayContainKeys(const uint64_t* keys, size_t n, uint8_t* answers) const noexcept {
  HashAndAsk(*this, keys, n, answers);
}

Status RotatingFilter::KeyStatus() const noexcept {
  if (layout_ == Layout::kAuto) {
    return Status::Error(StatusCode::kCorrupt, "the filter was never made: every answer is \"maybe\"");
  }
  if (key_hash_.hashes_keys()) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the filter was made of the caller's own hashes: ask by hash; questions by key are answered "
                       "\"maybe\"");
}

const char* RotatingFilter::target() const noexcept { return Window().all.kernels->target(); }

const uint8_t* RotatingFilter::BodyOfAge(uint32_t age) const noexcept {
  const uint64_t newest = newest_.load(std::memory_order_acquire);
  const uint32_t slot = static_cast<uint32_t>(newest & ((1u << kSlotBits) - 1));
  return BodyOfSlot((slot + num_slots() - age) % num_slots());
}

double RotatingFilter::FillRatio(uint32_t age) const noexcept {
  if (age >= num_generations_) return 0;
  const uint8_t* const body = BodyOfAge(age);
  uint64_t ones = 0;
  for (uint64_t i = 0; i < generation_bytes_; i += kWordBytes) {
    ones += static_cast<uint64_t>(__builtin_popcountll(internal::LoadSharedWord(body + i)));
  }
  return static_cast<double>(ones) / (8.0 * static_cast<double>(generation_bytes_));
}

double RotatingFilter::EstimatedKeys(uint32_t age) const noexcept {
  if (age >= num_generations_) return 0;
  return internal::StageLayout().keys_at_fill(FillRatio(age), num_probes_, generation_bytes_ / 64);
}

double RotatingFilter::ExpectedFpr() const noexcept {
  if (layout_ == Layout::kAuto) return 1;
  double any = 0;  // not 1 minus the product of 1 - p, which is 0 for the smallest p
  for (uint32_t age = num_generations_; age-- > 0;) {  // in the order of an image, so that its rate is the same
    internal::ProbeState state;
    internal::BindSharedBody(internal::StageLayout(), {BodyOfAge(age), generation_bytes_, num_probes_}, &state);
    any = internal::EitherOf(any, internal::StageLayout().shared_expected_fpr(state));
  }
  return any;
}

uint64_t RotatingFilter::MemoryUse() const noexcept {
  return sizeof(*this) + ViewsBytes() + (num_generations_ == 0 ? 0 : generation_bytes_ * num_slots());
}

}  // namespace linefilter
