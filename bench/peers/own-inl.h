// The loops of a scheme, once per SIMD target. A Scheme has
//   static constexpr size_t kBlockBytes;
//   static bool Test(const OwnBody&, const uint8_t* block, uint64_t hash);
//   static void Insert(const OwnBody&, uint8_t* block, uint64_t hash);

// Included once per target (hwy/foreach_target.h), hence the toggling guard.
#if defined(LINEFILTER_BENCH_PEERS_OWN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_BENCH_PEERS_OWN_INL_H_
#undef LINEFILTER_BENCH_PEERS_OWN_INL_H_
#else
#define LINEFILTER_BENCH_PEERS_OWN_INL_H_
#endif

#include <cstring>
#include <string_view>

#include "bench/peers/own.h"
#include "hwy/highway.h"
#include "linefilter/hash.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "bench/peers/loops.inc"

template <class Scheme>
HWY_INLINE uint8_t* BlockOf(const OwnBody& body, uint64_t hash) {
  return body.blocks + Scheme::kBlockBytes * BlockIndex(hash, body.num_blocks);
}

// A look-ahead ring as in our own batches, above the same sizes (lib/layouts/blocks/block_loops-inl.h, block_batch.h).
template <class Scheme, int kWrites, class Work>
HWY_INLINE void ForBlocks(const OwnBody& body, const uint64_t* hashes, size_t n, const Work& work) {
  constexpr uint64_t kPlainLoopBytes = uint64_t{1} << (HWY_CAP_GE512 ? 19 : 18), kFarBytes = uint64_t{16} << 20;
  const uint64_t bytes = body.num_blocks * Scheme::kBlockBytes;
  const size_t look_ahead = bytes > kFarBytes ? 96 : 32;
  size_t i = 0;
  if (bytes > kPlainLoopBytes) {
    for (size_t j = 0; j < look_ahead && j < n; ++j) __builtin_prefetch(BlockOf<Scheme>(body, hashes[j]), kWrites);
    for (; i + look_ahead < n; ++i) {
      __builtin_prefetch(BlockOf<Scheme>(body, hashes[i + look_ahead]), kWrites);
      work(i, BlockOf<Scheme>(body, hashes[i]), hashes[i]);
    }
  }
  for (; i < n; ++i) work(i, BlockOf<Scheme>(body, hashes[i]), hashes[i]);
}

template <class Scheme>
uint64_t OwnLookup(const OwnBody& body_in_memory, Access access, const Keys& keys, uint8_t* answers) {
  const OwnBody body = body_in_memory;  // in registers
  if (access == Access::kBatch) {
    ForHashes(keys, [&](const uint64_t* hashes, size_t first, size_t count) HWY_ATTR {
      ForBlocks<Scheme, 0>(body, hashes, count, [&](size_t i, const uint8_t* block, uint64_t hash) HWY_ATTR {
        answers[first + i] = Scheme::Test(body, block, hash);
      });
    });
    return 0;
  }
  const auto ask_hash = [&](uint64_t hash) HWY_ATTR { return Scheme::Test(body, BlockOf<Scheme>(body, hash), hash); };
  if (keys.kind == KeyKind::kHash) return AskEach(access, keys.integers, keys.size, ask_hash);
  return AskKeys(
      access, keys, [&](uint64_t key) HWY_ATTR { return ask_hash(HashKey(key)); },
      [&](std::string_view key) HWY_ATTR { return ask_hash(HashKey(key)); });
}

template <class Scheme>
void OwnInsert(const OwnBody& body_in_memory, Access access, const Keys& keys) {
  const OwnBody body = body_in_memory;
  if (access == Access::kInsertBatch) {
    ForHashes(keys, [&](const uint64_t* hashes, size_t, size_t count) HWY_ATTR {
      ForBlocks<Scheme, 1>(body, hashes, count,
                           [&](size_t, uint8_t* block, uint64_t hash) HWY_ATTR { Scheme::Insert(body, block, hash); });
    });
    return;
  }
  ForHashes(keys, [&](const uint64_t* hashes, size_t, size_t count) HWY_ATTR {
    for (size_t i = 0; i < count; ++i) Scheme::Insert(body, BlockOf<Scheme>(body, hashes[i]), hashes[i]);
  });
}

template <class Scheme>
const OwnCode* OwnCodeOf() {
  static constexpr OwnCode code = {OwnLookup<Scheme>, OwnInsert<Scheme>};
  return &code;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_BENCH_PEERS_OWN_INL_H_
