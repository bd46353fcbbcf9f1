// linefilter_bench_engines: filters inside real databases. Databases of one shape, each with another filter, are asked
// for the same absent keys in turns; what a filter lets through the engine reads, and we count.
//
//   linefilter_bench_engines --out bench/results/engines.json [--quick] [--folder FOLDER]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/arguments.h"
#include "bench/engines/engine.h"
#include "bench/engines/keys.h"
#include "bench/engines/rows_file.h"
#include "bench/engines/turns.h"
#include "bench/peer.h"
#include "linefilter/sizing.h"

namespace linefilter::bench {

Layout LayoutOf(const EngineFilter& filter) {
  Layout layout;
  if (!ParseLayout(filter.name.c_str(), &layout)) Die("%s is no layout", filter.name.c_str());
  return layout;
}

void EngineDatabase::MultiGet(const std::vector<std::string>&) { Die("this engine has no batch"); }

namespace {

using Json = nlohmann::ordered_json;

// Databases that are compared.
struct Comparison {
  Engine engine;
  EngineShape shape;
  std::vector<EngineFilter> filters;
  uint64_t gets = 100000;  // of absent keys, more where a tenth of the few that are let through must show
};

// LevelDB makes a filter per block here (16 bytes of key, 3 of the engine, the value): 4, 48.7, 91.0 and 162.5 keys;
// and at 64 KiB and 1 MiB 550 and 8,800. Its own at other densities: of the same bytes as one of ours.
std::vector<Comparison> AllComparisons() {
  std::vector<Comparison> all;
#ifdef LINEFILTER_BENCH_LEVELDB
  const EngineFilter none{"none", 0}, bloom{"leveldb_bloom", 10}, again{"leveldb_bloom_again", 10},
      bloom_11{"leveldb_bloom", 11}, bloom_12{"leveldb_bloom", 12}, bloom_13{"leveldb_bloom", 13},
      bloom_30{"leveldb_bloom", 30}, automatic{"auto", 10}, trusted{"auto", 10, false}, blocked{"blocked", 10},
      retrieval{"retrieval", 10};
  const uint64_t n = 1000000;
  all.push_back({LevelDBEngine(), {n, 1000, 4096}, {none, bloom, again, bloom_30, automatic, trusted}});
  all.push_back(
      {LevelDBEngine(), {n, 62, 4096}, {none, bloom, again, bloom_11, bloom_12, automatic, trusted, retrieval}});
  all.push_back(
      {LevelDBEngine(), {n, 22, 4096}, {bloom, again, bloom_11, bloom_12, automatic, trusted, blocked, retrieval}});
  all.push_back({LevelDBEngine(),
                 {n, 2, 4096},
                 {bloom, again, bloom_11, bloom_12, bloom_13, automatic, trusted, blocked, retrieval}});
  for (const uint64_t block_bytes : {64 << 10, 1 << 20}) {
    all.push_back({LevelDBEngine(), {n, 100, block_bytes}, {bloom, again, blocked, trusted, retrieval}, 1000000});
  }
#endif
#ifdef LINEFILTER_BENCH_ROCKSDB
  all.push_back({RocksDBEngine(),
                 {1000000, 100, 4096},
                 {{"rocksdb_bloom", 10},
                  {"rocksdb_bloom_again", 10},
                  {"rocksdb_ribbon", 10},
                  {"blocked", 10},
                  {"retrieval", 10}}});
#endif
  return all;
}

std::string RowName(const EngineFilter& filter) { return filter.name + (filter.verify ? "" : "_trusted"); }

constexpr uint64_t kRounds = 40;

std::vector<std::string> AbsentKeys(uint64_t first, uint64_t n) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(EngineKey(kAbsentEngineKey + i));
  return keys;
}

// Calls ask(i, keys) for each database in each round, after gets of other keys that no clock sees: each turn begins
// with caches that the same database filled. Who is first and who follows on whom rotates, and changes direction.
template <class Ask>
void TakeTurns(const std::vector<std::unique_ptr<EngineDatabase>>& databases, uint64_t gets_each, const Ask& ask) {
  const size_t n = databases.size();
  constexpr uint64_t kOthers = uint64_t{1} << 32, kMostOthers = 1000;
  const std::vector<std::string> others = AbsentKeys(kOthers, std::min(gets_each, kMostOthers));
  for (uint64_t round = 0; round < kRounds; ++round) {
    const std::vector<std::string> keys = AbsentKeys(round * gets_each, gets_each);  // made before the clock starts
    for (size_t turn = 0; turn < n; ++turn) {
      const size_t i = InTurn(turn, round, n);
      databases[i]->Get(others);
      ask(i, keys);
    }
  }
}

// Rate that the model has for filters of so many keys at the density that was asked for, whatever the engine made of
// it; 0 for a filter that is not ours.
double ModelFpr(const EngineFilter& filter, double keys_per_filter) {
  Layout layout;
  Sizing sizing;
  if (!ParseLayout(filter.name.c_str(), &layout) || keys_per_filter == 0) return 0;
  const Status status =
      SizeForBitsPerKey(layout, static_cast<uint64_t>(std::llround(keys_per_filter)), filter.bits_per_key, &sizing);
  if (!status.ok()) Die("%s: %s", filter.name.c_str(), status.message());
  return sizing.expected_fpr;
}

std::vector<Json> Measure(const Comparison& comparison, const std::string& folder) {
  const uint64_t gets_each = comparison.gets / kRounds;
  const size_t n = comparison.filters.size();
  std::vector<std::unique_ptr<EngineDatabase>> databases;
  for (size_t i = 0; i < n; ++i) {
    printf("  %s with %s, %g bits per key\n", comparison.engine.name.c_str(), RowName(comparison.filters[i]).c_str(),
           comparison.filters[i].bits_per_key);
    fflush(stdout);
    databases.push_back(
        comparison.engine.make(comparison.filters[i], comparison.shape, folder + "/" + std::to_string(i)));
    const uint64_t lost = databases[i]->CountLost(std::min<uint64_t>(comparison.shape.num_keys, 200000));
    if (lost != 0) Die("FALSE NEGATIVE: %llu members are not found", static_cast<unsigned long long>(lost));
  }
  std::vector<std::vector<double>> get_ns(n), multi_get_ns(n);
  std::vector<uint64_t> false_positives(n);
  TakeTurns(databases, gets_each, [&](size_t i, const std::vector<std::string>& keys) {
    const uint64_t before = databases[i]->FalsePositives();
    get_ns[i].push_back(Ns(gets_each, [&] { databases[i]->Get(keys); }));
    false_positives[i] += databases[i]->FalsePositives() - before;
  });
  if (comparison.engine.has_multi_get) {
    TakeTurns(databases, gets_each, [&](size_t i, const std::vector<std::string>& keys) {
      multi_get_ns[i].push_back(Ns(gets_each, [&] { databases[i]->MultiGet(keys); }));
    });
  }
  std::vector<Json> rows;
  for (size_t i = 0; i < n; ++i) {
    const EngineDatabase& database = *databases[i];
    Json row;
    row["engine"] = comparison.engine.name;
    row["origin"] = comparison.engine.origin;
    row["filter"] = RowName(comparison.filters[i]);
    row["asked_bits_per_key"] = comparison.filters[i].bits_per_key;
    row["num_keys"] = comparison.shape.num_keys;
    row["value_bytes"] = comparison.shape.value_bytes;
    row["block_bytes"] = comparison.shape.block_bytes;
    row["keys_per_filter"] = database.keys_per_filter;
    row["filter_bytes"] = database.FilterBytes();
    row["bits_per_key"] =
        8 * static_cast<double>(database.FilterBytes()) / static_cast<double>(comparison.shape.num_keys);
    row["expected_fpr"] = database.expected_fpr;
    row["model_fpr"] = ModelFpr(comparison.filters[i], database.keys_per_filter);
    row["gets"] = kRounds * gets_each;
    row["false_positives"] = false_positives[i];
    row["fpr"] = static_cast<double>(false_positives[i]) / static_cast<double>(kRounds * gets_each);
    row["ns"] = Median(get_ns[i]);
    row["ns_each"] = get_ns[i];
    if (comparison.engine.has_multi_get) {
      row["multi_get_ns"] = Median(multi_get_ns[i]);
      row["multi_get_ns_each"] = multi_get_ns[i];
    }
    printf("  %-19s %10llu filter bytes, %7llu of %llu let through, %8.0f ns per absent Get\n",
           RowName(comparison.filters[i]).c_str(), static_cast<unsigned long long>(database.FilterBytes()),
           static_cast<unsigned long long>(false_positives[i]), static_cast<unsigned long long>(row["gets"]),
           row["ns"].get<double>());
    rows.push_back(std::move(row));
  }
  fflush(stdout);
  return rows;
}

// Engines that this program was built without, as "name (package)".
std::vector<std::string> MissingEngines() {
  return {
#ifndef LINEFILTER_BENCH_LEVELDB
      "leveldb (libleveldb-dev)",
#endif
#ifndef LINEFILTER_BENCH_ROCKSDB
      "rocksdb (librocksdb-dev)",
#endif
  };
}

int Run(const std::string& out_path, const std::string& folder, bool quick) {
  return WriteRowsFile("engines", out_path, folder, MissingEngines(), [&](const std::string& databases, Json* rows) {
    for (Comparison& comparison : AllComparisons()) {
      if (quick) comparison.shape.num_keys /= 20, comparison.gets /= 20;
      printf("%s, values of %llu bytes, blocks of %llu\n", comparison.engine.origin.c_str(),
             static_cast<unsigned long long>(comparison.shape.value_bytes),
             static_cast<unsigned long long>(comparison.shape.block_bytes));
      for (Json& row : Measure(comparison, databases)) rows->push_back(std::move(row));
    }
  });
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  std::string out, folder = std::filesystem::temp_directory_path().string();
  bool quick = false;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_engines", "Filters inside real databases: what they let through, and what an absent key costs");
  arguments.AddRequired("--out", &out, "Results file (JSON), over one that is there");
  arguments.Add("--folder", &folder, "Where the databases are made (about 5 GB), and removed at the end");
  arguments.AddFlag("--quick", &quick, "Small databases, some seconds: for a first look and CI");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(out, folder, quick); });
}
