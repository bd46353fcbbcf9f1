// A filter of layout `split_block` and Parquet's hash has the bits of a Parquet file: a header is put in front of them.
#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/parquet/header.h"
#include "linefilter/filter.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/layout.h"
#include "linefilter/parquet.h"
#include "linefilter/remote_body.h"

namespace linefilter {
namespace {

using internal::kSplitBlockBytes;

// A sink gets no more at once (linefilter/memory.h).
constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
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
  const bool is_shared = filter.probe_state().is_shared;
  uint8_t copy[kSharedPieceBytes];
  for (uint64_t begin = 0; begin < all;) {
    const uint64_t most = is_shared ? sizeof(copy) : kPieceBytes, size = all - begin < most ? all - begin : most;
    if (is_shared) Copy(filter, begin, size, copy);
    const uint8_t* const piece = is_shared ? copy : BitsetOf(filter) + begin;
    if (!sink.write(sink.context, piece, static_cast<size_t>(size))) return false;
    begin += size;
  }
  return true;
}

struct Buffer {
  uint8_t* at;
  static bool Write(void* context, const void* data, size_t size) noexcept {
    Buffer* const buffer = static_cast<Buffer*>(context);
    memcpy(buffer->at, data, size);
    buffer->at += size;
    return true;
  }
};

// Writes the image of the view's bits.
Status WriteImageOf(const ParquetFilterView& view, const BodyFacts& facts, uint8_t* image) {
  Buffer buffer = {image};
  BodyImageWriter writer;
  Status status = writer.Start(facts, {Buffer::Write, &buffer});
  if (status.ok()) status = writer.Append(view.body(), static_cast<size_t>(view.body_bytes()));
  return status.ok() ? writer.Finish() : status;
}

}  // namespace

uint64_t ParquetFilterBytes(const FilterBase& filter) noexcept {
  if (!CheckWritable(filter).ok()) return 0;
  uint8_t header[internal::kMostWrittenHeader];
  const uint64_t bitset_bytes = BitsetBytesOf(filter);
  return internal::WriteHeader(bitset_bytes, header) + bitset_bytes;
}

Status WriteParquetFilter(const FilterBase& filter, const Sink& sink) noexcept {
  const Status status = CheckWritable(filter);
  if (!status.ok()) return status;
  if (sink.write == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "the sink has no write function: set it");
  }
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
  BodyFacts facts;
  facts.layout = view.layout();
  facts.hash_id = view.hash_id();
  facts.body_bytes = view.body_bytes();
  const uint64_t image_bytes = BodyImageBytes(facts);
  if (image_bytes == 0) {
    return Status::Error(StatusCode::kUnsupported,
                         "the Bloom filter has %llu bytes, which is more than a filter that takes keys can have (2^24 "
                         "blocks): ask it as it is",
                         static_cast<unsigned long long>(view.body_bytes()));
  }
  const Allocator& allocator = options.allocator;
  Status status = internal::CheckAllocator(allocator);
  if (!status.ok()) return status;
  if (image_bytes > options.memory_limit) return internal::OverLimit(image_bytes, options.memory_limit);
  uint8_t* const image = static_cast<uint8_t*>(internal::Allocate(allocator, image_bytes));
  if (image == nullptr) return internal::OutOfMemory(image_bytes);
  status = WriteImageOf(view, facts, image);
  if (status.ok()) status = filter->CreateFromImage(image, static_cast<size_t>(image_bytes), options);
  internal::Deallocate(allocator, image, image_bytes);
  return status;
}

}  // namespace linefilter
