// Keys of a filter in Redis, in C: lookups, insertions, removals. Outcomes are bytes, which have the numbers of C++.
#include <algorithm>
#include <memory>

#include "lib/adapters/redis/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;
using namespace linefilter::redis_internal;

namespace {

static_assert(static_cast<int>(RedisInsert::kKnown) == LINEFILTER_REDIS_KNOWN);
static_assert(static_cast<int>(RedisInsert::kNew) == LINEFILTER_REDIS_NEW);
static_assert(static_cast<int>(RedisInsert::kFailed) == LINEFILTER_REDIS_FAILED);
static_assert(static_cast<int>(RedisRemove::kAbsent) == LINEFILTER_REDIS_WAS_ABSENT);
static_assert(static_cast<int>(RedisRemove::kRemoved) == LINEFILTER_REDIS_REMOVED);
static_assert(static_cast<int>(RedisRemove::kFailed) == LINEFILTER_REDIS_NOT_REMOVED);
static_assert(static_cast<int>(RedisRemove::kUnknown) == LINEFILTER_REDIS_UNKNOWN);
static_assert(sizeof(RedisInsert) == 1 && sizeof(RedisRemove) == 1);

// Calls `use` with the hashes of n keys.
template <class Keys, class Use>
Status WithHashes(const RedisFilter& filter, const Keys& keys, size_t n, const Use& use) noexcept {
  const Status takes_keys = filter.KeyStatus();
  if (!takes_keys.ok()) return takes_keys;
  constexpr size_t kMost = PTRDIFF_MAX / sizeof(uint64_t);  // of more, new throws whatever it is told
  const std::unique_ptr<uint64_t[]> hashes(n > kMost ? nullptr : new (std::nothrow) uint64_t[n]);
  if (hashes == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "no memory for the hashes of the keys: ask fewer at once");
  }
  for (size_t i = 0; i < n; ++i) hashes[i] = filter.HashOf(keys[i]);
  return use(hashes.get());
}

template <class Ask>
linefilter_code AskOne(linefilter_redis* filter, bool* maybe, linefilter_status* status, const Ask& ask) noexcept {
  bool answer = true;
  const Status asked = filter == nullptr ? NoFilter() : ask(&filter->filter, &answer);
  if (maybe != nullptr) *maybe = answer;
  return Tell(asked, status);
}

template <class Keys>
linefilter_code AskKeys(linefilter_redis* filter, const Keys& keys, size_t n, uint8_t* answers, uint8_t* answered,
                        linefilter_status* status) noexcept {
  std::fill_n(answers, n, uint8_t{1});
  if (answered != nullptr) std::fill_n(answered, n, uint8_t{0});
  if (filter == nullptr) return Tell(NoFilter(), status);
  RedisFilter& of = filter->filter;
  const auto ask = [&](const uint64_t* hashes) { return of.MayContainHashes(hashes, n, answers, answered); };
  return Tell(WithHashes(of, keys, n, ask), status);
}

// `change` inserts or removes one key, and sets the outcome; `failed` is what that is before.
template <class Outcome, class Change>
linefilter_code ChangeOne(linefilter_redis* filter, Outcome failed, uint8_t* outcome, linefilter_status* status,
                          const Change& change) noexcept {
  const Status changed = filter == nullptr ? NoFilter() : change(&filter->filter, &failed);
  if (outcome != nullptr) *outcome = static_cast<uint8_t>(failed);
  return Tell(changed, status);
}

RedisInsert* InsertsOf(uint8_t* outcomes) noexcept { return reinterpret_cast<RedisInsert*>(outcomes); }

template <class Keys>
linefilter_code InsertKeys(linefilter_redis* filter, const Keys& keys, size_t n, uint8_t* outcomes,
                           linefilter_status* status) noexcept {
  if (outcomes != nullptr) std::fill_n(outcomes, n, uint8_t{LINEFILTER_REDIS_FAILED});
  if (filter == nullptr) return Tell(NoFilter(), status);
  RedisFilter& of = filter->filter;
  const auto insert = [&](const uint64_t* hashes) { return of.InsertHashes(hashes, n, InsertsOf(outcomes)); };
  return Tell(WithHashes(of, keys, n, insert), status);
}

}  // namespace

linefilter_code linefilter_redis_may_contain_key(linefilter_redis* filter, const void* key, size_t size, bool* maybe,
                                                 linefilter_status* status) {
  return AskOne(filter, maybe, status,
                [&](RedisFilter* of, bool* answer) { return of->MayContainKey(KeyFromC(key, size), answer); });
}

linefilter_code linefilter_redis_may_contain_u64(linefilter_redis* filter, uint64_t key, bool* maybe,
                                                 linefilter_status* status) {
  return AskOne(filter, maybe, status, [&](RedisFilter* of, bool* answer) { return of->MayContainKey(key, answer); });
}

