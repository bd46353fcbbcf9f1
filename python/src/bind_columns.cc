// Columns ask filters and fill them, piece by piece and without the GIL, as other batches do.
#include <algorithm>
#include <cstdint>

#include "linefilter/columns.h"
#include "python/src/column.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

// Rows that are answered by bits at once: 8 KB of these. A dictionary's values are asked for so many rows each.
constexpr size_t kRowsOfBits = 65536;

// The rows of a piece that stay, all of them where the filter is broken or nothing serves: that is "maybe", as for
// other questions.
Status SelectRows(const FilterBase& filter, const Column& piece, uint32_t* rows, size_t* num_rows) {
  if (filter.layout() != Layout::kAuto) {
    const uint32_t* const all = nullptr;
    return SelectMaybes(filter, piece, all, piece.size(), rows, num_rows);
  }
  for (size_t i = 0; i < piece.size(); ++i) rows[i] = static_cast<uint32_t>(i);
  *num_rows = piece.size();
  return Status();
}

// Answers of 1 or 0.
Status MaskRows(const FilterBase& filter, const Column& piece, uint8_t* answers) {
  if (filter.layout() == Layout::kAuto) {
    std::fill_n(answers, piece.size(), uint8_t{1});
    return Status();
  }
  uint8_t bits[kRowsOfBits / 8];
  for (size_t first = 0; first < piece.size(); first += kRowsOfBits) {
    const Column part = piece.Slice(first, kRowsOfBits);
    size_t num_maybes = 0;
    if (Status status = SelectMaybesToBits(filter, part, nullptr, bits, &num_maybes); !status.ok()) return status;
    for (size_t i = 0; i < part.size(); ++i) answers[first + i] = (bits[i >> 3] >> (i & 7)) & 1;
  }
  return Status();
}

// Calls ask(filter, piece, first) for the pieces of a column, of which each is a Status, until one is an error, which
// is thrown.
template <class AskPiece>
void AskPieces(const Core& core, const HeldColumn& column, const AskPiece& ask) {
  Status status;
  column.Each([&](const Column& part, size_t first) {
    core.AskInPieces(part.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
      if (status.ok()) status = ask(filter, part.Slice(begin, size), first + begin);
    });
  });
  Check(status);
}

}  // namespace

size_t SelectColumn(const Core& core, const HeldColumn& column, py::handle rows) {
  const Buffer out(rows, PyBUF_WRITABLE);
  if (out.size() != 4 * column.size()) throw py::value_error("there must be room for each row");
  auto* const numbers = reinterpret_cast<uint32_t*>(out.data());
  size_t count = 0;
  AskPieces(core, column, [&](const FilterBase& filter, const Column& piece, size_t first) {
    size_t num_rows = 0;
    uint32_t* const to = numbers + count;
    const Status status = SelectRows(filter, piece, to, &num_rows);
    for (size_t i = 0; first != 0 && i < num_rows; ++i) to[i] += static_cast<uint32_t>(first);
    count += num_rows;
    return status;
  });
  return count;
}

void MaskColumn(const Core& core, const HeldColumn& column, py::handle answers) {
  const Answers out(answers, column.size());
  AskPieces(core, column, [&](const FilterBase& filter, const Column& piece, size_t first) {
    return MaskRows(filter, piece, out.data() + first);
  });
}

void AddHeldColumn(KeyCore& core, const HeldColumn& column) {
  Status status;
  column.Each([&](const Column& part, size_t) {
    const ReleasedGil release;
    core.ChangeInPieces(part.size(), [&](KeyFilter& filter, size_t begin, size_t size) {
      if (status.ok()) status = AddColumn(part.Slice(begin, size), &filter);
      return 0;
    });
  });
  Check(status);
}

void BindColumns(py::module_& module) {
  py::class_<HeldColumn>(module, "Column", py::module_local())
      .def_static("of_numbers", &HeldColumn::OfNumbers)
      .def_static("of_instants", &HeldColumn::OfInstants)
      .def_static("of_decimals", &HeldColumn::OfDecimals)
      .def_static("of_fixed_bytes", &HeldColumn::OfFixedBytes)
      .def_static("of_texts", &HeldColumn::OfTexts)
      .def_static("of_nulls", &HeldColumn::OfNulls)
      .def_static("of_arrow", &HeldColumn::OfArrow)
      .def_static("of_arrow_stream", &HeldColumn::OfArrowStream)
      .def("set_validity", &HeldColumn::SetValidity)
      .def("set_nulls", &HeldColumn::SetNulls)
      .def("set_form", &HeldColumn::SetForm)
      .def("size", &HeldColumn::size);
}

}  // namespace linefilter::python
