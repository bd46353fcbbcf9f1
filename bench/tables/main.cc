// linefilter_bench_tables: filters in tables of examples/sst_reader. Tables of the same keys, each with another filter
// or read in another way, are asked for the same keys in turns. The example counts the data blocks that it reads.
//
//   linefilter_bench_tables --out bench/results/tables.json [--quick] [--folder FOLDER]
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/engines/rows_file.h"
#include "bench/engines/turns.h"
#include "bench/tables/damage.h"
#include "bench/tables/tables.h"

namespace linefilter::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRounds = 40, kOpenings = 9;
constexpr uint64_t kOthers = uint64_t{1} << 32;  // where the keys begin that no clock sees

// What is asked of all tables, and how often.
struct Effort {
  uint64_t gets_each = 5000;  // of a round; as many of members, and of others that warm the caches
  uint64_t damages_of_large = 200, damages_of_small = 2000;
};

// Tables that are open in one way, and what was counted of them.
struct Measured {
  TableMode mode;
  std::unique_ptr<OpenTables> tables;
  std::vector<double> open_us, absent_ns, present_ns;
  uint64_t absent_blocks = 0, present_blocks = 0;
};

std::vector<TableMode> Modes() {
  std::vector<TableMode> modes = {{kNoFilter, true, false}, {kNoFilter, false, false}};
  for (const char* layout : {"classic", "blocked", "retrieval"}) {
    modes.push_back({layout, true, true});
    modes.push_back({layout, true, false});
    modes.push_back({layout, false, true});
  }
  return modes;
}

std::string FolderOf(const std::string& folder, const TableMode& mode) { return folder + "/" + mode.filter; }

std::vector<Measured> OpenAll(const TableShape& shape, const TableKeys& keys, const std::string& folder) {
  std::vector<Measured> all;
  for (const TableMode& mode : Modes()) {
    const std::string of_filter = FolderOf(folder, mode);
    if (!std::filesystem::exists(of_filter)) WriteTables(shape, keys, mode.filter, of_filter);
    all.push_back({mode, std::make_unique<OpenTables>(shape, mode, of_filter), {}, {}, {}});
  }
  return all;
}

// Each turn begins with caches that the same tables filled, by as many other keys: with fewer the blocks of members
// were warm only where no filter had kept the absent keys from reading them (363 against 480 ns, 250 tables, Zen 5).
void AskInTurns(const TableKeys& keys, const Effort& effort, std::vector<Measured>* all) {
  for (uint64_t round = 0; round < kRounds; ++round) {
    const std::vector<Asked> others = keys.Absent(kOthers + round * effort.gets_each, effort.gets_each),
                             absent = keys.Absent(round * effort.gets_each, effort.gets_each),
                             other_members = keys.Present(kOthers + round * effort.gets_each, effort.gets_each),
                             present = keys.Present(round * effort.gets_each, effort.gets_each);
    for (size_t turn = 0; turn < all->size(); ++turn) {
      Measured& measured = (*all)[InTurn(turn, round, all->size())];
      const OpenTables& tables = *measured.tables;
      tables.Get(others, sst::Outcome::kAbsent);
      uint64_t before = tables.BlocksRead();
      measured.absent_ns.push_back(Ns(absent.size(), [&] { tables.Get(absent, sst::Outcome::kAbsent); }));
      measured.absent_blocks += tables.BlocksRead() - before;
      tables.Get(other_members, sst::Outcome::kFound);
      before = tables.BlocksRead();
      measured.present_ns.push_back(Ns(present.size(), [&] { tables.Get(present, sst::Outcome::kFound); }));
      measured.present_blocks += tables.BlocksRead() - before;
    }
  }
}

