// Tables of examples/sst_reader in files: their keys, and tables that are open, asked by the example's own code.
#ifndef LINEFILTER_BENCH_TABLES_TABLES_H_
#define LINEFILTER_BENCH_TABLES_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/memory.h"
#include "examples/sst_reader/table.h"

namespace linefilter::bench {

// Tables of one database, whose ranges of keys follow each other.
struct TableShape {
  uint64_t num_tables = 1, keys_per_table = 1000000;
  uint64_t value_bytes = 100, block_bytes = 4096;

  uint64_t num_keys() const { return num_tables * keys_per_table; }
};

// How tables are read.
struct TableMode {
  std::string filter;  // "none", or a layout
  bool mapped = true;  // by mmap; else from memory in huge pages that holds the whole files
  bool verify = true;  // of filters: ReadOptions::verify_filter
};

inline constexpr char kNoFilter[] = "none";
inline constexpr double kTableBitsPerKey = 10;

// A key, and the table in whose range it lies.
struct Asked {
  size_t table;
  std::string key;
};

class TableKeys {
 public:
  explicit TableKeys(const TableShape& shape);

  // In order.
  const std::vector<std::string>& members() const { return members_; }
  std::vector<Asked> Absent(uint64_t first, uint64_t n) const;
  std::vector<Asked> Present(uint64_t first, uint64_t n) const;

 private:
  size_t TableOf(const std::string& key) const;

  const TableShape shape_;
  std::vector<std::string> members_;
};

// Dies with a sentence if they cannot be written. `folder` is made.
void WriteTables(const TableShape& shape, const TableKeys& keys, const std::string& filter, const std::string& folder);

// All tables of a folder. Every function dies with a sentence if something is wrong.
class OpenTables {
 public:
  OpenTables(const TableShape& shape, const TableMode& mode, const std::string& folder);

  // Opens all tables once more.
  void Open();
  // Asks for keys one by one, all of which have this outcome.
  void Get(const std::vector<Asked>& keys, sst::Outcome outcome) const;

  uint64_t BlocksRead() const;
  uint64_t FilterBytes() const;
  double ExpectedFpr() const;  // 0 without filters

  size_t size() const { return tables_.size(); }
  // The bytes of a table that is not mapped.
  char* bytes(size_t table) { return reinterpret_cast<char*>(memory_->data()) + places_[table].offset; }
  size_t num_bytes(size_t table) const { return places_[table].size; }

 private:
  struct Place {
    size_t offset, size;
  };
  void ReadFiles();

  const TableMode mode_;
  std::vector<std::string> paths_;
  std::vector<sst::TableReader> tables_;
  std::vector<Place> places_;  // in memory_, if the tables are not mapped
  std::unique_ptr<HugeBuffer> memory_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_TABLES_TABLES_H_
