// This tells what went wrong with a filter in Redis, in the words of this program.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_FAILURE_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_FAILURE_H_

#include <string>

#include "linefilter/status.h"

namespace linefilter::tools {

// A filter's name as the library's sentences show it: without bytes that a terminal would obey.
std::string ShownName(const std::string& name);

// The library's sentence about the filter, with the options where it names its own fields.
std::string SentenceOf(const std::string& name, const Status& status);

// The exit code of a failure: kExitUnreachable where a server does not answer, else kExitBad.
int ExitOf(const Status& status);

// Says "redis COMMAND NAME: ..." on standard error, and what this program advises, if that is not empty, on a line of
// its own; returns ExitOf.
int FailRedis(const char* command, const std::string& name, const Status& status, const std::string& advice = "");

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_FAILURE_H_
