// Who may include whom, rules 1 and 3 of doc/DESIGN.md ("House"). The tables are the specification; any other edge
// fails.
#include "tests/house/layering_test.h"

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace linefilter::test {
namespace {

// Modules of the library: each may include itself and what is listed.
//     base <- layouts <- image <- { build, filters } <- { parquet, columns } <- c
// Adapters are apart: they stand on the public headers alone. In that of Redis: wire <- { record, servers } <- calls.
// Its C API converts as the library's does.
const std::map<std::string, std::set<std::string>> kLibraryEdges = {
    {"lib/base", {}},
    {"lib/layouts", {"lib/base"}},
    {"lib/image", {"lib/base", "lib/layouts"}},
    {"lib/build", {"lib/base", "lib/layouts", "lib/image"}},
    {"lib/filters", {"lib/base", "lib/layouts", "lib/image"}},
    {"lib/parquet", {"lib/base", "lib/layouts", "lib/filters"}},
    {"lib/columns", {"lib/base", "lib/layouts", "lib/build", "lib/filters"}},
    {"lib/c", {"lib/base", "lib/layouts", "lib/image", "lib/build", "lib/filters", "lib/parquet", "lib/columns"}},
    {"lib/adapters", {}},
    {"lib/adapters/redis/wire", {}},
    {"lib/adapters/redis/record", {"lib/adapters/redis/wire"}},
    {"lib/adapters/redis/servers", {"lib/adapters/redis/wire"}},
    {"lib/adapters/redis/calls",
     {"lib/adapters/redis/wire", "lib/adapters/redis/record", "lib/adapters/redis/servers"}},
    {"lib/adapters/redis/c", {"lib/c"}},
};
constexpr char kAdapters[] = "lib/adapters";

// Public headers of the upper levels, and the only module of the library that may include each, beside those above it.
// The others are for all. (Those of the C API: IsOfTheCApi.)
const std::map<std::string, std::string> kUpperHeaders = {{"linefilter/arrow.h", "lib/columns"},
                                                          {"linefilter/column.h", "lib/columns"},
                                                          {"linefilter/columns.h", "lib/columns"},
                                                          {"linefilter/remote_body.h", "lib/filters"},
                                                          {"linefilter/builder.h", "lib/build"},
                                                          {"linefilter/bulk.h", "lib/build"},
                                                          {"linefilter/concurrent.h", "lib/filters"},
                                                          {"linefilter/key_filter.h", "lib/filters"},
                                                          {"linefilter/file.h", "lib/image"},
                                                          {"linefilter/many.h", "lib/filters"},
                                                          {"linefilter/filter.h", "lib/filters"},
                                                          {"linefilter/fold.h", "lib/filters"},
                                                          {"linefilter/leveldb.h", kAdapters},
                                                          {"linefilter/parquet.h", "lib/parquet"},
                                                          {"linefilter/parquet_types.h", "lib/parquet"},
                                                          {"linefilter/redis.h", kAdapters},
                                                          {"linefilter/redis_async.h", kAdapters},
                                                          {"linefilter/redis_cached.h", kAdapters},
                                                          {"linefilter/redis_metrics.h", kAdapters},
                                                          {"linefilter/rocksdb.h", kAdapters},
                                                          {"linefilter/rotating.h", "lib/filters"},
                                                          {"linefilter/scalable.h", "lib/filters"},
                                                          {"linefilter/swappable.h", "lib/filters"},
                                                          {"linefilter/view.h", "lib/filters"}};

// Everything else: the prefixes of what each folder may include of ours. ("" is a file's own folder, named without a
// path.)
const std::map<std::string, std::set<std::string>> kOtherEdges = {
    {"include", {"linefilter/"}},
    {"tools/program", {"linefilter/", "tools/program/", "tools/measure/"}},
    {"tools/program/parquet",  // footers are read by the reader of a filter's header
     {"linefilter/", "tools/program/", "tools/measure/", "lib/parquet/compact_reader.h"}},
    {"tools/demo", {"linefilter/", "tools/demo/", "tools/measure/"}},
    {"tools/measure", {"linefilter/", "tools/measure/"}},
    {"bench", {"linefilter/", "bench/", "tools/measure/"}},
    {"bench/columns", {"linefilter/", "bench/", "examples/join/"}},
    {"bench/tables", {"linefilter/", "bench/", "examples/sst_reader/"}},  // both measure an example by its own code
    {"examples", {"linefilter/", "examples/"}},
    {"python", {"linefilter/", "python/"}},
    {"tests/reference", {"tests/reference/"}},
};

// Libraries of others, by the beginning of the name, and the only places that may include them. (tests are free.)
const std::map<std::string, std::set<std::string>> kForeign = {
    {"hwy/", {"lib/layouts", "lib/columns", "bench", "include/linefilter/internal/test_block.h"}},
    {"xxhash.h", {"lib/base", "tests/reference"}},
    {"CLI/", {"tools/program", "bench"}},
    {"nlohmann/", {"tools/program", "bench"}},
    {"benchmark/", {"bench"}},
    {"leveldb/", {kAdapters, "bench", "examples", "tools/measure/counted_leveldb.h", "tools/demo"}},
    {"rocksdb/", {kAdapters, "bench", "examples"}},
    {"hiredis/", {"lib/adapters/redis", "bench/redis"}},
    {"bloom.h", {"bench/peers", "tools/demo"}},
    {"boost/", {"bench/peers"}},
    {"parquet/", {"bench/peers"}},
    {"arrow/", {"bench/peers"}},
    {"sqlite3.h", {"examples/uses"}},
    {"pybind11/", {"python"}},
};

struct Include {
  std::string file;    // relative to the source folder
  std::string target;  // as written
  bool angled;
};

std::vector<Include> IncludesOf(const std::string& file) {
  static const std::regex kPattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::vector<Include> includes;
  std::istringstream in(TextOf(file));
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, kPattern)) includes.push_back({file, match[2], match[1] == "<"});
  }
  return includes;
}

