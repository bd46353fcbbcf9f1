// Columns are added by chunks: the hashes of the rows that have a key.
#include "lib/columns/question.h"
#include "linefilter/builder.h"
#include "linefilter/columns.h"
#include "linefilter/key_filter.h"

namespace linefilter {
namespace {

using internal::ChunkKeys;
using internal::Fault;
using internal::kChunkRows;
using internal::RowChunk;

// Moves the hashes of the rows that have a key to the front; returns how many they are.
size_t KeepKeys(ChunkKeys* keys, size_t n) {
  if (!keys->has_nulls) return n;
  keys->never |= keys->always;
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    keys->hashes[count] = keys->hashes[i];
    count += keys->never[i] ? 0u : 1u;
  }
  return count;
}

// Tells a filter or a builder the forms of columns that come. Parquet's filters tell none: they hash what is stored.
template <class To>
Status NoteForms(const Columns& columns, To* to) {
  if (to->key_hash().id == HashId::kParquet) return Status();
  if (Status status = internal::FormsFit(to->key_kinds(), columns, false); !status.ok()) return status;
  if (const uint64_t forms = internal::FormsOf(columns); forms != 0) to->NoteKeyForms(forms);
  return internal::FormsFit(to->key_kinds(), columns, false);  // another thread may have noted other ones meanwhile
}

template <class Add>
Status AddBy(const Columns& columns, const KeyHash& key_hash, const Add& add) {
  ChunkKeys keys;
  const size_t num_rows = columns.of[0].size();
  for (size_t first = 0, n; first < num_rows; first += n) {
    n = num_rows - first < kChunkRows ? num_rows - first : kChunkRows;
    if (const Fault fault = internal::HashRows(columns, key_hash, {nullptr, first, n}, &keys); fault != nullptr) {
      return Status::Error(StatusCode::kCorrupt, "only the first %zu rows were added: %s", first, fault);
    }
    add(keys.hashes, KeepKeys(&keys, n));
  }
  return Status();
}

}  // namespace

Status AddColumn(const Columns& columns, KeyFilter* filter) noexcept {
  if (filter->layout() == Layout::kAuto) {
    return Status::Error(StatusCode::kInvalidArgument, "the filter takes nothing before it is created");
  }
  if (Status status = internal::CanHash(columns, filter->key_hash()); !status.ok()) return status;
  if (Status status = NoteForms(columns, filter); !status.ok()) return status;
  return AddBy(columns, filter->key_hash(),
               [filter](const uint64_t* hashes, size_t n) { filter->InsertHashes(hashes, n); });
}

Status AddColumn(const Columns& columns, FilterBuilder* builder) noexcept {
  const KeyHash key_hash = builder->key_hash();
  if (Status status = internal::CanHash(columns, key_hash); !status.ok()) return status;
  if (Status status = NoteForms(columns, builder); !status.ok()) return status;
  return AddBy(columns, key_hash, [builder](const uint64_t* hashes, size_t n) { builder->AddHashes(hashes, n); });
}

}  // namespace linefilter
