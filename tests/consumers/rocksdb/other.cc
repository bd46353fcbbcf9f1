// The RocksDB that runs says that it is another than the adapter was compiled for: no policy is made.
#include <cstdio>
#include <memory>
#include <string>

#include "linefilter/rocksdb.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/version.h"

// In place of RocksDB's own, for the program and the libraries that it loads.
namespace rocksdb {
__attribute__((visibility("default"))) std::string GetRocksVersionAsString(bool) { return "10.9"; }
}  // namespace rocksdb

int main() {
  linefilter::EngineFilterOptions filters;
  filters.bits_per_key = 10;
  linefilter::Status status;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(linefilter::NewRocksDBFilterPolicy(filters, &status));
  if (policy != nullptr) return std::puts("a policy for another RocksDB was made"), 1;
  if (status.code() != linefilter::StatusCode::kUnsupported) return std::puts("another code"), 1;
  if (std::string(status.message()).find(" runs with 10.9") == std::string::npos) return std::puts(status.message()), 1;
  std::puts("ok: another RocksDB is refused");
}
