// linefilter_bench_small: what filters of a few keys cost to make, in ns per key, hashing included: ours beside those
// that the engines have themselves, in one process and in turns.
//
//   linefilter_bench_small [--keys 50,400] [--rows REGEX] [--rounds 15]
//
// Each number of keys has two columns. In the first one all filters have exactly so many keys; in the second one up to
// an eighth more or less, as those of an engine have. A row "new" takes a builder of its own for each filter, the
// others one builder for all. Keys are strings of 16 bytes.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "bench/arguments.h"
#include "bench/engines/turns.h"
#include "bench/peer.h"
#include "bench/results.h"
#include "linefilter/builder.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/target.h"
#ifdef LINEFILTER_BENCH_LEVELDB
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "linefilter/leveldb.h"
#endif
#ifdef LINEFILTER_BENCH_ROCKSDB
#include "bench/peers/rocksdb_interface.h"
#include "linefilter/rocksdb.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#endif

namespace linefilter::bench {
namespace {

constexpr double kBitsPerKey = 10;
constexpr size_t kKeyBytes = 16;
constexpr size_t kNumKeys = size_t{1} << 17;  // so many that no branch predictor knows them by heart

// Keys that lie side by side.
struct KeySpan {
  const char* data;
  size_t size;
  std::string_view operator[](size_t i) const { return {data + kKeyBytes * i, kKeyBytes}; }
};

std::string AllKeys() {
  std::string all;
  char text[kKeyBytes + 1];
  for (size_t i = 0; i < kNumKeys; ++i) {
    snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
    all.append(text, kKeyBytes);
  }
  return all;
}

// A row makes filters; it returns the bytes of one, so that none is left out.
struct Row {
  std::string name;
  std::function<size_t(const KeySpan& keys)> make;
};

size_t AddAndFinish(FilterBuilder* builder, const KeySpan& keys, std::string* image) {
  for (size_t i = 0; i < keys.size; ++i) builder->AddKey(keys[i]);
  image->clear();
  const Status status = builder->Finish(image);
  if (!status.ok()) Die("%s", status.message());
  return image->size();
}

void AddBuilders(std::vector<Row>* rows) {
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval, Layout::kClassic, Layout::kAuto}) {
    FilterOptions options;
    options.layout = layout;
    options.bits_per_key = kBitsPerKey;
    const auto image = std::make_shared<std::string>();
    const auto builder = std::make_shared<FilterBuilder>(options);
    const std::string name = LayoutName(layout);
    rows->push_back({"builder " + name,
                     [builder, image](const KeySpan& keys) { return AddAndFinish(builder.get(), keys, image.get()); }});
    rows->push_back({"builder new " + name, [options, image](const KeySpan& keys) {
                       FilterBuilder one(options);
                       return AddAndFinish(&one, keys, image.get());
                     }});
  }
}

EngineFilterOptions EngineOptions(Layout layout) {
  EngineFilterOptions options;
  options.bits_per_key = kBitsPerKey;
  options.layout = layout;
  return options;
}

#ifdef LINEFILTER_BENCH_LEVELDB
void AddLevelDB(std::vector<Row>* rows) {
  const auto add = [rows](const std::string& name, const leveldb::FilterPolicy* made) {
    if (made == nullptr) Die("LevelDB has no policy %s", name.c_str());
    const std::shared_ptr<const leveldb::FilterPolicy> policy(made);
    const auto slices = std::make_shared<std::vector<leveldb::Slice>>();
    const auto image = std::make_shared<std::string>();
    rows->push_back({"leveldb " + name, [=](const KeySpan& keys) {
                       slices->clear();
                       for (size_t i = 0; i < keys.size; ++i) slices->emplace_back(keys[i].data(), kKeyBytes);
                       image->clear();
                       policy->CreateFilter(slices->data(), static_cast<int>(slices->size()), image.get());
                       return image->size();
                     }});
  };
  add("bloom", leveldb::NewBloomFilterPolicy(static_cast<int>(kBitsPerKey)));
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval, Layout::kAuto}) {
    add(LayoutName(layout), NewLevelDBFilterPolicy(EngineOptions(layout)));
  }
}
#endif

#ifdef LINEFILTER_BENCH_ROCKSDB
using RocksBuilder = std::unique_ptr<rocksdb::FilterBitsBuilder>;

size_t AddAndFinish(rocksdb::FilterBitsBuilder* builder, const KeySpan& keys) {
  for (size_t i = 0; i < keys.size; ++i) builder->AddKey(rocksdb::Slice(keys[i].data(), kKeyBytes));
  std::unique_ptr<const char[]> memory;
  rocksdb::Status status;
  const size_t size = builder->Finish(&memory, &status).size();
  if (!status.ok()) Die("RocksDB: %s", status.ToString().c_str());
  return size;
}