Json RowOf(const TableShape& shape, const Effort& effort, const Measured& measured) {
  const double filter_bytes = static_cast<double>(measured.tables->FilterBytes());
  Json row;
  row["filter"] = measured.mode.filter;
  row["mapped"] = measured.mode.mapped;
  row["verified"] = measured.mode.verify;
  row["num_tables"] = shape.num_tables;
  row["keys_per_table"] = shape.keys_per_table;
  row["value_bytes"] = shape.value_bytes;
  row["block_bytes"] = shape.block_bytes;
  row["filter_bytes"] = measured.tables->FilterBytes();
  row["bits_per_key"] = 8 * filter_bytes / static_cast<double>(shape.num_keys());
  row["expected_fpr"] = measured.tables->ExpectedFpr();
  row["gets"] = kRounds * effort.gets_each;
  row["absent_blocks"] = measured.absent_blocks;
  row["absent_ns"] = Median(measured.absent_ns);
  row["absent_ns_each"] = measured.absent_ns;
  row["present_blocks"] = measured.present_blocks;
  row["present_ns"] = Median(measured.present_ns);
  row["present_ns_each"] = measured.present_ns;
  row["open_us"] = Median(measured.open_us);
  return row;
}

std::vector<Json> Measure(const TableShape& shape, const Effort& effort, const std::string& folder) {
  std::filesystem::create_directory(folder);
  const TableKeys keys(shape);
  std::vector<Measured> all = OpenAll(shape, keys, folder);
  AskInTurns(keys, effort, &all);
  std::vector<Json> rows;
  for (Measured& measured : all) {
    for (int i = 0; i < kOpenings; ++i) {
      measured.open_us.push_back(1e-3 * Ns(shape.num_tables, [&] { measured.tables->Open(); }));
    }
    rows.push_back(RowOf(shape, effort, measured));
    Json& row = rows.back();
    printf("  %-9s %-9s %-8s %8.3f blocks, %6.0f ns per absent Get; %6.0f ns per Get of a member; opened in %.1f us\n",
           measured.mode.filter.c_str(), measured.mode.mapped ? "mapped" : "in memory",
           measured.mode.verify ? "verified" : "trusted",
           static_cast<double>(measured.absent_blocks) / row["gets"].get<double>(), row["absent_ns"].get<double>(),
           row["present_ns"].get<double>(), row["open_us"].get<double>());
    if (measured.mode.mapped || !measured.mode.verify) continue;
    const uint64_t damages = shape.num_tables == 1 ? effort.damages_of_large : effort.damages_of_small;
    const DamageCount count = DamageFilters(shape, keys, damages, measured.tables.get());
    row["damages"] = count.damages;
    row["denied_keys"] = count.denied_keys;
    row["lost_keys"] = count.lost_keys;
    printf("    %llu damages: unverified %llu keys would be lost, verified %llu are\n",
           static_cast<unsigned long long>(count.damages), static_cast<unsigned long long>(count.denied_keys),
           static_cast<unsigned long long>(count.lost_keys));
  }
  fflush(stdout);
  return rows;
}

int Run(const std::string& out_path, const std::string& folder, bool quick) {
  // A large filter; and small ones, whose check covers their whole body.
  TableShape large, small;
  small.num_tables = 250, small.keys_per_table = 400;
  Effort effort;
  if (quick) large.keys_per_table /= 20, small.num_tables /= 10, effort = {500, 10, 100};
  return WriteRowsFile("tables", out_path, folder, {}, [&](const std::string& tables, Json* rows) {
    for (const TableShape& shape : {large, small}) {
      printf("%llu tables of %llu keys\n", static_cast<unsigned long long>(shape.num_tables),
             static_cast<unsigned long long>(shape.keys_per_table));
      const std::string of_shape = tables + "/" + std::to_string(shape.num_tables);
      for (Json& row : Measure(shape, effort, of_shape)) rows->push_back(std::move(row));
    }
  });
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  std::string out, folder = std::filesystem::temp_directory_path().string();
  bool quick = false;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_tables",
      "Filters in tables of examples/sst_reader: blocks read, times, and keys lost with damaged filters");
  arguments.AddRequired("--out", &out, "Results file (JSON), over one that is there");
  arguments.Add("--folder", &folder, "Where the tables are made (about 0.6 GB), and removed at the end");
  arguments.AddFlag("--quick", &quick, "Small tables, a few seconds: for a first look and CI");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(out, folder, quick); });
}
