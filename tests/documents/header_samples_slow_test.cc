// The code in the heads of the public headers is what a reader copies first: each sample must compile as it stands,
// with the names that it takes for granted. A block of lines "//   code" behind a line "//" is one. Every public header
// has one, but the parts of c.h need none.
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/documents.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

const std::string kHeaders = std::string(LINEFILTER_SOURCE_DIR) + "/include/linefilter/";

// What stands around a sample in its reader's program. A header with a sample that is not here fails.
struct Around {
  const char* before;      // declarations
  const char* parameters;  // of the function that the sample is the body of
  const char* needs = "";  // a header of a package that may be missing
};
const std::map<std::string, Around> kArounds = {
    {"arrow.h",
     {"#include \"linefilter/columns.h\"\n",
      "const linefilter::FilterBase& filter, size_t n, uint32_t* rows, size_t num_rows"}},
    {"column.h", {"", "const int64_t* values, size_t n, const uint8_t* bits, size_t first_bit"}},
    {"columns.h",
     {"#include \"linefilter/filter.h\"\nvoid Probe(uint32_t row);\n",
      "const linefilter::Column& build_ids, const linefilter::Column& probe_ids, linefilter::Filter& filter"}},
    {"bulk.h",
     {"size_t read_hashes(void* file, uint64_t* hashes, size_t capacity) noexcept;\n"
      "bool rewind_hashes(void* file) noexcept;\n",
      "linefilter::FilterOptions options, int file"}},
    {"executor.h",
     {"#include \"linefilter/options.h\"\n"
      "void run_on_pool(void* pool, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept;\n",
      "int pool"}},
    {"file.h", {"", "const char* name"}},
    {"filter_base.h",
     {"#include \"linefilter/view.h\"\n",
      "const linefilter::FilterView& view, uint64_t id, const uint64_t* ids, size_t n, uint8_t* answers"}},
    {"fpr_judge.h", {"#include <cstdio>\n", ""}},
    {"interval.h", {"#include <cstdio>\n", ""}},
    {"testing.h",
     {"#include <cstdio>\n#include <set>\n#include <string>\n#include <vector>\n#include \"linefilter/filter.h\"\n",
      "const linefilter::BlockedFilter& filter, const std::vector<std::string>& members, const "
      "std::vector<std::string>& absent, const std::set<std::string>& other_library"}},
    {"monitor.h",
     {"#include <cstdio>\n#include <string_view>\n#include \"linefilter/filter.h\"\n"
      "struct Store { bool Has(std::string_view name) const; };\n",
      "const linefilter::BlockedFilter& users, const Store& store, std::string_view name"}},
    {"hash.h",
     {"#include \"linefilter/filter.h\"\n",
      "const linefilter::FilterOptions& options, linefilter::BlockedFilter& seen"}},
    {"key_filter.h",
     {"#include <string_view>\n#include \"linefilter/filter.h\"\nvoid fetch(std::string_view url);\n",
      "linefilter::BlockedFilter& blocked, std::string_view url"}},
    {"builder.h",
     {"#include <string>\n#include <vector>\n",
      "const linefilter::FilterOptions& options, const std::vector<std::string>& keys"}},
    {"layout.h", {"#include <cstdio>\n#include \"linefilter/filter.h\"\n", "const linefilter::BlockedFilter& filter"}},
    {"memory.h",
     {"#include \"linefilter/options.h\"\n"
      "void* allocate(void* arena, size_t size, size_t alignment) noexcept;\n"
      "void deallocate(void* arena, void* pointer, size_t size, size_t alignment) noexcept;\n",
      "int arena"}},
    {"options.h", {"#include \"linefilter/filter.h\"\n", "linefilter::BlockedFilter& filter, uint64_t num_keys"}},
    {"sizing.h", {"#include <cstdio>\n", ""}},
    {"status.h",
     {"#include <cstdio>\n#include \"linefilter/filter.h\"\n",
      "linefilter::BlockedFilter& filter, const linefilter::FilterOptions& options"}},
    {"target.h", {"#include <cstdio>\n", ""}},
    {"view.h",
     {"#include <string>\n", "const std::string& file, size_t offset, size_t size, const std::string& user_key"}},
    {"remote_body.h",
     {"const void* fetch(uint64_t offset, size_t size);\n", "const linefilter::BodyFacts& facts, uint64_t hash"}},
    {"c.h", {"#include <string.h>\nvoid fail(const char* message);\n", "const char* name"}},
    {"concurrent.h",
     {"#include <string_view>\nvoid fetch(std::string_view url);\n",
      "std::string_view url, const linefilter::FilterOptions& options"}},
    {"c/builder.h",
     {"void fail(const char* message);\n",
      "linefilter_options options, linefilter_status status, const void** keys, const size_t* sizes, size_t n, size_t "
      "i"}},
    {"c/view.h",
     {"void fail(const char* message);\n",
      "linefilter_status status, const char* file, size_t offset, size_t image_size, const void** keys, const size_t* "
      "sizes, size_t n, uint8_t* answers"}},
    {"c/columns.h",
     {"void fail(const char* message);\nvoid probe(uint32_t row);\n",
      "const void* values, size_t n, const uint8_t* bits, linefilter_filter* filter, const linefilter_view* view, "
      "linefilter_column probe_ids, linefilter_status status, size_t i"}},
    {"c/concurrent.h",
     {"#include \"linefilter/c.h\"\nvoid fetch(const char* url);\n",
      "linefilter_options options, linefilter_status status, const char* url, size_t size"}},
    {"c/rotating.h",
     {"#include \"linefilter/c.h\"\nvoid fetch(const char* url);\n",
      "linefilter_options options, linefilter_status status, const char* url, size_t size"}},
    {"c/scalable.h",
     {"void fetch(const char* url);\n",
      "linefilter_options options, linefilter_status status, const char* url, size_t size"}},
    {"c/testing.h",
     {"#include <stdio.h>\n#include \"linefilter/c.h\"\n",
      "const linefilter_view* view, const linefilter_fpr_keys* members, const linefilter_fpr_keys* absent"}},
    {"c/monitor.h",
     {"#include <stdio.h>\n#include \"linefilter/c.h\"\nbool store_has(const char* name, size_t size);\n",
      "const linefilter_view* users, const char* name, size_t size"}},
    {"c/parquet.h",
     {"#include \"linefilter/c.h\"\n",
      "linefilter_options options, linefilter_status status, uint64_t distinct_values, const int64_t* column, size_t "
      "n, "
      "uint64_t* hashes, void* out, size_t out_size, const void* bytes, size_t bloom_filter_length"}},
    {"filter.h", {"", ""}},
    {"fold.h", {"#include \"linefilter/file.h\"\n", ""}},
    {"inline.h", {"#include \"linefilter/view.h\"\n", "const linefilter::FilterView& view, uint64_t hash"}},
    {"many.h", {"", "const linefilter::FilterBase* const (&levels)[8]"}},
    {"key.h",
     {"#include <array>\n#include \"linefilter/filter.h\"\nenum class Color { kRed };\n",
      "linefilter::BlockedFilter& filter, int user_id, const std::array<std::byte, 32>& digest"}},
    {"leveldb.h", {"", "", "leveldb/options.h"}},
    {"parquet.h",
     {"#include \"linefilter/filter.h\"\n",
      "uint64_t distinct_values, const uint64_t* hashes, size_t n, std::string& file, const void* bytes, size_t size"}},
    {"parquet_types.h",
     {"#include \"linefilter/parquet.h\"\n",
      "linefilter::ParquetPhysicalType physical, int precision, int scale, int type_length, const "
      "linefilter::ParquetFilterView& view"}},
    {"redis.h", {"", ""}},
    {"c/redis.h",
     {"#include \"linefilter/c.h\"\nvoid fail(const char* message);\nvoid log_error(const char* message);\nvoid "
      "fetch(const char* url);\n",
      "linefilter_options options, linefilter_status status, const char* url, size_t size"}},
    {"redis_metrics.h", {"", ""}},
    {"redis_async.h",
     {"void OnAnswer(void* request, bool maybe, const linefilter::Status& status) noexcept;\n",
      "linefilter::RedisServers servers, const char* url, void* request"}},
    {"redis_servers.h", {"", ""}},
    {"redis_cached.h",
     {"",
      "linefilter::RedisServers servers, linefilter::RedisFilter filter, const linefilter::FilterOptions& options, "
      "linefilter::Status status, const char* url, linefilter::RedisInsert outcome"}},
    {"scalable.h", {"", ""}},
    {"rotating.h",
     {"#include <string_view>\nvoid fetch(std::string_view url);\n",
      "std::string_view url, const linefilter::FilterOptions& options"}},
    {"swappable.h",
     {"#include <utility>\n#include \"linefilter/filter.h\"\n",
      "linefilter::BlockedFilter rebuilt, const uint64_t* hashes, size_t n, uint8_t* answers"}},
    {"c/swappable.h",
     {"#include \"linefilter/c.h\"\n",
      "linefilter_filter* rebuilt, const char* name, size_t size, const uint64_t* hashes, size_t n, uint8_t* answers"}},
    {"rocksdb.h", {"", "", "rocksdb/table.h"}},
};

