#include "bench/tables/damage.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peer.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

constexpr size_t kOthers = 100;  // members that are asked whatever the filter says

// A fixed sequence, so that each run damages alike.
class Random {
 public:
  uint64_t Below(uint64_t n) { return MixHash(++count_) % n; }

 private:
  uint64_t count_ = 0;
};

// Some bytes of a filter, damaged as long as this lives.
class Damage {
 public:
  Damage(char* filter, size_t filter_bytes, Random* random) {
    constexpr size_t kSizes[] = {1, 1, 64, 4096};
    const uint64_t kind = random->Below(4);
    const size_t size = std::min(kSizes[kind], filter_bytes);
    at_ = filter + random->Below(filter_bytes - size + 1);
    before_.assign(at_, size);
    for (size_t i = 0; i < size; ++i) {
      const uint64_t flips = kind == 0 ? uint64_t{1} << random->Below(8) : 1 + random->Below(255);
      at_[i] = static_cast<char>(at_[i] ^ static_cast<char>(flips));
    }
  }
  ~Damage() { std::copy(before_.begin(), before_.end(), at_); }
  Damage(const Damage&) = delete;
  Damage& operator=(const Damage&) = delete;

 private:
  char* at_;
  std::string before_;
};

void Open(const char* bytes, size_t size, bool verify, sst::TableReader* table) {
  sst::ReadOptions options;
  options.verify_filter = verify;
  const Status status = table->OpenBytes(bytes, size, options);
  if (!status.ok()) Die("a damaged filter costs the whole table: %s", status.message());
}

}  // namespace

DamageCount DamageFilters(const TableShape& shape, const TableKeys& keys, uint64_t damages, OpenTables* tables) {
  const size_t n = static_cast<size_t>(shape.keys_per_table);
  Random random;
  DamageCount count;
  std::vector<uint8_t> asked(n);
  for (; count.damages < damages; ++count.damages) {
    const size_t i = static_cast<size_t>(random.Below(tables->size()));
    char* const bytes = tables->bytes(i);
    sst::TableReader table;
    Open(bytes, tables->num_bytes(i), true, &table);
    if (!table.filter_status().ok())
      Die("a filter is damaged before it was damaged: %s", table.filter_status().message());
    const char* const filter = reinterpret_cast<const char*>(table.filter().body());  // an image begins with its body
    const Damage damage(bytes + (filter - bytes), table.filter().image_bytes(), &random);

    const std::vector<std::string_view> members(keys.members().begin() + static_cast<ptrdiff_t>(i * n),
                                                keys.members().begin() + static_cast<ptrdiff_t>((i + 1) * n));
    Open(bytes, tables->num_bytes(i), false, &table);
    table.filter().MayContainKeys(members.data(), n, asked.data());
    for (uint8_t& maybe : asked) maybe = maybe == 0;
    count.denied_keys += static_cast<uint64_t>(std::count(asked.begin(), asked.end(), 1));
    for (size_t other = 0; other < kOthers; ++other) asked[static_cast<size_t>(random.Below(n))] = 1;

    Open(bytes, tables->num_bytes(i), true, &table);
    for (size_t member = 0; member < n; ++member) {
      if (asked[member] == 0) continue;
      sst::Lookup lookup;
      const Status status = table.Get(members[member], &lookup);
      count.lost_keys += !status.ok() || lookup.outcome != sst::Outcome::kFound;
    }
  }
  return count;
}

}  // namespace linefilter::bench
