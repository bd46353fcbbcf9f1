// The keyed hash is for keys that an adversary chooses. It is SipHash-1-3 (Aumasson and Bernstein 2012, with one
// compression and three finalization rounds and 64 bits of output).
//
//   linefilter::FilterOptions options;
//   options.hash_id = linefilter::HashId::kKeyed;
//   options.secret = secret;  // 16 random bytes that you keep: no image holds them
//   ...
//   linefilter::FilterView view(image, size, &secret);
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
//
// All functions are pure and thread-safe.
#ifndef LINEFILTER_KEYED_HASH_H_
#define LINEFILTER_KEYED_HASH_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"

namespace linefilter {

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

}  // namespace linefilter

#endif  // LINEFILTER_KEYED_HASH_H_
