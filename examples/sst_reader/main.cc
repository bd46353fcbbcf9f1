// sst_reader: the table from the command line. README.md has an example run.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "examples/sst_reader/table.h"

namespace sst {
namespace {

constexpr int kExitGood = 0, kExitAbsent = 1, kExitBad = 2;

constexpr char kUsage[] =
    "sst_reader build TABLE [LAYOUT [BITS_PER_KEY]] < KEYS   keys: lines in byte order (LC_ALL=C sort -u);\n"
    "                                                        a key's value is the number of its line\n"
    "sst_reader get TABLE KEY...\n"
    "sst_reader ask TABLE < KEYS                             all lines, with the filter and without\n"
    "sst_reader scan TABLE [FROM]\n"
    "sst_reader stats TABLE\n"
    "LAYOUT: retrieval (the default), blocked, classic, auto. Exit codes: 0 good, 1 a key of `get` is absent, 2 bad.\n";

int Fail(const std::string& what) {
  fprintf(stderr, "sst_reader: %s\n", what.c_str());
  return kExitBad;
}

bool Complain(const Status& status) {
  Fail(status.message());
  return false;
}

// An error ends the program; a filter that cannot be used is worth a warning.
bool OpenTable(const char* path, TableReader* table, const ReadOptions& options = {}) {
  const Status status = table->Open(path, options);
  if (!status.ok()) return Complain(status);
  if (options.use_filter && !table->filter_status().ok()) {
    fprintf(stderr, "sst_reader: warning: no filter, every lookup reads: %s\n", table->filter_status().message());
  }
  return true;
}

void Print(std::string_view text) {
  if (!text.empty()) fwrite(text.data(), 1, text.size(), stdout);  // (no null pointer, of no byte either)
}

int Build(const char* path, const char* layout, const char* bits_per_key) {
  TableOptions options;
  if (layout != nullptr && !linefilter::ParseLayout(layout, &options.filter.layout)) {
    return Fail(std::string("'") + layout + "' is no layout: choose retrieval, blocked, classic or auto");
  }
  if (bits_per_key != nullptr) {
    char* end = nullptr;
    options.filter.bits_per_key = strtod(bits_per_key, &end);
    if (end == bits_per_key || *end != '\0') return Fail(std::string("'") + bits_per_key + "' is no number");
  }
  TableWriter writer(options);
  Status status = writer.Create(path);
  uint64_t line = 0;
  for (std::string key; status.ok() && std::getline(std::cin, key);) {
    status = writer.Add(key, std::to_string(++line));
  }
  if (std::cin.bad()) return Fail("cannot read standard input");
  if (status.ok()) status = writer.Finish();
  return status.ok() ? kExitGood : Fail(status.message());
}

int Get(const char* path, char** keys) {
  TableReader table;
  if (!OpenTable(path, &table)) return kExitBad;
  int exit_code = kExitGood;
  for (; *keys != nullptr; ++keys) {
    const uint64_t read_before = table.counters().data_blocks_read;
    Lookup lookup;
    const Status status = table.Get(*keys, &lookup);
    if (!status.ok()) return Fail(status.message());
    const bool found = lookup.outcome == Outcome::kFound;
    if (!found) exit_code = kExitAbsent;
    printf("%s\t%s\t", *keys, found ? "found" : "absent");
    Print(lookup.value);
    printf("\t%s\n", table.counters().data_blocks_read != read_before ? "read a data block" : "the filter knew");
  }
  return exit_code;
}

// One column of `ask`.
bool Ask(const char* path, const std::vector<std::string_view>& keys, bool use_filter) {
  ReadOptions options;
  options.use_filter = use_filter;
  TableReader table;
  if (!OpenTable(path, &table, options)) return false;
  std::vector<Lookup> lookups(keys.size());
  const auto start = std::chrono::steady_clock::now();
  const Status status = table.MultiGet(keys.data(), keys.size(), lookups.data());
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  if (!status.ok()) return Complain(status);
  size_t found = 0;
  for (const Lookup& lookup : lookups) found += lookup.outcome == Outcome::kFound;
  printf("%-16s %10zu %10zu %18llu %10.0f\n", use_filter ? "with filter" : "without", found, keys.size() - found,
         static_cast<unsigned long long>(table.counters().data_blocks_read),
         keys.empty() ? 0 : time.count() / static_cast<double>(keys.size()));
  return true;
}

int AskAll(const char* path) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  if (std::cin.bad()) return Fail("cannot read standard input");
  const std::vector<std::string_view> keys(lines.begin(), lines.end());
  printf("%-16s %10s %10s %18s %10s\n", "", "found", "absent", "data_blocks_read", "ns_per_key");
  return Ask(path, keys, true) && Ask(path, keys, false) ? kExitGood : kExitBad;
}

int Scan(const char* path, const char* from) {
  TableReader table;
  if (!OpenTable(path, &table)) return kExitBad;
  TableIterator it(table);
  for (from == nullptr ? it.SeekToFirst() : it.Seek(from); it.Valid(); it.Next()) {
    Print(it.key());
    Print("\t");
    Print(it.value());
    Print("\n");
  }
  return it.status().ok() ? kExitGood : Fail(it.status().message());
}

int Stats(const char* path) {
  TableReader table;
  if (!OpenTable(path, &table)) return kExitBad;
  const linefilter::FilterView& filter = table.filter();
  const double keys = static_cast<double>(table.num_keys());
  printf("file_bytes    %zu\nnum_keys      %.0f\ndata_blocks   %zu\n", table.file_bytes(), keys,
         table.num_data_blocks());
  printf("layout        %s\nimage_bytes   %zu\nbits_per_key  %.2f\nexpected_fpr  %.6f\n",
         linefilter::LayoutName(filter.layout()), filter.image_bytes(),
         keys == 0 ? 0 : 8 * static_cast<double>(filter.body_bytes()) / keys, filter.ExpectedFpr());
  return kExitGood;
}

int Run(int argc, char** argv) {
  const std::string_view command = argc > 2 ? argv[1] : "";
  const char* const path = argc > 2 ? argv[2] : nullptr;  // argv[argc] is null
  if (command == "build" && argc <= 5) return Build(path, argv[3], argc == 5 ? argv[4] : nullptr);
  if (command == "get" && argc > 3) return Get(path, argv + 3);
  if (command == "ask" && argc == 3) return AskAll(path);
  if (command == "scan" && argc <= 4) return Scan(path, argv[3]);
  if (command == "stats" && argc == 3) return Stats(path);
  fputs(kUsage, stderr);
  return kExitBad;
}

}  // namespace
}  // namespace sst

int main(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);  // std::cin alone reads, stdio alone writes
  const int exit_code = sst::Run(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout) != 0) return sst::Fail("cannot write standard output");
  return exit_code;
} catch (const std::bad_alloc&) {
  return sst::Fail("memory ran out: a table takes some 11 bytes per key while it is built, `ask` all its lines");
}