// "" if there is none.
std::string SampleOf(const std::string& header) {
  std::istringstream in(header);
  std::string sample, previous;
  for (std::string line; std::getline(in, line) && line.compare(0, 2, "//") == 0; previous = line) {
    const bool is_code = line.compare(0, 5, "//   ") == 0 && line.compare(5, 1, " ") != 0;
    if (!is_code && !sample.empty()) break;
    if (is_code && (!sample.empty() || previous == "//")) sample += line.substr(5) + "\n";
  }
  return sample.find(';') == std::string::npos ? "" : sample;
}

// "..." stands for the reader's own statement.
std::string WithStatements(const std::string& sample) {
  return std::regex_replace(sample, std::regex(R"((^|[ \n])\.\.\.)"), "$1return;");
}

// The lines of a sample that include a header, or the others.
std::string LinesOf(const std::string& sample, bool includes) {
  std::istringstream in(sample);
  std::string lines;
  for (std::string line; std::getline(in, line);) {
    if ((line.compare(0, 9, "#include ") == 0) == includes) lines += line + "\n";
  }
  return lines;
}

RunResult Compile(const std::string& header, const std::string& sample, const Around& around) {
  const TempDir folder;
  const bool is_c = header == "c.h" || header.compare(0, 2, "c/") == 0;
  const std::string source = is_c ? "sample.c" : "sample.cc";
  folder.Write(source, "#include \"linefilter/" + header + "\"\n" + around.before + LinesOf(sample, true) +
                           "void Sample(" + around.parameters + ");\nvoid Sample(" + around.parameters + ") {\n" +
                           WithStatements(LinesOf(sample, false)) + "}\n");
  // To an object, which a launcher keeps: -fsyntax-only is nothing to it.
  return RunCompiler(folder, {is_c ? LINEFILTER_CC : LINEFILTER_CXX, is_c ? "-std=c99" : "-std=c++17", "-Wall",
                              std::string("-I") + LINEFILTER_SOURCE_DIR + "/include", "-c", source, "-o", "sample.o"});
}

