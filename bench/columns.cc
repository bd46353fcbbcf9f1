// linefilter_bench_columns: what a row of a column costs, from values to row numbers (linefilter/columns.h).
//
//   taskset -c 1 linefilter_bench_columns [--rows REGEX] [--rounds 9] [--target AVX2]
//
// Beside each selection stand, measured in the same rounds, a batch of the same filter with hashes that are ready, and
// the loop that engines write: hash a value, ask for it, append its row. A number is the median of the rounds, in ns
// per row. Vectors have 2,048 rows. A filter of 512 KB lies in the L2, one of 256 MB in memory.
#include "linefilter/columns.h"

#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "bench/memory.h"
#include "bench/peer.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/target.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

constexpr size_t kRows = size_t{1} << 18, kVector = 2048;
constexpr double kBitsPerKey = 10;
const uint32_t* const kAllRows = nullptr;

struct Row {
  std::string name;
  std::function<void()> run;  // of all kRows
  std::vector<double> ns;
};

using Rows = std::vector<Row>;

void Check(const Status& status) {
  if (!status.ok()) Die("%s", status.message());
}

// Selects all vectors, and counts the rows that stay.
size_t SelectAll(const FilterBase& filter, const Column& column, size_t vector = kVector) {
  static std::vector<uint32_t> rows(kRows);
  size_t sum = 0;
  for (size_t i = 0; i < kRows; i += vector) {
    size_t n = 0;
    Check(SelectMaybes(filter, column.Slice(i, vector), kAllRows, vector, rows.data(), &n));
    sum += n;
  }
  return sum;
}

// An image at 10 bits per key, in huge pages.
struct Built {
  Built(Layout layout, const std::vector<int64_t>& members) {
    FilterOptions options = FilterOptions::AtBitsPerKey(kBitsPerKey);
    options.layout = layout;
    FilterBuilder builder(options);
    Check(AddColumn(Column::OfNumbers(members.data(), members.size()), &builder));
    image = std::make_unique<HugeBuffer>(builder.ImageBytes());
    size_t written = 0;
    Check(builder.FinishTo(image->data(), image->size(), &written));
    Check(view.Open(image->data(), written, VerifyMode::kTrusted));
  }
  std::unique_ptr<HugeBuffer> image;
  FilterView view;
};

std::vector<int64_t> Random(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values(n);
  for (int64_t& value : values) value = static_cast<int64_t>(random());
  return values;
}

// Values of which so many of a hundred are members.
std::shared_ptr<std::vector<int64_t>> Probes(const std::vector<int64_t>& members, int percent) {
  auto probes = std::make_shared<std::vector<int64_t>>(Random(kRows, 77));
  std::mt19937_64 random(78);
  for (int64_t& value : *probes) {
    if (static_cast<int>(random() % 100) < percent) value = members[random() % members.size()];
  }
  return probes;
}

// Whether a row of that filter is wanted: to make it takes seconds.
bool IsWanted(Layout layout, const char* size, const std::regex& pattern) {
  for (const char* what : {"select int64 ", "batch ", "engine loop "}) {
    for (const char* percent : {" 1 %", " 50 %", " 99 %"}) {
      if (std::regex_search(what + std::string(LayoutName(layout)) + " " + size + percent, pattern)) return true;
    }
  }
  return false;
}

// The selection, the batch alone, and the loop of engines.
void AddSelections(Layout layout, const char* size, const std::vector<int64_t>& members, Rows* rows) {
  const auto built = std::make_shared<Built>(layout, members);
  for (const int percent : {1, 50, 99}) {
    const auto probes = Probes(members, percent);
    const Column column = Column::OfNumbers(probes->data(), kRows);
    const auto hashes = std::make_shared<std::vector<uint64_t>>(kRows);
    Check(HashColumns(column, built->view.key_hash(), hashes->data()));
    const std::string of = std::string(LayoutName(layout)) + " " + size + " " + std::to_string(percent) + " %";
    rows->push_back(
        {"select int64 " + of, [=, kept = probes] { benchmark::DoNotOptimize(SelectAll(built->view, column)); }, {}});
    rows->push_back({"batch " + of,
                     [=] {
                       static std::vector<uint8_t> bits(kRows / 8);
                       built->view.MayContainHashesToBits(hashes->data(), kRows, bits.data());
                       benchmark::DoNotOptimize(bits[0]);
                     },
                     {}});
    rows->push_back({"engine loop " + of,
                     [=] {
                       static std::vector<uint32_t> out(kRows);
                       size_t n = 0;
                       for (size_t i = 0; i < kRows; ++i) {
                         if (built->view.MayContainKey((*probes)[i])) out[n++] = static_cast<uint32_t>(i);
                       }
                       benchmark::DoNotOptimize(n + out[0]);
                     },
                     {}});
  }
}

// Texts of 8 to 24 bytes in one array, and a dictionary of 1,000 of them; integers that all are members.
struct Others {
  std::vector<int64_t> numbers = Random(kRows, 9);
  std::vector<int32_t> offsets{0}, indices;
  std::string bytes;
  Column number, text, values, dictionary;
  Filter of_numbers, of_texts;
  std::vector<uint32_t> rows = std::vector<uint32_t>(kVector);

