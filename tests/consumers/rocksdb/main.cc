// A database of RocksDB with our filters: what was put is found, after it is opened anew.
#include <cstdio>
#include <memory>
#include <string>
#include <typeinfo>

#include "linefilter/rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

// A class that our policy is not of.
class Other : public rocksdb::FilterPolicy {};

int main() {
  linefilter::EngineFilterOptions filters;
  filters.bits_per_key = 10;
  linefilter::Status status;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(linefilter::NewRocksDBFilterPolicy(filters, &status));
  if (table.filter_policy == nullptr) return std::puts(status.message()), 1;
  // The engine has type information, and so its policy has (typeid of one without ends the program).
  const rocksdb::FilterPolicy& asked = *table.filter_policy;
  if (typeid(asked) == typeid(rocksdb::FilterPolicy)) return std::puts("the policy has no type of its own"), 1;
  if (dynamic_cast<const Other*>(&asked) != nullptr) return std::puts("the policy is of another class"), 1;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  for (int round = 0; round < 2; ++round) {
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status ok = rocksdb::DB::Open(options, "database", &opened);
    if (!ok.ok()) return std::puts(ok.ToString().c_str()), 1;
    const std::unique_ptr<rocksdb::DB> db(opened);
    for (int i = 0; i < 1000; ++i) {
      const std::string key = std::to_string(i);
      std::string value;
      if (round == 0) db->Put(rocksdb::WriteOptions(), key, "value " + key);
      if (!db->Get(rocksdb::ReadOptions(), key, &value).ok() || value != "value " + key) return std::puts("lost"), 1;
    }
    db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
  }
  std::puts("ok: RocksDB");
}
