#include "tests/parquet/duckdb/plan.h"

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "nlohmann/json.hpp"

namespace linefilter::duckdb {
namespace {

using Json = nlohmann::json;

std::ifstream OpenStream(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + " cannot be read");
  return stream;
}

template <class Value>
Value Named(const std::map<std::string, Value>& names, const std::string& name) {
  const auto found = names.find(name);
  if (found == names.end())
    throw std::runtime_error("plan.json has the type " + name + ", which plan.cc does not know");
  return found->second;
}

// As Parquet's metadata number them (ConvertedType).
const std::map<std::string, int32_t> kConverted = {
    {"UTF8", 0},     {"DECIMAL", 5},  {"DATE", 6},      {"TIME_MICROS", 8}, {"UINT_8", 11},
    {"UINT_16", 12}, {"UINT_32", 13}, {"UINT_64", 14},  {"INT_8", 15},      {"INT_16", 16},
    {"INT_32", 17},  {"INT_64", 18},  {"INTERVAL", 21},
};

// DuckDB writes LogicalType for some types alone, and for others only ConvertedType.
ParquetColumnType TypeOf(const Json& json) {
  using Physical = ParquetPhysicalType;
  using Logical = ParquetLogicalType;
  static const std::map<std::string, Physical> kPhysical = {
      {"INT32", Physical::kInt32},          {"INT64", Physical::kInt64},
      {"FLOAT", Physical::kFloat},          {"DOUBLE", Physical::kDouble},
      {"BYTE_ARRAY", Physical::kByteArray}, {"FIXED_LEN_BYTE_ARRAY", Physical::kFixedLenByteArray},
  };
  static const std::map<std::string, Logical> kLogical = {
      {"", Logical::kNone},     {"Decimal", Logical::kDecimal},     {"Json", Logical::kJson},
      {"Time", Logical::kTime}, {"Timestamp", Logical::kTimestamp}, {"UUID", Logical::kUuid},
  };
  ParquetColumnType type;
  type.physical = Named(kPhysical, json.at("physical"));
  type.logical = Named(kLogical, json.at("logical"));
  type.type_length = json.at("type_length");
  type.precision = json.at("precision");
  type.scale = json.at("scale");
  const std::string converted = json.at("converted");
  if (type.logical == Logical::kNone && !converted.empty()) {
    return ParquetColumnType::OfConverted(Named(kConverted, converted), type.physical, type.type_length, type.precision,
                                          type.scale);
  }
  type.is_utc = json.at("is_utc");
  type.unit = static_cast<ParquetTimeUnit>(json.at("unit").get<int>());
  return type;
}

Form FormOf(const Json& json) {
  Form form;
  form.name = json.at("name");
  form.kind = json.at("kind");
  form.scale = json.at("scale");
  form.unit = static_cast<ParquetTimeUnit>(json.at("unit").get<int>());
  form.is_utc = json.at("is_utc");
  form.file = json.at("file");
  return form;
}

}  // namespace

std::vector<Column> ReadPlan(const std::string& folder) {
  const std::string path = folder + "/plan.json";
  std::ifstream stream = OpenStream(path);
  std::vector<Column> columns;
  try {
    for (const Json& json : Json::parse(stream)) {
      Column column;
      column.name = json.at("name");
      column.is_asked = json.at("is_asked");
      column.type = TypeOf(json.at("type"));
      for (const Json& place : json.at("filters")) column.filters.push_back({place.at("offset"), place.at("length")});
      for (const Json& form : json.at("forms")) column.forms.push_back(FormOf(form));
      columns.push_back(std::move(column));
    }
  } catch (const Json::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return columns;
}

File OpenFile(const std::string& path, const Column& column) {
  std::ifstream stream = OpenStream(path);
  File file;
  file.bytes.assign(std::istreambuf_iterator<char>(stream), {});
  for (const Place& place : column.filters) {
    if (place.offset + place.length > file.bytes.size()) throw std::runtime_error(path + " is cut off");
    file.views.emplace_back(&file.bytes[place.offset], place.length);
    if (!file.views.back().status().ok()) throw std::runtime_error(path + ": " + file.views.back().status().message());
  }
  return file;
}

std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream stream = OpenStream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void ForEachStored(const std::string& folder, const Column& column, const Form& form,
                   const std::function<void(size_t row_group, std::string_view text)>& each) {
  const std::string path = folder + "/" + form.file;
  std::ifstream stream = OpenStream(path);
  for (std::string line; std::getline(stream, line);) {
    const size_t tab = line.find('\t');
    const size_t row_group = tab == std::string::npos ? column.filters.size() : std::stoul(line);
    if (row_group >= column.filters.size()) throw std::runtime_error(path + " has the line '" + line + "'");
    each(row_group, std::string_view(line).substr(tab + 1));
  }
}

}  // namespace linefilter::duckdb