void AddRocksDB(std::vector<Row>* rows) {
  const auto add = [rows](const std::string& name, const rocksdb::FilterPolicy* made) {
    if (made == nullptr) Die("RocksDB has no policy %s", name.c_str());
    const std::shared_ptr<const rocksdb::FilterPolicy> policy(made);
    static const rocksdb::BlockBasedTableOptions table;
    static const rocksdb::FilterBuildingContext context(table);
    const std::shared_ptr<rocksdb::FilterBitsBuilder> builder(policy->GetBuilderWithContext(context));
    rows->push_back({"rocksdb " + name, [=](const KeySpan& keys) { return AddAndFinish(builder.get(), keys); }});
    rows->push_back({"rocksdb new " + name, [=](const KeySpan& keys) {
                       const RocksBuilder one(policy->GetBuilderWithContext(context));
                       return AddAndFinish(one.get(), keys);
                     }});
  };
  add("bloom", rocksdb::NewBloomFilterPolicy(kBitsPerKey));
  add("ribbon", rocksdb::NewRibbonFilterPolicy(kBitsPerKey, -1));  // on all levels
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval, Layout::kAuto}) {
    add(LayoutName(layout), NewRocksDBFilterPolicy(EngineOptions(layout)));
  }
}
#endif

// The sizes of filters that take all keys.
std::vector<size_t> Sizes(size_t keys, bool vary) {
  std::vector<size_t> sizes;
  size_t left = kNumKeys;
  for (uint64_t i = 0; left > keys + keys / 8; ++i) {
    const size_t width = vary ? 2 * (keys / 8) + 1 : 1;
    sizes.push_back(keys - width / 2 + static_cast<size_t>(MixHash(i) % width));
    left -= sizes.back();
  }
  return sizes;
}

double NsPerKey(const Row& row, const std::string& all, const std::vector<size_t>& sizes) {
  size_t begin = 0, bytes = 0;
  const double start = ThreadSeconds();
  for (const size_t size : sizes) {
    bytes += row.make({all.data() + kKeyBytes * begin, size});
    begin += size;
  }
  const double seconds = ThreadSeconds() - start;
  if (bytes == 0) Die("%s makes nothing", row.name.c_str());
  return 1e9 * seconds / static_cast<double>(begin);
}

int Run(const std::vector<size_t>& keys, const std::string& pattern, int rounds) {
  std::vector<Row> all_rows, rows;
  AddBuilders(&all_rows);
#ifdef LINEFILTER_BENCH_LEVELDB
  AddLevelDB(&all_rows);
#endif
#ifdef LINEFILTER_BENCH_ROCKSDB
  AddRocksDB(&all_rows);
#endif
  const std::regex chosen(pattern);
  std::copy_if(all_rows.begin(), all_rows.end(), std::back_inserter(rows),
               [&](const Row& row) { return std::regex_search(row.name, chosen); });
  const std::string all = AllKeys();
  std::vector<std::vector<size_t>> columns;
  for (const size_t n : keys) {
    for (const bool vary : {false, true}) columns.push_back(Sizes(n, vary));
  }
  std::vector<std::vector<std::vector<double>>> ns(rows.size(), std::vector<std::vector<double>>(columns.size()));
  for (int round = 0; round <= rounds; ++round) {
    for (size_t c = 0; c < columns.size(); ++c) {
      for (size_t turn = 0; turn < rows.size(); ++turn) {
        const size_t i = round % 2 == 0 ? turn : rows.size() - 1 - turn;
        const double once = NsPerKey(rows[i], all, columns[c]);
        if (round != 0) ns[i][c].push_back(once);  // the first round is for memory, caches and clocks
      }
    }
  }
  printf("ns per key, median of %d rounds, %g bits per key, target %s\n%-24s", rounds, kBitsPerKey, ChosenTarget(),
         "keys per filter");
  for (const size_t n : keys) printf(" %8zu %7s~", n, "");
  puts("");
  for (size_t i = 0; i < rows.size(); ++i) {
    printf("%-24s", rows[i].name.c_str());
    for (const std::vector<double>& each : ns[i]) printf(" %8.1f", Median(each));
    puts("");
  }
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  std::vector<uint64_t> keys = {10, 50, 400, 4000};
  std::string rows = ".";
  int rounds = 15;
  linefilter::bench::Arguments arguments("linefilter_bench_small",
                                         "Filters of a few keys: what they cost to make, ours and the engines' own");
  arguments.AddNumber("--keys", &keys, "Keys per filter", 8, 100000);
  arguments.Add("--rows", &rows, "Rows whose names this expression finds");
  arguments.AddNumber("--rounds", &rounds, "Rounds, of which the medians are told", 1, 1000);
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(keys, rows, rounds); });
}
