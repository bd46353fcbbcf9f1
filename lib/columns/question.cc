#include "lib/columns/question.h"

namespace linefilter::internal {
namespace {

// A row without a key stays or goes by its column's Nulls, whatever it was answered.
void SettleNulls(const ChunkKeys& keys, size_t n, uint8_t* bits) {
  if (!keys.has_nulls) return;
  for (size_t i = 0; i < (n + 7) / 8; ++i) {
    bits[i] = static_cast<uint8_t>((bits[i] | keys.always.bytes[i]) & ~keys.never.bytes[i]);
  }
}

}  // namespace

Status FaultAt(const RowChunk& chunk, Fault fault) {
  return Status::Error(StatusCode::kCorrupt, "the %zu rows from row %zu on all stay: %s", chunk.n, chunk.row(0), fault);
}

Fault KeyQuestion::AnswerOf(const FilterBase& filter, const RowChunk& chunk, uint8_t* bits) {
  if (const Fault fault = HashRows(columns_, filter.key_hash(), chunk, &keys_); fault != nullptr) return fault;
  filter.MayContainHashesToBits(keys_.hashes, chunk.n, bits);
  SettleNulls(keys_, chunk.n, bits);
  return nullptr;
}

Fault KeyQuestion::Answer(const RowChunk& chunk, uint8_t* bits) {
  if (const Fault fault = AnswerOf(*filters_.of[0], chunk, bits); fault != nullptr) return fault;
  for (size_t f = 1; f < filters_.count; ++f) {
    const FilterBase& filter = *filters_.of[f];
    RowBits others;
    if (filter.key_hash().DifferenceTo(filters_.of[f - 1]->key_hash()) == nullptr) {
      filter.MayContainHashesToBits(keys_.hashes, chunk.n, others.bytes);
      SettleNulls(keys_, chunk.n, others.bytes);
    } else if (const Fault fault = AnswerOf(filter, chunk, others.bytes); fault != nullptr) {
      return fault;
    }
    for (size_t i = 0; i < (chunk.n + 7) / 8; ++i) bits[i] |= others.bytes[i];
  }
  return nullptr;
}

bool KeyQuestion::NullStays() const {
  const Nulls nulls = columns_.of[0].nulls();
  if (nulls != Nulls::kAsValue) return nulls == Nulls::kAlways;
  for (size_t f = 0; f < filters_.count; ++f) {
    if (filters_.of[f]->MayContainKey(kNullKey)) return true;
  }
  return false;
}

bool ValueQuestion::Fits(const Columns& columns, size_t n) {
  const Column* const values = columns.of[0].data().inner;
  return columns.count == 1 && values != nullptr && values->size() <= n && values->size() <= kMostValues;
}

Fault ValueQuestion::AskValues(const Filters& filters) {
  Column values = *column_.data().inner;
  values.SetNulls(column_.nulls());
  KeyQuestion question(filters, Columns(values));
  null_stays_ = question.NullStays();
  for (size_t first = 0, n; first < values.size(); first += n) {
    n = values.size() - first < kChunkRows ? values.size() - first : kChunkRows;
    if (const Fault fault = question.Answer({nullptr, first, n}, answers_ + first / 8); fault != nullptr) return fault;
  }
  return nullptr;
}

namespace {

unsigned BitOf(const uint8_t* bits, uint32_t i) { return (bits[i >> 3] >> (i & 7)) & 1u; }

}  // namespace

Fault ValueQuestion::Answer(const RowChunk& chunk, uint8_t* bits) const {
  uint32_t mapped[kChunkRows];
  if (const Fault fault = MapRows(column_, chunk, mapped); fault != nullptr) return fault;
  const size_t num_bytes = (chunk.n + 7) / 8;
  for (size_t i = chunk.n; i < 8 * num_bytes; ++i) mapped[i] = 0;
  for (size_t i = 0; i < num_bytes; ++i) {
    unsigned byte = 0;
    for (size_t k = 0; k < 8; ++k) byte |= BitOf(answers_, mapped[8 * i + k]) << k;
    bits[i] = static_cast<uint8_t>(byte);
  }
  RowBits nulls;
  if (!FindNulls(column_, chunk, &nulls)) return nullptr;
  for (size_t i = 0; i < num_bytes; ++i) {
    const unsigned others = bits[i] & ~unsigned{nulls.bytes[i]};
    bits[i] = static_cast<uint8_t>(null_stays_ ? others | nulls.bytes[i] : others);
  }
  return nullptr;
}

namespace {

// The indices of consecutive rows where they lie, if they are such as WriteRows takes; else null.
const void* IndicesInPlace(const ColumnData& data, const RowChunk& chunk) {
  const bool has_32_bits = data.index_type == ColumnType::kInt32 || data.index_type == ColumnType::kUInt32;
  const bool has_values = data.type == ColumnType::kDictionary && data.inner->size() != 0;
  if (!has_values || !has_32_bits || chunk.rows != nullptr) return nullptr;
  return static_cast<const char*>(data.values) + (data.first + chunk.first) * sizeof(uint32_t);
}

}  // namespace

// Without nulls the rows come of the bits of their values at once: bits of the rows in between would take longer. So
// would a copy of the indices: a row of a dictionary took 0.73 in place of 0.15 ns (AMD EPYC, Zen 5).
template <class Row>
Fault ValueQuestion::Select(const RowChunk& chunk, Row* maybes, size_t* count) const {
  const ColumnData& data = column_.data();
  if (data.validity != nullptr) {
    RowBits bits;
    if (const Fault fault = Answer(chunk, bits.bytes); fault != nullptr) return fault;
    WriteRows(bits.bytes, chunk, maybes, count);
    return nullptr;
  }
  uint32_t mapped[kChunkRows];
  const void* value = IndicesInPlace(data, chunk);
  if (value == nullptr) {
    if (const Fault fault = MapRows(column_, chunk, mapped); fault != nullptr) return fault;
    value = mapped;
  }
  if (WriteRows(ValueBits{answers_, data.inner->size()}, value, chunk, maybes, count)) return nullptr;
  return kIndexOutside;
}

template Fault ValueQuestion::Select(const RowChunk&, uint32_t*, size_t*) const;
template Fault ValueQuestion::Select(const RowChunk&, uint16_t*, size_t*) const;

}  // namespace linefilter::internal
