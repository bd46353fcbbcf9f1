// Paths of the program, of which "-" is standard input.
#ifndef LINEFILTER_TOOLS_PROGRAM_SAME_FILE_H_
#define LINEFILTER_TOOLS_PROGRAM_SAME_FILE_H_

#include <sys/stat.h>

#include <string>

namespace linefilter::tools {

// This is stat of such a path; false where there is nothing.
bool StatOf(const std::string& path, struct stat* info);

// Whether two paths lead to one file; "-" is standard input.
bool SameFile(const std::string& one, const std::string& other);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_SAME_FILE_H_
