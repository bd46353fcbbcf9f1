// What packaged peers share: where they are from, and keys as the bytes that an engine would hand over.
#ifndef LINEFILTER_BENCH_PEERS_PACKAGED_H_
#define LINEFILTER_BENCH_PEERS_PACKAGED_H_

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "bench/memory.h"
#include "bench/peers/loops.h"

namespace linefilter::bench {

// The target of code that is measured as its package compiled it.
inline constexpr const char* kPackagedTarget = "packaged";

// "Debian librocksdb-dev 7.8.3", or "RocksDB 7.8.3" where `package` (LINEFILTER_BENCH_PACKAGE) is empty: not a
// distribution's.
inline std::string PackagedOrigin(const std::string& package, const std::string& name, const std::string& version) {
  return (package.empty() ? name : package) + " " + version;
}

// A finished filter in memory like the other peers'. (libbloom alone keeps its own: its header forbids to swap it.)
inline std::unique_ptr<HugeBuffer> CopyToHugeBuffer(const char* data, size_t size) {
  auto buffer = std::make_unique<HugeBuffer>(size);
  memcpy(buffer->data(), data, size);
  return buffer;
}

// Loops that call ask(data, size): 64-bit keys as their 8 little-endian bytes.
template <class Ask>
inline uint64_t AskBytes(Access access, const Keys& keys, const Ask& ask) {
  return AskKeys(
      access, keys,
      [&ask](uint64_t key) {
        const uint64_t bytes = htole64(key);
        return ask(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
      },
      [&ask](std::string_view key) { return ask(key.data(), key.size()); });
}

// The same bytes for filling: calls add(data, size) for each key.
template <class Add>
inline void ForEachKeyBytes(const Keys& keys, const Add& add) {
  for (size_t i = 0; i < keys.size; ++i) {
    if (keys.kind == KeyKind::kString) {
      add(keys.strings[i].data(), keys.strings[i].size());
    } else {
      const uint64_t bytes = htole64(keys.integers[i]);
      add(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
    }
  }
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_PACKAGED_H_
