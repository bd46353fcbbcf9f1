// Binary fuse filter with 8-bit fingerprints in three segments (Graf and Lemire 2022, arXiv 2201.01174): the static
// peer, written from the paper for this benchmark. It has no bits per key to choose: about 9.04 for large sets, 1/256
// false positives.
//
// A key lies in three slots, one in each of three adjacent segments; their xor is its fingerprint. Building takes away,
// again and again, a slot that only one key has left; in the reverse order each key then has a slot of its own to set.
// Ours takes hashes, so a retry remixes them by one multiplication where the paper hashes the keys anew: a little
// faster for the peer. Batches prefetch three lines a key, as far ahead as all our peers do (0, 4, 16, 32 or 64 keys
// ahead: 25.6 to 26.0 ns at 512 MB, the CPU overlaps such lookups by itself).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/memory.h"
#include "bench/peers/loops.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

constexpr int kSegmentsOfAKey = 3;
constexpr int kMaxTries = 64;  // each succeeds with about 0.9 and more

// Section 3 of the paper: how long a segment is, and how many slots a set of n keys needs.
uint32_t SegmentBits(double n) {
  const double bits = n < 2 ? 2 : std::floor(std::log(n) / std::log(3.33) + 2.25);
  return static_cast<uint32_t>(std::fmin(bits, 18));
}
double SlotsPerKey(double n) { return 0.875 + 0.25 * std::fmax(1, std::log(1e6) / std::log(std::fmax(n, 2))); }

struct Shape {
  uint64_t first_slots = 0;  // where a key's first slot may be: all segments but the last two
  uint64_t length = 0;       // of a segment, a power of two
  uint64_t multiplier = 1;   // of the try that succeeded

  explicit Shape(uint64_t num_keys) {
    const double n = static_cast<double>(num_keys);
    length = uint64_t{1} << SegmentBits(n);
    const uint64_t segments = (static_cast<uint64_t>(n * SlotsPerKey(n)) + length - 1) / length;
    first_slots = (segments > kSegmentsOfAKey ? segments - (kSegmentsOfAKey - 1) : 1) * length;
  }
  uint64_t num_slots() const { return first_slots + (kSegmentsOfAKey - 1) * length; }

  LINEFILTER_INLINE uint64_t Mix(uint64_t hash) const {
    const uint64_t product = hash * multiplier;
    return product ^ (product >> 32);
  }
  // Of a mixed hash.
  LINEFILTER_INLINE uint64_t Slot(uint64_t mixed, int i) const {
    const uint64_t slot = MulHigh(mixed, first_slots) + static_cast<uint64_t>(i) * length;
    return i == 0 ? slot : slot ^ ((i == 1 ? mixed >> 18 : mixed) & (length - 1));
  }
  LINEFILTER_INLINE uint8_t Fingerprint(uint64_t mixed) const { return static_cast<uint8_t>(mixed ^ (mixed >> 32)); }
};

// What building needs beside the fingerprints: 19 bytes per key.
struct Workshop {
  Workshop(uint64_t num_keys, uint64_t num_slots)
      : hashes_memory(8 * num_keys), places_memory(num_keys), sums_memory(8 * num_slots), counts_memory(num_slots) {}
  uint64_t* hashes() { return reinterpret_cast<uint64_t*>(hashes_memory.data()); }
  uint64_t* sums() { return reinterpret_cast<uint64_t*>(sums_memory.data()); }
  uint8_t* places() { return places_memory.data(); }
  uint8_t* counts() { return counts_memory.data(); }

  HugeBuffer
      hashes_memory;  // first the mixed hashes, near in memory what is near in the filter; then as they were taken
  HugeBuffer places_memory;  // which of its slots each of the taken has for its own
  HugeBuffer sums_memory;    // of a slot: xor of the mixed hashes it has left
  HugeBuffer counts_memory;  // 4 times their number, plus the xor of their places (0, 1, 2)
};

class BinaryFuse : public PeerFilter {
 public:
  explicit BinaryFuse(const Spec& spec) : shape_(spec.num_keys), memory_(shape_.num_slots()) {
    if (spec.built_later) {
      workshop_ = std::make_unique<Workshop>(spec.num_keys, shape_.num_slots());
    } else {
      Fill(spec);
    }
  }

