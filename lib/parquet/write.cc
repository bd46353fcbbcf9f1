// A filter of layout `split_block` and Parquet's hash has the bits of a Parquet file: a header is put in front of them.
#include <cstring>

#include "lib/base/shared_word.h"
#include "lib/base/sink.h"
#include "lib/filters/body_copy.h"
#include "lib/parquet/header.h"
#include "linefilter/filter.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/layout.h"
#include "linefilter/parquet.h"

namespace linefilter {
namespace {

using internal::kSplitBlockBytes;

// What others change is copied in such pieces, on the stack.
constexpr size_t kSharedPieceBytes = size_t{1} << 14;

// A Parquet file has no filter without blocks. One block of zeros has no value, either.
constexpr uint8_t kEmptySet[kSplitBlockBytes] = {};

Status CheckWritable(const FilterBase& filter) {
  if (filter.layout() == Layout::kAuto) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the filter is broken, was never created, or was sealed or moved: there is nothing to write "
                         "(of a swappable filter write what a lease has)");
  }
  // No layout but `split_block` has blocks of 32 bytes: tests/parquet/parquet_write_test.cc looks.
  if (FactsOf(filter.layout()).block_bytes != kSplitBlockBytes) {
    return Status::Error(StatusCode::kIncompatible,
                         "the filter has layout %s, and a Parquet file takes %s: make it with options for Parquet",
                         LayoutName(filter.layout()), LayoutName(Layout::kSplitBlock));
  }
  if (filter.hash_id() == HashId::kParquet) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "the filter has hash %s, and a Parquet file takes %s: make it with options for Parquet, or set "
                       "hash_id",
                       HashIdName(filter.hash_id()), HashIdName(HashId::kParquet));
}

uint64_t BitsetBytesOf(const FilterBase& filter) {
  return filter.body_bytes() == 0 ? sizeof(kEmptySet) : filter.body_bytes();
}
const uint8_t* BitsetOf(const FilterBase& filter) { return filter.body_bytes() == 0 ? kEmptySet : filter.body(); }

// Copies a part of the bitset, which others may change meanwhile.
void Copy(const FilterBase& filter, uint64_t begin, uint64_t size, uint8_t* out) {
  const uint8_t* const from = BitsetOf(filter) + begin;
  if (filter.probe_state().is_shared) {
    internal::CopyShared(from, size, out);
  } else {
    memcpy(out, from, static_cast<size_t>(size));
  }
}

bool WriteBitset(const FilterBase& filter, const Sink& sink) {
  const uint64_t all = BitsetBytesOf(filter);
  if (!filter.probe_state().is_shared) return internal::WritePieces(sink, BitsetOf(filter), all);
  uint8_t copy[kSharedPieceBytes];
  for (uint64_t begin = 0; begin < all; begin += sizeof(copy)) {
    const size_t size = static_cast<size_t>(all - begin < sizeof(copy) ? all - begin : sizeof(copy));
    Copy(filter, begin, size, copy);
    if (!sink.write(sink.context, copy, size)) return false;
  }
  return true;
}

}  // namespace

uint64_t ParquetFilterBytes(const FilterBase& filter) noexcept {
  if (!CheckWritable(filter).ok()) return 0;
  uint8_t header[internal::kMostWrittenHeader];
  const uint64_t bitset_bytes = BitsetBytesOf(filter);
  return internal::WriteHeader(bitset_bytes, header) + bitset_bytes;
}

Status WriteParquetFilter(const FilterBase& filter, const Sink& sink) noexcept {
  Status status = CheckWritable(filter);
  if (status.ok()) status = internal::CheckSink(sink);
  if (!status.ok()) return status;
  uint8_t header[internal::kMostWrittenHeader];
  const size_t header_bytes = internal::WriteHeader(BitsetBytesOf(filter), header);
  if (sink.write(sink.context, header, header_bytes) && WriteBitset(filter, sink)) return status;
  return Status::Error(StatusCode::kIoError, "the sink refused to take the Bloom filter");
}

Status WriteParquetFilterTo(const FilterBase& filter, void* out, size_t size) noexcept {
  const Status status = CheckWritable(filter);
  if (!status.ok()) return status;
  const uint64_t needed = ParquetFilterBytes(filter);
  if (size < needed) {
    return Status::Error(StatusCode::kInvalidArgument, "the buffer has %llu bytes, the Bloom filter needs %llu",
                         static_cast<unsigned long long>(size), static_cast<unsigned long long>(needed));
  }
  uint8_t* const to = static_cast<uint8_t*>(out);
  Copy(filter, 0, BitsetBytesOf(filter), to + internal::WriteHeader(BitsetBytesOf(filter), to));
  return status;
}

Status CopyParquetFilter(const ParquetFilterView& view, Filter* filter, const FilterOptions& options) noexcept {
  if (!view.status().ok()) return view.status();
  constexpr uint64_t kMostBytes = kSplitBlockBytes * internal::kMaxSplitBlocks;
  if (view.body_bytes() <= kMostBytes) return internal::BodyCopy::Make(view, options, filter);
  return Status::Error(StatusCode::kUnsupported,
                       "the Bloom filter has %llu bytes, and a filter that takes keys has at most %llu (2^24 blocks): "
                       "ask it as it is",
                       static_cast<unsigned long long>(view.body_bytes()), static_cast<unsigned long long>(kMostBytes));
}

}  // namespace linefilter
