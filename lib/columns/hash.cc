// The keys of a chunk of rows: the hash of each, and which have none. Several columns are one key by their combined
// hash (doc/FORMAT.md section 13).
#include <cstring>

#include "lib/columns/chunk.h"

namespace linefilter {
namespace internal {
namespace {

// The hash of the columns so far is multiplied with it: 2^64 divided by the golden ratio.
constexpr uint64_t kCombine = 0x9e3779b97f4a7c15u;

Fault HashValues(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, const RowBits* nulls,
                 uint64_t* hashes) {
  const ColumnData& data = column.data();
  if (data.inner != nullptr) {
    uint32_t mapped[kChunkRows];
    if (const Fault fault = MapRows(column, chunk, mapped); fault != nullptr) return fault;
    if (data.inner->size() != 0) return HashValues(*data.inner, key_hash, {mapped, 0, chunk.n}, nulls, hashes);
  }
  if (data.type >= ColumnType::kNull) {
    std::memset(hashes, 0, chunk.n * sizeof(hashes[0]));  // no row has a value
    return nullptr;
  }
  if (data.type >= ColumnType::kFixedBytes) return HashTexts(column, key_hash, chunk, nulls, hashes);
  HashNumbers(column, key_hash, chunk, hashes);
  return nullptr;
}

// The nulls of one column go where its Nulls has them.
Fault HashOneColumn(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, uint64_t* hashes,
                    ChunkKeys* keys) {
  RowBits nulls;
  const bool has_nulls = FindNulls(column, chunk, &nulls);
  const Fault fault = HashValues(column, key_hash, chunk, has_nulls ? &nulls : nullptr, hashes);
  if (fault != nullptr || !has_nulls) return fault;
  if (column.nulls() == Nulls::kAsValue) {
    uint64_t null_hash = 0;
    key_hash.Of(kNullKey, &null_hash);
    for (size_t i = 0; i < chunk.n; ++i) hashes[i] = nulls[i] ? null_hash : hashes[i];
    return nullptr;
  }
  if (!keys->has_nulls) {
    keys->never.Fill(false);
    keys->always.Fill(false);
    keys->has_nulls = true;
  }
  (column.nulls() == Nulls::kNever ? keys->never : keys->always) |= nulls;
  return nullptr;
}

constexpr uint64_t kSecond = 1000000000;  // of nanoseconds

// A null of a dictionary's values is found here, too: what holds of the outer column's nulls holds of it.
bool IsNaturalForm(const Column& column) {
  const ColumnData& data = column.data().inner != nullptr ? column.data().inner->data() : column.data();
  switch (column.form()) {
    case KeyForm::kUnknown:
    case KeyForm::kText:
      return true;
    case KeyForm::kInstant:  // Parquet has no seconds, and days of 32 bits alone
      if (data.is_wide_date) return false;
      return data.unit < kSecond || (data.unit > kSecond && data.type == ColumnType::kInt32);
    case KeyForm::kReal:
      return data.type == ColumnType::kFloat || data.type == ColumnType::kDouble;
    case KeyForm::kInteger:  // an instant's integers are none of Parquet's in every unit
      return data.type != ColumnType::kInt128 && data.unit == 0;
    default:
      return column.form() == DecimalForm(data.scale) && data.type != ColumnType::kInt128;
  }
}

Status CanHashForParquet(const Columns& columns) {
  const Column& column = columns.of[0];
  const char* why = nullptr;
  if (column.nulls() == Nulls::kAsValue) {
    why = "its filters have no nulls: take Nulls::kNever or kAlways";
  } else if (!IsNaturalForm(column)) {
    why =
        "it hashes what Parquet stores, so a column keeps the form that it is made with, decimals have 64 bits, dates "
        "32, and there are no seconds";
  }
  if (why == nullptr) return Status();
  return Status::Error(StatusCode::kIncompatible, "the Parquet hash cannot take this column: %s", why);
}

}  // namespace

Status CanAskParquet(const Column& column) {
  if (column.form() != KeyForm::kReal) return Status();
  return Status::Error(
      StatusCode::kIncompatible,
      "in Parquet's hash both zeros and all NaN are keys of their own: ask for floats and doubles by a "
      "ParquetQuestion (parquet.h)");
}

Fault HashRows(const Columns& columns, const KeyHash& key_hash, const RowChunk& chunk, ChunkKeys* keys) {
  keys->has_nulls = false;
  if (columns.count == 1) return HashOneColumn(columns.of[0], key_hash, chunk, keys->hashes, keys);
  KeyHash of_column;
  of_column.seed = key_hash.seed;
  alignas(64) uint64_t hashes[kChunkRows];
  for (size_t c = 0; c < columns.count; ++c) {
    uint64_t* const to = c == 0 ? keys->hashes : hashes;
    if (const Fault fault = HashOneColumn(columns.of[c], of_column, chunk, to, keys); fault != nullptr) return fault;
    if (c == 0) continue;
    for (size_t i = 0; i < chunk.n; ++i) keys->hashes[i] = keys->hashes[i] * kCombine + hashes[i];
    of_column.OfKeys(keys->hashes, chunk.n, keys->hashes);
  }
  return nullptr;
}

Status CanHash(const Columns& columns, const KeyHash& key_hash) {
  const auto refuse = [](const char* why) { return Status::Error(StatusCode::kInvalidArgument, "%s", why); };
  if (columns.count == 0 || columns.count > kMaxColumns) return refuse("a key has 1 to 8 columns");
  for (size_t c = 0; c < columns.count; ++c) {
    const Column& column = columns.of[c];
    if (Status status = column.status(); !status.ok()) return status;
    const Column* const inner = column.data().inner;
    if (inner != nullptr && inner->form() != column.form()) {
      return refuse(
          "the form of a dictionary's values, or of those of runs or a constant, is set before it is made of them");
    }
    if (columns.of[c].size() != columns.of[0].size()) return refuse("the columns of a key have as many rows each");
  }
  if (columns.count > 1) {
    if (key_hash.id == HashId::kCaller) return Status();
    return Status::Error(StatusCode::kIncompatible,
                         "several columns are a key of a filter of hash id kCaller (FilterOptions::hash_id); this one "
                         "has '%s'",
                         HashIdName(key_hash.id));
  }
  if (!key_hash.hashes_keys()) {
    return Status::Error(StatusCode::kIncompatible,
                         "the filter has its caller's own hashes: a column alone has none of these (take a filter of "
                         "hash id kXxh3)");
  }
  return key_hash.id == HashId::kParquet ? CanHashForParquet(columns) : Status();
}

}  // namespace internal

Status HashColumns(const Columns& columns, const KeyHash& key_hash, uint64_t* hashes) noexcept {
  using internal::kChunkRows;
  KeyHash used = key_hash;
  if (columns.count > 1 && key_hash.id == HashId::kXxh3) used.id = HashId::kCaller;
  if (Status status = internal::CanHash(columns, used); !status.ok()) return status;
  internal::ChunkKeys keys;
  const size_t num_rows = columns.of[0].size();
  for (size_t first = 0, n; first < num_rows; first += n) {
    n = num_rows - first < kChunkRows ? num_rows - first : kChunkRows;
    if (const internal::Fault fault = internal::HashRows(columns, used, {nullptr, first, n}, &keys)) {
      return Status::Error(StatusCode::kCorrupt, "rows %zu to %zu: %s", first, first + n - 1, fault);
    }
    std::memcpy(hashes + first, keys.hashes, n * sizeof(hashes[0]));
  }
  return Status();
}

}  // namespace linefilter
