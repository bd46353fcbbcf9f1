// Tables of examples/sst_reader from the description of their bytes (examples/sst_reader/table_format.h), and their
// checks made to fit again: what a reader must refuse in its content can only be shown with checks that fit.
#ifndef LINEFILTER_TESTS_FUZZ_SST_BYTES_H_
#define LINEFILTER_TESTS_FUZZ_SST_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "examples/sst_reader/table_format.h"
#include "linefilter/builder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/repair.h"

namespace linefilter::fuzz {

// Member i is key 2 i, its value its number; between two of them lies a stranger.
inline std::string SstKey(size_t number) {
  char text[16];
  snprintf(text, sizeof(text), "key-%05zu", number);
  return text;
}
inline std::string SstValue(size_t i) { return std::to_string(i * i); }

// A table of `num_keys` members, so many in a data block, with a filter of that layout.
inline std::string SstTable(size_t num_keys, size_t keys_per_block, Layout layout) {
  FilterOptions options;
  options.bits_per_key = 10;
  options.layout = layout;
  FilterBuilder builder(options);
  std::string table, index;
  for (size_t begin = 0; begin < num_keys; begin += keys_per_block) {
    std::string block, last;
    for (size_t i = begin; i < num_keys && i < begin + keys_per_block; ++i) {
      last = SstKey(2 * i);
      const std::string value = SstValue(i);
      builder.AddKey(last);
      sst::AppendEntry({last, value}, &block);
    }
    sst::AppendLE<uint64_t>(table.size(), &index);
    sst::AppendLE(static_cast<uint32_t>(block.size()), &index);
    sst::AppendLE(sst::Check(block, table.size()), &index);
    sst::AppendLE(static_cast<uint32_t>(last.size()), &index);
    index += last;
    table += block;
  }
  sst::Footer footer;
  footer.num_keys = num_keys;
  footer.index_offset = table.size();
  footer.index_bytes = index.size();
  footer.index_check = sst::Check(index, table.size());
  table += index;
  footer.filter_offset = sst::AlignUp(table.size());
  table.resize(footer.filter_offset);
  FUZZ_REQUIRE(builder.Finish(&table).ok());
  footer.filter_bytes = table.size() - footer.filter_offset;
  footer.filter_end = sst::LoadLE<uint64_t>(&table[table.size() - 8]);
  return table + sst::FooterBytes(footer, table.size());
}

inline void PutLE(uint64_t value, size_t bytes, char* to) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value >> (8 * i));
}

// Makes all checks fit again, wherever the fields that are there point to something that lies in the table.
inline void RepairTable(std::string* table) {
  if (table->size() < sst::kFooterBytes) return;
  const size_t at = table->size() - sst::kFooterBytes;
  char* const data = table->data();
  char* const footer = data + at;
  const uint64_t index_offset = sst::LoadLE<uint64_t>(footer), index_bytes = sst::LoadLE<uint64_t>(footer + 8);
  const uint64_t filter_offset = sst::LoadLE<uint64_t>(footer + 16);
  if (index_offset <= at && index_bytes <= at - index_offset) {
    size_t entry = index_offset;
    const size_t end = index_offset + index_bytes;
    while (end - entry >= sst::kIndexHeader) {
      const uint64_t offset = sst::LoadLE<uint64_t>(data + entry), key_bytes = sst::LoadLE<uint32_t>(data + entry + 16);
      const uint64_t size = sst::LoadLE<uint32_t>(data + entry + 8);
      if (offset <= at && size <= at - offset)
        PutLE(sst::Check({data + offset, static_cast<size_t>(size)}, offset), 4, data + entry + 12);
      if (key_bytes > end - entry - sst::kIndexHeader) break;
      entry += sst::kIndexHeader + key_bytes;
    }
    PutLE(sst::Check({data + index_offset, static_cast<size_t>(index_bytes)}, index_offset), 4, footer + 48);
  }
  if (filter_offset <= at && at - filter_offset >= 8) {
    RepairImage(reinterpret_cast<uint8_t*>(data + filter_offset), at - filter_offset);
    PutLE(sst::LoadLE<uint64_t>(data + at - 8), 8, footer + 32);
  }
  PutLE(sst::Check({footer, 52}, at), 4, footer + 52);
  table->replace(at + 56, sst::kMagic.size(), sst::kMagic);
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_SST_BYTES_H_
