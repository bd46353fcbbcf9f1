// What a command reports: named fields in a fixed order, printed as aligned text or as one JSON object.
//
// Names are stable snake_case and the same in both forms. Rates are fractions (0..1) in JSON; the
// text adds the percent. Not a number is a number that is not known: "not stated", null in JSON.
#ifndef LINEFILTER_TOOLS_REPORT_H_
#define LINEFILTER_TOOLS_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace linefilter::tools {

class Report {
 public:
  void Text(const char* name, const std::string& value) { Add(name, Kind::kText).text = value; }
  void Count(const char* name, uint64_t value) { Add(name, Kind::kCount).count = value; }
  void Real(const char* name, double value) { Add(name, Kind::kReal).real = value; }
  void Rate(const char* name, double value) { Add(name, Kind::kRate).real = value; }
  void Bool(const char* name, bool value) { Add(name, Kind::kBool).count = value; }
  // A list of reports with the same fields: a table as text, an array of objects in JSON. Printed after the fields.
  void Table(const char* name, std::vector<Report> rows) {
    table_name_ = name;
    rows_ = std::move(rows);
  }

  // To standard output.
  void Print(bool json) const;

 private:
  enum class Kind { kText, kCount, kReal, kRate, kBool };
  struct Field {  // a variant would do, but for a false warning of g++ 12
    const char* name;
    Kind kind;
    std::string text;
    uint64_t count;
    double real;
  };
  struct Json;

  Field& Add(const char* name, Kind kind);
  static std::string TextOf(const Field& field, bool in_table);
  void PrintTable() const;

  std::vector<Field> fields_;
  const char* table_name_ = nullptr;
  std::vector<Report> rows_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_REPORT_H_
