// The only file that sees xxHash, all of it inlined here: no symbol that could clash with the embedder's own xxHash.
#define XXH_INLINE_ALL
#include "linefilter/hash.h"

#include "lib/hash/xxh3.h"
#include "xxhash.h"

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 is stable since xxHash 0.8.0: install a newer libxxhash-dev");

namespace linefilter {
namespace {

// Apart, so that a key of up to 16 bytes needs no register saved: 38 instead of 46 instructions.
[[gnu::noinline]] uint64_t HashLongKey(const char* data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace

uint64_t HashKey(std::string_view key, uint64_t seed) noexcept {
  if (key.size() > 16) return HashLongKey(key.data(), key.size(), seed);
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

const char* HashIdName(HashId id) noexcept {
  switch (id) {
    case HashId::kCaller:
      return "caller";
    case HashId::kXxh3:
      return "xxh3";
    case HashId::kKeyed:
      return "keyed";
  }
  return "unknown";
}

namespace internal {

uint64_t Xxh3(const void* data, size_t size) { return XXH3_64bits(data, size); }

}  // namespace internal
}  // namespace linefilter
