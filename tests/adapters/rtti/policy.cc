// A program with our policy, compiled with RTTI or without, as engine and adapter are.
#include <cstdio>
#include <memory>
#include <string>
#ifdef __GXX_RTTI
#include <typeinfo>
#endif

#ifdef ENGINE_leveldb
#include "leveldb/filter_policy.h"
#include "linefilter/leveldb.h"
namespace engine = leveldb;
#define NEW_POLICY linefilter::NewLevelDBFilterPolicy
#else
#include "linefilter/rocksdb.h"
#include "rocksdb/filter_policy.h"
namespace engine = rocksdb;
#define NEW_POLICY linefilter::NewRocksDBFilterPolicy
#endif

int main() {
  linefilter::EngineFilterOptions options;
  options.bits_per_key = 10;
  linefilter::Status status;
  const std::unique_ptr<const engine::FilterPolicy> policy(NEW_POLICY(options, &status));
  if (policy == nullptr) return std::puts(status.message()), 1;
  if (std::string(policy->Name()).find("linefilter.") != 0) return std::puts("another name"), 1;
#ifdef __GXX_RTTI
  if (typeid(*policy) == typeid(engine::FilterPolicy)) return std::puts("not a type of its own"), 1;
  if (dynamic_cast<const void*>(policy.get()) != policy.get()) return std::puts("dynamic_cast fails"), 1;
#endif
  return 0;
}
