// read IMAGE KEY...: a line for each key, "maybe" or "absent". The same in C and Python beside it; all must say the
// same.
#include <cstdio>

#include "linefilter/file.h"

int main(int argc, char** argv) {
  linefilter::FilterFile file;
  const linefilter::Status status = file.Map(argc > 1 ? argv[1] : "");
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 2;
  for (int i = 2; i < argc; ++i) std::puts(file.view().MayContainKey(argv[i]) ? "maybe" : "absent");
}
