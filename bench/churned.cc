#include "bench/churned.h"

#include "bench/memory.h"
#include "bench/peer.h"
#include "bench/peers/cuckoo.h"
#include "bench/peers/library.h"
#include "linefilter/filter.h"

namespace linefilter::bench {
namespace {

uint64_t BodyBytes(uint64_t num_keys, double bits_per_key) {
  Sizing sizing;
  Must(SizeForBitsPerKey(Layout::kQuotient, num_keys, bits_per_key, &sizing));
  return sizing.body_bytes;
}

class ChurnedQuotient : public Churned {
 public:
  ChurnedQuotient(bool removable, uint64_t num_keys, double bits_per_key)
      : memory_(BodyBytes(num_keys, bits_per_key) + kLine) {
    FilterOptions options = FilterOptions::AtBitsPerKey(bits_per_key);
    options.layout = Layout::kQuotient;
    options.removable = removable;
    options.allocator = memory_.SharedBy();
    Must(filter_.Create(num_keys, options));
  }
  void Insert(const uint64_t* hashes, size_t n, uint8_t* done) override {
    for (size_t i = 0; i < n; ++i) filter_.InsertHash(hashes[i]), done[i] = 1;
  }
  void Remove(const uint64_t* hashes, size_t n, uint8_t* done) override {
    for (size_t i = 0; i < n; ++i) done[i] = filter_.RemoveHash(hashes[i]);
  }
  void Ask(const uint64_t* hashes, size_t n, uint8_t* answers) const override {
    filter_.MayContainHashes(hashes, n, answers);
  }
  uint64_t bytes() const override { return 64 * filter_.num_blocks(); }
  double own_fpr() const override { return filter_.ExpectedFpr(); }

 private:
  static constexpr uint64_t kLine = 64;
  HugeBuffer memory_;
  Filter filter_;
};

template <int kBits>
class ChurnedCuckoo : public Churned {
 public:
  explicit ChurnedCuckoo(uint64_t num_keys) : filter_(num_keys) {}
  void Insert(const uint64_t* hashes, size_t n, uint8_t* done) override {
    for (size_t i = 0; i < n; ++i) done[i] = filter_.Insert(hashes[i]);
  }
  void Remove(const uint64_t* hashes, size_t n, uint8_t* done) override {
    for (size_t i = 0; i < n; ++i) done[i] = filter_.Remove(hashes[i]);
  }
  void Ask(const uint64_t* hashes, size_t n, uint8_t* answers) const override {
    for (size_t i = 0; i < n; ++i) answers[i] = filter_.table().MayContain(hashes[i]);
  }
  uint64_t bytes() const override { return filter_.bytes(); }

 private:
  Cuckoo<kBits> filter_;
};

}  // namespace

std::unique_ptr<Churned> MakeChurnedQuotient(bool removable, uint64_t num_keys, double bits_per_key) {
  return std::make_unique<ChurnedQuotient>(removable, num_keys, bits_per_key);
}

std::unique_ptr<Churned> MakeChurnedCuckoo(int slot_bits, uint64_t num_keys) {
  if (slot_bits == 10) return std::make_unique<ChurnedCuckoo<10>>(num_keys);
  if (slot_bits == 12) return std::make_unique<ChurnedCuckoo<12>>(num_keys);
  Die("no cuckoo filter has %d bits per slot here", slot_bits);
}

}  // namespace linefilter::bench
