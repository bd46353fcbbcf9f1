// duckdb_check stored|ours|answers FOLDER: compares linefilter with DuckDB, of which write.mjs and probe.mjs have left
// files in the folder. checks.h tells what each word does. The last line that it prints counts. Exit code 1: there are
// faults; 2: it could not be done.
#include <cstdio>
#include <exception>
#include <string>

#include "tests/parquet/duckdb/checks.h"

int main(int argc, char** argv) {
  using namespace linefilter::duckdb;
  const std::string check = argc == 3 ? argv[1] : "";
  const auto run = check == "stored"    ? CheckStored
                   : check == "ours"    ? CheckOurs
                   : check == "answers" ? CheckAnswers
                                        : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "usage: duckdb_check stored|ours|answers FOLDER\n");
    return 2;
  }
  try {
    const std::string folder = argv[2];
    return run(folder, ReadPlan(folder)) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "duckdb_check: %s\n", error.what());
    return 2;
  }
}
