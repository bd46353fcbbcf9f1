#include "tests/reference/parquet.h"

#include <utility>
#include <vector>

namespace reference {
namespace {

struct Cut {};
struct Damaged {};

// A value and, if it is a struct, its fields in order. All else is only gone through.
struct Field;
struct Value {
  Value() = default;
  Value(Value&&) noexcept;
  Value& operator=(Value&&) noexcept;
  ~Value();

  int type = 0;
  uint64_t number = 0;  // of an integer, as its varint
  std::vector<Field> fields;
};
struct Field {
  int id;
  Value value;
};
// They are here, where a field is known: clang 14 asks for that.
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

class Parser {
 public:
  Parser(const uint8_t* bytes, size_t size) : bytes_(bytes), size_(size) {}

  size_t at() const { return at_; }

  // A struct whose values are at that level. In the header a known field must have its type.
  Value Struct(int level, bool is_header = false) {
    Value value;
    value.type = 12;
    int id = 0;
    for (;;) {
      const int head = Next();
      if (head % 16 == 0) return value;
      if (head / 16 == 0) {
        const uint64_t coded = Number();
        const uint16_t low = static_cast<uint16_t>(coded % 2 == 0 ? coded / 2 : ~(coded / 2));
        id = low < 32768 ? low : low - 65536;
      } else {
        id += head / 16;
      }
      const bool is_known = is_header && id >= 1 && id <= 4;
      if (is_known && head % 16 != (id == 1 ? 5 : 12)) throw Damaged();
      value.fields.push_back({id, is_known && id != 1 ? Struct(1) : Any(head % 16, false, level)});
    }
  }

 private:
  int Next() {
    if (at_ == size_) throw Cut();
    return bytes_[at_++];
  }
  void Pass(uint64_t count) {
    if (count > size_ - at_) throw Cut();
    at_ += static_cast<size_t>(count);
  }
  uint64_t Number() {
    uint64_t number = 0;
    for (int i = 0; i < 10; ++i) {
      const uint64_t byte = static_cast<uint64_t>(Next());
      number += (byte % 128) << (7 * i);
      if (byte < 128) return number;
    }
    throw Damaged();
  }
  Value Any(int type, bool is_element, int level) {
    Value value;
    value.type = type;
    if (level > 8) throw Damaged();
    switch (type) {
      case 1:  // true
      case 2:  // false
        if (is_element) Pass(1);
        break;
      case 3:  // i8
        Pass(1);
        break;
      case 4:  // i16
      case 5:  // i32
      case 6:  // i64
        value.number = Number();
        break;
      case 7:  // double
        Pass(8);
        break;
      case 8:  // binary
        Pass(Number());
        break;
      case 9:   // list
      case 10:  // set
        List(level);
        break;
      case 11:  // map
        Map(level);
        break;
      case 12:  // struct
        value = Struct(level + 1);
        break;
      case 13:  // uuid
        Pass(16);
        break;
      default:
        throw Damaged();
    }
    return value;
  }
  void List(int level) {
    const int head = Next();
    const uint64_t count = head / 16 == 15 ? Number() : static_cast<uint64_t>(head / 16);
    for (uint64_t i = 0; i < count; ++i) Any(head % 16, true, level + 1);
  }
  void Map(int level) {
    const uint64_t count = Number();
    const int types = count == 0 ? 0 : Next();
    for (uint64_t i = 0; i < count; ++i) {
      Any(types / 16, true, level + 1);
      Any(types % 16, true, level + 1);
    }
  }

  const uint8_t* bytes_;
  size_t size_, at_ = 0;
};

// BLOCK, XXHASH, UNCOMPRESSED: the union has its field 1, a struct, and nothing else.
bool IsFirstMember(const Value& of) {
  bool is_first = !of.fields.empty();
  for (const auto& [id, value] : of.fields) is_first = is_first && id == 1 && value.type == 12;
  return is_first;
}

HeaderVerdict Judge(const Value& header, uint64_t* bitset_bytes) {
  bool seen[5] = {};
  uint64_t coded = 0;
  for (const auto& [id, value] : header.fields) {
    if (id < 1 || id > 4) continue;
    seen[id] = true;
    if (id == 1) coded = value.number;
  }
  if (!seen[1]) return HeaderVerdict::kDamaged;
  // What comes first decides: a field that is missing, or a member that nobody knows.
  for (int id = 2; id <= 4; ++id) {
    if (!seen[id]) return HeaderVerdict::kDamaged;
    for (const auto& [field, value] : header.fields) {
      if (field == id && !IsFirstMember(value)) return HeaderVerdict::kUnknown;
    }
  }
  *bitset_bytes = coded / 2;
  const bool is_negative = coded % 2 != 0;
  const bool fits = *bitset_bytes >= 32 && *bitset_bytes < (uint64_t{1} << 31) && *bitset_bytes % 32 == 0;
  return fits && !is_negative ? HeaderVerdict::kGood : HeaderVerdict::kDamaged;
}

}  // namespace

ParquetHeader ReadParquetHeader(const uint8_t* bytes, size_t size) {
  ParquetHeader header;
  Parser parser(bytes, size < 1024 ? size : 1024);
  try {
    const Value value = parser.Struct(1, true);
    header.verdict = Judge(value, &header.bitset_bytes);
    header.header_bytes = parser.at();
  } catch (const Cut&) {
    header.verdict = size < 1024 ? HeaderVerdict::kCut : HeaderVerdict::kUnknown;
  } catch (const Damaged&) {
    header.verdict = HeaderVerdict::kDamaged;
  }
  return header;
}

bool ParquetMayContain(const uint8_t* bitset, uint64_t bitset_bytes, uint64_t hash) {
  static const uint32_t kSalt[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                    0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  const uint64_t block = (hash >> 32) * (bitset_bytes / 32) >> 32;
  for (uint64_t i = 0; i < 8; ++i) {
    const uint32_t bit = (static_cast<uint32_t>(hash) * kSalt[i]) >> 27;
    if ((bitset[32 * block + 4 * i + bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

}  // namespace reference
