#include "linefilter/hash.h"

#include <string_view>

#include "lib/c/convert.h"
#include "lib/filters/secret.h"
#include "linefilter/c/hash.h"

using linefilter::internal::BytesKeys;
using linefilter::internal::GivenSecret;
using linefilter::internal::KeyFromC;
using linefilter::internal::ViewsInGroups;

namespace {

using linefilter::HashId;
using linefilter::HashSecret;
using linefilter::KeyHash;

KeyHash OfSeed(uint64_t seed) { return {HashId::kXxh3, seed, HashSecret()}; }
KeyHash OfSecret(const uint8_t* secret) { return {HashId::kKeyed, 0, GivenSecret(secret).OrZero()}; }
KeyHash OfParquet() { return {HashId::kParquet, 0, HashSecret()}; }

uint64_t HashOne(const KeyHash& key_hash, linefilter::Key key) {
  uint64_t hash = 0;
  (void)key_hash.Of(key, &hash);
  return hash;
}

// Goes straight into the array of the caller: by HashInGroups, whose groups are for filters, one key took 17 ns.
void HashEach(const KeyHash& key_hash, const BytesKeys& keys, size_t n, uint64_t* hashes) {
  ViewsInGroups(keys, n, [&](const std::string_view* views, size_t begin, size_t size) {
    (void)key_hash.OfKeys(views, size, hashes + begin);
  });
}

}  // namespace

uint64_t linefilter_hash_key(const void* key, size_t size, uint64_t seed) {
  return linefilter::HashKey(KeyFromC(key, size), seed);
}

uint64_t linefilter_hash_u64(uint64_t key, uint64_t seed) { return linefilter::HashKey(key, seed); }

void linefilter_hash_keys(const void* const* keys, const size_t* sizes, size_t n, uint64_t seed, uint64_t* hashes) {
  HashEach(OfSeed(seed), BytesKeys{keys, sizes}, n, hashes);
}

void linefilter_hash_u64s(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  (void)OfSeed(seed).OfKeys(keys, n, hashes);
}

uint64_t linefilter_secret_hash_key(const void* key, size_t size, const uint8_t* secret) {
  return HashOne(OfSecret(secret), KeyFromC(key, size));
}

uint64_t linefilter_secret_hash_u64(uint64_t key, const uint8_t* secret) { return HashOne(OfSecret(secret), key); }

uint64_t linefilter_secret_check(const uint8_t* secret) {
  return linefilter::CheckOfSecret(GivenSecret(secret).OrZero());
}

uint64_t linefilter_parquet_hash_key(const void* key, size_t size) { return HashOne(OfParquet(), KeyFromC(key, size)); }

uint64_t linefilter_parquet_hash_u64(uint64_t key) { return HashOne(OfParquet(), key); }

void linefilter_parquet_hash_keys(const void* const* keys, const size_t* sizes, size_t n, uint64_t* hashes) {
  HashEach(OfParquet(), BytesKeys{keys, sizes}, n, hashes);
}

void linefilter_parquet_hash_u64s(const uint64_t* keys, size_t n, uint64_t* hashes) {
  linefilter::ParquetHashes(keys, n, hashes);
}

uint64_t linefilter_hash_mix(uint64_t hash) { return linefilter::MixHash(hash); }

uint32_t linefilter_hash_shard(uint64_t hash, uint32_t num_shards) { return linefilter::ShardOf(hash, num_shards); }