linefilter_code linefilter_redis_may_contain_hash(linefilter_redis* filter, uint64_t hash, bool* maybe,
                                                  linefilter_status* status) {
  return AskOne(filter, maybe, status, [&](RedisFilter* of, bool* answer) { return of->MayContainHash(hash, answer); });
}

linefilter_code linefilter_redis_may_contain_keys(linefilter_redis* filter, const void* const* keys,
                                                  const size_t* sizes, size_t n, uint8_t* answers, uint8_t* answered,
                                                  linefilter_status* status) {
  return AskKeys(filter, BytesKeys{keys, sizes}, n, answers, answered, status);
}

linefilter_code linefilter_redis_may_contain_u64s(linefilter_redis* filter, const uint64_t* keys, size_t n,
                                                  uint8_t* answers, uint8_t* answered, linefilter_status* status) {
  return AskKeys(filter, keys, n, answers, answered, status);
}

linefilter_code linefilter_redis_may_contain_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                                    uint8_t* answers, uint8_t* answered, linefilter_status* status) {
  if (filter != nullptr) return Tell(filter->filter.MayContainHashes(hashes, n, answers, answered), status);
  std::fill_n(answers, n, uint8_t{1});
  if (answered != nullptr) std::fill_n(answered, n, uint8_t{0});
  return Tell(NoFilter(), status);
}

linefilter_code linefilter_redis_insert_key(linefilter_redis* filter, const void* key, size_t size, uint8_t* outcome,
                                            linefilter_status* status) {
  return ChangeOne(filter, RedisInsert::kFailed, outcome, status,
                   [&](RedisFilter* of, RedisInsert* told) { return of->InsertKey(KeyFromC(key, size), told); });
}

linefilter_code linefilter_redis_insert_u64(linefilter_redis* filter, uint64_t key, uint8_t* outcome,
                                            linefilter_status* status) {
  return ChangeOne(filter, RedisInsert::kFailed, outcome, status,
                   [&](RedisFilter* of, RedisInsert* told) { return of->InsertKey(key, told); });
}

linefilter_code linefilter_redis_insert_hash(linefilter_redis* filter, uint64_t hash, uint8_t* outcome,
                                             linefilter_status* status) {
  return ChangeOne(filter, RedisInsert::kFailed, outcome, status,
                   [&](RedisFilter* of, RedisInsert* told) { return of->InsertHash(hash, told); });
}

linefilter_code linefilter_redis_insert_keys(linefilter_redis* filter, const void* const* keys, const size_t* sizes,
                                             size_t n, uint8_t* outcomes, linefilter_status* status) {
  return InsertKeys(filter, BytesKeys{keys, sizes}, n, outcomes, status);
}

linefilter_code linefilter_redis_insert_u64s(linefilter_redis* filter, const uint64_t* keys, size_t n,
                                             uint8_t* outcomes, linefilter_status* status) {
  return InsertKeys(filter, keys, n, outcomes, status);
}

linefilter_code linefilter_redis_insert_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                               uint8_t* outcomes, linefilter_status* status) {
  if (filter != nullptr) return Tell(filter->filter.InsertHashes(hashes, n, InsertsOf(outcomes)), status);
  if (outcomes != nullptr) std::fill_n(outcomes, n, uint8_t{LINEFILTER_REDIS_FAILED});
  return Tell(NoFilter(), status);
}

linefilter_code linefilter_redis_remove_key(linefilter_redis* filter, const void* key, size_t size, uint64_t generation,
                                            uint8_t* outcome, linefilter_status* status) {
  return ChangeOne(filter, RedisRemove::kFailed, outcome, status, [&](RedisFilter* of, RedisRemove* told) {
    return of->RemoveKey(KeyFromC(key, size), told, generation);
  });
}

linefilter_code linefilter_redis_remove_u64(linefilter_redis* filter, uint64_t key, uint64_t generation,
                                            uint8_t* outcome, linefilter_status* status) {
  return ChangeOne(filter, RedisRemove::kFailed, outcome, status,
                   [&](RedisFilter* of, RedisRemove* told) { return of->RemoveKey(key, told, generation); });
}

linefilter_code linefilter_redis_remove_hash(linefilter_redis* filter, uint64_t hash, uint64_t generation,
                                             uint8_t* outcome, linefilter_status* status) {
  return ChangeOne(filter, RedisRemove::kFailed, outcome, status,
                   [&](RedisFilter* of, RedisRemove* told) { return of->RemoveHash(hash, told, generation); });
}

linefilter_code linefilter_redis_remove_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                               uint64_t generation, uint8_t* outcomes, linefilter_status* status) {
  if (filter == nullptr) {
    if (outcomes != nullptr) std::fill_n(outcomes, n, uint8_t{LINEFILTER_REDIS_NOT_REMOVED});
    return Tell(NoFilter(), status);
  }
  RedisRemove* const told = reinterpret_cast<RedisRemove*>(outcomes);
  return Tell(filter->filter.RemoveHashes(hashes, n, told, generation), status);
}
