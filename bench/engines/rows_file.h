// What the benchmarks of engines, tables and columns leave: a file of rows that appears when it is complete. The folder
// of the first two lives as long as they measure.
#ifndef LINEFILTER_BENCH_ENGINES_ROWS_FILE_H_
#define LINEFILTER_BENCH_ENGINES_ROWS_FILE_H_

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/results.h"
#include "linefilter/file.h"

namespace linefilter::bench {

// Calls measure(&rows), and writes the rows. Returns the exit code of the program.
template <class Measure>
int WriteRows(const std::string& program, const std::string& schema, const std::string& out_path,
              const std::vector<std::string>& missing_peers, const Measure& measure) {
  AtomicFile out;
  Status status = out.Create(out_path.c_str());  // before the minutes of work
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", program.c_str(), status.message());
    return 2;
  }
  nlohmann::ordered_json file;
  file["schema"] = schema;
  file["context"] = MachineContext();
  file["context"]["missing_peers"] = missing_peers;
  file["rows"] = nlohmann::ordered_json::array();
  measure(&file["rows"]);
  const std::string text = file.dump(1) + "\n";
  status = out.Append(text.data(), text.size());
  if (status.ok()) status = out.Commit();
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", program.c_str(), status.message());
    return 1;
  }
  return 0;
}

// The same with measure(folder, &rows) for a new folder in `parent`. `what` ("engines") is in the names of program,
// schema and folder.
template <class Measure>
int WriteRowsFile(const std::string& what, const std::string& out_path, const std::string& parent,
                  const std::vector<std::string>& missing_peers, const Measure& measure) {
  const std::string program = "linefilter_bench_" + what;
  std::string folder = parent + "/linefilter-" + what + "-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    fprintf(stderr, "%s: no folder can be made in %s: name another one by --folder\n", program.c_str(), parent.c_str());
    return 2;
  }
  const int exit_code = WriteRows(program, "linefilter-" + what + "-1", out_path, missing_peers,
                                  [&](nlohmann::ordered_json* rows) { measure(folder, rows); });
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return exit_code;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_ROWS_FILE_H_
