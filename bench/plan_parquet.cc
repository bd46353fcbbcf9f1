// The plan of Parquet: `split_block` beside the loops of engines over the same filter, from the caches to the memory.
// It also has Parquet's hash of a column, and the filter that threads fill. It takes a few minutes.
#include <set>
#include <string>

#include "bench/parts.h"

namespace linefilter::bench {
namespace {

const std::set<std::string> kFilters = {"split_block", "arrow_loop", "impala_split_block"};

Part Of(KeyKind kind, uint64_t body_bytes, const std::vector<Access>& accesses, const std::set<std::string>& peers) {
  return {kind, body_bytes, 10, accesses, {50}, peers};
}

// Builds are not measured on each target: the largest take seconds.
Part Builds(uint64_t body_bytes) {
  Part part = Of(KeyKind::kHash, body_bytes, {Access::kBuild}, kFilters);
  part.all_targets = false;
  return part;
}

}  // namespace

std::vector<Part> ParquetMatrix() {
  std::vector<Part> parts = {
      Of(KeyKind::kHash, 24 * KiB, {Access::kSingle, Access::kInlined, Access::kBatch}, kFilters),
      Of(KeyKind::kU64, 24 * KiB, {Access::kBatch}, {"parquet_hash", "xxh64_each"})};
  for (const uint64_t bytes : {128 * KiB, 2 * MiB, 32 * MiB, 256 * MiB}) {
    parts.push_back(Of(KeyKind::kHash, bytes, {Access::kBatch, Access::kInsertBatch}, kFilters));
    parts.push_back(Builds(bytes));
  }
  Part shared = Of(KeyKind::kHash, 32 * MiB,
                   {Access::kSingle, Access::kFill, Access::kFillBatch, Access::kFillTwoThreads,
                    Access::kFillBatchTwoThreads, Access::kSingleDuringInserts, Access::kBatchDuringInserts},
                   {"split_block_concurrent", "split_block_sealed"});
  shared.all_targets = false;
  parts.push_back(shared);
  return parts;
}

}  // namespace linefilter::bench
