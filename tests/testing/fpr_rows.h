// What the FPR regression test measures: the rows of tests/layouts/fpr_baseline.jsonl, and how each is counted.
//
// Keys, absent keys and seeds are fixed, so unchanged code counts exactly what is stored, on every CPU. Other code may
// have other bits. Its counts then differ by chance: the questions scatter, and so does each filter's rate by its
// random fill, by 0.1 % at 8 bits per key and 1.1 % at 20. A row therefore has four filters and, where they come cheap,
// 100,000 false positives: their sum is known to 0.5 %, with the fill to 0.7 %.
//
// The judge of linefilter/testing.h holds a count to the stored one with a resolution of 1.05: it passes only if the
// upper end of the ratio's interval is at most 1.05. That is so where nothing changed, from 5,400 false positives on.
// A rate that is 5 % higher does not pass, because half of its interval lies above that. A right filter with other bits
// mostly passes; if it does not, the stored rates are to be made anew.
//
// Low rates cost many questions. A row asks 1e8, and only then more if fewer than 10,000 false positives are expected
// in them: 8.6e8 of `retrieval` at 20 bits per key, which take 3 s.
#ifndef LINEFILTER_TESTS_TESTING_FPR_ROWS_H_
#define LINEFILTER_TESTS_TESTING_FPR_ROWS_H_

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "linefilter/sizing.h"
#include "linefilter/testing.h"
#include "nlohmann/json.hpp"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {

inline constexpr char kBaseline[] = LINEFILTER_SOURCE_DIR "/tests/layouts/fpr_baseline.jsonl";
inline constexpr double kSeenShift = 1.05;
inline constexpr uint32_t kGenerations = 4;  // of a container, each with as many bits per key

struct FprRow {
  std::string name;
  Layout layout = Layout::kBlocked;
  double bits_per_key = 0;
  uint64_t keys_per_filter = 0, num_filters = 4;
  uint32_t num_probes = 0;
  uint64_t body_bytes = 0;  // of a container: of each generation
  double expected_fpr = 0;
  uint64_t num_queries = 0;  // in all filters together
};

inline FprRow MakeRow(Layout layout, double bits_per_key, uint64_t keys_per_filter) {
  constexpr double kHits = 100000, kLeastHits = 10000, kManyQueries = 1e8;
  FprRow row;
  char name[100];
  snprintf(name, sizeof(name), "%s, %g bits per key", LayoutName(layout), bits_per_key);
  row.name = name;
  row.layout = layout;
  row.bits_per_key = bits_per_key;
  row.keys_per_filter = keys_per_filter;
  const bool is_container = layout == Layout::kContainer;
  Sizing sizing;
  EXPECT_TRUE(
      IsOk(SizeForBitsPerKey(is_container ? Layout::kBlocked : layout,
                             is_container ? keys_per_filter / kGenerations : keys_per_filter, bits_per_key, &sizing)));
  row.num_probes = sizing.num_probes;
  row.body_bytes = sizing.body_bytes;
  row.expected_fpr = is_container ? 1 - std::pow(1 - sizing.expected_fpr, kGenerations) : sizing.expected_fpr;
  const double queries = std::max(std::min(kHits / row.expected_fpr, kManyQueries), kLeastHits / row.expected_fpr);
  row.num_queries = static_cast<uint64_t>(queries) / row.num_filters * row.num_filters;
  return row;
}

// Of each layout filters that fit the L2 cache, so that questions are cheap, and one of 1e7 keys, where hashes of 32
// bits fail.
inline std::vector<FprRow> FprRows() {
  constexpr double kBlockBits = 16384 * 512, kClassicBits = 1 << 21;
  std::vector<FprRow> rows;
  for (const Layout layout : SupportedLayouts()) {
    for (const double bits_per_key : {8.0, 10.0, 12.0, 16.0, 20.0}) {
      const double bits = layout == Layout::kClassic ? kClassicBits : kBlockBits;
      const uint64_t keys = static_cast<uint64_t>(bits / bits_per_key);
      rows.push_back(MakeRow(layout, bits_per_key, keys / kGenerations * kGenerations));
    }
    if (layout == Layout::kContainer) continue;
    FprRow large = MakeRow(layout, 10, 10000000);
    large.name += ", 1e7 keys";
    large.num_filters = 1;
    rows.push_back(large);
  }
  return rows;
}

inline FprRow RowOf(const std::string& name) {
  for (const FprRow& row : FprRows()) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row has the name " << name;
  return {};
}

