// This is the frame of a command: main.cc lists them, each command_*.cc defines one.
#ifndef LINEFILTER_TOOLS_PROGRAM_COMMAND_H_
#define LINEFILTER_TOOLS_PROGRAM_COMMAND_H_

#include <functional>

namespace linefilter::tools {

class Arguments;

// These are the exit codes of every command. Each command's --help says what a negative answer is; kExitUnreachable is
// for a server.
inline constexpr int kExitGood = 0, kExitNegative = 1, kExitBad = 2, kExitUnreachable = 3;

struct Command {
  const char* name;
  const char* summary;
  const char* notes;  // shown after the options in --help
  // Declares the options; the function it returns does the work once they are filled in, and returns the exit code.
  std::function<int()> (*declare)(Arguments& arguments);
};

extern const Command kBuildCommand, kCreateCommand, kAddCommand, kUniqCommand, kQueryCommand, kInfoCommand,
    kStatsCommand, kVerifyCommand, kFoldCommand, kMergeCommand, kFprCommand, kOracleCommand, kPlanCommand,
    kTargetsCommand, kBenchCommand, kCompletionCommand, kParquetCommand, kRedisCommand;

// Says on standard error what was wrong, after "linefilter: "; returns kExitBad.
int Fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_COMMAND_H_
