// Any view of a filter with Parquet's layout and hash is written into a file. Here are sizes, and copies, too.
#include "lib/c/handles.h"
#include "linefilter/parquet.h"

using namespace linefilter;
using namespace linefilter::internal;

static_assert(LINEFILTER_PARQUET_SIZE_EXACT == int{static_cast<int>(ParquetSize::kExact)});
static_assert(LINEFILTER_PARQUET_SIZE_FOLDABLE == int{static_cast<int>(ParquetSize::kFoldable)});
static_assert(LINEFILTER_PARQUET_SIZE_POWER_OF_TWO == int{static_cast<int>(ParquetSize::kPowerOfTwo)});

linefilter_filter* linefilter_parquet_copy(const linefilter_view* view, const linefilter_options* options,
                                           linefilter_status* status) {
  FilterOptions given;
  Status read = view == nullptr ? NoHandle("view") : FromC(options, &given);
  if (read.ok() && view->parquet == nullptr) {
    read = Status::Error(StatusCode::kIncompatible,
                         "the view is none of a Parquet file: linefilter_filter_from_image copies an image, and "
                         "linefilter_filter_clone a filter");
  }
  if (!read.ok()) return ToC(read, status), nullptr;
  given.layout = Layout::kAuto;  // it does not count
  auto* const copy = NewHandle<FilterHandle<Filter>>(status, given.allocator, given.allocator);
  if (copy == nullptr) return nullptr;
  return HandleOr(CopyParquetFilter(*view->parquet, &copy->object, given), copy, status);
}

uint64_t linefilter_parquet_filter_bytes(const linefilter_view* view) {
  return view == nullptr ? 0 : ParquetFilterBytes(*view->asked);
}

linefilter_code linefilter_parquet_write(const linefilter_view* view, void* out, size_t size,
                                         linefilter_status* status) {
  if (view == nullptr) return ToC(NoHandle("view"), status);
  return ToC(WriteParquetFilterTo(*view->asked, out, out == nullptr ? 0 : size), status);
}

linefilter_code linefilter_parquet_write_sink(const linefilter_view* view, linefilter_sink sink, void* context,
                                              linefilter_status* status) {
  return ToC(view == nullptr ? NoHandle("view") : WriteParquetFilter(*view->asked, FromC(sink, context)), status);
}

linefilter_code linefilter_parquet_options(linefilter_options* options, double fpr, linefilter_status* status) {
  return ToC(SetSize(ParquetFilterOptions(fpr), options), status);
}

linefilter_code linefilter_parquet_options_of_bytes(linefilter_options* options, uint64_t max_bytes,
                                                    linefilter_parquet_size size, linefilter_status* status) {
  if (size < LINEFILTER_PARQUET_SIZE_EXACT || size > LINEFILTER_PARQUET_SIZE_POWER_OF_TWO) {
    return ToC(Status::Error(StatusCode::kInvalidArgument, "the size is %d: choose one of LINEFILTER_PARQUET_SIZE_...",
                             static_cast<int>(size)),
               status);
  }
  return ToC(SetSize(ParquetFilterOptionsOfBytes(max_bytes, static_cast<ParquetSize>(size)), options), status);
}

uint64_t linefilter_parquet_bitset_bytes(uint64_t distinct_values, double fpr, bool power_of_two) {
  return ParquetBitsetBytes(distinct_values, fpr, power_of_two);
}