  Others() {
    std::mt19937_64 random(5);
    for (size_t i = 0; i < kRows; ++i) {
      for (uint64_t left = 8 + random() % 17; left != 0; --left)
        bytes.push_back(static_cast<char>('a' + random() % 26));
      offsets.push_back(static_cast<int32_t>(bytes.size()));
      indices.push_back(static_cast<int32_t>(random() % 1000));
    }
    number = Column::OfNumbers(numbers.data(), kRows);
    text = Column::OfTexts(offsets.data(), bytes.data(), kRows);
    values = text.Slice(kRows / 2 - 500, 1000);
    dictionary = Column::OfDictionary(Column::OfNumbers(indices.data(), kRows), &values);
    Check(of_numbers.Create(kRows, FilterOptions::AtBitsPerKey(kBitsPerKey)));
    Check(AddColumn(number, &of_numbers));
    Check(of_texts.Create(kRows, FilterOptions::AtBitsPerKey(kBitsPerKey)));
    Check(AddColumn(text.Slice(0, kRows / 2), &of_texts));
  }
  // What goes on with the rows of a vector, as little as can be.
  void Use(size_t begin, size_t n) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += static_cast<uint64_t>(numbers[begin + rows[i]]) >> (i & 3);
    benchmark::DoNotOptimize(sum);
  }
};

void AddOthers(Rows* rows) {
  static Others data;
  rows->push_back({"hash int64",
                   [] {
                     static std::vector<uint64_t> hashes(kRows);
                     Check(HashColumns(data.number, KeyHash(), hashes.data()));
                     benchmark::DoNotOptimize(hashes[0]);
                   },
                   {}});
  rows->push_back(
      {"select text of 8 to 24 bytes", [] { benchmark::DoNotOptimize(SelectAll(data.of_texts, data.text)); }, {}});
  rows->push_back({"select dictionary of 1000 texts, in one call",
                   [] { benchmark::DoNotOptimize(SelectAll(data.of_texts, data.dictionary, kRows)); },
                   {}});
  rows->push_back({"no filter: all rows go on",
                   [] {
                     for (size_t i = 0; i < kRows; i += kVector) {
                       for (size_t k = 0; k < kVector; ++k) data.rows[k] = static_cast<uint32_t>(k);
                       data.Use(i, kVector);
                     }
                   },
                   {}});
  static ScanFilter scan(data.of_numbers);
  rows->push_back({"ScanFilter where all rows stay",
                   [] {
                     for (size_t i = 0; i < kRows; i += kVector) {
                       size_t n = 0;
                       Check(scan.Select(data.number.Slice(i, kVector), kAllRows, kVector, data.rows.data(), &n));
                       data.Use(i, n);
                     }
                   },
                   {}});
}

void Measure(Rows* rows, int rounds) {
  using Clock = std::chrono::steady_clock;
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (Row& row : *rows) {
      const Clock::time_point begin = Clock::now();
      row.run();
      const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kRows;
      if (round >= 0) row.ns.push_back(ns);
    }
  }
  for (Row& row : *rows) {
    std::sort(row.ns.begin(), row.ns.end());
    std::printf("%-48s %7.2f ns  (%.2f to %.2f)\n", row.name.c_str(), row.ns[row.ns.size() / 2], row.ns.front(),
                row.ns.back());
  }
  std::fflush(stdout);
}

void Keep(const std::regex& pattern, Rows* rows) {
  rows->erase(
      std::remove_if(rows->begin(), rows->end(), [&](const Row& row) { return !std::regex_search(row.name, pattern); }),
      rows->end());
}

int Main(int argc, char** argv) {
  CLI::App app("What a row of a column costs, from values to row numbers.");
  std::string pattern = ".", target;
  int rounds = 9;
  app.add_option("--rows", pattern, "Rows whose name has this expression")->capture_default_str();
  app.add_option("--rounds", rounds, "Rounds, of which the median is told")->capture_default_str();
  app.add_option("--target", target, "The target, of those of this CPU; the best one without it");
  CLI11_PARSE(app, argc, argv);
  Check(ForceTarget(target.c_str()));
  std::printf("target %s\n", ChosenTarget());
  const std::regex wanted(pattern);
  for (const auto& [size, bytes] : {std::pair("512KB", size_t{1} << 19), {"256MB", size_t{1} << 28}}) {
    std::vector<int64_t> members;
    for (const Layout layout : {Layout::kSplitBlock, Layout::kBlocked, Layout::kRetrieval}) {
      if (!IsWanted(layout, size, wanted)) continue;
      if (members.empty()) members = Random(static_cast<size_t>(static_cast<double>(bytes) * 8 / kBitsPerKey), 1);
      Rows rows;
      AddSelections(layout, size, members, &rows);
      Keep(wanted, &rows);
      Measure(&rows, rounds);
    }
  }
  Rows rows;
  AddOthers(&rows);
  Keep(wanted, &rows);
  Measure(&rows, rounds);
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) { return linefilter::bench::Main(argc, argv); }
