// What a filter should be: shared by the mutable filters (filter.h) and the builder (builder.h).
#ifndef LINEFILTER_OPTIONS_H_
#define LINEFILTER_OPTIONS_H_

#include <cstdint>

#include "linefilter/executor.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"

namespace linefilter {

// bits_per_key or fpr must be set; the rest may stay as it is.
struct FilterOptions {
  // Exactly one of the two. bits_per_key: 1..64. fpr: the highest acceptable false-positive rate, above 0, below 1.
  double bits_per_key = 0;
  double fpr = 0;
  // 0 = the best for the density. Goes with bits_per_key only.
  uint32_t num_probes = 0;
  // Of the builder alone; a BlockedFilter is blocked.
  Layout layout = Layout::kAuto;
  // A multiple of 64 blocks (4 KiB), so that it can be folded (MutableFilter::Fold) by many factors: 2, 4, ..., 64 and
  // more. num_probes then follows from bits_per_key or fpr alone, so that filters for any number of keys can be united,
  // and stays that of a filter that holds what it was made for. kAuto is blocked; classic and retrieval cannot.
  bool foldable = false;
  // Filters asked with one hash must share it; filters whose false positives should differ must not.
  uint64_t seed = 0;
  // Of kKeyed, instead of a seed.
  HashSecret secret;
  // Whose hashes the ...Hash calls take. kXxh3: those of HashKey(key, seed), so ...Key and ...Hash calls may be mixed.
  // kKeyed: those of KeyedHash(key, secret), likewise. kCaller: your own 64-bit hashes (use MixHash if they are poor,
  // or 32 bits written twice); then the ...Key calls insert nothing and answer "maybe".
  HashId hash_id = HashId::kXxh3;
  // Where the memory comes from.
  Allocator allocator;
  // The most bytes that this object may hold at once, of a builder with the image while it finishes;
  // beyond: kOverLimit. Not counted: what a filter takes for a moment to be written to a sink or file, 1/16384 of the
  // image (its chunk checks), of a growing one up to 64 KiB more, of a shared one up to 1 MiB. Builders count theirs.
  uint64_t memory_limit = kNoMemoryLimit;
  // Of the builders alone: the threads that Finish and AddHashes may use. The bytes are the same with any.
  Executor executor;

  // What hash_id, seed and secret mean together.
  KeyHash key_hash() const noexcept {
    return {hash_id, KeyHash::IsKeyed(hash_id) ? CheckOfSecret(secret) : seed, secret};
  }
};

}  // namespace linefilter

#endif  // LINEFILTER_OPTIONS_H_