// The entry of `table` for a file: the longest key that is the file or a folder above it.
template <class Table>
typename Table::const_iterator EntryOf(const Table& table, const std::string& file) {
  auto best = table.end();
  for (auto it = table.begin(); it != table.end(); ++it) {
    if ((file == it->first || StartsWith(file, it->first + "/")) &&
        (best == table.end() || it->first.size() > best->first.size())) {
      best = it;
    }
  }
  return best;
}

bool IsOurs(const std::string& target) {
  for (const char* folder : {"linefilter/", "lib/", "tools/", "bench/", "tests/", "examples/", "python/", "include/"}) {
    if (StartsWith(target, folder)) return true;
  }
  return false;
}

// linefilter/c.h and its parts.
bool IsOfTheCApi(const std::string& name) {
  static const std::regex kHeader(R"((.*/)?linefilter/(c|c/[a-z]+)\.h)");
  return std::regex_match(name, kHeader);
}

// The folder whose files alone may include the target: that of a layout, or of its solver, which its model may see,
// too. Empty for all else.
std::string RoomOf(const std::string& target) {
  static const std::regex kRoom(R"((lib/layouts/(?!blocks/)\w+/)(\w+/)?.*)");
  std::smatch match;
  return std::regex_match(target, match, kRoom) ? match[1].str() : "";
}

