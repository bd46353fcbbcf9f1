#include "python/src/column.h"

#include <algorithm>
#include <utility>

namespace linefilter::python {
namespace {

struct NumberType {
  const char* name;  // of NumPy
  Column (*of)(const void* values, size_t bytes);
};

template <class T>
Column OfBytes(const void* values, size_t bytes) {
  return Column::OfNumbers(static_cast<const T*>(values), bytes / sizeof(T));
}

constexpr NumberType kNumberTypes[] = {
    {"i1", &OfBytes<int8_t>},  {"i2", &OfBytes<int16_t>},  {"i4", &OfBytes<int32_t>},  {"i8", &OfBytes<int64_t>},
    {"u1", &OfBytes<uint8_t>}, {"u2", &OfBytes<uint16_t>}, {"u4", &OfBytes<uint32_t>}, {"u8", &OfBytes<uint64_t>},
    {"f4", &OfBytes<float>},   {"f8", &OfBytes<double>}};

const int64_t* Int64s(const Buffer& buffer) { return reinterpret_cast<const int64_t*>(buffer.data()); }

// What a capsule holds, with a way to release it.
template <class Struct>
Struct* InCapsule(py::handle capsule, const char* name) {
  auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw py::error_already_set();
  return held;
}

// A schema of a stream, until this ends.
struct OwnSchema {
  OwnSchema() = default;
  OwnSchema(const OwnSchema&) = delete;
  OwnSchema& operator=(const OwnSchema&) = delete;
  ~OwnSchema() {
    if (schema.release != nullptr) schema.release(&schema);
  }

  ArrowSchema schema = {};
};

void CheckStream(ArrowArrayStream* stream, int error) {
  if (error == 0) return;
  const char* const why = stream->get_last_error(stream);
  Check(Status::Error(StatusCode::kIoError, "the Arrow stream broke: %.200s",
                      why == nullptr ? "no reason was told" : why));
}

}  // namespace

std::unique_ptr<HeldColumn> HeldColumn::Around(const Column& column, std::unique_ptr<HeldColumn> held) {
  held->own_ = column;
  return held;
}

std::unique_ptr<HeldColumn> HeldColumn::OfNumbers(const std::string& type, py::handle values) {
  auto held = std::make_unique<HeldColumn>();
  const Buffer& buffer = held->Hold(values);
  const auto* const found = std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                                         [&](const NumberType& one) { return type == one.name; });
  if (found == std::end(kNumberTypes)) throw py::type_error("no column has numbers of the type " + type);
  return Around(found->of(buffer.data(), buffer.size()), std::move(held));
}

std::unique_ptr<HeldColumn> HeldColumn::OfInstants(py::handle values, int unit) {
  auto held = std::make_unique<HeldColumn>();
  const Buffer& buffer = held->Hold(values);
  return Around(Column::OfInstants(Int64s(buffer), buffer.size() / 8, static_cast<TimeUnit>(unit)), std::move(held));
}

std::unique_ptr<HeldColumn> HeldColumn::OfDecimals(py::handle values, int scale) {
  auto held = std::make_unique<HeldColumn>();
  const Buffer& buffer = held->Hold(values);
  return Around(Column::OfDecimals(Int64s(buffer), buffer.size() / 8, scale), std::move(held));
}

std::unique_ptr<HeldColumn> HeldColumn::OfFixedBytes(py::handle values, size_t width, size_t n) {
  auto held = std::make_unique<HeldColumn>();
  const Buffer& buffer = held->Hold(values);
  if (buffer.size() != width * n) throw py::value_error("there must be `width` bytes for each row");
  return Around(Column::OfFixedBytes(buffer.data(), width, n), std::move(held));
}

std::unique_ptr<HeldColumn> HeldColumn::OfTexts(py::handle offsets, py::handle bytes) {
  auto held = std::make_unique<HeldColumn>();
  const Buffer& ends = held->Hold(offsets);
  const Buffer& texts = held->Hold(bytes);
  const size_t n = ends.size() / 8;
  if (n == 0 || Int64s(ends)[n - 1] > static_cast<int64_t>(texts.size())) {
    throw py::value_error("the offsets must be one more than the rows, and within the bytes");
  }
  return Around(Column::OfTexts(Int64s(ends), texts.data(), n - 1), std::move(held));
}

std::unique_ptr<HeldColumn> HeldColumn::OfNulls(size_t n) {
  return Around(Column::OfNulls(n), std::make_unique<HeldColumn>());
}

std::unique_ptr<HeldColumn> HeldColumn::OfArrow(py::handle schema, py::handle array) {
  auto held = std::make_unique<HeldColumn>();
  const ArrowSchema* const type = InCapsule<ArrowSchema>(schema, "arrow_schema");
  ArrowArray* const given = InCapsule<ArrowArray>(array, "arrow_array");
  Chunk& chunk = held->chunks_.emplace_back();
  chunk.array = *given;
  given->release = nullptr;  // it was moved
  Check(chunk.column.Open(*type, chunk.array));
  return held;
}

std::unique_ptr<HeldColumn> HeldColumn::OfArrowStream(py::handle stream) {
  auto held = std::make_unique<HeldColumn>();
  ArrowArrayStream* const given = InCapsule<ArrowArrayStream>(stream, "arrow_array_stream");
  if (given->release == nullptr) throw py::value_error("the Arrow stream was read before: ask its owner for another");
  OwnSchema type;
  CheckStream(given, given->get_schema(given, &type.schema));
  for (;;) {
    Chunk& chunk = held->chunks_.emplace_back();
    CheckStream(given, given->get_next(given, &chunk.array));
    const bool is_end = chunk.array.release == nullptr;
    if (is_end) break;
    Check(chunk.column.Open(type.schema, chunk.array));
  }
  held->chunks_.pop_back();
  return held;
}

void HeldColumn::SetValidity(py::handle bits) {
  const Buffer& buffer = Hold(bits);
  if (buffer.size() < (own_.size() + 7) / 8) throw py::value_error("there must be a bit for each row");
  own_.SetValidity(buffer.data());
}

void HeldColumn::SetNulls(int nulls) {
  own_.SetNulls(static_cast<Nulls>(nulls));
  for (Chunk& chunk : chunks_) chunk.column.SetNulls(static_cast<Nulls>(nulls));
}

void HeldColumn::SetForm(int form) {
  if (chunks_.empty()) return Check(own_.SetForm(static_cast<KeyForm>(form)));
  for (Chunk& chunk : chunks_) Check(chunk.column.SetForm(static_cast<KeyForm>(form)));
}

size_t HeldColumn::size() const {
  size_t rows = 0;
  Each([&](const Column& column, size_t) { rows += column.size(); });
  return rows;
}

}  // namespace linefilter::python
