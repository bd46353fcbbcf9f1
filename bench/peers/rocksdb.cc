// RocksDB's built-in filters as packaged, called without a database: policy -> builder -> bytes -> reader.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "bench/peers/packaged.h"
#include "bench/peers/rocksdb_interface.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

namespace linefilter::bench {
namespace {

// A filter of one of RocksDB's policies.
class RocksDbFilter : public PeerFilter {
 public:
  RocksDbFilter(const rocksdb::FilterPolicy* policy, const Spec& spec)
      : policy_(policy),
        filter_(Make(spec)),
        bits_per_key_(8 * static_cast<double>(filter_->size()) / static_cast<double>(spec.num_keys)) {
    reader_.reset(policy_->GetFilterBitsReader({reinterpret_cast<const char*>(filter_->data()), filter_->size()}));
  }

  uint64_t bytes() const override { return filter_->size(); }
  // Bloom has one. Ribbon adds up rows of 16 bytes that lie together, as many in each of two neighbours as a
  // fingerprint has bits.
  double lines() const override {
    constexpr double kRowBytes = 16, kLine = 64, kSlotsPerKey = 1.05;
    return num_probes() != 0 ? 1 : 2 * bits_per_key_ / kSlotsPerKey * kRowBytes / kLine + 1 - kRowBytes / kLine;
  }

  // The last 5 bytes tell the kind: -1, 0 is the Bloom filter of one cache line, and the low 5 bits of the byte that
  // follows are its probes. Ribbon has none.
  uint32_t num_probes() const override {
    if (filter_->size() < 5) return 0;
    const uint8_t* const trailer = filter_->data() + filter_->size() - 5;
    return trailer[0] == 0xff && trailer[1] == 0 ? trailer[2] & 31 : 0;
  }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t* answers) const override {
    if (access == Access::kBatch) {
      LookupBatch(keys, answers);
      return 0;
    }
    return AskBytes(access, keys,
                    [this](const char* data, size_t size) { return reader_->MayMatch(rocksdb::Slice(data, size)); });
  }

 private:
  // What a MultiGet of RocksDB asks at once at most; the readers' arrays on the stack are no larger.
  static constexpr size_t kGroup = 32;

  std::unique_ptr<HugeBuffer> Make(const Spec& spec) const {
    const rocksdb::BlockBasedTableOptions table_options;
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_options)));
    if (builder == nullptr) Die("RocksDB makes no filter at %g bits per key: ask for 1 or more", spec.bits_per_key);
    ForMembers(spec, [&builder](const Keys& keys) {
      ForEachKeyBytes(keys, [&builder](const char* data, size_t size) { builder->AddKey(rocksdb::Slice(data, size)); });
    });
    std::unique_ptr<const char[]> bytes;
    rocksdb::Status status;
    const rocksdb::Slice filter = builder->Finish(&bytes, &status);
    if (!status.ok()) Die("RocksDB made no filter: %s", status.ToString().c_str());
    return CopyToHugeBuffer(filter.data(), filter.size());
  }

  void LookupBatch(const Keys& keys, uint8_t* answers) const {
    static_assert(sizeof(bool) == sizeof(uint8_t), "answers are written as bool");
    uint64_t integers[kGroup];
    rocksdb::Slice slices[kGroup];
    rocksdb::Slice* pointers[kGroup];
    for (size_t i = 0; i < kGroup; ++i) pointers[i] = &slices[i];
    for (size_t first = 0; first < keys.size; first += kGroup) {
      const size_t count = std::min(kGroup, keys.size - first);
      for (size_t i = 0; i < count; ++i) {
        if (keys.kind == KeyKind::kString) {
          slices[i] = rocksdb::Slice(keys.strings[first + i].data(), keys.strings[first + i].size());
        } else {
          integers[i] = htole64(keys.integers[first + i]);
          slices[i] = rocksdb::Slice(reinterpret_cast<const char*>(&integers[i]), sizeof(integers[i]));
        }
      }
      reader_->MayMatch(static_cast<int>(count), pointers, reinterpret_cast<bool*>(answers + first));
    }
  }

  const std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  const std::unique_ptr<const HugeBuffer> filter_;
  const double bits_per_key_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

// This goes by the rates that were measured (bench/results/accuracy.json), which both kinds share; between them along
// the curve.
double BitsForFpr(double fpr, uint64_t) {
  constexpr std::pair<double, double> kRates[] = {{9, 0.0151},   {10, 0.00977},  {11, 0.0062},
                                                  {12, 0.00415}, {14, 0.001825}, {16, 0.00085},
                                                  {18, 0.0004},  {20, 0.0002},   {24, 0.0000537}};
  for (size_t i = 1; i < std::size(kRates); ++i) {
    const auto [fewer, higher] = kRates[i - 1];
    const auto [more, lower] = kRates[i];
    if (lower <= fpr) return fewer + (more - fewer) * std::log(higher / fpr) / std::log(higher / lower);
  }
  return 0;
}

Peer MakePeer(const char* name, double fill_ns, uint64_t build_bytes,
              const rocksdb::FilterPolicy* (*policy)(double bits_per_key)) {
  Peer peer;
  peer.name = name;
  peer.origin = PackagedOrigin(LINEFILTER_BENCH_PACKAGE, "RocksDB", rocksdb::GetRocksVersionAsString());
  peer.targets = {kPackagedTarget};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBatch, Access::kBuild};
  peer.fill_ns = fill_ns;
  peer.build_bytes = build_bytes;
  peer.bits_for_fpr = BitsForFpr;
  peer.make = [policy](const Spec& spec) -> std::unique_ptr<PeerFilter> {
    return std::make_unique<RocksDbFilter>(policy(spec.bits_per_key), spec);
  };
  return peer;
}

}  // namespace

// Bloom: k probes in one 512-bit cache line. Debian compiles it without AVX2, so this is the scheme's portable loop;
// the peer k_independent shows the scheme with AVX2. Its builder keeps 64-bit hashes, and the filter once more until it
// is copied.
//
// Ribbon: the bits of a Bloom filter's rate in about 0.7 of its size, for slower lookups and much slower filling. It is
// asked for the Bloom filter's bits per key, so its real ones are lower. Filling takes 28 bytes per key meanwhile: 12
// GB for the 4.3e8 keys of 512 MB at 10 bits per key.
std::vector<Peer> Peers_rocksdb() {
  return {MakePeer("rocksdb_bloom", 50, 10, [](double bits) { return rocksdb::NewBloomFilterPolicy(bits); }),
          MakePeer("rocksdb_ribbon", 350, 28, [](double bits) {
            constexpr int kNeverBloom = -1;  // whatever the level of the table
            return rocksdb::NewRibbonFilterPolicy(bits, kNeverBloom);
          })};
}

}  // namespace linefilter::bench
