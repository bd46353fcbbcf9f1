// A command reports named fields in a fixed order, printed as aligned text or as one JSON object.
//
// Names are stable snake_case and the same in both forms. Rates are fractions (0..1) in JSON; the text adds the
// percent. NaN is a number that is not known: "not stated", null in JSON.
#ifndef LINEFILTER_TOOLS_PROGRAM_REPORT_H_
#define LINEFILTER_TOOLS_PROGRAM_REPORT_H_

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
  // It is rounded to a whole one, if it is finite.
  void Number(const char* name, double value);
  void Rate(const char* name, double value) { Add(name, Kind::kRate).real = value; }
  void Bool(const char* name, bool value) { Add(name, Kind::kBool).count = value; }
  // Adds a list of reports with the same fields: a table as text, an array of objects in JSON. It is printed after the
  // fields, in the order of the calls.
  void Table(const char* name, std::vector<Report> rows) {
    table_names_.push_back(name);
    tables_.push_back(std::move(rows));
  }

  // Prints to standard output.
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
  static void PrintTable(const std::vector<Report>& rows);

  std::vector<Field> fields_;
  std::vector<const char*> table_names_;
  std::vector<std::vector<Report>> tables_;  // as many
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REPORT_H_
