// The schema is a tree, written as a list: each element is followed by its children. Its leaves are the columns.
#include "tools/program/parquet/footer.h"
#include "tools/program/parquet/thrift.h"

namespace linefilter::tools {
namespace {

constexpr int32_t kNone = -1, kUnknown = 0xff;  // what no field and no type has

struct Element {
  std::string name;
  int32_t physical = kNone, type_length = 0, num_children = 0, converted = kNone, scale = 0, precision = 0;
  bool has_logical = false;
  ParquetColumnType logical;  // without physical and type_length; of kNone if there is none
};

// A field of the member of a LogicalType.
void ReadParameter(int member, int id, int type, ThriftReader* reader, ParquetColumnType* logical) {
  const bool is_time = member == 7 || member == 8;
  if (member == 5 && id == 1) return reader->Read(type, &logical->scale);
  if (member == 5 && id == 2) return reader->Read(type, &logical->precision);
  if (member == 10 && id == 1) return reader->Read(type, &logical->bit_width);
  if (member == 10 && id == 2) return reader->Read(type, &logical->is_signed);
  if (is_time && id == 1) return reader->Read(type, &logical->is_utc);
  if (!is_time || id != 2) return reader->SkipField(type);
  logical->unit = static_cast<ParquetTimeUnit>(0);
  reader->StructOf(type, [&](int unit, int inner) {
    logical->unit = static_cast<ParquetTimeUnit>(unit >= 1 && unit <= 3 ? unit : 0);
    reader->SkipField(inner);
  });
}

// A type that does not tell both of its parameters is none that could be asked for a value.
void ReadLogicalType(int type, ThriftReader* reader, ParquetColumnType* logical) {
  logical->logical = static_cast<ParquetLogicalType>(kUnknown);
  reader->StructOf(type, [&](int member, int inner) {
    const bool has_parameters = member == 5 || member == 7 || member == 8 || member == 10;
    int told = 0;
    reader->StructOf(inner, [&](int id, int of_type) {
      told |= id == 1 || id == 2 ? id : 0;
      ReadParameter(member, id, of_type, reader, logical);
    });
    const bool is_known = member >= 1 && member < kUnknown && (told == 3 || !has_parameters);
    logical->logical = static_cast<ParquetLogicalType>(is_known ? member : kUnknown);
  });
}

Element ReadElement(int type, ThriftReader* reader) {
  Element element;
  reader->StructOf(type, [&](int id, int inner) {
    int32_t* const numbers[] = {&element.physical,     &element.type_length, nullptr,        nullptr,
                                &element.num_children, &element.converted,   &element.scale, &element.precision};
    if (id >= 1 && id <= 8 && numbers[id - 1] != nullptr) return reader->Read(inner, numbers[id - 1]);
    if (id == 4) return reader->Read(inner, &element.name);
    element.has_logical = element.has_logical || id == 10;
    return id == 10 ? ReadLogicalType(inner, reader, &element.logical) : reader->SkipField(inner);
  });
  reader->Demand(element.num_children >= 0 && element.physical >= kNone && element.physical < kUnknown,
                 "its schema has an element that is neither a column nor a group");
  return element;
}

ParquetColumnType TypeOf(const Element& element) {
  const ParquetPhysicalType physical = static_cast<ParquetPhysicalType>(element.physical);
  if (!element.has_logical && element.converted != kNone) {
    return ParquetColumnType::OfConverted(element.converted, physical, element.type_length, element.precision,
                                          element.scale);
  }
  ParquetColumnType type = element.logical;
  type.physical = physical;
  type.type_length = element.type_length;
  return type;
}

// A group whose children are to come.
struct Level {
  std::string path;  // with a point behind it
  int32_t left;
};

}  // namespace

void ReadParquetSchema(int type, ThriftReader* reader, std::vector<ParquetColumn>* columns) {
  std::vector<Level> levels = {{"", 1}};  // the root is the only child of nothing
  size_t elements = 0, path_bytes = 0;
  reader->ListOf(type, [&](int element_type) {
    const Element element = ReadElement(element_type, reader);
    reader->Demand(!levels.empty(), "its schema is no tree");
    if (!reader->is_sound) return;
    std::string path = elements == 0 ? "" : levels.back().path + element.name;
    path_bytes += path.size() + 1;
    reader->Demand(++elements <= kMostParquetColumns && path_bytes <= kMostParquetPathBytes, kParquetTooLarge);
    --levels.back().left;
    if (element.num_children > 0) {
      levels.push_back({elements == 1 ? "" : path + ".", element.num_children});
    } else if (element.physical != kNone) {  // else it is a group without columns
      columns->push_back({path, TypeOf(element)});
    }
    while (!levels.empty() && levels.back().left == 0) levels.pop_back();
  });
  reader->Demand(levels.empty(), "its schema is no tree");
}

}  // namespace linefilter::tools
