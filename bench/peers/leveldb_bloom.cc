// LevelDB's Bloom filter as packaged, through its public FilterPolicy: k probes over the whole filter by double hashing
// of one 32-bit hash. That hash is what limits it: of 2^32 values n keys already take n / 2^32, whatever the bits.
#include <climits>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/packaged.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace linefilter::bench {
namespace {

// The policy wants all keys at once, so all of them have to lie somewhere. Blocks, so that no copy doubles them.
class KeyArena {
 public:
  leveldb::Slice Add(const char* data, size_t size) {
    if (blocks_.empty() || blocks_.back().size() + size > blocks_.back().capacity()) {
      blocks_.emplace_back();
      blocks_.back().reserve(size > kBlock ? size : kBlock);
    }
    std::string& block = blocks_.back();
    block.append(data, size);
    return {block.data() + block.size() - size, size};
  }

 private:
  static constexpr size_t kBlock = size_t{4} << 20;
  std::vector<std::string> blocks_;
};

class LevelDbBloom : public PeerFilter {
 public:
  explicit LevelDbBloom(const Spec& spec)
      : policy_(leveldb::NewBloomFilterPolicy(static_cast<int>(std::lround(spec.bits_per_key)))), filter_(Make(spec)) {}

  uint64_t bytes() const override { return filter_->size(); }
  uint32_t num_probes() const override { return filter_->data()[filter_->size() - 1]; }  // as LevelDB stores it
  double lines() const override { return num_probes(); }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    const leveldb::Slice filter(reinterpret_cast<const char*>(filter_->data()), filter_->size());
    return AskBytes(access, keys, [this, &filter](const char* data, size_t size) {
      return policy_->KeyMayMatch(leveldb::Slice(data, size), filter);
    });
  }

 private:
  // Slices and bytes of all keys: 24 bytes per 64-bit key, 10 GB for 512 MB at 10 bits per key; gone on return.
  std::unique_ptr<HugeBuffer> Make(const Spec& spec) const {
    if (spec.num_keys > INT_MAX) Die("leveldb_bloom: LevelDB counts keys in an int: choose at most 2^31 - 1 keys");
    std::string filter;
    {
      KeyArena arena;
      std::vector<leveldb::Slice> slices;
      slices.reserve(spec.num_keys);
      ForMembers(spec, [&](const Keys& keys) {
        ForEachKeyBytes(keys, [&](const char* data, size_t size) { slices.push_back(arena.Add(data, size)); });
      });
      policy_->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
    }
    return CopyToHugeBuffer(filter.data(), filter.size());
  }

  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
  const std::unique_ptr<const HugeBuffer> filter_;
};

// Whole bits per key. The rates are measured ones (bench/results/accuracy.json), for the schoolbook's are too good by
// half; and 10^6 keys had their share of equal hashes.
double BitsForFpr(double fpr, uint64_t body_bytes) {
  constexpr double kHashes = 4294967296.0, kMeasuredKeys = 1e6;
  for (const auto& [bits, measured] : {std::pair(9, 0.01983),
                                       {10, 0.01316},
                                       {11, 0.00777},
                                       {12, 0.00493},
                                       {14, 0.00217},
                                       {16, 0.000955},
                                       {18, 0.000567},
                                       {20, 0.000386},
                                       {24, 0.000274}}) {
    const double num_keys = 8 * static_cast<double>(body_bytes) / bits;
    if (measured + (num_keys - kMeasuredKeys) / kHashes <= fpr) return bits;
  }
  return 0;
}

}  // namespace

std::vector<Peer> Peers_leveldb_bloom() {
  Peer peer;
  peer.name = "leveldb_bloom";
  peer.origin = PackagedOrigin(LINEFILTER_BENCH_PACKAGE, "LevelDB",
                               std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion));
  peer.targets = {kPackagedTarget};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBuild};
  peer.fill_ns = 200;
  peer.build_bytes = 24;
  peer.bits_for_fpr = BitsForFpr;
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> { return std::make_unique<LevelDbBloom>(spec); };
  return {peer};
}

}  // namespace linefilter::bench
