// A view binds the kernels of `split_block` to a bitset where it lies. Our own images end at 2^24 blocks; a bitset of
// Parquet may have more, and is bound just so.
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "lib/parquet/header.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/parquet.h"

namespace linefilter {

uint64_t ParquetBytesNeeded(const void* bytes, size_t size) noexcept {
  internal::BloomHeader header;
  bool is_cut = false;
  const Status status = internal::ReadHeader(static_cast<const uint8_t*>(bytes), size, &header, &is_cut);
  if (status.ok()) return header.header_bytes + header.bitset_bytes;
  return !is_cut ? 0 : size < kParquetFirstRead ? kParquetFirstRead : kMaxParquetHeaderBytes;
}

ParquetFilterView::ParquetFilterView() noexcept = default;
ParquetFilterView::ParquetFilterView(const void* bytes, size_t size) noexcept { (void)Open(bytes, size); }
ParquetFilterView::ParquetFilterView(const ParquetFilterView& other) noexcept = default;
ParquetFilterView& ParquetFilterView::operator=(const ParquetFilterView& other) noexcept = default;

// No bitset makes a view that answers "maybe".
void ParquetFilterView::Bind(const uint8_t* bitset, uint64_t bitset_bytes) noexcept {
  key_hash_ = KeyHash();
  header_bytes_ = 0;
  layout_ = Layout::kAuto;
  if (bitset == nullptr) return internal::BindConstant(internal::AlwaysMaybeKernels(), &state_);
  layout_ = Layout::kSplitBlock;
  key_hash_.id = HashId::kParquet;
  internal::BodyParts parts;
  parts.body = bitset;
  parts.body_bytes = bitset_bytes;
  parts.hash_id = HashId::kParquet;
  internal::BindBody(*internal::FindLayout(layout_), parts, &state_);
}

Status ParquetFilterView::Open(const void* bytes, size_t size) noexcept {
  Bind(nullptr, 0);
  const uint8_t* const begin = static_cast<const uint8_t*>(bytes);
  internal::BloomHeader header;
  bool is_cut = false;
  status_ = internal::ReadHeader(begin, size, &header, &is_cut);
  if (!status_.ok()) return status_;
  if (header.bitset_bytes > size - header.header_bytes) {
    status_ =
        Status::Error(StatusCode::kCorrupt,
                      "the Bloom filter has %llu bytes and a header of %llu, but %llu were given: the file is "
                      "cut, or too little of it was read",
                      static_cast<unsigned long long>(header.bitset_bytes),
                      static_cast<unsigned long long>(header.header_bytes), static_cast<unsigned long long>(size));
    return status_;
  }
  Bind(begin + header.header_bytes, header.bitset_bytes);
  header_bytes_ = header.header_bytes;
  return status_;
}

Status ParquetFilterView::OpenBitset(const void* bitset, uint64_t bitset_bytes) noexcept {
  Bind(nullptr, 0);
  status_ = Status();
  if (bitset == nullptr || !internal::IsBitset(bitset_bytes)) {
    status_ = Status::Error(StatusCode::kCorrupt,
                            "a bitset of %llu bytes was given: that of a Bloom filter has a multiple of %u, from that "
                            "to %llu",
                            static_cast<unsigned long long>(bitset == nullptr ? 0 : bitset_bytes),
                            internal::kSplitBlockBytes, static_cast<unsigned long long>(kMaxParquetBitsetBytes));
    return status_;
  }
  Bind(static_cast<const uint8_t*>(bitset), bitset_bytes);
  return status_;
}

Status ParquetFilterView::status() const noexcept {
  if (!status_.ok() || layout_ != Layout::kAuto) return status_;
  return Status::Error(StatusCode::kCorrupt, "no Bloom filter was opened: call ParquetFilterView::Open");
}

}  // namespace linefilter
