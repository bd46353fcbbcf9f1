// Columns ask filters and fill them, piece by piece and without the GIL, as other batches do.
#include <algorithm>
#include <cstdint>

#include "python/src/columns.h"
#include "python/src/key_core.h"
#include "python/src/scan_filter.h"

namespace linefilter::python {
namespace {

// Rows that are answered by bits at once: 8 KB of these. A dictionary's values are asked for so many rows each.
constexpr size_t kRowsOfBits = 65536;

// The rows of a piece that stay, all of them where the filter is broken or nothing serves: that is "maybe", as for
// other questions.
Status SelectRows(const FilterBase& filter, const KeyRows& piece, size_t at, uint32_t* rows, size_t* num_rows) {
  const uint32_t* const all = nullptr;
  if (filter.layout() != Layout::kAuto) {
    return InPiece(SelectMaybes(filter, piece, all, piece.size(), rows, num_rows), at);
  }
  for (size_t i = 0; i < piece.size(); ++i) rows[i] = static_cast<uint32_t>(i);
  *num_rows = piece.size();
  return Status();
}

// Answers of 1 or 0.
Status MaskRows(const FilterBase& filter, const KeyRows& piece, size_t at, uint8_t* answers) {
  if (filter.layout() == Layout::kAuto) {
    std::fill_n(answers, piece.size(), uint8_t{1});
    return Status();
  }
  uint8_t bits[kRowsOfBits / 8];
  for (size_t first = 0; first < piece.size(); first += kRowsOfBits) {
    const KeyRows part = piece.Slice(first, kRowsOfBits);
    size_t num_maybes = 0;
    const Status status = SelectMaybesToBits(filter, part, nullptr, bits, &num_maybes);
    if (!status.ok()) return InPiece(status, at + first);
    for (size_t i = 0; i < part.size(); ++i) answers[first + i] = (bits[i >> 3] >> (i & 7)) & 1;
  }
  return Status();
}

// Whether one of the rows stays.
Status AnyStays(const FilterBase& filter, const KeyRows& piece, size_t at, uint8_t* answer) {
  if (filter.layout() == Layout::kAuto) {
    *answer = 1;
    return Status();
  }
  const FilterBase* const one = &filter;
  return InPiece(MayContainAny(&one, 1, piece, answer), at);
}

// Calls ask(filter, piece, at) for the pieces of columns, whose first row is row `at` of these, until one is an error,
// which counts from row 0 of the columns (InPiece).
template <class AskPiece>
Status AskPieces(const Core& core, const HeldColumns& columns, const AskPiece& ask) {
  Status status;
  columns.Each([&](const KeyRows& part, size_t first) {
    core.AskInPieces(part.size(), [&](const FilterBase& filter, size_t begin, size_t size) {
      if (status.ok()) status = ask(filter, part.Slice(begin, size), first + begin);
    });
  });
  return status;
}

// Select(filter, piece, at, rows, &num_rows) for all pieces, whose rows come behind each other.
template <class Select>
size_t SelectPieces(const Core& core, const HeldColumns& columns, py::handle rows, const Select& select) {
  const Buffer out(rows, PyBUF_WRITABLE);
  if (out.size() != 4 * columns.size()) throw py::value_error("there must be room for each row");
  auto* const numbers = reinterpret_cast<uint32_t*>(out.data());
  size_t count = 0;
  Check(AskPieces(core, columns, [&](const FilterBase& filter, const KeyRows& piece, size_t at) {
    size_t num_rows = 0;
    uint32_t* const to = numbers + count;
    const Status status = select(filter, piece, at, to, &num_rows);
    for (size_t i = 0; at != 0 && i < num_rows; ++i) to[i] += static_cast<uint32_t>(at);
    count += num_rows;
    return status;
  }));
  return count;
}

// A byte of 1 or 0 for each core. Each filter is locked by itself (many.cc).
void EachContainsAny(const py::tuple& cores, const py::tuple& columns, py::handle answers) {
  const HeldColumns held(columns);
  const Answers out(answers, cores.size());
  for (size_t i = 0; i < cores.size(); ++i) {
    uint8_t* const answer = out.data() + i;
    *answer = 0;
    Check(AskPieces(cores[i].cast<const Core&>(), held, [&](const FilterBase& filter, const KeyRows& piece, size_t at) {
      return *answer != 0 ? Status() : AnyStays(filter, piece, at, answer);
    }));
  }
}

}  // namespace

Status InPiece(const Status& status, size_t first) {
  if (status.ok() || first == 0) return status;
  return Status::Error(status.code(), "counted from row %zu on: %s", first, status.message());
}

HeldColumns::HeldColumns(const py::tuple& columns) {
  if (columns.empty() || columns.size() > kMaxColumns) {
    Check(Status::Error(StatusCode::kInvalidArgument, "a key has 1 to 8 columns, not %zu", columns.size()));
  }
  for (const py::handle column : columns) {
    std::vector<Chunk>& chunks = columns_.emplace_back();
    column.cast<const HeldColumn&>().Each([&](const Column& part, size_t first) {
      chunks.push_back({&part, first + part.size()});
    });
    const size_t size = chunks.back().end;
    if (columns_.size() > 1 && size != size_) {
      Check(Status::Error(StatusCode::kInvalidArgument, "the columns of a key have as many rows each, not %zu and %zu",
                          size_, size));
    }
    size_ = size;
  }
}

size_t SelectColumns(const Core& core, const py::tuple& columns, py::handle rows) {
  return SelectPieces(core, HeldColumns(columns), rows, &SelectRows);
}

void MaskColumns(const Core& core, const py::tuple& columns, py::handle answers) {
  const HeldColumns held(columns);
  const Answers out(answers, held.size());
  Check(AskPieces(core, held, [&](const FilterBase& filter, const KeyRows& piece, size_t at) {
    return MaskRows(filter, piece, at, out.data() + at);
  }));
}

void AddKeyColumns(KeyCore& core, const py::tuple& columns) {
  const HeldColumns held(columns);
  Status status;
  held.Each([&](const KeyRows& part, size_t first) {
    const ReleasedGil release;
    core.ChangeInPieces(part.size(), [&](KeyFilter& filter, size_t begin, size_t size) {
      if (status.ok()) status = InPiece(AddColumn(part.Slice(begin, size), &filter), first + begin);
      return 0;
    });
  });
  Check(status);
}

size_t ScanFilterOfAny::Select(const Core& core, const py::tuple& columns, py::handle rows) {
  ScanFilterOfAny now = *this;  // other threads may use this one while the GIL is away
  const size_t count =
      SelectPieces(core, HeldColumns(columns), rows,
                   [&now](const FilterBase& filter, const KeyRows& piece, size_t at, uint32_t* to, size_t* num_rows) {
                     return now.SelectPiece(filter, piece, at, to, num_rows);
                   });
  *this = now;
  return count;
}

Status ScanFilterOfAny::SelectPiece(const FilterBase& filter, const KeyRows& piece, size_t at, uint32_t* rows,
                                    size_t* num_rows) {
  Serve(filter);
  Status status;
  *num_rows = 0;
  for (size_t first = 0; first < piece.size() && status.ok(); first += ScanFilter::kRowsToJudge) {
    uint32_t* const to = rows + *num_rows;
    size_t count = 0;
    const KeyRows part = piece.Slice(first, ScanFilter::kRowsToJudge);
    const uint32_t* const all = nullptr;
    status = InPiece(scan_->Select(part, all, part.size(), to, &count), at + first);
    if (filter.layout() == Layout::kAuto) status = Status();  // all rows stay, as those of SelectRows
    for (size_t i = 0; first != 0 && i < count; ++i) to[i] += static_cast<uint32_t>(first);
    *num_rows += count;
  }
  return status;
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
  py::class_<ScanFilterOfAny>(module, "ScanFilter", py::module_local())
      .def(py::init<double>())
      .def("select", &ScanFilterOfAny::Select)
      .def("asks", &ScanFilterOfAny::asks)
      .def("num_rows", &ScanFilterOfAny::num_rows)
      .def("num_asked", &ScanFilterOfAny::num_asked)
      .def("num_maybes", &ScanFilterOfAny::num_maybes);
  module.def("each_contains_any", &EachContainsAny);
}

}  // namespace linefilter::python
