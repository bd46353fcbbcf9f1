// Looking up: the filter first, then one data block.
#include <algorithm>

#include "examples/sst_reader/table.h"

namespace sst {
namespace {

using linefilter::StatusCode;

constexpr size_t kGroup = 256;  // keys for which the filter is asked at once: their answers stay in the L1

void Count(std::atomic<uint64_t>* counter, uint64_t n = 1) { counter->fetch_add(n, std::memory_order_relaxed); }

}  // namespace

Status TableReader::Get(std::string_view key, Lookup* lookup) const {
  Count(&counters_.lookups);
  if (filter_.MayContainKey(key)) return Search(key, lookup);
  Count(&counters_.absent_by_filter);
  *lookup = {Outcome::kAbsent, {}};
  return Status();
}

Status TableReader::MultiGet(const std::string_view* keys, size_t n, Lookup* lookups) const {
  Status first_error;
  uint8_t maybe[kGroup];
  for (size_t begin = 0; begin < n; begin += kGroup) {
    const size_t count = std::min(kGroup, n - begin);
    filter_.MayContainKeys(keys + begin, count, maybe);
    uint64_t absent = 0;
    for (size_t i = 0; i < count; ++i) {
      if (maybe[i] == 0) {
        ++absent;
        lookups[begin + i] = {Outcome::kAbsent, {}};
        continue;
      }
      const Status status = Search(keys[begin + i], &lookups[begin + i]);
      if (!status.ok() && first_error.ok()) first_error = status;
    }
    Count(&counters_.lookups, count);
    Count(&counters_.absent_by_filter, absent);
  }
  return first_error;
}

Counters TableReader::counters() const {
  const auto read = [](const std::atomic<uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  return {read(counters_.lookups), read(counters_.absent_by_filter), read(counters_.data_blocks_read)};
}

// The only one that can hold `key`: the first whose last key is not below it.
size_t TableReader::FindDataBlock(std::string_view key) const {
  const auto is_below = [](const IndexEntry& entry, std::string_view wanted) { return entry.last_key < wanted; };
  return static_cast<size_t>(std::lower_bound(index_.begin(), index_.end(), key, is_below) - index_.begin());
}

// Checked at every reading. (An engine that caches data blocks checks when one enters the cache.)
Status TableReader::ReadDataBlock(size_t i, std::string_view* entries) const {
  Count(&counters_.data_blocks_read);
  const IndexEntry& at = index_[i];
  *entries = std::string_view(data_ + at.offset, at.size);
  if (Check(*entries, at.offset) == at.check) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "'%.60s' is damaged in data block %zu, %u bytes from %llu on: its keys are not readable, take "
                       "another copy of the file",
                       name_.c_str(), i, at.size, static_cast<unsigned long long>(at.offset));
}

Status TableReader::Search(std::string_view key, Lookup* lookup) const {
  *lookup = Lookup();  // an error, until found otherwise
  if (!open_) {
    return Status::Error(StatusCode::kInvalidArgument, "no table is open: call TableReader::Open and heed its status");
  }
  const size_t i = FindDataBlock(key);
  if (i == index_.size()) {
    lookup->outcome = Outcome::kAbsent;
    return Status();
  }
  std::string_view rest;
  const Status status = ReadDataBlock(i, &rest);
  if (!status.ok()) return status;
  for (Entry entry; NextEntry(&rest, &entry);) {
    if (entry.key < key) continue;
    if (entry.key == key) {
      *lookup = {Outcome::kFound, entry.value};
    } else {
      lookup->outcome = Outcome::kAbsent;
    }
    return Status();
  }
  // The check fits, so it was written like that.
  return Damaged("a data block ends before the last key that the index gives it");
}

}  // namespace sst
