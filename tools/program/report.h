// A command reports named fields in a fixed order, printed as aligned text or as one JSON object.
//
// Names are stable snake_case and the same in both forms. Rates are fractions (0..1) in JSON; the text adds the
// percent. NaN is a number that is not known: "not stated", null in JSON.
#ifndef LINEFILTER_TOOLS_PROGRAM_REPORT_H_
#define LINEFILTER_TOOLS_PROGRAM_REPORT_H_

#include <cstdint>
#include <cstdio>
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

  void Print(bool json, FILE* to = stdout) const;

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
  static void PrintTable(const std::vector<Report>& rows, FILE* to);

  std::vector<Field> fields_;
  std::vector<const char*> table_names_;
  std::vector<std::vector<Report>> tables_;  // as many
};

// The reports of a command that takes several images. As text each is printed when it is added. As JSON it is the
// object of a single one, and of several an object with the list `images`.
class ReportsOfImages {
 public:
  ReportsOfImages(bool json, bool always_list) : json_(json), always_list_(always_list) {}
  void Add(const Report& report);
  void Finish();

 private:
  bool json_, always_list_;
  std::vector<Report> reports_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REPORT_H_
