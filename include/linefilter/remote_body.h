// This is for a body that lies elsewhere (on a server, in a cache or an object store). You fetch the blocks of a key,
// and they are tested here; you set its bits there. From the bytes, which come in any pieces, its image is made again.
//
//   uint64_t blocks[linefilter::kMaxBodyStages];  // which blocks of the body tell of this hash
//   const size_t n = linefilter::BlocksOfHash(facts, hash, blocks);
//   bool maybe = n == 0;
//   const size_t bytes = linefilter::FactsOf(facts.layout).block_bytes;
//   for (size_t i = 0; i < n; ++i) maybe |= BlockMayContainHash(facts, i, fetch(bytes * blocks[i], bytes), hash);
//
// Whatever is not right answers "maybe". All functions are pure and thread-safe.
#ifndef LINEFILTER_REMOTE_BODY_H_
#define LINEFILTER_REMOTE_BODY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter {

class FilterView;
struct FilterOptions;
struct GrowthOptions;

namespace internal {
struct BodyImage;  // lib/filters/remote_body_image.cc: what a BodyImageWriter is about to write
}  // namespace internal

// The bytes of the largest block: no layout's LayoutFacts::block_bytes is above.
inline constexpr size_t kMostBlockBytes = 64;
// The most stages that a `container` has.
inline constexpr size_t kMaxBodyStages = 64;
// The most positions that PositionsOfHash gives.
inline constexpr size_t kMaxPositions = 30;
// The longest growth field of a `container` that is kept. (Those that this library writes have 32 bytes.)
inline constexpr size_t kMaxBodyGrowthBytes = 1024;
// BodyFacts::newest_ones has this if nobody counted them.
inline constexpr uint64_t kUnknownOnes = ~uint64_t{0};

// One of the stages of a `container`: a `blocked` filter.
struct BodyStage {
  uint64_t num_blocks = 0;  // its part of the body
  uint64_t num_keys = 0;    // counted in it, at most 512 for each block; 0: unknown
  uint32_t num_probes = 0;  // 1..16
};

// What must be known of a body to ask it, and to make an image of it. It is copyable and has 2.6 KiB.
//
// A `container` may tell how it goes on: how it grows, or when it forgets (doc/FORMAT.md, field growth), which counts
// its keys. Set newest_ones if you add keys to the newest stage of a body that lies elsewhere. BodyImageWriter then
// adds to these counts how many keys came since, as the one bits of the stage tell, and the filter of its image goes on
// from there. Without newest_ones the counts stay as they are.
struct BodyFacts {
  Layout layout = Layout::kAuto;         // kAuto: nothing is known, all answers are "maybe"
  HashId hash_id = HashId::kXxh3;        // how keys become hashes
  KeyKind key_kind = KeyKind::kUnknown;  // what the image says of its keys (linefilter/key.h)
  bool has_num_keys = false;             // does the image say how many keys were added?
  uint32_t num_probes = 0;               // 0 in `retrieval`, `container`, `split_block`, a `quotient` set
  uint32_t num_stages = 0;               // `container` alone
  uint64_t body_bytes = 0;               // 0: the empty set; all stages together
  uint64_t seed = 0;                     // for a keyed hash CheckOfSecret of the secret; kParquet has 0
  uint64_t num_keys = 0;                 // if has_num_keys
  uint64_t key_forms = 0;                // what FilterBase::key_forms tells; 0: what the kind of keys says
  BodyStage stages[kMaxBodyStages];      // the oldest first, as their parts of the body lie
  // `container` alone: the one bits of the newest stage when the keys in it were counted, or kUnknownOnes.
  uint64_t newest_ones = kUnknownOnes;
  uint32_t growth_bytes = 0;  // `container` alone: the length of `growth`; 0: its image has no such field
  uint8_t growth[kMaxBodyGrowthBytes] = {};  // the field growth of its image, as it stands there
};

// The facts of the body of that image, but for newest_ones, for which the newest stage would have to be read. A broken
// view has none (kAuto). A growth field of more than kMaxBodyGrowthBytes is left out.
LINEFILTER_EXPORT BodyFacts FactsOf(const FilterView& view) noexcept;

// Makes the facts of an empty body that grows as a ScalableFilter does (linefilter/scalable.h): a `container` with its
// first stage. The arguments and the errors are those of ScalableFilter::Create.
LINEFILTER_EXPORT Status FactsOfGrowing(uint64_t first_capacity, const FilterOptions& options,
                                        const GrowthOptions& growth, BodyFacts* facts) noexcept;