bool IsThere(const std::string& include) {
  const TempDir folder;
  const std::string source = folder.Write("try.cc", "#include <" + include + ">\n");
  return RunProgram({LINEFILTER_CXX, "-std=c++17", "-fsyntax-only", source}).exit_code == 0;
}

TEST(HeaderSamples, Compile) {
  size_t num_found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kHeaders)) {
    const std::string header = std::filesystem::relative(entry.path(), kHeaders).generic_string();
    if (entry.path().extension() != ".h") continue;
    const std::string sample = SampleOf(ReadFile(entry.path().string()));
    if (sample.empty()) {
      EXPECT_NE(header.find('/'), std::string::npos) << header << " has no sample in its head";
      continue;
    }
    ++num_found;
    const auto around = kArounds.find(header);
    if (around == kArounds.end()) {
      ADD_FAILURE() << header << " has a sample: say in kArounds what it takes for granted";
      continue;
    }
    if (*around->second.needs != '\0' && !IsThere(around->second.needs)) continue;
    const RunResult result = Compile(header, sample, around->second);
    EXPECT_EQ(result.exit_code, 0) << header << "\n" << sample << result.err;
  }
  EXPECT_EQ(num_found, kArounds.size()) << "a sample that kArounds names is not found any more";
}

TEST(HeaderSamples, AreFoundAndFailuresAreSeen) {
  const std::string sample = SampleOf("// Head.\n//\n//   int x = 1;\n//   ...\n// - a list\n//   goes on;\n");
  EXPECT_EQ(sample, "int x = 1;\n...\n");
  EXPECT_EQ(WithStatements(sample), "int x = 1;\nreturn;\n");
  EXPECT_EQ(SampleOf("// Head.\n// - a list\n//   goes on;\n#include <a>\n"), "");
  EXPECT_NE(Compile("filter.h", "linefilter::NoSuchFilter filter;\n", {"", ""}).exit_code, 0);
}

}  // namespace
}  // namespace linefilter::test
