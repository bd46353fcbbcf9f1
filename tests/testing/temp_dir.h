// A folder that exists as long as the object, and files in it.
#ifndef LINEFILTER_TESTS_TESTING_TEMP_DIR_H_
#define LINEFILTER_TESTS_TESTING_TEMP_DIR_H_

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "gtest/gtest.h"

namespace linefilter::test {

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Where files are made in memory, if this machine has that: for tests that make many, and sync each.
inline std::string MemoryFolder() {
  return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm/" : ::testing::TempDir();
}

class TempDir {
 public:
  explicit TempDir(const std::string& parent = ::testing::TempDir()) {
    path_ = parent + "linefilter-test-XXXXXX";
    EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, std::string_view bytes) const {
    std::ofstream out(File(name), std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    EXPECT_TRUE(out.good()) << File(name);
    return File(name);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::string path_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TEMP_DIR_H_
