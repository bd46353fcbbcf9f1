// A database of LevelDB with our filters: what was put is found, after it is opened anew.
#include <cstdio>
#include <memory>
#include <string>
#include <typeinfo>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "linefilter/leveldb.h"

// A class that our policy is not of.
class Other : public leveldb::FilterPolicy {};

int main() {
  linefilter::EngineFilterOptions filters;
  filters.bits_per_key = 10;
  linefilter::Status status;
  std::unique_ptr<const leveldb::FilterPolicy> policy(linefilter::NewLevelDBFilterPolicy(filters, &status));
  if (policy == nullptr) return std::puts(status.message()), 1;
  // The engine has type information, and so its policy has (typeid of one without ends the program).
  const leveldb::FilterPolicy& asked = *policy;
  if (typeid(asked) == typeid(leveldb::FilterPolicy)) return std::puts("the policy has no type of its own"), 1;
  if (dynamic_cast<const Other*>(&asked) != nullptr) return std::puts("the policy is of another class"), 1;
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  options.paranoid_checks = true;
  for (int round = 0; round < 2; ++round) {
    leveldb::DB* opened = nullptr;
    const leveldb::Status ok = leveldb::DB::Open(options, "database", &opened);
    if (!ok.ok()) return std::puts(ok.ToString().c_str()), 1;
    const std::unique_ptr<leveldb::DB> db(opened);
    for (int i = 0; i < 1000; ++i) {
      const std::string key = std::to_string(i);
      std::string value;
      if (round == 0) db->Put(leveldb::WriteOptions(), key, "value " + key);
      if (!db->Get(leveldb::ReadOptions(), key, &value).ok() || value != "value " + key) return std::puts("lost"), 1;
    }
    db->CompactRange(nullptr, nullptr);
  }
  std::puts("ok: LevelDB");
}
