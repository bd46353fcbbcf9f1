/* The C API as a program in C sees it: every function with what it promises, and with NULL; a file for each handle.
   (That bytes and answers are those of the C++ API, and what happens without memory: tests/c/c_api_test.cc.) */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdlib.h>
#include <unistd.h>

#include "tests/c/check.h"
#include "tests/c/fixture.h"

int check_failures, check_tests, check_failed_tests;

int main(void) {
  if (mkdtemp(test_folder) == NULL) return puts("no folder in /tmp"), 1;
  RunTypes();
  RunHash();
  RunSizing();
  RunMemory();
  RunFilter();
  RunConcurrent();
  RunScalable();
  RunLiving();
  RunKinds();
  RunBuilder();
  RunSource();
  RunView();
  RunColumns();
  RunColumnFaults();
  RunColumnCanonical();
  RunScanFilter();
  RunUnite();
  RunHashIds();
  RunTesting();
  RunMonitor();
  RunParquet();
  RunParquetValues();
  const char* const files[] = {"hooks", "saved", "built",    "stream", "filter", "keyed",
                               "seen",  "grown", "rotating", "seeded", "lazy"};
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) remove(FileIn(files[i]));
  CHECK(rmdir(test_folder) == 0); /* nothing else was left */
  check_failed_tests += check_failures != 0 && check_failed_tests == 0;
  printf("[  PASSED  ] %d tests.\n", check_tests - check_failed_tests);
  if (check_failed_tests != 0) printf("[  FAILED  ] %d tests.\n", check_failed_tests);
  return check_failed_tests == 0 ? 0 : 1;
}