// Empty, or what is wrong with that line.
std::string Judge(const Include& include) {
  const std::string line = include.file + " includes " + include.target;
  if (include.target.find("..") != std::string::npos) return line + ": paths start at the source folder";
  for (const auto& [prefix, places] : kForeign) {
    if (!StartsWith(include.target, prefix)) continue;
    for (const std::string& place : places) {
      if (include.file == place || StartsWith(include.file, place + "/")) return "";
    }
    return line + ": not its place";
  }
  if (include.target == "hwy" ||
      (!include.angled && !IsOurs(include.target) && include.target.find('/') == std::string::npos)) {
    return line + ": name our files with their folder";
  }
  // The headers of the C API are C: of ours they know each other and export.h, and none of the C++ API's knows them.
  if (IsOfTheCApi(include.file) &&
      (include.angled ? !std::regex_match(include.target, std::regex(R"(std\w+\.h)"))
                      : include.target != "linefilter/internal/export.h" && !IsOfTheCApi(include.target))) {
    return line + ": not C";
  }
  if (!IsOurs(include.target)) return "";
  if (IsOfTheCApi(include.target) && !IsOfTheCApi(include.file) &&
      (StartsWith(include.file, "include/") ||
       (StartsWith(include.file, "lib/") && !StartsWith(include.file, "lib/c/") &&
        !StartsWith(include.file, "lib/adapters/redis/c/")))) {
    return line + ": a header of a level above";
  }
  if (const auto module = EntryOf(kLibraryEdges, include.file); module != kLibraryEdges.end()) {
    if (StartsWith(include.target, "linefilter/")) {
      const auto upper = kUpperHeaders.find(include.target);
      const bool may = upper == kUpperHeaders.end() || upper->second == module->first ||
                       module->second.count(upper->second) != 0 || StartsWith(module->first, kAdapters);
      return may ? "" : line + ": a header of a level above";
    }
    const std::string room = RoomOf(include.target);
    if (!room.empty() && !StartsWith(include.file, room)) return line + ": a layout's own file";
    if (EntryOf(kLibraryEdges, include.target) == module) return "";
    for (const std::string& below : module->second) {
      if (StartsWith(include.target, below + "/")) return "";
    }
    return line + ": an edge that is not in the table";
  }
  const auto folder = EntryOf(kOtherEdges, include.file);
  if (folder == kOtherEdges.end()) return line + ": " + include.file + " lies in no known folder";
  for (const std::string& prefix : folder->second) {
    if (StartsWith(include.target, prefix)) return "";
  }
  return line + ": an edge that is not in the table";
}

TEST(Layering, EveryIncludeIsAnAllowedEdge) {
  std::map<std::string, int> files_of;
  int includes = 0;
  for (const char* folder : {"include", "lib", "tools", "bench", "examples", "python", "tests/reference"}) {
    for (const std::string& file : SourceFiles(folder)) {
      ++files_of[folder];
      for (const Include& include : IncludesOf(file)) {
        ++includes;
        const std::string wrong = Judge(include);
        EXPECT_TRUE(wrong.empty()) << wrong;
      }
    }
  }
  for (const char* folder : {"include", "lib", "tools", "bench", "python", "tests/reference"}) {
    EXPECT_GE(files_of[folder], 3) << "nothing was scanned in " << folder;
  }
  EXPECT_GE(includes, 100);
}

TEST(Layering, EveryFileOfTheLibraryIsInAModuleOfTheTable) {
  for (const std::string& file : SourceFiles("lib")) {
    EXPECT_NE(EntryOf(kLibraryEdges, file), kLibraryEdges.end()) << file << ": add its module to the table";
  }
  for (const auto& [module, below] : kLibraryEdges) {
    EXPECT_FALSE(SourceFiles(module).empty()) << module << " is in the table and has no file";
    for (const std::string& other : below) EXPECT_EQ(kLibraryEdges.at(other).count(module), 0u) << "a circle";
  }
  for (const auto& [header, module] : kUpperHeaders) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(LINEFILTER_SOURCE_DIR) / "include" / header))
        << header << " for " << module;
  }
}

