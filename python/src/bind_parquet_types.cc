// Types of columns of Parquet files, and questions about values of them. _parquet_values.py makes of a Python object
// what a question takes.
#include <cstdint>
#include <string_view>

#include "linefilter/parquet_types.h"
#include "python/src/buffer.h"
#include "python/src/core.h"

namespace linefilter::python {
namespace {

using Type = ParquetColumnType;
using Value = ParquetValue;
using Question = ParquetQuestion;

ParquetPhysicalType PhysicalOf(int number) { return static_cast<ParquetPhysicalType>(number); }
ParquetLogicalType LogicalOf(int number) { return static_cast<ParquetLogicalType>(number); }
ParquetTimeUnit UnitOf(int number) { return static_cast<ParquetTimeUnit>(number); }

Type MakeType(int physical, int logical, int32_t type_length, int32_t precision, int32_t scale, int32_t bit_width,
              bool is_signed, bool is_utc, int unit) {
  Type type;
  type.physical = PhysicalOf(physical);
  type.logical = LogicalOf(logical);
  type.type_length = type_length;
  type.precision = precision;
  type.scale = scale;
  type.bit_width = bit_width;
  type.is_signed = is_signed;
  type.is_utc = is_utc;
  type.unit = UnitOf(unit);
  return type;
}

// The numbers in the order in which MakeType takes them.
py::tuple FieldsOf(const Type& type) {
  return py::make_tuple(static_cast<int>(type.physical), static_cast<int>(type.logical), type.type_length,
                        type.precision, type.scale, type.bit_width, type.is_signed, type.is_utc,
                        static_cast<int>(type.unit));
}

// Two's complement of at most 32 bytes, big-endian: what int.to_bytes makes.
ParquetInteger IntegerOf(const py::bytes& number) {
  ParquetInteger integer;
  const std::string_view bytes = number;
  if (!ParquetInteger::FromBigEndian(bytes.data(), bytes.size(), &integer)) {
    throw py::value_error("the number needs more than 32 bytes");
  }
  return integer;
}

Question OfBytes(const Type& type, const py::object& lent) {
  const Buffer bytes(lent);
  return Question(type, Value::Bytes(bytes.data(), bytes.size()));
}

Question OfUuid(const Type& type, const py::bytes& uuid) {
  const std::string_view bytes = uuid;
  if (bytes.size() != sizeof(Value::uuid)) throw py::value_error("a UUID has 16 bytes");
  return Question(type, Value::Uuid(bytes.data()));
}

// As Python's Answer takes it.
py::tuple TupleOf(const ParquetAnswer& answer) {
  return py::make_tuple(answer.may_contain, static_cast<int>(answer.reason), answer.message);
}

py::tuple Ask(const Question& question, const Core& core) {
  ParquetAnswer answer;
  core.Ask(Gil::kHeld, [&](const FilterBase& filter) { answer = question.Ask(filter); });
  return TupleOf(answer);
}

py::list HashesOf(const Question& question) {
  py::list hashes;
  for (size_t i = 0; i < question.num_hashes(); ++i) hashes.append(py::int_(question.hashes()[i]));
  return hashes;
}

void BindQuestion(py::module_& module) {
  py::class_<Question>(module, "ParquetQuestion", py::module_local())
      .def_static("null", [](const Type& type) { return Question(type, Value()); })
      .def_static("integer", [](const Type& type,
                                const py::bytes& number) { return Question(type, Value::Integer(IntegerOf(number))); })
      .def_static("decimal", [](const Type& type, const py::bytes& unscaled,
                                int32_t scale) { return Question(type, Value::Decimal(IntegerOf(unscaled), scale)); })
      .def_static("float32", [](const Type& type, float value) { return Question(type, Value::Float(value)); })
      .def_static("float64", [](const Type& type, double value) { return Question(type, Value::Double(value)); })
      .def_static("text", [](const Type& type,
                             const py::bytes& utf8) { return Question(type, Value::Text(std::string_view(utf8))); })
      .def_static("bytes", &OfBytes)
      .def_static("uuid", &OfUuid)
      .def_static("date", [](const Type& type, int64_t days) { return Question(type, Value::Date(days)); })
      .def_static("time", [](const Type& type, int64_t count, int unit,
                             bool is_utc) { return Question(type, Value::Time(count, UnitOf(unit), is_utc)); })
      .def_static("timestamp",
                  [](const Type& type, int64_t count, int unit, bool is_utc) {
                    return Question(type, Value::Timestamp(count, UnitOf(unit), is_utc));
                  })
      .def("ask", &Ask)
      .def("decided", [](const Question& question) { return TupleOf(question.decided()); })
      .def("hashes", &HashesOf);
}

}  // namespace

void BindParquetTypes(py::module_& module) {
  py::class_<Type>(module, "ParquetColumnType", py::module_local())
      .def(py::init(&MakeType))
      .def_static("of", [](int logical) { return Type::Of(LogicalOf(logical)); })
      .def_static("integer", &Type::Integer)
      .def_static("time", [](int unit, bool is_utc) { return Type::Time(UnitOf(unit), is_utc); })
      .def_static("timestamp", [](int unit, bool is_utc) { return Type::Timestamp(UnitOf(unit), is_utc); })
      .def_static("of_converted",
                  [](int32_t converted, int physical, int32_t type_length, int32_t precision, int32_t scale) {
                    return Type::OfConverted(converted, PhysicalOf(physical), type_length, precision, scale);
                  })
      .def("fields", &FieldsOf);
  BindQuestion(module);
}

}  // namespace linefilter::python
