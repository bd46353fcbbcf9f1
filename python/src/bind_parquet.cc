// Bloom filters of Parquet files, for Python: a view over the bytes of one, ways to write one, and sizes. Their typed
// questions are in bind_parquet_types.cc, their hashes in hashing.cc.
#include <algorithm>
#include <memory>
#include <utility>

#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "linefilter/sizing.h"
#include "python/src/buffer.h"
#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

// Immutable, so every call is safe from any thread. The bytes are somebody's, for as long as this lives.
class ParquetView final : public Core {
 public:
  // Opens what begins at `offset`: header and bitset, or a bitset alone. An offset behind the end leaves no bytes.
  ParquetView(py::handle lent, uint64_t offset, bool has_header, Broken broken) : Core(nullptr), lent_(lent) {
    const size_t begin = static_cast<size_t>(std::min<uint64_t>(offset, lent_.size())), size = lent_.size() - begin;
    const uint8_t* const bytes = lent_.data() + begin;
    const Status status = has_header ? view_.Open(bytes, size) : view_.OpenBitset(bytes, size);
    if (broken == Broken::kRaise) Check(status);
  }
  const ParquetFilterView& filter() const override { return view_; }

 private:
  const Buffer lent_;
  ParquetFilterView view_;
};

std::unique_ptr<ParquetView> Over(const py::object& lent, uint64_t offset, bool has_header, bool maybe_if_broken) {
  return std::make_unique<ParquetView>(lent, offset, has_header, maybe_if_broken ? Broken::kMaybe : Broken::kRaise);
}

// (code, message) of what is wrong; None.
py::object Error(const ParquetView& view) {
  const Status status = view.filter().status();
  if (status.ok()) return py::none();
  return py::make_tuple(CodeName(status.code()), status.message());
}

std::unique_ptr<Locked<Filter>> ToFilter(const ParquetView& view, uint64_t memory_limit) {
  FilterOptions options;
  options.memory_limit = memory_limit;
  return Made<Locked<Filter>>([&](Filter& filter) { return CopyParquetFilter(view.filter(), &filter, options); });
}

// Throws why a filter cannot be written. No buffer is large enough for one that can.
uint64_t BytesOf(const Core& core) {
  const auto [size, why] = core.ReadBriefly([](const FilterBase& filter) {
    const uint64_t bytes = ParquetFilterBytes(filter);
    return std::pair(bytes, bytes != 0 ? Status() : WriteParquetFilterTo(filter, nullptr, 0));
  });
  Check(why);
  return size;
}

// Header and bitset; made again if the filter was folded or replaced meanwhile, and so has another size. With the GIL,
// without which they are written.
py::bytes ToBytes(const Core& core) {
  for (;;) {
    const uint64_t size = BytesOf(core);
    const py::bytes bytes = NewBytes(size);
    bool fits = false;
    CheckWithoutGil([&, out = PyBytes_AS_STRING(bytes.ptr())] {
      Status status;
      core.Ask(Gil::kReleased, [&](const FilterBase& filter) {
        fits = ParquetFilterBytes(filter) == size;
        if (fits) status = WriteParquetFilterTo(filter, out, static_cast<size_t>(size));
      });
      return status;
    });
    if (fits) return bytes;
  }
}

FilterOptions OptionsOf(double fpr, uint64_t memory_limit) {
  FilterOptions options = ParquetFilterOptions(fpr);
  options.memory_limit = memory_limit;
  return options;
}

// `size` is the index in _parquet_filters.py, which is its value.
FilterOptions OptionsOfBytes(uint64_t max_bytes, int size, uint64_t memory_limit) {
  FilterOptions options = ParquetFilterOptionsOfBytes(max_bytes, static_cast<ParquetSize>(size));
  options.memory_limit = memory_limit;
  return options;
}

// The library answers 0 for what no filter has; here that is an error.
uint64_t BitsetBytes(uint64_t distinct_values, double fpr, bool power_of_two) {
  const uint64_t bytes = ParquetBitsetBytes(distinct_values, fpr, power_of_two);
  Sizing sizing;
  if (bytes == 0) Check(SizeForFpr(Layout::kSplitBlock, std::max<uint64_t>(distinct_values, 1), fpr, &sizing));
  return bytes;
}

uint64_t BytesNeeded(const py::object& first) {
  const Buffer bytes(first);
  return ParquetBytesNeeded(bytes.data(), bytes.size());
}

}  // namespace

void BindParquet(py::module_& module) {
  py::class_<ParquetView, Core>(module, "ParquetView", py::module_local())
      .def_static("over", &Over)
      .def("error", &Error)
      .def("header_bytes", [](const ParquetView& view) { return view.filter().header_bytes(); })
      .def("filter_bytes", [](const ParquetView& view) { return view.filter().filter_bytes(); })
      .def("to_filter", &ToFilter);
  module.def("parquet_filter_bytes", &BytesOf);
  module.def("parquet_to_bytes", &ToBytes);
  module.def("parquet_options", &OptionsOf);
  module.def("parquet_options_of_bytes", &OptionsOfBytes);
  module.def("parquet_bitset_bytes", &BitsetBytes);
  module.def("parquet_bytes_needed", &BytesNeeded);
}

}  // namespace linefilter::python
