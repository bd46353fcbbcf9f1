// This makes the 64-bit hash of a key, and of a hash a block or a shard.
//
//   const uint64_t hash = linefilter::HashKey("alice@example.org", options.seed);
//   if (seen.InsertHash(hash)) ...  // a filter of that seed
//
// A hash is for filters of its seed, or secret, alone. linefilter/many.h asks many filters for one key, and hashes it
// once for all that hash alike.
//
// HashKey is XXH3_64bits_withSeed of xxHash 0.8, with the seed xor a constant of this library (internal::kHashSeed). So
// a service that shards by plain XXH3 still has even filters: its shards and our blocks do not depend on each other. An
// integer key is its 8 little-endian bytes, so the same integer is the same key in C++, Python, Redis and files. A seed
// decorrelates filters; it is no defence against an adversary, KeyedHash is. All functions are pure and thread-safe.
#ifndef LINEFILTER_HASH_H_
#define LINEFILTER_HASH_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/xxh64.h"
#include "linefilter/key.h"

namespace linefilter {

// How keys became hashes. Every image stores it (doc/FORMAT.md section 1). Ids are never reused.
enum class HashId : uint8_t {
  kCaller = 0,   // the caller's own hashes: a ...Key call cannot be answered ("maybe")
  kXxh3 = 1,     // HashKey(key, seed)
  kKeyed = 2,    // KeyedHash(key, secret)
  kParquet = 3,  // ParquetHash(key), which has no seed
};

// "xxh3", "caller", "keyed", "parquet" or "unknown".
LINEFILTER_EXPORT const char* HashIdName(HashId id) noexcept;

// The high 64 bits of a * b.
LINEFILTER_INLINE uint64_t MulHigh(uint64_t a, uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Product;  // -Wpedantic
  return static_cast<uint64_t>((static_cast<Product>(a) * b) >> 64);
#else
  const uint64_t a_lo = a & 0xffffffffu, a_hi = a >> 32, b_lo = b & 0xffffffffu, b_hi = b >> 32;
  const uint64_t mid = a_hi * b_lo + ((a_lo * b_lo) >> 32);
  const uint64_t mid2 = a_lo * b_hi + (mid & 0xffffffffu);
  return a_hi * b_hi + (mid >> 32) + (mid2 >> 32);
#endif
}

// What HashKey does with a key of bytes.
LINEFILTER_EXPORT uint64_t HashBytes(const void* key, size_t size, uint64_t seed) noexcept;

// These make the hashes of n keys together, the same ones as HashKey makes one by one. The array goes on with num_ahead
// keys that are hashed next: their bytes are fetched meanwhile. `hashes` may be the array of integers itself.
// KeyHash::OfKeys does so for any hash id.
LINEFILTER_EXPORT void HashKeys(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed,
                                uint64_t* hashes) noexcept;
LINEFILTER_EXPORT void HashKeys(const uint64_t* keys, size_t n, size_t num_ahead, uint64_t seed,
                                uint64_t* hashes) noexcept;

namespace internal {

// What can be hashed together where it lies, and what is a row of bytes whose owner stays where it is.
template <class T>
inline constexpr bool kIsHashedTogether = kIsOneOf<T, std::string_view, uint64_t>;
template <class T, class = void>
inline constexpr bool kOwnsText = false;
template <class T>
inline constexpr bool kOwnsText<T, std::void_t<decltype(std::data(std::declval<const T&>()))>> =
    kIsTextKey<T>&& kIsOneOf<decltype(std::data(std::declval<const T&>())), const char*>;

// Room for n keys, each of which is made where it lies. To clear that of 256 views takes 26 ns, as long as 16 hashes.
template <class T, size_t n>
union RoomForKeys {
  RoomForKeys() noexcept {}
  T of[n];
};

// Every seed is xored with this (doc/FORMAT.md section 1): words 17 and 18 of pi's fraction. The sixteen words before
// them are the multipliers C of the layouts of blocks.
inline constexpr uint64_t kHashSeed = 0x9216D5D98979FB1Bu;

// The hash of an integer key. It equals HashBytes of its 8 little-endian bytes, inlined: XXH3's path for 8 bytes,
// written from the specification, xxhash_spec.md. The constants are words of its secret and its mixer.
LINEFILTER_INLINE uint64_t HashNumber(uint64_t key, uint64_t seed) noexcept {
  seed ^= kHashSeed;
  const uint32_t low = static_cast<uint32_t>(seed);
  const uint32_t swapped = (low >> 24) | ((low >> 8) & 0xff00u) | ((low << 8) & 0xff0000u) | (low << 24);
  const uint64_t flip = 0xc73ab174c5ecd5a2u - (seed ^ (static_cast<uint64_t>(swapped) << 32));
  const uint64_t x = ((key >> 32) | (key << 32)) ^ flip;
  uint64_t h = x ^ ((x << 49) | (x >> 15)) ^ ((x << 24) | (x >> 40));
  h *= 0x9fb21c651e98df25u;
  h ^= (h >> 35) + 8;
  h *= 0x9fb21c651e98df25u;
  return h ^ (h >> 28);
}

}  // namespace internal

// The hash of a key: an integer or bytes, and nothing else (linefilter/key.h). The seed is an integer, too.
template <class Seed = uint64_t, std::enable_if_t<internal::kIsInteger<Seed>, int> = 0>
LINEFILTER_INLINE uint64_t HashKey(Key key, Seed seed = 0) noexcept {
  return key.is_number() ? internal::HashNumber(key.number(), static_cast<uint64_t>(seed))
                         : HashBytes(key.bytes().data(), key.bytes().size(), static_cast<uint64_t>(seed));
}

// The keyed hash is for keys that an adversary chooses. It is SipHash-1-3 (Aumasson and Bernstein 2012, with one
// compression and three finalization rounds and 64 bits of output).
//
//   linefilter::FilterOptions options;
//   options.hash_id = linefilter::HashId::kKeyed;
//   options.secret = secret;  // 16 random bytes that you keep: no image holds them
//   ...
//   linefilter::FilterView view(image, size, linefilter::VerifyMode::kWhole, &secret);
//
// An adversary who knows the hash can prepare keys that all fall into one block. When they are inserted, they fill it
// and its neighbours in the set get false positives; when they are asked, they are false positives themselves. A seed
// does not help: one known hash of XXH3 tells it. For 8-byte keys it is only an xor, so that keys prepared for one seed
// are those of another. Without the secret nothing can be prepared. Two threats remain: a false positive that was found
// by asking stays one as long as the filter lives, and a reader of the secret is as before. A key of 16 bytes takes
// about 20 instead of 5 ns.
//
// Filters, views and builders hold a copy of their secret, and do not wipe it from memory when they end. The policies
// for storage engines (leveldb.h, rocksdb.h) have no keyed hash: to an image of one they answer "maybe".

// 128 bits from the system's source of randomness (/dev/urandom, getrandom). If all are zero, there is no secret.
struct HashSecret {
  uint8_t bytes[16] = {};  // in their order, as --secret of the program reads them from a file
};

// What KeyedHash does with a key of bytes.
LINEFILTER_EXPORT uint64_t KeyedHashBytes(const void* key, size_t size, const HashSecret& secret) noexcept;
// What it does with an integer.
LINEFILTER_EXPORT uint64_t KeyedHashNumber(uint64_t key, const HashSecret& secret) noexcept;

// The keyed hash of a key, as HashKey takes it (linefilter/key.h).
LINEFILTER_INLINE uint64_t KeyedHash(Key key, const HashSecret& secret) noexcept {
  return key.is_number() ? KeyedHashNumber(key.number(), secret)
                         : KeyedHashBytes(key.bytes().data(), key.bytes().size(), secret);
}

// The check that an image keeps of the secret, to refuse another one (doc/FORMAT.md section 1). It tells nothing of a
// random secret, but helps to find one that can be guessed.
LINEFILTER_EXPORT uint64_t CheckOfSecret(const HashSecret& secret) noexcept;

// The Parquet hash is for filters that others make or read, as columns of Parquet files have them. It is XXH64 with
// seed 0 of the key's bytes, which is what the Parquet format demands of a value's plain encoding.
//
//   linefilter::FilterOptions options = linefilter::FilterOptions::AtFpr(0.01);
//   options.hash_id = linefilter::HashId::kParquet;  // leave options.seed 0
//   ...
//   filter.InsertKey(order_id);  // as a column of INT64 has it, so pass an integer of any type
//   filter.InsertKey("Berlin");  // as a column of BYTE_ARRAY has it
//
// An integer key is 8 bytes here too, whatever its type. A value of INT32 has 4 bytes in a Parquet file, and so another
// hash: ParquetHashes takes an array of these. There is no seed, so all filters of this hash have false positives in
// common. It is no defence against an adversary. The policies for storage engines make no filter of this hash. If one
// comes to them, that for LevelDB answers rightly, and that for RocksDB "maybe".

// What ParquetHash does with a key of bytes.
LINEFILTER_EXPORT uint64_t ParquetHashBytes(const void* key, size_t size) noexcept;
// What it does with an integer. It equals ParquetHashBytes of its 8 little-endian bytes, inlined.
LINEFILTER_INLINE uint64_t ParquetHashNumber(uint64_t key) noexcept { return internal::Xxh64Of8Bytes(key); }

// The Parquet hash of a key, as HashKey takes it (linefilter/key.h).
LINEFILTER_INLINE uint64_t ParquetHash(Key key) noexcept {
  return key.is_number() ? ParquetHashNumber(key.number()) : ParquetHashBytes(key.bytes().data(), key.bytes().size());
}

// These make the hashes of n keys together, by vectors where there is AVX-512, and of integers where there is AVX2.
// Integers of 64 bits have 8 bytes each, as a column of INT64, and `hashes` may be their own array. Those of 32 bits
// have 4 bytes each, as a column of INT32 or FLOAT, whose hashes no call by key makes.
LINEFILTER_EXPORT void ParquetHashes(const std::string_view* keys, size_t n, uint64_t* hashes) noexcept;
LINEFILTER_EXPORT void ParquetHashes(const uint64_t* keys, size_t n, uint64_t* hashes) noexcept;
LINEFILTER_EXPORT void ParquetHashes(const uint32_t* values, size_t n, uint64_t* hashes) noexcept;

// KeyHash tells how keys become hashes: it alone knows several ways. What takes keys or is asked for them holds one.
struct KeyHash {
  HashId id = HashId::kXxh3;  // which way
  uint64_t seed = 0;          // for a keyed hash CheckOfSecret(secret), which an image keeps instead; kParquet has 0
  HashSecret secret;          // all zero unless the hash is keyed

