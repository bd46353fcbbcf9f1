// What tests of files share: a process of its own.
#ifndef LINEFILTER_TESTS_IMAGE_FILE_TEST_H_
#define LINEFILTER_TESTS_IMAGE_FILE_TEST_H_

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/file.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// Runs `body` in a process of its own: limits, users and signals end with it. It answers whether all went well.
inline bool InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // instead of hanging
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_IMAGE_FILE_TEST_H_
