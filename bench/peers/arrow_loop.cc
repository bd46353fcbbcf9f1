// How engines ask a Bloom filter of Parquet in 2026, written here in the way of Apache Arrow: a hash at a time, each
// behind a call that nothing inlines.
//
// The method makes the block, and calls by a pointer what was chosen for this CPU. That is one vector of AVX2 where
// there is AVX2 (multiply, shift, test), and else a loop over eight words without a branch, as the compiler's flags
// make it. An insertion is that loop on each CPU. DuckDB has the same loops, and its lookup ends at the first missing
// bit, which costs a wrongly predicted branch for most hashes.
//
// The block and its bits are those of the Parquet format, so `split_block` holds the same bits for a hash of id 3.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/memory.h"
#include "bench/peers/loops.h"
#include "bench/peers/own.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kProbes = 8;
constexpr uint64_t kBlockBytes = 32;
constexpr size_t kWordsPerBlock = 8;

using FindInBlock = bool (*)(const uint32_t* block, uint32_t x);

bool FindByWords(const uint32_t* block, uint32_t x) {
  uint32_t missing = 0;
  for (size_t i = 0; i < kWordsPerBlock; ++i) {
    missing |= ~block[i] & (uint32_t{1} << ((x * internal::kSplitSalts[i]) >> 27));
  }
  return missing == 0;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) bool FindByAvx2(const uint32_t* block, uint32_t x) {
  const __m256i salts = _mm256_load_si256(reinterpret_cast<const __m256i*>(internal::kSplitSalts));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(x)), salts);
  const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
  return _mm256_testc_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)), bits) != 0;
}
#endif

// A filter as a library of files has it.
class EngineFilter {
 public:
  EngineFilter(uint8_t* bytes, uint64_t num_blocks, FindInBlock find)
      : words_(reinterpret_cast<uint32_t*>(bytes)), num_blocks_(num_blocks), find_(find) {}

  __attribute__((noinline)) bool FindHash(uint64_t hash) const {
    return find_(BlockOf(hash), static_cast<uint32_t>(hash));
  }
  __attribute__((noinline)) void InsertHash(uint64_t hash) {
    uint32_t* const block = BlockOf(hash);
    const uint32_t x = static_cast<uint32_t>(hash);
    for (size_t i = 0; i < kWordsPerBlock; ++i) block[i] |= uint32_t{1} << ((x * internal::kSplitSalts[i]) >> 27);
  }

 private:
  uint32_t* BlockOf(uint64_t hash) const { return words_ + kWordsPerBlock * (((hash >> 32) * num_blocks_) >> 32); }

  uint32_t* words_;
  uint64_t num_blocks_;
  FindInBlock find_;
};

struct Find {
  const char* target;
  FindInBlock find;
};

// The best first. The name of the last one is that of the compiler's flags.
std::vector<Find> Finds() {
  std::vector<Find> finds;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) finds.push_back({"AVX2", FindByAvx2});
  finds.push_back({"x86-64", FindByWords});
#else
  finds.push_back({"baseline", FindByWords});
#endif
  return finds;
}

double BlockFpr(uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), kProbes); }

class ArrowLoop : public PeerFilter {
 public:
  explicit ArrowLoop(const Spec& spec)
      : num_keys_(spec.num_keys), memory_((spec.body_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes) {
    for (const Find& find : Finds()) filters_.emplace_back(memory_.data(), memory_.size() / kBlockBytes, find.find);
    if (!spec.built_later) ForMembers(spec, [this](const Keys& keys) { Insert(0, Access::kInsertBatch, keys); });
  }
  uint64_t bytes() const override { return memory_.size(); }
  uint32_t num_probes() const override { return kProbes; }
  double expected_fpr() const override {
    const double bits_per_key = 8 * static_cast<double>(bytes()) / static_cast<double>(num_keys_);
    return MeanOverLoads(8 * kBlockBytes / bits_per_key, kProbes, BlockFpr);
  }
  double lines() const override { return 1; }

  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    const EngineFilter& filter = filters_[target];
    if (access != Access::kBatch) {
      return AskEach(access, keys.integers, keys.size, [&](uint64_t hash) { return filter.FindHash(hash); });
    }
    for (size_t i = 0; i < keys.size; ++i) answers[i] = filter.FindHash(keys.integers[i]);
    return 0;
  }
  void Insert(size_t target, Access, const Keys& keys) override {
    EngineFilter& filter = filters_[target];
    for (size_t i = 0; i < keys.size; ++i) filter.InsertHash(keys.integers[i]);
  }
  void Build(size_t target, Access, const Spec& spec) override {
    memset(memory_.data(), 0, memory_.size());
    ForMembers(spec, [this, target](const Keys& keys) { Insert(target, Access::kInsertBatch, keys); });
  }

 private:
  uint64_t num_keys_;
  HugeBuffer memory_;
  std::vector<EngineFilter> filters_;  // of each target, over the same bits
};

}  // namespace

std::vector<Peer> Peers_arrow_loop() {
  Peer peer;
  peer.name = "arrow_loop";
  peer.origin = "own implementation of the loop of Apache Arrow over Parquet's filter";
  for (const Find& find : Finds()) peer.targets.push_back(find.target);
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kSingle, Access::kBatch, Access::kInsertSingle, Access::kInsertBatch, Access::kBuild};
  peer.rebuilds = true;
  peer.fill_ns = 60;
  peer.make = [](const Spec& spec) { return std::make_unique<ArrowLoop>(spec); };
  return {peer};
}

}  // namespace linefilter::bench