  uint64_t bytes() const override { return memory_.size(); }
  double expected_fpr() const override { return 1 / 256.0; }
  double lines() const override { return kSegmentsOfAKey; }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t* answers) const override {
    const uint8_t* const slots = memory_.data();
    const Shape shape = shape_;
    const auto test = [=](uint64_t hash) {
      const uint64_t mixed = shape.Mix(hash);
      return (shape.Fingerprint(mixed) ^ slots[shape.Slot(mixed, 0)] ^ slots[shape.Slot(mixed, 1)] ^
              slots[shape.Slot(mixed, 2)]) == 0;
    };
    if (access == Access::kBatch) {
      LookupBatch(keys, test, answers);
      return 0;
    }
    if (keys.kind == KeyKind::kHash) return AskEach(access, keys.integers, keys.size, test);
    return AskKeys(
        access, keys, [&](uint64_t key) { return test(HashKey(key)); },
        [&](std::string_view key) { return test(HashKey(key)); });
  }

  void Build(size_t, Access, const Spec& spec) override {
    if (workshop_ == nullptr) workshop_ = std::make_unique<Workshop>(spec.num_keys, shape_.num_slots());
    Fill(spec, workshop_.get());
    if (spec.built_later) workshop_.reset();
  }

 private:
  template <class Test>
  void LookupBatch(const Keys& keys, const Test& test, uint8_t* answers) const {
    constexpr size_t kLookAhead = 32;  // of three lines each: as many lines as `blocked` has under way
    const Shape shape = shape_;
    const bool prefetches = memory_.size() > uint64_t{1} << 20;
    const auto prefetch = [&](uint64_t hash) {
      const uint64_t mixed = shape.Mix(hash);
      for (int i = 0; i < kSegmentsOfAKey; ++i) __builtin_prefetch(memory_.data() + shape.Slot(mixed, i));
    };
    ForHashes(keys, [&](const uint64_t* hashes, size_t first, size_t count) {
      size_t i = 0;
      if (prefetches) {
        for (size_t j = 0; j < kLookAhead && j < count; ++j) prefetch(hashes[j]);
        for (; i + kLookAhead < count; ++i) {
          prefetch(hashes[i + kLookAhead]);
          answers[first + i] = test(hashes[i]);
        }
      }
      for (; i < count; ++i) answers[first + i] = test(hashes[i]);
    });
  }

  void Fill(const Spec& spec) {
    Workshop workshop(spec.num_keys, shape_.num_slots());
    Fill(spec, &workshop);
  }

  void Fill(const Spec& spec, Workshop* workshop) {
    uint64_t seed = 0;
    for (int tries = 0; tries < kMaxTries; ++tries) {
      shape_.multiplier = MixHash(seed++) | 1;
      uint64_t count = Collect(spec, workshop);
      // Of equal hashes none is ever alone in a slot. Sets rarely have any, so they are looked for after a failure.
      if (tries > 0) count = Distinct(workshop->hashes(), count);
      CountSlots(*workshop, count);
      if (Peel(*workshop, count) == count) {
        Assign(*workshop, count);
        return;
      }
    }
    Die("binary_fuse_8_own: %d tries to build a filter of %llu keys failed", kMaxTries,
        static_cast<unsigned long long>(spec.num_keys));
  }

  // The mixed hashes, those of one part of the filter together: 10 times faster than in the order of the keys at 512
  // MB.
  uint64_t Collect(const Spec& spec, Workshop* workshop) const {
    constexpr uint32_t kPartBits = 10;
    uint64_t ends[(size_t{1} << kPartBits) + 1] = {};
    const auto for_mixed = [&](const auto& work) {
      ForMembers(spec, [&](const Keys& keys) {
        ForHashes(keys, [&](const uint64_t* hashes, size_t, size_t count) {
          for (size_t i = 0; i < count; ++i) work(shape_.Mix(hashes[i]));
        });
      });
    };
    for_mixed([&](uint64_t mixed) { ++ends[(mixed >> (64 - kPartBits)) + 1]; });
    for (size_t part = 1; part <= size_t{1} << kPartBits; ++part) ends[part] += ends[part - 1];
    for_mixed([&](uint64_t mixed) { workshop->hashes()[ends[mixed >> (64 - kPartBits)]++] = mixed; });
    return spec.num_keys;
  }

  static uint64_t Distinct(uint64_t* hashes, uint64_t count) {
    std::sort(hashes, hashes + count);
    return static_cast<uint64_t>(std::unique(hashes, hashes + count) - hashes);
  }

  void CountSlots(Workshop& workshop, uint64_t count) const {
    memset(workshop.sums(), 0, 8 * shape_.num_slots());
    memset(workshop.counts(), 0, shape_.num_slots());
    for (uint64_t k = 0; k < count; ++k) {
      const uint64_t mixed = workshop.hashes()[k];
      for (int i = 0; i < kSegmentsOfAKey; ++i) {
        const uint64_t slot = shape_.Slot(mixed, i);
        // 64 keys in a slot overflow: only equal hashes are so many, and peeling fails as it must.
        workshop.counts()[slot] = static_cast<uint8_t>((workshop.counts()[slot] + 4) ^ i);
        workshop.sums()[slot] ^= mixed;
      }
    }
  }

  // Takes keys away until no slot has one alone; returns how many. Follows each key at once: a short stack, near lines.
  uint64_t Peel(Workshop& workshop, uint64_t count) const {
    uint64_t taken = 0;
    std::vector<uint64_t> alone;
    for (uint64_t first = 0; first < shape_.num_slots(); ++first) {
      if (workshop.counts()[first] >> 2 == 1) alone.push_back(first);
      while (!alone.empty()) {
        const uint64_t slot = alone.back();
        alone.pop_back();
        if (workshop.counts()[slot] >> 2 != 1) continue;  // taken by another of its slots
        if (taken == count) return 0;                     // counts that overflowed
        const uint64_t mixed = workshop.sums()[slot];
        const uint8_t place = workshop.counts()[slot] & 3;
        workshop.hashes()[taken] = mixed;
        workshop.places()[taken++] = place;
        for (int i = 0; i < kSegmentsOfAKey; ++i) {
          const uint64_t other = shape_.Slot(mixed, i);
          workshop.counts()[other] = static_cast<uint8_t>((workshop.counts()[other] - 4) ^ i);
          workshop.sums()[other] ^= mixed;
          if (workshop.counts()[other] >> 2 == 1) alone.push_back(other);
        }
      }
    }
    return taken;
  }

  void Assign(Workshop& workshop, uint64_t count) {
    uint8_t* const slots = memory_.data();
    memset(slots, 0, memory_.size());
    for (uint64_t k = count; k-- > 0;) {
      const uint64_t mixed = workshop.hashes()[k];
      uint8_t fingerprint = shape_.Fingerprint(mixed);
      for (int i = 0; i < kSegmentsOfAKey; ++i) fingerprint ^= slots[shape_.Slot(mixed, i)];
      slots[shape_.Slot(mixed, workshop.places()[k])] = fingerprint;  // it was 0
    }
  }

  Shape shape_;
  HugeBuffer memory_;
  std::unique_ptr<Workshop> workshop_;  // kept from build to build
};

}  // namespace

std::vector<Peer> Peers_binary_fuse() {
  Peer peer;
  peer.name = "binary_fuse_8_own";
  peer.origin = "own implementation of the binary fuse filter with 8-bit fingerprints (Graf, Lemire 2022)";
  peer.targets = {"SCALAR"};
  peer.kinds = {KeyKind::kHash, KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kInlined, Access::kInlinedBranch, Access::kInlinedDependent, Access::kBatch, Access::kBuild};
  peer.only_bits_per_key = 10;  // asked for; it takes 9.04 to 9.8
  peer.rebuilds = true;
  peer.fill_ns = 100;
  peer.build_bytes = peer.rebuild_bytes = 19;
  peer.bits_for_fpr = [only = peer.only_bits_per_key](double fpr, uint64_t) { return fpr >= 1 / 256.0 ? only : 0; };
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> { return std::make_unique<BinaryFuse>(spec); };
  return {peer};
}

}  // namespace linefilter::bench
