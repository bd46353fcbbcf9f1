#include "tools/program/same_file.h"

#include <unistd.h>

namespace linefilter::tools {

bool StatOf(const std::string& path, struct stat* info) {
  return (path == "-" ? fstat(STDIN_FILENO, info) : stat(path.c_str(), info)) == 0;
}

bool SameFile(const std::string& one, const std::string& other) {
  struct stat left, right;
  return StatOf(one, &left) && StatOf(other, &right) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

}  // namespace linefilter::tools
