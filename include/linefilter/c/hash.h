// These make hashes of keys, in C. A hash is for filters of its seed or secret alone; linefilter_views_may_contain_key
// (c/view.h) asks many filters for one key, whatever their seeds. All functions are pure. Start at linefilter/c.h.
#ifndef LINEFILTER_C_HASH_H_
#define LINEFILTER_C_HASH_H_

#include <stddef.h>
#include <stdint.h>

#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// This is XXH3_64bits_withSeed of xxHash 0.8 with the seed xor 0x9216d5d98979fb1b. A seed decorrelates filters; it is
// no defence against an adversary.
uint64_t linefilter_hash_key(const void* key, size_t size, uint64_t seed);
// This equals linefilter_hash_key of the 8 little-endian bytes of `key`. A negative integer is widened by its sign.
uint64_t linefilter_hash_u64(uint64_t key, uint64_t seed);
// hashes[i] = linefilter_hash_key(keys[i], sizes[i], seed).
void linefilter_hash_keys(const void* const* keys, const size_t* sizes, size_t n, uint64_t seed, uint64_t* hashes);
// hashes[i] = linefilter_hash_u64(keys[i], seed). The arrays may be the same.
void linefilter_hash_u64s(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes);

// This is SipHash-1-3 with LINEFILTER_SECRET_BYTES secret bytes. Without them nobody can prepare keys that collide.
// `secret` must not be NULL, here and below. There is no error to return, so NULL acts as 16 bytes of 0, which protect
// nothing and which no filter takes as its secret.
uint64_t linefilter_secret_hash_key(const void* key, size_t size, const uint8_t* secret);
// The same for the 8 little-endian bytes of `key`.
uint64_t linefilter_secret_hash_u64(uint64_t key, const uint8_t* secret);
// The check that an image keeps of the secret, to refuse another one.
uint64_t linefilter_secret_check(const uint8_t* secret);

// This is the hash of the Parquet format, XXH64 with seed 0, for filters that others make or read. There is no seed,
// and it is no defence against an adversary. c/parquet.h has the hashes of other columns than BYTE_ARRAY and INT64.
uint64_t linefilter_parquet_hash_key(const void* key, size_t size);
// The same for the 8 little-endian bytes of `key`, as a column of INT64 has it.
uint64_t linefilter_parquet_hash_u64(uint64_t key);
// hashes[i] = linefilter_parquet_hash_key(keys[i], sizes[i]).
void linefilter_parquet_hash_keys(const void* const* keys, const size_t* sizes, size_t n, uint64_t* hashes);
// hashes[i] = linefilter_parquet_hash_u64(keys[i]). The arrays may be the same.
void linefilter_parquet_hash_u64s(const uint64_t* keys, size_t n, uint64_t* hashes);

// Makes a good hash of a poor one (an identity, a 32-bit crc). It repairs everything but missing entropy. A hash of 32
// bits needs it: as it is, also written twice, nearly all is "maybe".
uint64_t linefilter_hash_mix(uint64_t hash);
// The shard of a hash among num_shards independent filters.
uint32_t linefilter_hash_shard(uint64_t hash, uint32_t num_shards);

LINEFILTER_C_END

#endif  // LINEFILTER_C_HASH_H_