  // IsKnown tells whether this version implements an id, IsKeyed whether the id goes with a secret, and HasSeed whether
  // its seed may be another than 0.
  LINEFILTER_INLINE static constexpr bool IsKnown(HashId id) noexcept { return id <= HashId::kParquet; }
  LINEFILTER_INLINE static constexpr bool IsKeyed(HashId id) noexcept { return id == HashId::kKeyed; }
  LINEFILTER_INLINE static constexpr bool HasSeed(HashId id) noexcept { return id != HashId::kParquet; }
  // Whether there is a secret.
  LINEFILTER_INLINE constexpr bool is_keyed() const noexcept { return IsKeyed(id); }
  // False if the hashes are the caller's own, so that a key means nothing.
  LINEFILTER_INLINE constexpr bool hashes_keys() const noexcept { return id != HashId::kCaller && IsKnown(id); }
  // The secret; null where there is none.
  const HashSecret* secret_or_null() const noexcept { return is_keyed() ? &secret : nullptr; }

  // Makes the hash of a key. It returns false, and leaves *hash untouched, if callers hash.
  LINEFILTER_INLINE bool Of(Key key, uint64_t* hash) const noexcept {
    if (id == HashId::kXxh3) {
      *hash = HashKey(key, seed);
      return true;
    }
    if (id == HashId::kParquet) {
      *hash = ParquetHash(key);
      return true;
    }
    if (!is_keyed()) return false;
    *hash = KeyedHash(key, secret);
    return true;
  }
  // Makes the hashes of n keys, key_at(0), key_at(1), ...; returns false, and makes none, if callers hash. key_at may
  // return anything that is a key, a std::string of its own, too.
  template <class KeyAt>
  bool OfEach(size_t n, const KeyAt& key_at, uint64_t* hashes) const {
    if (id == HashId::kXxh3) {
      for (size_t i = 0; i < n; ++i) hashes[i] = HashKey(key_at(i), seed);
    } else if (is_keyed()) {
      for (size_t i = 0; i < n; ++i) hashes[i] = KeyedHash(key_at(i), secret);
    } else if (id == HashId::kParquet) {
      for (size_t i = 0; i < n; ++i) hashes[i] = ParquetHash(key_at(i));
    }
    return hashes_keys();
  }
  // Makes the same hashes of an array of std::string_view or uint64_t together. Words of unequal lengths, which no CPU
  // predicts, take half to two thirds of the time so. Where the array goes on with num_ahead keys that come next, it
  // fetches their bytes.
  template <class T, std::enable_if_t<internal::kIsHashedTogether<T>, int> = 0>
  bool OfKeys(const T* keys, size_t n, uint64_t* hashes, size_t num_ahead = 0) const noexcept {
    if (id == HashId::kXxh3) {
      HashKeys(keys, n, num_ahead, seed, hashes);
    } else if (is_keyed()) {
      for (size_t i = 0; i < n; ++i) hashes[i] = KeyedHash(keys[i], secret);
    } else if (id == HashId::kParquet) {
      ParquetHashes(keys, n, hashes);
    }
    return hashes_keys();
  }
  // Calls use(hashes, begin, size) for groups that stay in the L1 and are long enough for the look-ahead of a batch.
  template <class KeyAt, class Use>
  bool InGroups(size_t n, const KeyAt& key_at, const Use& use) const {
    const auto hash = [&](size_t begin, size_t size, uint64_t* hashes) {
      OfEach(
          size, [&](size_t i) { return key_at(begin + i); }, hashes);
    };
    return HashInGroups(n, hash, use);
  }
  // Does the same with the keys of an array, together where they can be: std::string_view, std::string and the like,
  // and integers of 64 bits.
  template <class T, class Use>
  bool InGroups(const T* keys, size_t n, const Use& use) const {
    if constexpr (internal::kIsHashedTogether<T>) {
      const auto hash = [&](size_t begin, size_t size, uint64_t* hashes) {
        OfKeys(keys + begin, size, hashes, n - begin - size);
      };
      return HashInGroups(n, hash, use);
    } else if constexpr (internal::kOwnsText<T>) {
      return InGroupsOfText(
          n, [=](size_t i) { return std::string_view(keys[i]); }, use);
    } else {
      return InGroups(
          n, [=](size_t i) { return Key(keys[i]); }, use);
    }
  }
  // Does the same with text_at(0), text_at(1), ..., which are std::string_view: their bytes stay where they are.
  template <class TextAt, class Use>
  bool InGroupsOfText(size_t n, const TextAt& text_at, const Use& use) const {
    internal::RoomForKeys<std::string_view, kGroup> views;
    const auto hash = [&](size_t begin, size_t size, uint64_t* hashes) {
      for (size_t i = 0; i < size; ++i) ::new (static_cast<void*>(&views.of[i])) std::string_view(text_at(begin + i));
      OfKeys(views.of, size, hashes);
    };
    return HashInGroups(n, hash, use);
  }

