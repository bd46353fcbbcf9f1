/* From keys to hashes. */
#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestHashes(void) {
  const uint8_t counting[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const uint8_t zero_secret[16] = {0};
  const uint64_t number = 0x0102030405060708;
  const uint8_t bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  const void* keys[2];
  const size_t sizes[2] = {8, 0};
  uint64_t hashes[2], again[2] = {0x0102030405060708, 5};
  keys[0] = bytes;
  keys[1] = NULL;
  /* tests/conformance/xxh3.txt and siphash.txt */
  CHECK(linefilter_hash_key("", 0, 0) == 0xf8c140fb0946647b && linefilter_hash_key(NULL, 0, 0) == 0xf8c140fb0946647b);
  CHECK(linefilter_hash_key("", 0, 0x9e3779b97f4a7c15) == 0x69f5a05862f7f1f3);
  CHECK(linefilter_secret_hash_key("", 0, counting) == 0xabac0158050fc4dc);
  CHECK(linefilter_hash_u64(number, 7) == linefilter_hash_key(bytes, 8, 7));
  CHECK(linefilter_hash_u64(number, 7) != linefilter_hash_u64(number, 8));
  CHECK(linefilter_secret_hash_u64(number, counting) == linefilter_secret_hash_key(bytes, 8, counting));
  /* A NULL secret is misuse: the header tells what comes of it. */
  CHECK(linefilter_secret_hash_u64(number, NULL) == linefilter_secret_hash_u64(number, zero_secret));
  CHECK(linefilter_secret_hash_key("", 0, NULL) == linefilter_secret_hash_key("", 0, zero_secret));
  CHECK(linefilter_secret_check(NULL) == linefilter_secret_check(zero_secret));
  CHECK(linefilter_secret_check(counting) != linefilter_secret_check(zero_secret));
  linefilter_hash_keys(keys, sizes, 2, 7, hashes);
  CHECK(hashes[0] == linefilter_hash_u64(number, 7) && hashes[1] == linefilter_hash_key("", 0, 7));
  linefilter_hash_u64s(again, 2, 7, again); /* where they are */
  CHECK(again[0] == hashes[0] && again[1] == linefilter_hash_u64(5, 7));
  CHECK(linefilter_parquet_hash_key("", 0) == 0xef46db3751d8e999 &&
        linefilter_parquet_hash_key(NULL, 0) == 0xef46db3751d8e999); /* XXH64 of nothing */
  CHECK(linefilter_parquet_hash_u64(number) == linefilter_parquet_hash_key(bytes, 8));
  linefilter_parquet_hash_keys(keys, sizes, 2, hashes);
  CHECK(hashes[0] == linefilter_parquet_hash_u64(number) && hashes[1] == linefilter_parquet_hash_key("", 0));
  again[0] = number;
  linefilter_parquet_hash_u64s(again, 1, again); /* where they are */
  CHECK(again[0] == hashes[0]);
  CHECK(linefilter_hash_mix(0) == 0xe220a8397b1dcdaf); /* SplitMix64's first number */
  CHECK(linefilter_hash_shard(hashes[0], 1) == 0);
  int shards[4] = {0};
  for (uint64_t i = 0; i < 1000; ++i) ++shards[linefilter_hash_shard(linefilter_hash_u64(i, 0), 4) % 4];
  for (int i = 0; i < 4; ++i) CHECK(shards[i] > 150);
}

/* Any number of keys, for one is hashed by itself, others together, and each group of 256 apart. */
static void TestManyHashes(void) {
  enum { kMost = 600 };
  static char text[kMost + 32];
  static const void* keys[kMost];
  static size_t sizes[kMost];
  static uint64_t hashes[kMost + 1];
  static const size_t kCounts[] = {0, 1, 2, 7, 8, 9, 255, 256, 257, 512, 600};
  for (size_t i = 0; i < sizeof(text); ++i) text[i] = (char)(i * i + 7 * i);
  for (size_t i = 0; i < kMost; ++i) keys[i] = text + i, sizes[i] = i % 32;
  for (size_t c = 0; c < sizeof(kCounts) / sizeof(*kCounts); ++c) {
    const size_t n = kCounts[c];
    int wrong = 0;
    for (int is_parquet = 0; is_parquet < 2; ++is_parquet) {
      hashes[n] = 12345;
      if (is_parquet) {
        linefilter_parquet_hash_keys(keys, sizes, n, hashes);
      } else {
        linefilter_hash_keys(keys, sizes, n, 3, hashes);
      }
      for (size_t i = 0; i < n; ++i) {
        wrong += hashes[i] != (is_parquet ? linefilter_parquet_hash_key(keys[i], sizes[i])
                                          : linefilter_hash_key(keys[i], sizes[i], 3));
      }
      wrong += hashes[n] != 12345;
    }
    CHECK(wrong == 0);
  }
}

void RunHash(void) {
  RUN(TestHashes);
  RUN(TestManyHashes);
}
