// The program `linefilter` has one line per command here, one file per command beside.
#include <fcntl.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "linefilter/target.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"

namespace linefilter::tools {

int Fail(const char* format, ...) {
  fputs("linefilter: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return kExitBad;
}

namespace {

const Command* const kCommands[] = {
    &kBuildCommand, &kCreateCommand,  &kAddCommand,   &kUniqCommand,       &kQueryCommand,   &kInfoCommand,
    &kStatsCommand, &kVerifyCommand,  &kFoldCommand,  &kMergeCommand,      &kFprCommand,     &kOracleCommand,
    &kPlanCommand,  &kTargetsCommand, &kBenchCommand, &kCompletionCommand, &kParquetCommand, &kRedisCommand};

// A standard stream that is closed leaves its number to the next file or connection, and what is printed would go
// there: keys to Redis, as commands. Opened the wrong way round, it fails its users as a closed one does (EBADF).
void OccupyStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) {
      exit(Fail("stream %d is closed, and /dev/null cannot take its place: %s", fd, strerror(errno)));
    }
  }
}

void WarnOfUnsupportedTarget() {
  const char* wanted = getenv("LINEFILTER_TARGET");
  if (wanted == nullptr || *wanted == '\0' || strcmp(wanted, ChosenTarget()) == 0) return;
  std::string known;
  const TargetList list = SupportedTargets();
  for (size_t i = 0; i < list.size; ++i) known += std::string(i == 0 ? "" : ", ") + list.names[i];
  fprintf(stderr, "linefilter: warning: LINEFILTER_TARGET=%s is no target of this CPU and program (%s); %s is used\n",
          wanted, known.c_str(), ChosenTarget());
}

std::string CommandNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

// Explains a line that CLI11 could not read.
int FailParse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  // This finds the command that was reached, and the first word behind it.
  const CLI::App* command = &app;
  std::string path = "linefilter", parents;
  int next = 1;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands()[0];
    parents = path;
    path += " " + command->get_name();
    ++next;
  }
  const std::string names = CommandNames(*command);
  if (!names.empty() && next >= argc)
    return Fail("give a command: %s\n\n%s", names.c_str(), command->help(parents).c_str());
  if (!names.empty() && argv[next][0] != '-') {
    return Fail("'%s' is no command: choose %s", argv[next], names.c_str());
  }
  // A misspelt option is the better explanation of a required one that is missing.
  const std::vector<std::string> extras = app.remaining(true);
  const std::string what = extras.empty() ? error.what() : "'" + extras[0] + "' is no option or argument here";
  if (!names.empty()) path += " COMMAND";
  return Fail("%s\n\"%s --help\" explains.", what.c_str(), path.c_str());
}

// The path of the command that was chosen.
std::string PathOf(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + PathOf(*chosen[0]));
}

int Run(int argc, char** argv) {
  CLI::App app("Approximate membership: may this key be in the set? One cache line per lookup.", "linefilter");
  app.set_version_flag("--version", "linefilter " LINEFILTER_VERSION);
  app.footer(
      "linefilter COMMAND --help explains a command. Numbers are written like 1000000, 1e6, 1M or 64Mi, rates like "
      "0.01\n"
      "or 1%, durations like 30, 500ms, 5m or 2h. - is standard input, and for --out standard output; pipes are "
      "files.\n"
      "Exit codes: 0 good, 1 the answer is negative, 2 bad usage, bad file or undecided, 3 a server does not answer.");
  Arguments arguments(&app);
  const std::function<int()> action = arguments.Commands({std::begin(kCommands), std::end(kCommands)});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) /* --help, --version */ : FailParse(app, error, argc, argv);
  }
  const std::string broken_rule = arguments.Check();
  if (!broken_rule.empty()) return Fail("%s\n\"%s --help\" explains.", broken_rule.c_str(), PathOf(app).c_str());
  WarnOfUnsupportedTarget();
  const int code = action();
  // A command that failed has said why.
  if (code != kExitBad && (fflush(stdout) != 0 || ferror(stdout) != 0))
    return Fail("cannot write to standard output: %s", strerror(errno));
  return code;
}

}  // namespace
}  // namespace linefilter::tools

int main(int argc, char** argv) {
  linefilter::tools::OccupyStandardStreams();
  // Beyond a limit of file sizes (ulimit -f) a write then fails with its reason, and a file that is half made goes.
  signal(SIGXFSZ, SIG_IGN);
  try {
    return linefilter::tools::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    return linefilter::tools::Fail("memory ran out");
  } catch (const std::exception& error) {
    return linefilter::tools::Fail("%s", error.what());
  }
}