// The judge itself can say no.
const std::vector<std::pair<const char*, const char*>> kPlanted = {
    {"lib/base/a.h", "lib/layouts/blocks/block.h"},
    {"lib/base/a.cc", "lib/image/trailer.h"},
    {"lib/base/a.cc", "lib/layouts/kernels.h"},
    {"lib/layouts/a.cc", "lib/filters/growth.h"},
    {"lib/layouts/a.cc", "lib/image/trailer.h"},
    {"lib/layouts/a.cc", "linefilter/view.h"},
    {"lib/filters/a.cc", "lib/layouts/blocked/body.h"},
    {"lib/layouts/registry.cc", "lib/layouts/blocked/body.h"},
    {"lib/layouts/container/a.cc", "lib/layouts/blocked/body.h"},
    {"lib/image/a.cc", "lib/layouts/retrieval/solver/solver.h"},
    {"lib/image/a.cc", "lib/filters/growth.h"},
    {"lib/filters/a.cc", "hwy/highway.h"},
    {"lib/filters/a.cc", "xxhash.h"},
    {"lib/filters/a.cc", "tools/program/report.h"},
    {"lib/other/a.cc", "lib/base/endian.h"},
    {"include/linefilter/a.h", "lib/base/endian.h"},
    {"include/linefilter/a.h", "hwy/highway.h"},
    {"include/linefilter/a.h", "xxhash.h"},
    {"tools/program/a.cc", "lib/image/trailer.h"},
    {"tools/program/a.cc", "bench/peer.h"},
    {"tools/program/a.cc", "hwy/highway.h"},
    {"tools/program/a.cc", "python/src/core.h"},
    {"python/a.cc", "lib/image/trailer.h"},
    {"lib/filters/a.cc", "pybind11/pybind11.h"},
    {"bench/a.cc", "lib/layouts/kernels.h"},
    {"bench/a.cc", "tools/program/arguments.h"},
    {"tools/measure/a.cc", "tools/program/report.h"},
    {"bench/a.cc", "lib/adapters/engine_filter.h"},
    {"tools/program/a.cc", "lib/adapters/engine_filter.h"},
    {"tools/program/a.cc", "leveldb/db.h"},
    {"lib/filters/a.cc", "lib/adapters/engine_filter.h"},
    {"lib/filters/a.cc", "linefilter/leveldb.h"},
    {"lib/filters/a.cc", "linefilter/redis.h"},
    {"lib/filters/a.cc", "rocksdb/slice.h"},
    {"lib/adapters/a.cc", "lib/base/memory.h"},
    {"lib/adapters/a.cc", "hwy/highway.h"},
    {"lib/adapters/a.cc", "hiredis/hiredis.h"},
    {"lib/adapters/a.cc", "lib/adapters/redis/wire/tls.h"},
    {"lib/adapters/redis/calls/a.cc", "lib/base/memory.h"},
    {"lib/adapters/redis/calls/a.cc", "lib/adapters/engine_filter.h"},
    {"lib/adapters/redis/wire/a.cc", "lib/adapters/redis/servers/router.h"},
    {"lib/adapters/redis/calls/a.cc", "lib/c/options.h"},
    {"lib/adapters/redis/calls/a.cc", "linefilter/c/redis.h"},
    {"lib/adapters/redis/c/a.cc", "lib/adapters/redis/calls/filter_state.h"},
    {"lib/adapters/redis/record/a.cc", "lib/adapters/redis/servers/router.h"},
    {"include/linefilter/redis.h", "hiredis/hiredis.h"},
    {"tools/program/a.cc", "hiredis/hiredis.h"},
    {"include/linefilter/leveldb.h", "leveldb/filter_policy.h"},
    {"lib/filters/a.cc", "lib/c/convert.h"},
    {"lib/filters/a.cc", "linefilter/c.h"},
    {"lib/adapters/a.cc", "linefilter/c/view.h"},
    {"lib/c/a.cc", "lib/adapters/engine_filter.h"},
    {"lib/c/a.cc", "linefilter/leveldb.h"},
    {"include/linefilter/view.h", "linefilter/c/types.h"},
    {"include/linefilter/c/types.h", "linefilter/status.h"},
    {"tests/reference/a.cc", "lib/base/xxh3.h"},
    {"tests/reference/a.cc", "linefilter/hash.h"},
    {"lib/base/a.h", "../hash/xxh3.h"},
    {"lib/base/a.cc", "xxh3.h"},
    {"lib/build/a.cc", "lib/filters/fold.h"},
    {"lib/filters/a.cc", "lib/build/bulk.h"},
    {"lib/image/a.cc", "linefilter/builder.h"},
    {"lib/filters/a.cc", "linefilter/parquet.h"},
    {"lib/filters/a.cc", "lib/parquet/header.h"},
    {"lib/parquet/a.cc", "lib/build/bulk.h"},
    {"lib/parquet/a.cc", "linefilter/builder.h"},
    {"lib/filters/a.cc", "linefilter/columns.h"},
    {"lib/parquet/a.cc", "lib/columns/chunk.h"},
    {"lib/columns/a.cc", "lib/image/trailer.h"}};

