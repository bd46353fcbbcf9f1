// A program that only reads images: reader_weight.cmake weighs it. Here it asks a file for a key.
#include <cstdio>

#include "linefilter/file.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  linefilter::FilterFile file;
  const linefilter::Status status = file.Load(argv[1]);
  if (!status.ok()) {
    std::puts(status.message());
    return 2;
  }
  return file.view().MayContainKey(argv[2]) ? 0 : 1;
}
