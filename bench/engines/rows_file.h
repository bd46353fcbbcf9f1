// What the benchmarks of engines and tables leave: a folder that lives as long as they measure, and a file of rows that
// appears when it is complete.
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

// Calls measure(folder, &rows) for a new folder in `parent`, and writes the rows. `what` ("engines") is in the names of
// program, schema and folder. Returns the exit code of the program.
template <class Measure>
int WriteRowsFile(const std::string& what, const std::string& out_path, const std::string& parent,
                  const std::vector<std::string>& missing_peers, const Measure& measure) {
  const std::string program = "linefilter_bench_" + what;
  AtomicFile out;
  Status status = out.Create(out_path.c_str());  // before the minutes of work
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", program.c_str(), status.message());
    return 2;
  }
  std::string folder = parent + "/linefilter-" + what + "-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    fprintf(stderr, "%s: no folder can be made in %s: name another one by --folder\n", program.c_str(), parent.c_str());
    return 2;
  }
  nlohmann::ordered_json file;
  file["schema"] = "linefilter-" + what + "-1";
  file["context"] = MachineContext();
  file["context"]["missing_peers"] = missing_peers;
  file["rows"] = nlohmann::ordered_json::array();
  measure(folder, &file["rows"]);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  const std::string text = file.dump(1) + "\n";
  status = out.Append(text.data(), text.size());
  if (status.ok()) status = out.Commit();
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", program.c_str(), status.message());
    return 1;
  }
  return 0;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_ROWS_FILE_H_
