// A database of a storage engine with one kind of filter: what its users measure, absent keys asked of the database.
#ifndef LINEFILTER_BENCH_ENGINES_ENGINE_H_
#define LINEFILTER_BENCH_ENGINES_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/layout.h"

namespace linefilter::bench {

// Which filters a database has.
struct EngineFilter {
  // "none", "leveldb_bloom", "leveldb_bloom_again" (what two equal databases differ by), "rocksdb_bloom",
  // "rocksdb_ribbon", or a layout of ours, or "auto".
  std::string name;
  double bits_per_key = 0;
  // EngineFilterOptions::verify. Where it is unset the engine verifies by itself, once: LevelDB with paranoid_checks.
  bool verify = true;
};

struct EngineShape {
  uint64_t num_keys = 1000000;
  uint64_t value_bytes = 100;
  uint64_t block_bytes = 4096;
};

// Filled and compacted into one level. Used by one thread.
class EngineDatabase {
 public:
  virtual ~EngineDatabase() = default;
  // Asks for absent keys, one by one; aborts if one is found.
  virtual void Get(const std::vector<std::string>& keys) = 0;
  // The same by the engine's own batch; of those that have one.
  virtual void MultiGet(const std::vector<std::string>& keys);
  // How many members are not found.
  virtual uint64_t CountLost(uint64_t num_keys) = 0;
  // Blocks that were looked into in vain so far: all Gets of absent keys that a filter let through, or all.
  virtual uint64_t FalsePositives() const = 0;
  // Of all filters, as the engine counts them.
  virtual uint64_t FilterBytes() const = 0;
  // Rate that the very images expect, of a filter of one block or partition; 0: unknown.
  double expected_fpr = 0;
  double keys_per_filter = 0;
};

struct Engine {
  std::string name;    // "leveldb"
  std::string origin;  // "Debian libleveldb-dev 1.23"
  bool has_multi_get = false;
  // Aborts with a sentence if it cannot.
  std::function<std::unique_ptr<EngineDatabase>(const EngineFilter&, const EngineShape&, const std::string& folder)>
      make;
};

Engine LevelDBEngine();
Engine RocksDBEngine();

// Options of ours by the filter's name; aborts if it is none of our layouts.
Layout LayoutOf(const EngineFilter& filter);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_ENGINE_H_
