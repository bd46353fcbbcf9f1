// A reader of Thrift's compact protocol, as far as the header of a Bloom filter needs it: known fields are read, all
// others are skipped. Every value takes at least a byte and nesting is bounded, so time and stack are bounded by the
// bytes that are given. After a fault nothing moves any more, and every byte is 0. (Thrift's library would be a hundred
// times this.)
#ifndef LINEFILTER_LIB_PARQUET_COMPACT_READER_H_
#define LINEFILTER_LIB_PARQUET_COMPACT_READER_H_

#include <cstdint>

namespace linefilter::internal {

struct CompactReader {
  enum Type : int { kTrue = 1, kFalse, kByte, kI16, kI32, kI64, kDouble, kBinary, kList, kSet, kMap, kStruct, kUuid };
  static constexpr int kMostNesting = 8;

  const uint8_t *at, *end;
  bool is_sound = true, is_cut = false;  // false after a fault; true if the fault is that the bytes end too early

  void Skip(uint64_t size) {
    is_cut = is_cut || (is_sound && size > static_cast<uint64_t>(end - at));
    is_sound = is_sound && !is_cut;
    if (is_sound) at += size;
  }
  uint8_t Byte() { return Skip(1), is_sound ? at[-1] : uint8_t{0}; }
  uint64_t Varint() {
    uint64_t value = 0, byte = 0x80;
    for (uint32_t shift = 0; shift < 64 && byte >= 0x80; shift += 7) value |= ((byte = Byte()) & 0x7f) << shift;
    is_sound = is_sound && byte < 0x80;
    return value;
  }
  int64_t Zigzag() {
    const uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
  }
  // Calls take(id, type) at the value of each field, which is to be read or skipped.
  template <class Take>
  void Struct(const Take& take) {
    for (int id = 0, head = Byte(); (head & 15) != 0; head = Byte()) {
      id = static_cast<int16_t>(head < 16 ? Zigzag() : id + (head >> 4));
      take(id, head & 15);
    }
  }
  void SkipValue(int type, bool in_list, int nesting) {
    is_sound = is_sound && nesting <= kMostNesting && type >= kTrue && type <= kUuid;
    if (type <= kByte) return Skip(in_list || type == kByte ? 1 : 0);  // the type of a field tells true from false
    if (type <= kI64) return static_cast<void>(Varint());
    if (type <= kBinary || type == kUuid) return Skip(type == kDouble ? 8 : type == kUuid ? 16 : Varint());
    if (type == kStruct) return Struct([&](int, int inner) { SkipValue(inner, false, nesting + 1); });
    const bool is_map = type == kMap;
    uint64_t count = is_map ? Varint() : 1;
    const int types = count == 0 ? 0 : Byte();  // of keys and values, or the count and the type of elements
    if (!is_map) count = types >> 4 == 15 ? Varint() : static_cast<uint64_t>(types >> 4);
    for (; count > 0 && is_sound; --count) {
      if (is_map) SkipValue(types >> 4, true, nesting + 1);
      SkipValue(types & 15, true, nesting + 1);
    }
  }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_PARQUET_COMPACT_READER_H_
