// The hashes of numbers. A chunk of them becomes words in their form, which are hashed together. 64-bit integers of
// consecutive rows are words where they lie.
#include <cstring>

#include "lib/columns/chunk.h"
#include "lib/columns/value_at.h"

namespace linefilter::internal {
namespace {

// Words of a chunk: words[i] = make(value of row i).
template <class T, class Word, class Make>
void EachWord(const ColumnData& data, const RowChunk& chunk, Word* words, const Make& make) {
  const uint8_t* const values = static_cast<const uint8_t*>(data.values) + data.first * sizeof(T);
  const auto value = [values](size_t row) { return At<T>(values, row); };
  if (chunk.rows == nullptr) {
    for (size_t i = 0; i < chunk.n; ++i) words[i] = make(value(chunk.first + i));
  } else {
    for (size_t i = 0; i < chunk.n; ++i) words[i] = make(value(chunk.rows[i]));
  }
}

template <class Word, class T>
Word BitsOf(T value) {
  static_assert(sizeof(Word) == sizeof(T), "a wider word would have other bits on a big-endian CPU");
  Word bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Integers alone are compared here: a thread may have told its CPU to take denormal numbers for zeros.
uint64_t RealWord(double value) {
  constexpr uint64_t kNan = 0x7ff8000000000000u;
  const uint64_t bits = BitsOf<uint64_t>(value), without_sign = bits << 1;
  return without_sign == 0 ? 0 : without_sign > 0xffe0000000000000u ? kNan : bits;
}

// A denormal float is its mantissa times 2^-149, and no denormal double.
uint64_t RealWord(float value) {
  const uint32_t bits = BitsOf<uint32_t>(value), mantissa = bits & 0x7fffff;
  const bool is_denormal = (bits & 0x7f800000) == 0;
  const double magnitude = static_cast<double>(static_cast<int32_t>(mantissa)) * 0x1p-149;
  return RealWord(!is_denormal ? static_cast<double>(value) : (bits >> 31) != 0 ? -magnitude : magnitude);
}

struct Int128 {
  uint64_t halves[2];
  uint64_t low() const {
    constexpr uint16_t kOne = 1;
    return halves[*reinterpret_cast<const uint8_t*>(&kOne) == 1 ? 0 : 1];
  }
};

template <class T>
void WordsOf(const Column& column, const RowChunk& chunk, uint64_t* words) {
  const ColumnData& data = column.data();
  if (column.form() == KeyForm::kReal) {
    EachWord<T>(data, chunk, words, [](T v) { return RealWord(static_cast<double>(v)); });
  } else if (data.factor == 1) {
    EachWord<T>(data, chunk, words, [](T v) { return static_cast<uint64_t>(v); });
  } else {
    EachWord<T>(data, chunk, words, [factor = data.factor](T v) { return static_cast<uint64_t>(v) * factor; });
  }
}

void Words(const Column& column, const RowChunk& chunk, uint64_t* words) {
  switch (column.data().type) {
    case ColumnType::kInt8:
      return WordsOf<int8_t>(column, chunk, words);
    case ColumnType::kInt16:
      return WordsOf<int16_t>(column, chunk, words);
    case ColumnType::kInt32:
      return WordsOf<int32_t>(column, chunk, words);
    case ColumnType::kInt64:
      return WordsOf<int64_t>(column, chunk, words);
    case ColumnType::kUInt8:
      return WordsOf<uint8_t>(column, chunk, words);
    case ColumnType::kUInt16:
      return WordsOf<uint16_t>(column, chunk, words);
    case ColumnType::kUInt32:
      return WordsOf<uint32_t>(column, chunk, words);
    case ColumnType::kUInt64:
      return WordsOf<uint64_t>(column, chunk, words);
    case ColumnType::kFloat:
      return EachWord<float>(column.data(), chunk, words, [](float v) { return RealWord(v); });
    case ColumnType::kDouble:
      return EachWord<double>(column.data(), chunk, words, [](double v) { return RealWord(v); });
    default:
      return EachWord<Int128>(column.data(), chunk, words,
                              [factor = column.data().factor](Int128 v) { return v.low() * factor; });
  }
}

// What Parquet stores: integers of up to 32 bits and floats have 4 bytes, whatever their form.
void ParquetHashesOf(const ColumnData& data, const KeyHash& key_hash, const RowChunk& chunk, uint64_t* hashes) {
  uint32_t halves[kChunkRows];
  const auto widened = [](auto v) { return static_cast<uint32_t>(v); };
  switch (data.type) {
    case ColumnType::kInt8:
      EachWord<int8_t>(data, chunk, halves, widened);
      break;
    case ColumnType::kInt16:
      EachWord<int16_t>(data, chunk, halves, widened);
      break;
    case ColumnType::kUInt8:
      EachWord<uint8_t>(data, chunk, halves, widened);
      break;
    case ColumnType::kUInt16:
      EachWord<uint16_t>(data, chunk, halves, widened);
      break;
    case ColumnType::kInt32:
    case ColumnType::kUInt32:
    case ColumnType::kFloat:
      EachWord<uint32_t>(data, chunk, halves, widened);
      break;
    default:
      EachWord<uint64_t>(data, chunk, hashes, [](uint64_t v) { return v; });
      key_hash.OfKeys(hashes, chunk.n, hashes);
      return;
  }
  ParquetHashes(halves, chunk.n, hashes);
}

}  // namespace

void HashNumbers(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, uint64_t* hashes) {
  const ColumnData& data = column.data();
  if (key_hash.id == HashId::kParquet) return ParquetHashesOf(data, key_hash, chunk, hashes);
  const bool are_words = (data.type == ColumnType::kInt64 || data.type == ColumnType::kUInt64) && data.factor == 1 &&
                         column.form() != KeyForm::kReal;
  if (are_words && chunk.rows == nullptr && reinterpret_cast<uintptr_t>(data.values) % alignof(uint64_t) == 0) {
    key_hash.OfKeys(static_cast<const uint64_t*>(data.values) + data.first + chunk.first, chunk.n, hashes);
    return;
  }
  Words(column, chunk, hashes);
  key_hash.OfKeys(hashes, chunk.n, hashes);
}

}  // namespace linefilter::internal
