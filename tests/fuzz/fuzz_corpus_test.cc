// The fuzz targets (tests/fuzz) on the committed corpus, one file after the other, as an ordinary test: by g++, by
// clang under AddressSanitizer, and by night on other CPUs. What a fuzzer once found stays in the corpus, and so is
// looked for ever after.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

using Target = void (*)(const uint8_t* data, size_t size);

// In a heap block of the input's size, as libFuzzer hands it over.
void Run(Target target, const std::string& input) {
  const std::vector<uint8_t> exact(input.begin(), input.end());
  target(exact.data(), exact.size());
}

// LINEFILTER_FUZZ_INPUTS names another folder than the corpus: what a fuzzer found, for a debugger.
void RunCorpus(Target target, const std::string& name) {
  const char* const inputs = getenv("LINEFILTER_FUZZ_INPUTS");
  const std::string folder = inputs != nullptr ? inputs : LINEFILTER_SOURCE_DIR "/tests/fuzz/corpus/" + name;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    printf("%s\n", file.c_str());  // the last one is to blame if the program ends here
    fflush(stdout);
    Run(target, test::ReadFile(file));
  }
  EXPECT_GE(files.size(), inputs != nullptr ? 1u : 20u) << folder << " is no corpus";
  Run(target, "");
}

TEST(FuzzCorpus, Arrow) { RunCorpus(fuzz::Arrow, "arrow"); }
TEST(FuzzCorpus, Build) { RunCorpus(fuzz::Build, "build"); }
TEST(FuzzCorpus, File) { RunCorpus(fuzz::File, "file"); }
TEST(FuzzCorpus, Footer) { RunCorpus(fuzz::Footer, "footer"); }
TEST(FuzzCorpus, Parquet) { RunCorpus(fuzz::Parquet, "parquet"); }
TEST(FuzzCorpus, Parse) { RunCorpus(fuzz::Parse, "parse"); }
TEST(FuzzCorpus, Targets) { RunCorpus(fuzz::Targets, "targets"); }

}  // namespace
}  // namespace linefilter