TEST(Layering, ForbiddenEdgesAreSeen) {
  for (const auto& [file, name] : kPlanted) {
    const std::string target = name;
    EXPECT_NE(Judge({file, target, target == "xxhash.h"}), "") << file << " " << target;
  }
  EXPECT_NE(Judge({"include/linefilter/c/types.h", "cstdint", true}), "");
  EXPECT_EQ(Judge({"include/linefilter/c/types.h", "stdint.h", true}), "");
  EXPECT_EQ(Judge({"include/linefilter/c.h", "linefilter/c/types.h", false}), "");
  EXPECT_EQ(Judge({"lib/c/a.cc", "linefilter/c.h", false}), "");
  EXPECT_EQ(Judge({"lib/layouts/retrieval/model.cc", "lib/layouts/retrieval/solver/solver.h", false}), "");
  EXPECT_EQ(Judge({"lib/filters/a.cc", "lib/layouts/blocks/block.h", false}), "");
  EXPECT_EQ(Judge({"lib/c/a.cc", "linefilter/view.h", false}), "");
  EXPECT_EQ(Judge({"lib/c/a.cc", "lib/base/memory.h", false}), "");
  EXPECT_EQ(Judge({"include/linefilter/internal/test_block.h", "hwy/highway.h", true}), "");
  EXPECT_EQ(Judge({"lib/filters/a.cc", "lib/image/trailer.h", false}), "");
  EXPECT_EQ(Judge({"bench/a.cc", "hwy/highway.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/a.cc", "leveldb/slice.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/a.cc", "linefilter/view.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/redis/calls/a.cc", "linefilter/view.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/redis/c/a.cc", "linefilter/c/redis.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/redis/calls/a.cc", "lib/adapters/redis/wire/tls.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/redis/wire/a.cc", "hiredis/hiredis.h", false}), "");
  EXPECT_EQ(Judge({"bench/redis/a.cc", "hiredis/hiredis.h", false}), "");
  EXPECT_EQ(Judge({"lib/adapters/a.cc", "lib/adapters/engine_filter.h", false}), "");
}

// A header stands on its own, and none is guarded by another's name.
TEST(Layering, HeadersHaveTheirOwnGuard) {
  int headers = 0;
  for (const char* folder : {"include", "lib", "tools", "bench", "python", "tests"}) {
    for (const std::string& file : SourceFiles(folder)) {
      if (std::filesystem::path(file).extension() != ".h" || file.find("-inl.h") != std::string::npos) continue;
      ++headers;
      std::string guard = StartsWith(file, "include/linefilter/") ? file.substr(8) : "linefilter_" + file;
      for (char& c : guard) c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
      const std::string text = TextOf(file);
      if (text.find("HWY_TARGET_TOGGLE") != std::string::npos) {  // included once per target
        EXPECT_NE(text.find("#define " + guard + "_\n"), std::string::npos) << file;
        continue;
      }
      EXPECT_NE(text.find("#ifndef " + guard + "_\n#define " + guard + "_\n"), std::string::npos)
          << file << ": " << guard << "_";
    }
  }
  EXPECT_GE(headers, 20);
}

}  // namespace
}  // namespace linefilter::test
