// linefilter_instructions [REGEX]: runs each row (whose name has a match of the regex) once, for callgrind to count.
//
// tools/perf.sh instructions starts it as
//   valgrind --tool=callgrind --zero-before=linefilter_counted_row --dump-after=linefilter_counted_row ...
// so that callgrind writes one file for each row, of the instructions inside of that function alone. No header of
// valgrind is needed to build it. Standard output: what the counts depend on besides our code, then the rows in order.
#include <cstdio>
#include <exception>
#include <regex>
#include <string>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "bench/instruction_rows.h"
#include "bench/machine.h"

// One function, under this very name: no copy for special arguments, nothing inlined.
#if defined(__clang__)
#define LINEFILTER_ONE_FUNCTION __attribute__((noinline, used))
#else
#define LINEFILTER_ONE_FUNCTION __attribute__((noipa, used))
#endif

extern "C" LINEFILTER_ONE_FUNCTION void linefilter_counted_row(const linefilter::bench::InstructionRow& row) {
  row.run();
  asm volatile("" ::: "memory");  // no tail call: this function ends after run
}

namespace linefilter::bench {
namespace {

std::string Libc() {
#ifdef __GLIBC__
  return std::string("glibc ") + gnu_get_libc_version();
#else
  return "unknown libc";
#endif
}

int RunRows(const std::regex& wanted) {
  printf("toolchain\t%s %s, %s, %s\n", Compiler().c_str(), Flags().c_str(), LINEFILTER_BENCH_ON, Libc().c_str());
  int rows = 0;
  for (const InstructionRow& row : InstructionRows()) {
    if (!std::regex_search(row.name, wanted)) continue;
    row.prepare();
    row.run();  // symbols are bound and tables made at the first time: not counted
    row.prepare();
    linefilter_counted_row(row);
    if (!row.right()) {
      fprintf(stderr, "linefilter_instructions: %s gave wrong answers: what is the use of counting it\n",
              row.name.c_str());
      return 1;
    }
    printf("row\t%s\t%llu\n", row.name.c_str(), static_cast<unsigned long long>(row.keys));
    ++rows;
  }
  if (rows == 0) fprintf(stderr, "linefilter_instructions: no row matches\n");
  return rows == 0 ? 2 : 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  try {
    return linefilter::bench::RunRows(std::regex(argc > 1 ? argv[1] : ""));
  } catch (const std::exception& error) {
    fprintf(stderr, "linefilter_instructions '%s': %s\n", argc > 1 ? argv[1] : "", error.what());
    return 2;
  }
}
