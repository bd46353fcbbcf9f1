// Which rows are null, and which row of its values a row of a dictionary, of runs or of a constant has.
#include <cstring>
#include <limits>
#include <type_traits>

#include "lib/columns/chunk.h"
#include "lib/columns/value_at.h"

namespace linefilter::internal {
namespace {

// Calls use(T()) with the type of an integer column.
template <class Use>
auto WithInteger(ColumnType type, const Use& use) {
  switch (type) {
    case ColumnType::kInt8:
      return use(int8_t());
    case ColumnType::kInt16:
      return use(int16_t());
    case ColumnType::kInt32:
      return use(int32_t());
    case ColumnType::kUInt8:
      return use(uint8_t());
    case ColumnType::kUInt16:
      return use(uint16_t());
    case ColumnType::kUInt32:
      return use(uint32_t());
    case ColumnType::kUInt64:
      return use(uint64_t());
    default:
      return use(int64_t());
  }
}

// The bits from first_bit on, inverted: no byte is read that has none of the n bits.
void InvertedBits(const uint8_t* bits, size_t first_bit, size_t n, uint8_t* out) {
  const uint8_t* const from = bits + first_bit / 8;
  const unsigned shift = first_bit % 8;
  const size_t num_bytes = (n + 7) / 8, last_byte = (shift + n - 1) / 8;
  for (size_t i = 0; i + 1 < num_bytes; ++i) {
    out[i] = static_cast<uint8_t>(~((from[i] >> shift) | (from[i + 1] << (8 - shift))));
  }
  const unsigned low = from[num_bytes - 1], high = last_byte == num_bytes ? from[last_byte] : 0u;
  out[num_bytes - 1] = static_cast<uint8_t>(~((low >> shift) | (high << (8 - shift))));
}

void NullsOf(const ColumnData& data, const RowChunk& chunk, RowBits* nulls) {
  if (chunk.rows == nullptr) return InvertedBits(data.validity, data.first_bit + chunk.first, chunk.n, nulls->bytes);
  for (size_t i = 0; i < chunk.n; i += 8) {
    unsigned byte = 0;
    for (size_t k = 0; k < 8 && i + k < chunk.n; ++k) {
      const size_t bit = data.first_bit + chunk.rows[i + k];
      byte |= ((~unsigned{data.validity[bit >> 3]} >> (bit & 7)) & 1u) << k;
    }
    nulls->bytes[i / 8] = static_cast<uint8_t>(byte);
  }
}

// The nulls of the rows of a dictionary's values, or of those of runs or a constant.
bool FindInnerNulls(const Column& column, const RowChunk& chunk, RowBits* nulls) {
  const Column& inner = *column.data().inner;
  if (inner.data().validity == nullptr && inner.data().type != ColumnType::kNull) return false;
  uint32_t mapped[kChunkRows];
  if (inner.size() == 0 || MapRows(column, chunk, mapped) != nullptr) return false;
  return FindNulls(inner, {mapped, 0, chunk.n}, nulls);
}

// mapped[i] = index of row i; a null's is 0. False if an index is outside. Without nulls the loops are vectors.
template <class T>
bool CopyIndices(const ColumnData& data, const RowChunk& chunk, const RowBits* nulls, uint32_t* mapped) {
  using Unsigned = std::make_unsigned_t<T>;
  // A negative index becomes a large one, of its own bits: -1 of 8 bits is none of a dictionary with 300 values.
  constexpr uint64_t kMost = std::numeric_limits<T>::max();
  const uint64_t size = data.inner->size(), num_values = size > kMost ? kMost + 1 : size;
  Unsigned most = 0;
  const auto copy = [&](size_t i, size_t row) {
    const Unsigned index = static_cast<Unsigned>(At<T>(data.values, data.first + row));
    most = index > most ? index : most;
    mapped[i] = static_cast<uint32_t>(index);
  };
  if (nulls != nullptr) {
    bool has_index = false;
    for (size_t i = 0; i < chunk.n; ++i) {
      mapped[i] = 0;
      if ((*nulls)[i]) continue;
      copy(i, chunk.row(i));
      has_index = true;
    }
    return !has_index || most < num_values;
  }
  if (chunk.rows != nullptr) {
    for (size_t i = 0; i < chunk.n; ++i) copy(i, chunk.rows[i]);
  } else {
    for (size_t i = 0; i < chunk.n; ++i) copy(i, chunk.first + i);
  }
  return chunk.n == 0 || most < num_values;
}

Fault MapIndices(const ColumnData& data, const RowChunk& chunk, uint32_t* mapped) {
  RowBits nulls;
  const bool has_nulls = data.validity != nullptr;
  if (has_nulls) NullsOf(data, chunk, &nulls);
  const bool are_inside = WithInteger(data.index_type, [&](auto zero) {
    return CopyIndices<decltype(zero)>(data, chunk, has_nulls ? &nulls : nullptr, mapped);
  });
  return are_inside ? nullptr : kIndexOutside;
}

Fault MapRuns(const ColumnData& data, const RowChunk& chunk, uint32_t* mapped) {
  const size_t num_runs = data.width;
  const bool has_ends = WithInteger(data.index_type, [&](auto zero) {
    const auto end = [&](size_t run) { return static_cast<uint64_t>(At<decltype(zero)>(data.values, run)); };
    size_t run = 0;
    bool is_known = false;  // whether the row before lies in `run`
    uint64_t before = 0;
    for (size_t i = 0; i < chunk.n; ++i) {
      const uint64_t row = data.first + chunk.row(i);
      if (!is_known || row < before) {
        run = 0;
        for (size_t count = num_runs; count != 0;) {
          const size_t half = count / 2;
          const bool is_behind = end(run + half) <= row;
          run += is_behind ? half + 1 : 0;
          count = is_behind ? count - half - 1 : half;
        }
      }
      while (run < num_runs && end(run) <= row) ++run;
      if (run == num_runs) return false;
      mapped[i] = static_cast<uint32_t>(run);
      before = row;
      is_known = true;
    }
    return true;
  });
  return has_ends ? nullptr : "the runs end before the last row: the ends of runs must rise to it";
}

}  // namespace

Fault MapRows(const Column& column, const RowChunk& chunk, uint32_t* mapped) {
  const ColumnData& data = column.data();
  if (data.type == ColumnType::kDictionary) return MapIndices(data, chunk, mapped);
  if (data.type == ColumnType::kRuns) return MapRuns(data, chunk, mapped);
  std::memset(mapped, 0, chunk.n * sizeof(mapped[0]));
  return nullptr;
}

bool FindNulls(const Column& column, const RowChunk& chunk, RowBits* nulls) {
  const ColumnData& data = column.data();
  if (chunk.n == 0) return false;
  if (data.type == ColumnType::kNull) {
    nulls->Fill(true);
    return true;
  }
  const bool has_own = data.validity != nullptr;
  if (has_own) NullsOf(data, chunk, nulls);
  if (data.inner == nullptr) return has_own;
  RowBits inner_nulls;
  if (!FindInnerNulls(column, chunk, &inner_nulls)) return has_own;
  if (has_own) inner_nulls |= *nulls;
  *nulls = inner_nulls;
  return true;
}

}  // namespace linefilter::internal
