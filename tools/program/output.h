// A command writes a new image to a file, which appears when it is complete, to standard output ("-"), or to a pipe.
#ifndef LINEFILTER_TOOLS_PROGRAM_OUTPUT_H_
#define LINEFILTER_TOOLS_PROGRAM_OUTPUT_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "tools/program/arguments.h"
#include "tools/program/image.h"

namespace linefilter::tools {

// Declares --out, which is required. `and_also` is a clause of its help, or empty.
void DeclareOut(Arguments* arguments, std::string* out, const char* and_also = "");

// Whether a file of that name could be made or replaced, or it is a pipe; else false, with the reason.
bool CanCreate(const std::string& out, std::string* reason);

// Where a command tells of the image that it wrote: standard error, if the image itself goes to standard output.
FILE* ReportStream(const std::string& out);

using WriteIt = std::function<Status(const Sink&)>;

// Writes a new image by write(sink) and opens it as `made`. A terminal shows `what` as progress, of `total` bytes; 0:
// nobody knows how many. Nothing stays of one that fails. What goes to a pipe is held in memory before, so that nobody
// reads half an image.
Status WriteImage(const std::string& out, const char* what, uint64_t total, const HashSecret* secret,
                  const WriteIt& write, Image* made);

// The same for a file that is not opened.
Status WriteFile(const std::string& out, const char* what, uint64_t total, const WriteIt& write);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_OUTPUT_H_
