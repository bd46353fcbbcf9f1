// libbloom as packaged: the textbook's filter in plain C, k probes over the whole filter.
#include <bloom.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>

#include "bench/peers/packaged.h"

namespace linefilter::bench {
namespace {

// It takes a count and an error rate and makes them bits: bits per key = -ln(error) / ln(2)^2. This is the inverse.
double ErrorForBitsPerKey(double bits_per_key) { return std::exp(-bits_per_key * M_LN2 * M_LN2); }
double BitsPerKeyForError(double error) { return -std::log(error) / (M_LN2 * M_LN2); }

class Libbloom : public PeerFilter {
 public:
  explicit Libbloom(const Spec& spec) {
    const double bits = static_cast<double>(spec.num_keys) * spec.bits_per_key;
    if (bits >= INT_MAX) Die("libbloom: %.0f bits do not fit its int: choose a filter below 256 MB", bits);
    constexpr uint64_t kLeastEntries = 1000;  // it refuses fewer
    const int entries = static_cast<int>(std::max(spec.num_keys, kLeastEntries));
    if (bloom_init(&bloom_, entries, ErrorForBitsPerKey(spec.bits_per_key)) != 0) {
      Die("libbloom: bloom_init refuses %d keys at %g bits per key", entries, spec.bits_per_key);
    }
    ForMembers(spec, [this](const Keys& keys) { Add(keys); });
  }
  ~Libbloom() override { bloom_free(&bloom_); }
  Libbloom(const Libbloom&) = delete;
  Libbloom& operator=(const Libbloom&) = delete;

  uint64_t bytes() const override { return static_cast<uint64_t>(bloom_.bytes); }
  uint32_t num_probes() const override { return static_cast<uint32_t>(bloom_.hashes); }
  double lines() const override { return num_probes(); }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskBytes(access, keys, [this](const char* data, size_t size) {
      return bloom_check(&bloom_, data, static_cast<int>(size)) != 0;
    });
  }

  void Insert(size_t, Access access, const Keys& keys) override {
    if (access != Access::kInsertSingle) Die("libbloom inserts single keys only, not by %s", AccessName(access));
    Add(keys);
  }

 private:
  void Add(const Keys& keys) {
    ForEachKeyBytes(keys, [this](const char* data, size_t size) { bloom_add(&bloom_, data, static_cast<int>(size)); });
  }

  mutable struct bloom bloom_ {};  // bloom_check takes it without const and only reads
};

}  // namespace

std::vector<Peer> Peers_libbloom() {
  Peer peer;
  peer.name = "libbloom";
  peer.origin = PackagedOrigin(LINEFILTER_BENCH_PACKAGE, "libbloom", bloom_version());
  peer.targets = {kPackagedTarget};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kInsertSingle, Access::kBuild};
  peer.max_bytes = uint64_t{128} << 20;  // it counts bits in an int
  peer.fill_ns = 250;
  peer.bits_for_fpr = [](double fpr, uint64_t) { return BitsPerKeyForError(fpr); };
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> { return std::make_unique<Libbloom>(spec); };
  return {peer};
}

}  // namespace linefilter::bench
