// Starts a program and waits for it: arguments and standard input in; exit code, standard output and standard error
// out.
#ifndef LINEFILTER_TESTS_TESTING_RUN_PROGRAM_H_
#define LINEFILTER_TESTS_TESTING_RUN_PROGRAM_H_

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

struct RunResult {
  int exit_code = -1;  // 128 + signal if a signal ended it, as shells say it
  std::string out, err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// The words in front of our programs where an emulator runs them; empty elsewhere.
inline std::string Emulator() {
  const char* const emulator = std::getenv("LINEFILTER_TEST_EMULATOR");
  return emulator == nullptr ? "" : emulator;
}
inline std::vector<std::string> OurProgram(const std::string& path) {
  std::istringstream emulator(Emulator());
  std::vector<std::string> words;
  for (std::string word; emulator >> word;) words.push_back(word);
  words.push_back(path);
  return words;
}

// Files, not pipes: neither side can block on the other.
inline RunResult RunProgram(const std::vector<std::string>& arguments, std::string_view input = {},
                            const Environment& environment = {}) {
  const TempDir dir;
  const std::string in = dir.Write("in", input), out = dir.Write("out", ""), err = dir.Write("err", "");
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
#ifdef __linux__  // it ends with the thread that waits for it, however that ends
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    dup2(open(in.c_str(), O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY), 1);
    dup2(open(err.c_str(), O_WRONLY), 2);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  RunResult result;
  int status = 0;
  EXPECT_GT(child, 0);
  EXPECT_EQ(waitpid(child, &status, 0), child);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = ReadFile(out);
  result.err = ReadFile(err);
  return result;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_RUN_PROGRAM_H_
