// Tables of examples/sst_reader for its tests.
#ifndef LINEFILTER_TESTS_TESTING_SST_TABLES_H_
#define LINEFILTER_TESTS_TESTING_SST_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/sst_reader/table.h"
#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "tests/testing/layouts.h"
#include "tests/testing/temp_dir.h"

namespace sst::test {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Member i is key 2 i: an absent key, 2 i + 1, lies between two of them, where only a filter or a data block can tell.
inline std::string KeyOf(uint64_t number) {
  char text[24];
  snprintf(text, sizeof(text), "key-%010llu", static_cast<unsigned long long>(number));
  return text;
}
inline std::string Member(uint64_t i) { return KeyOf(2 * i); }
inline std::string Absent(uint64_t i) { return KeyOf(2 * i + 1); }

inline Pairs SomePairs(size_t n) {
  Pairs pairs;
  for (size_t i = 0; i < n; ++i) pairs.emplace_back(Member(i), "value-" + std::to_string(i * i));
  return pairs;
}

inline TableOptions Options(linefilter::Layout layout, uint32_t data_block_bytes = 4096) {
  TableOptions options;
  options.filter.layout = layout;
  options.data_block_bytes = data_block_bytes;
  return options;
}

inline std::vector<linefilter::Layout> Layouts() {
  std::vector<linefilter::Layout> layouts = linefilter::test::EveryLayout();
  layouts.push_back(linefilter::Layout::kAuto);
  return layouts;
}

inline void Write(const std::string& path, const Pairs& pairs, const TableOptions& options) {
  TableWriter writer(options);
  Status status = writer.Create(path.c_str());
  for (const auto& [key, value] : pairs) {
    if (status.ok()) status = writer.Add(key, value);
  }
  if (status.ok()) status = writer.Finish();
  ASSERT_TRUE(status.ok()) << status.message();
}

inline std::string TableBytes(const Pairs& pairs, const TableOptions& options) {
  const linefilter::test::TempDir dir;
  Write(dir.File("table"), pairs, options);
  return linefilter::test::ReadFile(dir.File("table"));
}

inline bool SaysWhatToDo(const Status& status) {
  const std::string_view text = status.message();
  return !status.ok() && text.size() > 30 && text.find(": ") != std::string_view::npos;
}

}  // namespace sst::test

#endif  // LINEFILTER_TESTS_TESTING_SST_TABLES_H_