// Tells how many keys stage `index` of such a body was made for; 0 if there is none, or the body does not grow.
LINEFILTER_EXPORT uint64_t CapacityOfStage(const BodyFacts& facts, uint32_t index) noexcept;
// Adds the next stage of such a body, empty, behind the others: insertions go into that from then on. Let num_keys of
// the newest stage be how many keys it took, before. It is kOverLimit at the end of max_growth, and kIncompatible if
// the body does not grow. On an error the facts are as they were.
LINEFILTER_EXPORT Status AddStage(BodyFacts* facts) noexcept;

// Could an image have such a body? kUnsupported means none that this version reads, kInvalidArgument none at all.
LINEFILTER_EXPORT Status CheckBody(const BodyFacts& facts) noexcept;

// Tells which blocks answer for the hash, by their number in the body. That is one, or in a `container` one
// of each stage, the oldest first (kMaxBodyStages at most). It returns how many: the answer is "maybe" if one of them
// says so. 0 means "maybe", too: there are no blocks (`classic`, which PositionsOfHash answers, and what CheckBody
// refuses).
LINEFILTER_EXPORT size_t BlocksOfHash(const BodyFacts& facts, uint64_t hash, uint64_t* blocks) noexcept;

// Puts a hash into a block that was fetched, to be written back where no other writer changed it meanwhile. It is the
// last block that BlocksOfHash tells, the one of the newest stage. True means that the hash was certainly not there. A
// layout that takes no keys, no block (null), and facts that CheckBody refuses change nothing.
LINEFILTER_EXPORT bool InsertHashIntoBlock(const BodyFacts& facts, void* block, uint64_t hash) noexcept;

// Takes a hash out of a block of a layout that gives keys back; a body with stages gives nothing back. False means that
// it was certainly not there, and that nothing changed.
LINEFILTER_EXPORT bool RemoveHashFromBlock(const BodyFacts& facts, void* block, uint64_t hash) noexcept;

// The answer of a block, wherever its bytes lie; `index` is that of BlocksOfHash. It is "maybe" (true) for a layout
// without blocks, for no block (null), and for facts that CheckBody refuses.
LINEFILTER_EXPORT bool BlockMayContainHash(const BodyFacts& facts, size_t index, const void* block,
                                           uint64_t hash) noexcept;

// Tells where an insertion of the hash writes, in positions[kMaxPositions], and returns how many. They are numbers of
// bits in the body (bit b of byte i is 8 i + b), to be set; in a `container` they lie in its newest stage. The key was
// certainly new if one of them was 0. `classic` may name a bit twice. 0 means that it takes no key (`retrieval`, the
// empty set, what CheckBody refuses), or has no positions (`quotient`).
LINEFILTER_EXPORT size_t PositionsOfHash(const BodyFacts& facts, uint64_t hash, uint64_t* positions) noexcept;

// How many bytes the image of such a body has, exactly; 0 if CheckBody refuses it.
LINEFILTER_EXPORT uint64_t BodyImageBytes(const BodyFacts& facts) noexcept;

// Makes the image of a body (doc/FORMAT.md), which any filter and view opens: Start, Append as it comes, Finish. After
// an error it takes nothing but another Start, and the sink may have received a part. It takes less than 70 KiB and
// 1/16384 of the body. One thread uses it.
class LINEFILTER_EXPORT BodyImageWriter {
 public:
  BodyImageWriter() noexcept = default;
  ~BodyImageWriter();
  BodyImageWriter(const BodyImageWriter&) = delete;
  BodyImageWriter& operator=(const BodyImageWriter&) = delete;

  // Gives up whatever was begun before. Errors are those of CheckBody, no sink, and no memory.
  Status Start(const BodyFacts& facts, const Sink& sink, const Allocator& allocator = {}) noexcept;
  // Takes the next `size` bytes of the body. It is kInvalidArgument if it has fewer; kIoError if the sink refuses.
  Status Append(const void* data, size_t size) noexcept;
  // Writes what follows the body. It is kInvalidArgument if not all of it came.
  Status Finish() noexcept;

 private:
  void Reset() noexcept;

  internal::BodyImage* image_ = nullptr;
};

}  // namespace linefilter

#endif  // LINEFILTER_REMOTE_BODY_H_
