// A footer is read by the reader of lib/parquet, which also skips what is unknown. Here it gets what a footer has
// beyond the header of a filter: lists, texts, numbers whose type is checked, and a reason.
#ifndef LINEFILTER_TOOLS_PROGRAM_PARQUET_THRIFT_H_
#define LINEFILTER_TOOLS_PROGRAM_PARQUET_THRIFT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/parquet/compact_reader.h"

namespace linefilter::tools {

// Each call reads the value of a field of that type; a type that the field cannot have is a fault.
struct ThriftReader : internal::CompactReader {
  const char* wrong = nullptr;  // a fault of what the bytes mean

  ThriftReader(const uint8_t* bytes, size_t size) : CompactReader{bytes, bytes + size} {}

  void Demand(bool is_so, const char* what = nullptr) {
    if (is_sound && !is_so) wrong = what;
    is_sound = is_sound && is_so;
  }
  void SkipField(int type) { SkipValue(type, false, 1); }
  void Read(int type, int64_t* value) {
    Demand(type == kI64);
    *value = Zigzag();
  }
  void Read(int type, int32_t* value) {
    Demand(type == kI32 || type == kByte);
    const int64_t wide = type == kByte ? static_cast<int8_t>(Byte()) : Zigzag();
    Demand(wide >= INT32_MIN && wide <= INT32_MAX);
    *value = static_cast<int32_t>(wide);
  }
  void Read(int type, bool* value) {
    Demand(type == kTrue || type == kFalse);
    *value = type == kTrue;
  }
  void Read(int type, std::string* text) {
    Demand(type == kBinary);
    const uint64_t size = Varint();
    Skip(size);
    if (is_sound) text->assign(reinterpret_cast<const char*>(at) - size, size);
  }
  template <class Take>
  void StructOf(int type, const Take& take) {
    Demand(type == kStruct);
    Struct(take);
  }
  // Calls take(type) at each element.
  template <class Take>
  void ListOf(int type, const Take& take) {
    Demand(type == kList);
    const int head = Byte();
    const uint64_t count = head >> 4 == 15 ? Varint() : static_cast<uint64_t>(head >> 4);
    for (uint64_t i = 0; i < count && is_sound; ++i) take(head & 15);
  }
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PARQUET_THRIFT_H_
