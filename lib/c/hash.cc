#include "linefilter/hash.h"

#include "lib/c/convert.h"
#include "lib/filters/secret.h"
#include "linefilter/c/hash.h"

using linefilter::internal::GivenSecret;
using linefilter::internal::KeyFromC;

namespace {

uint64_t KeyedHashOf(linefilter::Key key, const uint8_t* secret) {
  const linefilter::KeyHash key_hash = {linefilter::HashId::kKeyed, 0, GivenSecret(secret).OrZero()};
  uint64_t hash = 0;
  (void)key_hash.Of(key, &hash);
  return hash;
}

}  // namespace

uint64_t linefilter_hash_key(const void* key, size_t size, uint64_t seed) {
  return linefilter::HashKey(KeyFromC(key, size), seed);
}

uint64_t linefilter_hash_u64(uint64_t key, uint64_t seed) { return linefilter::HashKey(key, seed); }

void linefilter_hash_keys(const void* const* keys, const size_t* sizes, size_t n, uint64_t seed, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = linefilter_hash_key(keys[i], sizes[i], seed);
}

void linefilter_hash_u64s(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = linefilter::HashKey(keys[i], seed);
}

uint64_t linefilter_secret_hash_key(const void* key, size_t size, const uint8_t* secret) {
  return KeyedHashOf(KeyFromC(key, size), secret);
}

uint64_t linefilter_secret_hash_u64(uint64_t key, const uint8_t* secret) { return KeyedHashOf(key, secret); }

uint64_t linefilter_secret_check(const uint8_t* secret) {
  return linefilter::CheckOfSecret(GivenSecret(secret).OrZero());
}

uint64_t linefilter_hash_mix(uint64_t hash) { return linefilter::MixHash(hash); }

uint32_t linefilter_hash_shard(uint64_t hash, uint32_t num_shards) { return linefilter::ShardOf(hash, num_shards); }
