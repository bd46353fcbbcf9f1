// The split block of Apache Arrow's Parquet library, which many read files with. Its sizes are powers of two, up to 128
// MiB, and each lookup hashes by XXH64 and calls a virtual function, as a reader of files does.
#include <cmath>
#include <memory>
#include <string_view>

#include "arrow/util/config.h"
#include "bench/peers/own.h"
#include "bench/peers/packaged.h"
#include "parquet/bloom_filter.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kProbes = 8;
constexpr double kBlockBits = 256;

double BlockFpr(uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), kProbes); }
double FprOf(double bits_per_key) { return MeanOverLoads(kBlockBits / bits_per_key, kProbes, BlockFpr); }

class ArrowSplitBlock : public PeerFilter {
 public:
  explicit ArrowSplitBlock(const Spec& spec) : num_keys_(spec.num_keys) {
    filter_.Init(static_cast<uint32_t>(spec.body_bytes));
    ForMembers(spec, [this](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        filter_.InsertHash(keys.kind == KeyKind::kString ? Hash(keys.strings[i]) : Hash(keys.integers[i]));
      }
    });
  }
  uint64_t bytes() const override { return filter_.GetBitsetSize(); }
  uint32_t num_probes() const override { return kProbes; }
  double expected_fpr() const override {
    return FprOf(8 * static_cast<double>(bytes()) / static_cast<double>(num_keys_));
  }
  double lines() const override { return 1; }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskKeys(
        access, keys, [this](uint64_t key) { return filter_.FindHash(Hash(key)); },
        [this](std::string_view key) { return filter_.FindHash(Hash(key)); });
  }

 private:
  uint64_t Hash(uint64_t key) const { return filter_.Hash(static_cast<int64_t>(key)); }
  uint64_t Hash(std::string_view key) const {
    const parquet::ByteArray bytes(static_cast<uint32_t>(key.size()), reinterpret_cast<const uint8_t*>(key.data()));
    return filter_.Hash(&bytes);
  }

  uint64_t num_keys_;
  parquet::BlockSplitBloomFilter filter_;
};

}  // namespace

std::vector<Peer> Peers_arrow_split_block() {
  Peer peer;
  peer.name = "arrow_split_block";
  peer.origin = PackagedOrigin(LINEFILTER_BENCH_PACKAGE, "Apache Arrow", ARROW_VERSION_STRING);
  peer.targets = {kPackagedTarget};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBuild};
  peer.max_bytes = parquet::BloomFilter::kMaximumBloomFilterBytes;
  peer.bits_for_fpr = [](double fpr, uint64_t) {
    double bits = 4;
    while (bits < 64 && FprOf(bits) > fpr) bits += 0.01;
    return bits < 64 ? bits : 0;
  };
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> { return std::make_unique<ArrowSplitBlock>(spec); };
  return {peer};
}

}  // namespace linefilter::bench
