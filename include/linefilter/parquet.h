// Bloom filters of Parquet files are read where they lie, and written from filters of layout `split_block`.
//
//   linefilter::Filter filter;
//   linefilter::Status status = filter.Create(distinct_values, linefilter::ParquetFilterOptions(0.01));
//   filter.InsertHashes(hashes, n);  // ParquetHashes of the column
//   status = linefilter::AppendParquetFilter(filter, &file);
//
//   linefilter::ParquetFilterView view(bytes, size);  // header and bitset, at any address
//   if (!view.status().ok()) ...                      // status().message() says why: all answers are "maybe"
//   const auto type = linefilter::ParquetColumnType::Of(linefilter::ParquetLogicalType::kString);
//   if (!linefilter::MayContain(view, type, linefilter::ParquetValue::Text("berlin")).may_contain) ...  // skip it
//
// The footer of a file, which tells offset, length and type of the column, is read by the caller. doc/guide/parquet.md
// has programs. All functions are thread-safe.
#ifndef LINEFILTER_PARQUET_H_
#define LINEFILTER_PARQUET_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "linefilter/filter_base.h"
#include "linefilter/internal/append.h"
#include "linefilter/internal/export.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/parquet_types.h"
#include "linefilter/status.h"

namespace linefilter {

class Filter;

// Read so many bytes first where only bloom_filter_offset is known. The headers of all writers so far have 16 to 19.
inline constexpr size_t kParquetFirstRead = 64;
// The longest header that is read: unknown fields of later versions are skipped.
inline constexpr size_t kMaxParquetHeaderBytes = 1024;
// The largest bitset that a header can tell: 2 GiB less a block.
inline constexpr uint64_t kMaxParquetBitsetBytes = 0x7fffffe0;

// Tells how many bytes the filter has that begins with these, header included. Read so many and open a view. If its
// header does not end within `size` bytes, it is more than `size`: read so many and ask again (once is enough). If it
// is no header that can be read, it is 0, and a view of the bytes says why.
LINEFILTER_EXPORT uint64_t ParquetBytesNeeded(const void* bytes, size_t size) noexcept;

// A filter in a Parquet file, in bytes that somebody else owns: zero-copy, at any alignment. It is copyable. The bytes
// must stay, unchanged, as long as the view or a copy is used. Its hash id is kParquet: the ...Hash calls take
// ParquetHash..., and the ...Key calls BYTE_ARRAY for bytes and INT64 for integers. For columns of other types take a
// ParquetQuestion. Opening one takes well below a microsecond: Parquet has no checksum that could be verified.
class LINEFILTER_EXPORT ParquetFilterView : public FilterBase {
 public:
  ParquetFilterView() noexcept;  // broken: answers "maybe"
  // Opens header and bitset; status() has the answer.
  ParquetFilterView(const void* bytes, size_t size) noexcept;
  // Copying is in the library, like all that is not always inlined.
  ParquetFilterView(const ParquetFilterView& other) noexcept;
  ParquetFilterView& operator=(const ParquetFilterView& other) noexcept;

  // Opens header and bitset, which may be followed by other bytes. kCorrupt says that they are no header, that the
  // bitset has a size that no filter has, or that it is larger than the bytes that were given. kUnsupported says that
  // algorithm, hash or compression is none that this version knows. On an error the view answers "maybe" to everything,
  // and status() keeps the reason.
  Status Open(const void* bytes, size_t size) noexcept;
  // Opens a bitset without its header. Its size is a multiple of 32, from 32 to kMaxParquetBitsetBytes; another one is
  // kCorrupt.
  Status OpenBitset(const void* bitset, uint64_t bitset_bytes) noexcept;

  // The answer of the last Open; a view that opened nothing says so.
  Status status() const noexcept;
  // The bytes of the header; 0 if there was none.
  size_t header_bytes() const noexcept { return header_bytes_; }
  // The bytes of header and bitset (bloom_filter_length); 0 while broken. body_bytes() are those of the bitset.
  uint64_t filter_bytes() const noexcept { return body_bytes() == 0 ? 0 : header_bytes_ + body_bytes(); }

 private:
  LINEFILTER_LOCAL void Bind(const uint8_t* bitset, uint64_t bitset_bytes) noexcept;

  size_t header_bytes_ = 0;
  Status status_;
};

// What is written must be Parquet's: layout `split_block` and hash id kParquet, as options of ParquetFilterOptions have
// them. That is a Filter, a concurrent one, a FilterView of a builder's image, or a ParquetFilterView. Another filter
// is kIncompatible, and the message says what to do. The empty set of a builder is written as one block of zeros. The
// filter of a SwappableFilter is written through a lease. Others may insert into a concurrent filter meanwhile: what
// was inserted before the call is written.

// The bytes of header and bitset; 0 for a filter that cannot be written.
LINEFILTER_EXPORT uint64_t ParquetFilterBytes(const FilterBase& filter) noexcept;
// Writes header and bitset to a sink.
LINEFILTER_EXPORT Status WriteParquetFilter(const FilterBase& filter, const Sink& sink) noexcept;
// Writes ParquetFilterBytes(filter) bytes to `out` (size may be more; less is kInvalidArgument).
LINEFILTER_EXPORT Status WriteParquetFilterTo(const FilterBase& filter, void* out, size_t size) noexcept;
// Appends them to *file; on an error it is as it was.
inline Status AppendParquetFilter(const FilterBase& filter, std::string* file) {
  const auto write = [&filter](void* out, size_t n) { return WriteParquetFilterTo(filter, out, n); };
  return internal::AppendToString(file, ParquetFilterBytes(filter), write);
}

// Makes a filter of the same bits that takes keys, folds and unites, as Filter::CreateFromImage makes one of an image:
// allocator and memory_limit of the options count, and layout unless it is kAuto. It takes no memory but that of the
// filter. A bitset above 2^24 blocks (512 MiB) is too large for it (kUnsupported).
LINEFILTER_EXPORT Status CopyParquetFilter(const ParquetFilterView& view, Filter* filter,
                                           const FilterOptions& options = {}) noexcept;

// Options for Create and builders, of layout `split_block` and hash id kParquet. This makes the smallest filter for the
// number of distinct values, which is a multiple of 32 bytes.
LINEFILTER_EXPORT FilterOptions ParquetFilterOptions(double fpr) noexcept;

// How a budget of bytes becomes a size.
enum class ParquetSize : uint8_t {
  kExact,       // the largest multiple of 32 bytes
  kFoldable,    // a little less, by at most a tenth: many numbers divide it, so FoldToFpr comes close to the least size
  kPowerOfTwo,  // for readers that take no other size
};

// Options for a filter of a budget, whatever the number of values: for a number that nobody knows take kFoldable, and
// Filter::FoldToFpr when all are in. It has at least 32 bytes, at most 512 MiB.
LINEFILTER_EXPORT FilterOptions ParquetFilterOptionsOfBytes(uint64_t max_bytes,
                                                            ParquetSize size = ParquetSize::kExact) noexcept;

// The least bytes of a bitset for so many distinct values at that rate: a power of two, if asked for, for
// ParquetFilterOptionsOfBytes. It is 0 if there is no such filter (SizeForFpr says why).
LINEFILTER_EXPORT uint64_t ParquetBitsetBytes(uint64_t distinct_values, double fpr, bool power_of_two = false) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_PARQUET_H_
