// The bytes of a table. All integers are unsigned and little-endian, whatever the CPU; the regions follow each other
// without a gap, so that a reader can check every offset.
//
//   | data block | data block | ... | index | zeros | filter image | footer |
//
// data block    entries in ascending order of their keys: key size u32, value size u32, key, value. An entry is never
//               split: a large value makes a large data block
// index         per data block: offset u64, size u32, its check u32, size of its last key u32, last key
// zeros         0 to 63, so that the filter image begins at a multiple of 64. Its blocks come first in it, and a
//               mapping begins at a page: so each block of the filter is one cache line of memory. Anywhere else it
//               would lie across two, and an absent key cost two misses
// filter image  doc/FORMAT.md; it protects itself
// footer        index_offset u64, index_bytes u64, filter_offset u64, filter_bytes u64, filter_end u64 (the last 8
//               bytes of the image, its own check among them), num_keys u64, index_check u32, footer_check u32 (of the
//               52 bytes before it), 8 bytes of magic
//
// A check is the low half of HashKey(bytes, seed), the seed being their offset in the file: bytes that are good but in
// the wrong place fail, too. The footer protects the index and names the filter, the index protects the data blocks: so
// bytes that are good but of another table fail as well. Such a filter would lose nearly every key.
#ifndef LINEFILTER_EXAMPLES_SST_READER_TABLE_FORMAT_H_
#define LINEFILTER_EXAMPLES_SST_READER_TABLE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/hash.h"

namespace sst {

// The digit is the version of all bytes, the filter's and the checks' too. So whatever changes HashKey, or what a
// layout makes of the same keys, raises it, and a table of another version is refused, not read wrongly.
inline constexpr std::string_view kMagic = "LFTABLE3";
inline constexpr uint64_t kEntryHeader = 8, kIndexHeader = 20, kFooterBytes = 64, kAlignment = 64;
// Of an entry, and of the size at which a data block is full: so a data block has less than 2^31 + 8 bytes.
inline constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 30;

template <class T>
T LoadLE(const char* from) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<uint8_t>(from[i])) << (8 * i);
  return value;
}

template <class T>
void AppendLE(T value, std::string* to) {
  for (size_t i = 0; i < sizeof(T); ++i) to->push_back(static_cast<char>(value >> (8 * i)));
}

inline uint32_t Check(std::string_view bytes, uint64_t offset) {
  return static_cast<uint32_t>(linefilter::HashKey(bytes, offset));
}

// Where the filter image begins behind an index that ends at `offset`.
inline uint64_t AlignUp(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

struct Entry {
  std::string_view key, value;
};

inline void AppendEntry(const Entry& entry, std::string* to) {
  AppendLE(static_cast<uint32_t>(entry.key.size()), to);
  AppendLE(static_cast<uint32_t>(entry.value.size()), to);
  to->append(entry.key).append(entry.value);
}

// Takes the first entry off *rest; false if there is no whole one.
inline bool NextEntry(std::string_view* rest, Entry* entry) {
  if (rest->size() < kEntryHeader) return false;
  const uint64_t key_size = LoadLE<uint32_t>(rest->data()), value_size = LoadLE<uint32_t>(rest->data() + 4);
  if (key_size + value_size > rest->size() - kEntryHeader) return false;  // as u64, the sum does not wrap
  entry->key = rest->substr(kEntryHeader, key_size);
  entry->value = rest->substr(kEntryHeader + key_size, value_size);
  rest->remove_prefix(kEntryHeader + key_size + value_size);
  return true;
}

struct Footer {
  uint64_t index_offset = 0, index_bytes = 0, filter_offset = 0, filter_bytes = 0, filter_end = 0, num_keys = 0;
  uint32_t index_check = 0;
};

// A footer that begins at `offset` of the file.
inline std::string FooterBytes(const Footer& footer, uint64_t offset) {
  std::string bytes;
  for (const uint64_t field : {footer.index_offset, footer.index_bytes, footer.filter_offset, footer.filter_bytes,
                               footer.filter_end, footer.num_keys}) {
    AppendLE(field, &bytes);
  }
  AppendLE(footer.index_check, &bytes);
  AppendLE(Check(bytes, offset), &bytes);
  return bytes.append(kMagic);
}

}  // namespace sst

#endif  // LINEFILTER_EXAMPLES_SST_READER_TABLE_FORMAT_H_
