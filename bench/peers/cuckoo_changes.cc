// Insertion into a cuckoo filter and removal from it (cuckoo.h).
#include <cmath>

#include "bench/peers/cuckoo.h"

namespace linefilter::bench {
namespace {

// A few keys may all want the same buckets, so small filters have some more.
constexpr uint64_t kSpareBuckets = 8;

uint64_t BucketsFor(uint64_t num_keys) {
  const double keys_per_bucket = kCuckooLoad * kCuckooSlots;
  return kSpareBuckets + static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) / keys_per_bucket));
}

// A key on its way into the filter, or an entry that has lost its place.
struct Waiting {
  uint64_t bucket, fingerprint;
  int moves;  // 0: a new key, to which both buckets are open
};

}  // namespace

template <int kBits>
Cuckoo<kBits>::Cuckoo(uint64_t num_keys) : memory_(BucketsFor(num_keys) * Table::kBucketBytes + kCuckooLoadBytes) {
  table_.buckets = memory_.data();
  table_.num_buckets = BucketsFor(num_keys);
}

template <int kBits>
bool Cuckoo<kBits>::PutInto(uint64_t bucket, uint64_t fingerprint) {
  const uint64_t slots = table_.Load(bucket) & Table::kBucketMask;
  const uint64_t zeros = Table::Zeros(slots);
  if (zeros == 0) return false;
  const int high_bit = __builtin_ctzll(zeros);
  table_.Store(bucket, slots | fingerprint << (high_bit - (kBits - 1)));
  return true;
}

template <int kBits>
uint64_t Cuckoo<kBits>::Exchange(uint64_t bucket, int slot, uint64_t fingerprint) {
  const uint64_t slots = table_.Load(bucket);
  const uint64_t old = (slots >> (kBits * slot)) & Table::kSlotMask;
  table_.Store(bucket, slots ^ (old ^ fingerprint) << (kBits * slot));
  return old;
}

template <int kBits>
uint64_t Cuckoo<kBits>::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ >> 32;
}

template <int kBits>
bool Cuckoo<kBits>::Insert(uint64_t hash) {
  uint64_t fingerprint = Table::FingerprintOf(hash);
  uint64_t bucket = table_.FirstOf(hash);
  if (PutInto(bucket, fingerprint)) return true;
  const uint64_t other = table_.OtherOf(bucket, fingerprint);
  if (PutInto(other, fingerprint)) return true;
  if (Random() % 2 != 0) bucket = other;
  struct {
    uint64_t bucket;
    int slot;
  } moved[kMostMoves];
  for (int i = 0; i < kMostMoves; ++i) {
    const int slot = static_cast<int>(Random() % kCuckooSlots);
    moved[i] = {bucket, slot};
    fingerprint = Exchange(bucket, slot, fingerprint);
    bucket = table_.OtherOf(bucket, fingerprint);
    if (PutInto(bucket, fingerprint)) return true;
  }
  for (int i = kMostMoves; i-- > 0;) fingerprint = Exchange(moved[i].bucket, moved[i].slot, fingerprint);
  return false;
}

template <int kBits>
bool Cuckoo<kBits>::InsertBatch(const uint64_t* hashes, size_t n) {
  constexpr size_t kMostNew = 32, kRing = 64;  // each in the ring displaces at most one
  Waiting ring[kRing];
  size_t next = 0, first = 0, last = 0;
  while (next < n || first != last) {
    if (next < n && last - first < kMostNew) {
      const uint64_t bucket = table_.FirstOf(hashes[next]), fingerprint = Table::FingerprintOf(hashes[next]);
      ++next;
      table_.Prefetch(bucket, true);
      table_.Prefetch(table_.OtherOf(bucket, fingerprint), true);
      ring[last++ % kRing] = {bucket, fingerprint, 0};
      continue;
    }
    const Waiting waiting = ring[first++ % kRing];
    uint64_t bucket = waiting.bucket;
    if (PutInto(bucket, waiting.fingerprint)) continue;
    if (waiting.moves == 0) {
      const uint64_t other = table_.OtherOf(bucket, waiting.fingerprint);
      if (PutInto(other, waiting.fingerprint)) continue;
      if (Random() % 2 != 0) bucket = other;
    } else if (waiting.moves == kMostMoves) {
      return false;
    }
    const uint64_t displaced = Exchange(bucket, static_cast<int>(Random() % kCuckooSlots), waiting.fingerprint);
    bucket = table_.OtherOf(bucket, displaced);
    table_.Prefetch(bucket, true);
    ring[last++ % kRing] = {bucket, displaced, waiting.moves + 1};
  }
  return true;
}

template <int kBits>
bool Cuckoo<kBits>::Remove(uint64_t hash) {
  const uint64_t fingerprint = Table::FingerprintOf(hash);
  const uint64_t first = table_.FirstOf(hash);
  for (const uint64_t bucket : {first, table_.OtherOf(first, fingerprint)}) {
    const uint64_t slots = table_.Load(bucket);
    const uint64_t found = Table::Zeros(slots ^ fingerprint * Table::kLowBits);
    if (found == 0) continue;
    const int low_bit = __builtin_ctzll(found) - (kBits - 1);
    table_.Store(bucket, slots & ~(Table::kSlotMask << low_bit));
    return true;
  }
  return false;
}

template class Cuckoo<10>;
template class Cuckoo<12>;
template class Cuckoo<16>;

}  // namespace linefilter::bench
