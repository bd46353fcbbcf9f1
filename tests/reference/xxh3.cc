// The only file of the reference that sees xxHash; its functions stay private to this file, as the library's do to
// theirs.
#define XXH_INLINE_ALL
#include "tests/reference/reference.h"
#include "xxhash.h"

namespace reference {
namespace {

constexpr uint64_t kSeedOfKeys = 0x9216D5D98979FB1B;

}  // namespace

uint64_t Xxh3(const void* data, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(data, size, seed); }

uint64_t HashOfKey(std::string_view key, uint64_t seed) { return Xxh3(key.data(), key.size(), seed ^ kSeedOfKeys); }

uint64_t HashOfInteger(uint64_t key, uint64_t seed) {
  uint8_t bytes[8];
  PutLittleEndian(key, 8, bytes);
  return Xxh3(bytes, 8, seed ^ kSeedOfKeys);
}

}  // namespace reference