  // Names what makes the hashes of the same key different ("hash id", "seed" or "secret"); null if they are the same.
  // Secrets are compared by their checks, which is what `seed` holds then; two secrets share one with chance 2^-64.
  const char* DifferenceTo(const KeyHash& other) const noexcept {
    if (other.id != id) return "hash id";
    return other.seed == seed ? nullptr : is_keyed() ? "secret" : "seed";
  }

 private:
  // 256 take 5.1 instead of 4.75 ns per integer at 512 MB, and 3 % more per string at 1 MB; in cache they are the same.
  static constexpr size_t kGroup = 1024;

  template <class Hash, class Use>
  bool HashInGroups(size_t n, const Hash& hash, const Use& use) const {
    uint64_t hashes[kGroup];
    for (size_t begin = 0; begin < n && hashes_keys(); begin += kGroup) {
      const size_t size = n - begin < kGroup ? n - begin : kGroup;
      hash(begin, size, hashes);
      use(hashes, begin, size);
    }
    return hashes_keys();
  }
};

// Makes a good hash of a poor one (an identity, a multiple of the golden ratio, a 32-bit crc). It is a bijection, so it
// repairs all but missing entropy: the finalizer of SplitMix64 (Steele, Lea and Flood 2014; Stafford's variant 13).
LINEFILTER_INLINE uint64_t MixHash(uint64_t hash) noexcept {
  hash += 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

// The block of a hash among num_blocks, which need be no power of two.
LINEFILTER_INLINE uint64_t BlockIndex(uint64_t hash, uint64_t num_blocks) noexcept { return MulHigh(hash, num_blocks); }

// This tells keys of one block apart: x of doc/FORMAT.md section 6, g of section 8. The top bits of the hash are nearly
// constant within a block, so the xor costs no entropy. Where a caller's shard fixes the low bits (hash % 16), the high
// ones stand in for them. (A caller's own hash must have two independent halves: a 32-bit hash written twice is 0 here;
// MixHash mends it.) The low half alone had 27 % false positives over such a shard, asked for 1 %.
LINEFILTER_INLINE uint32_t InBlockHash(uint64_t hash) noexcept {
  return static_cast<uint32_t>(hash ^ ((hash >> 32) | (hash << 32)));  // with BMI2 a rotation needs no copy of the hash
}

// The shard of a hash among num_shards independent filters. The hash is mixed again: its own top bits choose the block
// too, so shards made of them would leave most of their blocks empty.
LINEFILTER_INLINE uint32_t ShardOf(uint64_t hash, uint32_t num_shards) noexcept {
  return static_cast<uint32_t>(MulHigh(MixHash(hash ^ 0x5851f42d4c957f2du), num_shards));
}

}  // namespace linefilter

#endif  // LINEFILTER_HASH_H_
