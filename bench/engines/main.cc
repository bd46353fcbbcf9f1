// linefilter_bench_engines: filters inside real databases. Databases of one shape, each with another filter, are asked
// for the same absent keys in turns; what a filter lets through the engine reads, and we count.
//
//   linefilter_bench_engines --out bench/results/engines.json [--quick] [--folder FOLDER]
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/engines/engine.h"
#include "bench/machine.h"
#include "bench/peer.h"
#include "bench/results.h"
#include "linefilter/hash.h"

namespace linefilter::bench {

std::string EngineKey(uint64_t i) {
  char text[17];
  snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}

std::string EngineValue(uint64_t i, uint64_t size) {
  std::string value = std::to_string(i);
  value.resize(static_cast<size_t>(size), 'v');
  return value;
}

Layout LayoutOf(const EngineFilter& filter) {
  Layout layout;
  if (!ParseLayout(filter.name.c_str(), &layout)) Die("%s is no layout", filter.name.c_str());
  return layout;
}

void EngineDatabase::MultiGet(uint64_t, uint64_t) { Die("this engine has no batch"); }

namespace {

using Json = nlohmann::ordered_json;

// Databases that are compared.
struct Comparison {
  Engine engine;
  EngineShape shape;
  std::vector<EngineFilter> filters;
  uint64_t gets = 100000;  // of absent keys, more where a tenth of the few that are let through must show
};

// LevelDB makes a filter per block here (16 bytes of key, 3 of the engine, the value): 4, 50, 100 and 195 keys; and at
// 64 KiB and 1 MiB 550 and 8,800.
std::vector<Comparison> AllComparisons() {
  std::vector<Comparison> all;
#ifdef LINEFILTER_BENCH_LEVELDB
  const EngineFilter none{"none", 0}, bloom{"leveldb_bloom", 10}, more{"leveldb_bloom", 11}, most{"leveldb_bloom", 12},
      automatic{"auto", 10}, blocked{"blocked", 10}, retrieval{"retrieval", 10};
  const uint64_t n = 1000000;
  all.push_back({LevelDBEngine(), {n, 1000, 4096}, {none, bloom, automatic}});
  all.push_back({LevelDBEngine(), {n, 62, 4096}, {none, bloom, more, most, automatic, retrieval}});
  all.push_back({LevelDBEngine(), {n, 22, 4096}, {bloom, more, automatic, blocked, retrieval}});
  all.push_back({LevelDBEngine(), {n, 2, 4096}, {bloom, more, automatic, blocked, retrieval}});
  for (const uint64_t block_bytes : {64 << 10, 1 << 20}) {
    all.push_back({LevelDBEngine(), {n, 100, block_bytes}, {bloom, blocked, retrieval}, 1000000});
  }
#endif
#ifdef LINEFILTER_BENCH_ROCKSDB
  all.push_back({RocksDBEngine(),
                 {1000000, 100, 4096},
                 {{"rocksdb_bloom", 10}, {"rocksdb_ribbon", 10}, {"blocked", 10}, {"retrieval", 10}}});
#endif
  return all;
}

double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Per key.
template <class Work>
double Ns(uint64_t n, const Work& work) {
  const double start = ThreadSeconds();
  work();
  return 1e9 * (ThreadSeconds() - start) / static_cast<double>(n);
}

constexpr uint64_t kRounds = 40;

std::vector<Json> Measure(const Comparison& comparison, const std::string& folder) {
  const uint64_t gets_each = comparison.gets / kRounds;
  const size_t n = comparison.filters.size();
  std::vector<std::unique_ptr<EngineDatabase>> databases;
  for (size_t i = 0; i < n; ++i) {
    printf("  %s with %s, %g bits per key\n", comparison.engine.name.c_str(), comparison.filters[i].name.c_str(),
           comparison.filters[i].bits_per_key);
    fflush(stdout);
    databases.push_back(
        comparison.engine.make(comparison.filters[i], comparison.shape, folder + "/" + std::to_string(i)));
    const uint64_t lost = databases[i]->CountLost(std::min<uint64_t>(comparison.shape.num_keys, 200000));
    if (lost != 0) Die("FALSE NEGATIVE: %llu members are not found", static_cast<unsigned long long>(lost));
  }
  std::vector<std::vector<double>> get_ns(n), multi_get_ns(n);
  std::vector<uint64_t> before(n), false_positives(n);
  for (size_t i = 0; i < n; ++i) before[i] = databases[i]->FalsePositives();
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (size_t turn = 0; turn < n; ++turn) {
      const size_t i = round % 2 == 0 ? turn : n - 1 - turn;
      const uint64_t first = round * gets_each;
      get_ns[i].push_back(Ns(gets_each, [&] { databases[i]->Get(first, gets_each); }));
    }
  }
  for (size_t i = 0; i < n; ++i) false_positives[i] = databases[i]->FalsePositives() - before[i];
  for (uint64_t round = 0; comparison.engine.has_multi_get && round < kRounds; ++round) {
    for (size_t turn = 0; turn < n; ++turn) {
      const size_t i = round % 2 == 0 ? turn : n - 1 - turn;
      const uint64_t first = round * gets_each;
      multi_get_ns[i].push_back(Ns(gets_each, [&] { databases[i]->MultiGet(first, gets_each); }));
    }
  }
  std::vector<Json> rows;
  for (size_t i = 0; i < n; ++i) {
    const EngineDatabase& database = *databases[i];
    Json row;
    row["engine"] = comparison.engine.name;
    row["origin"] = comparison.engine.origin;
    row["filter"] = comparison.filters[i].name;
    row["asked_bits_per_key"] = comparison.filters[i].bits_per_key;
    row["num_keys"] = comparison.shape.num_keys;
    row["value_bytes"] = comparison.shape.value_bytes;
    row["block_bytes"] = comparison.shape.block_bytes;
    row["keys_per_filter"] = database.keys_per_filter;
    row["filter_bytes"] = database.FilterBytes();
    row["bits_per_key"] =
        8 * static_cast<double>(database.FilterBytes()) / static_cast<double>(comparison.shape.num_keys);
    row["expected_fpr"] = database.expected_fpr;
    row["gets"] = kRounds * gets_each;
    row["false_positives"] = false_positives[i];
    row["fpr"] = static_cast<double>(false_positives[i]) / static_cast<double>(kRounds * gets_each);
    row["ns"] = Median(get_ns[i]);
    row["ns_each"] = get_ns[i];
    if (comparison.engine.has_multi_get) {
      row["multi_get_ns"] = Median(multi_get_ns[i]);
      row["multi_get_ns_each"] = multi_get_ns[i];
    }
    printf("  %-16s %10llu filter bytes, %7llu of %llu let through, %8.0f ns per absent Get\n",
           comparison.filters[i].name.c_str(), static_cast<unsigned long long>(database.FilterBytes()),
           static_cast<unsigned long long>(false_positives[i]), static_cast<unsigned long long>(row["gets"]),
           row["ns"].get<double>());
    rows.push_back(std::move(row));
  }
  fflush(stdout);
  return rows;
}

int Run(const std::string& out_path, const std::string& folder, bool quick) {
  const std::string part = out_path + ".part";  // an earlier file stays whole until this one is
  std::ofstream out(part);                      // before the minutes of work
  if (!out) {
    fprintf(stderr, "linefilter_bench_engines: cannot write %s: name a file in a folder that exists\n", part.c_str());
    return 2;
  }
  std::string databases = folder + "/linefilter-engines-XXXXXX";
  if (mkdtemp(databases.data()) == nullptr) {
    fprintf(stderr, "linefilter_bench_engines: no folder can be made in %s: name another one by --folder\n",
            folder.c_str());
    return 2;
  }
  Json file;
  file["schema"] = "linefilter-engines-1";
  file["context"] = MachineContext();
  file["rows"] = Json::array();
  for (Comparison& comparison : AllComparisons()) {
    if (quick) comparison.shape.num_keys /= 20, comparison.gets /= 20;
    printf("%s, values of %llu bytes, blocks of %llu\n", comparison.engine.origin.c_str(),
           static_cast<unsigned long long>(comparison.shape.value_bytes),
           static_cast<unsigned long long>(comparison.shape.block_bytes));
    for (Json& row : Measure(comparison, databases)) file["rows"].push_back(std::move(row));
  }
  std::error_code ignored;
  std::filesystem::remove_all(databases, ignored);
  out << file.dump(1) << '\n';
  out.close();
  if (!out || rename(part.c_str(), out_path.c_str()) != 0) {
    fprintf(stderr, "linefilter_bench_engines: writing %s failed: is the disk full, or is it a folder?\n",
            out_path.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  std::string out, folder = std::filesystem::temp_directory_path().string();
  bool quick = false;
  CLI::App app("Filters inside real databases: what they let through, and what an absent key costs");
  app.add_option("--out", out, "Results file (JSON), over one that is there")->required();
  app.add_option("--folder", folder, "Where the databases are made (about 4 GB), and removed at the end");
  app.add_flag("--quick", quick, "Small databases, some seconds: for a first look and CI");
  CLI11_PARSE(app, argc, argv);
  return linefilter::bench::Run(out, folder, quick);
}
