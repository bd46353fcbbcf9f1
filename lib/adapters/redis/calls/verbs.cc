// The verbs of RedisBloom, by the calls of RedisFilter.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "linefilter/redis.h"

namespace linefilter {
namespace {

// Hashes all keys, and calls `work` with the hashes.
template <class Work>
Status WithHashes(const RedisFilter& filter, const Key* keys, size_t n, const Work& work) noexcept {
  const Status status = filter.KeyStatus();
  if (!status.ok()) return status;
  return redis_internal::Guarded([&]() -> Status {
    std::vector<uint64_t> hashes(n);
    for (size_t i = 0; i < n; ++i) hashes[i] = filter.HashOf(keys[i]);
    return work(hashes.data());
  });
}

}  // namespace

Status RedisFilter::Add(Key key, bool* added) noexcept {
  RedisInsert outcome = RedisInsert::kFailed;
  const Status status = InsertKey(key, &outcome);
  if (added != nullptr) *added = outcome == RedisInsert::kNew;
  return status;
}

Status RedisFilter::MAdd(const Key* keys, size_t n, RedisInsert* outcomes) noexcept {
  if (outcomes != nullptr) std::fill(outcomes, outcomes + n, RedisInsert::kFailed);
  return WithHashes(*this, keys, n, [&](const uint64_t* hashes) { return InsertHashes(hashes, n, outcomes); });
}

Status RedisFilter::MExists(const Key* keys, size_t n, uint8_t* answers, uint8_t* answered) noexcept {
  std::fill(answers, answers + n, uint8_t{1});
  if (answered != nullptr) std::fill(answered, answered + n, uint8_t{0});
  return WithHashes(*this, keys, n,
                    [&](const uint64_t* hashes) { return MayContainHashes(hashes, n, answers, answered); });
}

Status RedisFilter::Del(Key key, bool* deleted) noexcept {
  RedisRemove outcome = RedisRemove::kFailed;
  const Status status = RemoveKey(key, &outcome);
  if (deleted != nullptr) *deleted = outcome == RedisRemove::kRemoved;
  return status;
}

Status RedisFilter::Card(uint64_t* keys) noexcept {
  *keys = 0;
  RedisInfo info;
  const Status status = Info(&info);
  const double told = std::floor(info.approximate_size.keys + 0.5);
  if (status.ok()) *keys = told < 18446744073709551615.0 ? static_cast<uint64_t>(told) : UINT64_MAX;
  return status;
}

}  // namespace linefilter
