// A filter of a Parquet file is opened as a linefilter_view. parquet_write.cc makes such filters, so that who reads
// links none of it; parquet_values.cc asks by value.
#include "linefilter/parquet.h"

#include "lib/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;

static_assert(LINEFILTER_PARQUET_FIRST_READ == kParquetFirstRead);
static_assert(LINEFILTER_PARQUET_MAX_HEADER_BYTES == kMaxParquetHeaderBytes);
static_assert(LINEFILTER_PARQUET_MAX_BITSET_BYTES == kMaxParquetBitsetBytes);

namespace {

struct ParquetView final : linefilter_view {
  explicit ParquetView(const Allocator& memory) noexcept : allocator(memory) {
    asked = parquet = &opened;
    free = [](linefilter_view* handle) { FreeHandle(static_cast<ParquetView*>(handle)); };
  }

  ParquetFilterView opened;
  Allocator allocator;
};

// Returns the view that open(&view) opens.
template <class Open>
linefilter_view* NewView(linefilter_status* status, const Open& open) {
  auto* const view = NewHandle<ParquetView>(status, Allocator(), Allocator());
  return view == nullptr ? nullptr : HandleOr(open(&view->opened), view, status);
}

// Null has no bytes.
size_t SizeOf(const void* bytes, size_t size) { return bytes == nullptr ? 0 : size; }

}  // namespace

uint64_t linefilter_parquet_hash_int32(int32_t value) { return ParquetHashInt32(value); }
uint64_t linefilter_parquet_hash_int64(int64_t value) { return ParquetHashInt64(value); }
uint64_t linefilter_parquet_hash_float(float value) { return ParquetHashFloat(value); }
uint64_t linefilter_parquet_hash_double(double value) { return ParquetHashDouble(value); }

void linefilter_parquet_hash_int32s(const int32_t* values, size_t n, uint64_t* hashes) {
  ParquetHashes(values, n, hashes);
}
void linefilter_parquet_hash_int64s(const int64_t* values, size_t n, uint64_t* hashes) {
  ParquetHashes(values, n, hashes);
}
void linefilter_parquet_hash_floats(const float* values, size_t n, uint64_t* hashes) {
  ParquetHashes(values, n, hashes);
}
void linefilter_parquet_hash_doubles(const double* values, size_t n, uint64_t* hashes) {
  ParquetHashes(values, n, hashes);
}
void linefilter_parquet_hash_fixed(const void* values, size_t type_length, size_t n, uint64_t* hashes) {
  ParquetHashesOfFixed(values, type_length, n, hashes);
}

uint64_t linefilter_parquet_bytes_needed(const void* bytes, size_t size) {
  return ParquetBytesNeeded(bytes, SizeOf(bytes, size));
}

linefilter_view* linefilter_parquet_open(const void* bytes, size_t size, linefilter_status* status) {
  return NewView(status, [=](ParquetFilterView* view) { return view->Open(bytes, SizeOf(bytes, size)); });
}

linefilter_view* linefilter_parquet_open_bitset(const void* bitset, uint64_t bitset_bytes, linefilter_status* status) {
  return NewView(status, [=](ParquetFilterView* view) { return view->OpenBitset(bitset, bitset_bytes); });
}

size_t linefilter_parquet_header_bytes(const linefilter_view* view) {
  return view == nullptr || view->parquet == nullptr ? 0 : view->parquet->header_bytes();
}
