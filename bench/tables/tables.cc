#include "bench/tables/tables.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/engines/keys.h"
#include "bench/peer.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"

namespace linefilter::bench {
namespace {

std::string PathOf(const std::string& folder, uint64_t table) { return folder + "/" + std::to_string(table); }

void DieUnless(const Status& status) {
  if (!status.ok()) Die("%s", status.message());
}

}  // namespace

TableKeys::TableKeys(const TableShape& shape) : shape_(shape) {
  for (uint64_t i = 0; i < shape.num_keys(); ++i) members_.push_back(EngineKey(i));
  std::sort(members_.begin(), members_.end());
}

size_t TableKeys::TableOf(const std::string& key) const {
  const auto after = std::upper_bound(members_.begin(), members_.end(), key) - members_.begin();
  return static_cast<size_t>(static_cast<uint64_t>(std::max<int64_t>(after - 1, 0)) / shape_.keys_per_table);
}

std::vector<Asked> TableKeys::Absent(uint64_t first, uint64_t n) const {
  std::vector<Asked> asked;
  for (uint64_t i = first; i < first + n; ++i) {
    std::string key = EngineKey(kAbsentEngineKey + i);
    const size_t table = TableOf(key);
    asked.push_back({table, std::move(key)});
  }
  return asked;
}

std::vector<Asked> TableKeys::Present(uint64_t first, uint64_t n) const {
  std::vector<Asked> asked;
  for (uint64_t i = first; i < first + n; ++i) {
    const uint64_t member = MixHash(i) % shape_.num_keys();
    asked.push_back({static_cast<size_t>(member / shape_.keys_per_table), members_[static_cast<size_t>(member)]});
  }
  return asked;
}

void WriteTables(const TableShape& shape, const TableKeys& keys, const std::string& filter, const std::string& folder) {
  std::filesystem::create_directory(folder);
  sst::TableOptions options;
  options.data_block_bytes = static_cast<uint32_t>(shape.block_bytes);
  options.filter.bits_per_key = kTableBitsPerKey;
  if (filter != kNoFilter && !ParseLayout(filter.c_str(), &options.filter.layout)) {
    Die("%s is no layout", filter.c_str());
  }
  sst::TableWriter writer(options);
  auto key = keys.members().begin();
  for (uint64_t table = 0; table < shape.num_tables; ++table) {
    DieUnless(writer.Create(PathOf(folder, table).c_str()));
    for (uint64_t i = 0; i < shape.keys_per_table; ++i) {
      DieUnless(writer.Add(*key++, EngineValue(i, shape.value_bytes)));
    }
    DieUnless(writer.Finish());
  }
}

OpenTables::OpenTables(const TableShape& shape, const TableMode& mode, const std::string& folder)
    : mode_(mode), tables_(static_cast<size_t>(shape.num_tables)) {
  for (size_t i = 0; i < tables_.size(); ++i) paths_.push_back(PathOf(folder, i));
  if (!mode.mapped) ReadFiles();
  Open();
}

void OpenTables::ReadFiles() {
  size_t end = 0;
  for (const std::string& path : paths_) {
    places_.push_back({end, static_cast<size_t>(std::filesystem::file_size(path))});
    end += static_cast<size_t>(sst::AlignUp(places_.back().size));
  }
  memory_ = std::make_unique<HugeBuffer>(end);
  for (size_t i = 0; i < paths_.size(); ++i) {
    std::ifstream file(paths_[i], std::ios::binary);
    if (!file.read(bytes(i), static_cast<std::streamsize>(num_bytes(i)))) Die("%s cannot be read", paths_[i].c_str());
  }
}

void OpenTables::Open() {
  sst::ReadOptions options;
  options.use_filter = mode_.filter != kNoFilter;
  options.verify_filter = mode_.verify;
  for (size_t i = 0; i < tables_.size(); ++i) {
    DieUnless(mode_.mapped ? tables_[i].Open(paths_[i].c_str(), options)
                           : tables_[i].OpenBytes(bytes(i), num_bytes(i), options));
    if (options.use_filter) DieUnless(tables_[i].filter_status());
  }
}

void OpenTables::Get(const std::vector<Asked>& keys, sst::Outcome outcome) const {
  for (const Asked& asked : keys) {
    sst::Lookup lookup;
    DieUnless(tables_[asked.table].Get(asked.key, &lookup));
    if (lookup.outcome != outcome) Die("a table with filter %s answers wrong", mode_.filter.c_str());
  }
}

uint64_t OpenTables::BlocksRead() const {
  uint64_t sum = 0;
  for (const sst::TableReader& table : tables_) sum += table.counters().data_blocks_read;
  return sum;
}

uint64_t OpenTables::FilterBytes() const {
  uint64_t sum = 0;
  for (const sst::TableReader& table : tables_) sum += mode_.filter == kNoFilter ? 0 : table.filter().image_bytes();
  return sum;
}

double OpenTables::ExpectedFpr() const {
  double sum = 0;
  for (const sst::TableReader& table : tables_) sum += mode_.filter == kNoFilter ? 0 : table.filter().ExpectedFpr();
  return sum / static_cast<double>(tables_.size());
}

}  // namespace linefilter::bench