// A filter of integer keys: the library's, or a mutant.
class Subject {
 public:
  virtual ~Subject() = default;
  // Empties it; keys are hashed with that seed from now on.
  virtual void Reset(uint64_t seed) = 0;
  virtual void Insert(const uint64_t* keys, size_t n) = 0;
  // All keys are in: before the first question.
  virtual void Finish() {}
  virtual uint64_t CountMaybes(const uint64_t* keys, size_t n) const = 0;
};

// Member i of filter f is the integer 2^40 f + i; absent keys have the top bit set.
constexpr uint64_t FirstMember(uint64_t filter) { return filter << 40; }
constexpr uint64_t FirstAbsent(uint64_t filter) { return FirstMember(filter) | uint64_t{1} << 63; }

template <class OnRange>
void ForKeyRanges(uint64_t first, uint64_t count, const OnRange& on_range) {
  uint64_t keys[2048];
  for (uint64_t done = 0; done < count;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(std::size(keys), count - done));
    for (size_t i = 0; i < n; ++i) keys[i] = first + done + i;
    on_range(keys, n);
    done += n;
  }
}

inline void Fill(const FprRow& row, uint64_t filter, Subject* subject) {
  subject->Reset(1 + filter);
  ForKeyRanges(FirstMember(filter), row.keys_per_filter,
               [&](const uint64_t* keys, size_t n) { subject->Insert(keys, n); });
  subject->Finish();
}

inline uint64_t CountMaybes(const Subject& subject, uint64_t first, uint64_t count) {
  uint64_t maybes = 0;
  ForKeyRanges(first, count, [&](const uint64_t* keys, size_t n) { maybes += subject.CountMaybes(keys, n); });
  return maybes;
}

inline double BitsPerKey(const FprRow& row) {
  const uint32_t bodies = row.layout == Layout::kContainer ? kGenerations : 1;
  return 8.0 * bodies * static_cast<double>(row.body_bytes) / static_cast<double>(row.keys_per_filter);
}

// Counts a row, with a share of its questions.
inline FprCounts CountRow(const FprRow& row, double effort, Subject* subject) {
  FprCounts counts;
  const uint64_t queries =
      std::max<uint64_t>(1, static_cast<uint64_t>(effort * static_cast<double>(row.num_queries / row.num_filters)));
  for (uint64_t f = 0; f < row.num_filters; ++f) {
    Fill(row, f, subject);
    counts.num_members += row.keys_per_filter;
    counts.num_lost += row.keys_per_filter - CountMaybes(*subject, FirstMember(f), row.keys_per_filter);
    counts.num_queries += queries;
    counts.false_positives += CountMaybes(*subject, FirstAbsent(f), queries);
  }
  counts.bits_per_key = BitsPerKey(row);
  return counts;
}

// The stored rows, by name.
inline std::map<std::string, FprBaseline> ReadBaseline() {
  std::map<std::string, FprBaseline> stored;
  std::ifstream in(kBaseline);
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    EXPECT_TRUE(row.is_object()) << line;
    if (!row.is_object()) continue;
    EXPECT_EQ(row["lost"], 0) << line;
    FprBaseline baseline;
    baseline.num_queries = row["num_queries"];
    baseline.false_positives = row["false_positives"];
    baseline.bits_per_key = row["bits_per_key"];
    EXPECT_TRUE(stored.emplace(row["name"], baseline).second) << "twice: " << line;
  }
  return stored;
}

// A line of the file. Its keys are sorted, as `linefilter fpr --baseline` writes them.
inline std::string BaselineLine(const FprRow& row, const FprCounts& counts) {
  char line[400];
  snprintf(line, sizeof(line),
           "{\"bits_per_key\": %.10g, \"false_positives\": %" PRIu64 ", \"fpr\": %.6g, \"lost\": %" PRIu64
           ", \"name\": \"%s\", \"num_keys\": %" PRIu64 ", \"num_queries\": %" PRIu64 "}",
           counts.bits_per_key, counts.false_positives,
           static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries), counts.num_lost,
           row.name.c_str(), counts.num_members, counts.num_queries);
  return line;
}

// The judgement of the regression test.
inline FprResult JudgeRow(const FprCounts& counts, const FprBaseline& stored) {
  FprLimit limit;
  limit.resolution = kSeenShift;
  limit.baseline = &stored;
  return JudgeFpr(counts, limit);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_FPR_ROWS_H_
