// This asks a linefilter_rotating, also about itself. NULL acts like a filter that was never made.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/filters/hash_keys.h"

using linefilter::FilterView;
using linefilter::RotatingFilter;
using linefilter::internal::BytesKeys;
using linefilter::internal::KeyFromC;
using linefilter::internal::NoHandle;
using linefilter::internal::ToC;

bool linefilter_rotating_may_contain_key(const linefilter_rotating* filter, const void* key, size_t size) {
  return filter == nullptr || filter->filter.MayContainKey(KeyFromC(key, size));
}

bool linefilter_rotating_may_contain_u64(const linefilter_rotating* filter, uint64_t key) {
  return filter == nullptr || filter->filter.MayContainKey(key);
}

bool linefilter_rotating_may_contain_hash(const linefilter_rotating* filter, uint64_t hash) {
  return filter == nullptr || filter->filter.MayContainHash(hash);
}

void linefilter_rotating_may_contain_keys(const linefilter_rotating* filter, const void* const* keys,
                                          const size_t* sizes, size_t n, uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  linefilter::internal::HashAndAsk(filter->filter, BytesKeys{keys, sizes}, n, answers);
}

void linefilter_rotating_may_contain_u64s(const linefilter_rotating* filter, const uint64_t* keys, size_t n,
                                          uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  filter->filter.MayContainKeys(keys, n, answers);
}

void linefilter_rotating_may_contain_hashes(const linefilter_rotating* filter, const uint64_t* hashes, size_t n,
                                            uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  filter->filter.MayContainHashes(hashes, n, answers);
}

void linefilter_rotating_may_contain_hashes_to_bits(const linefilter_rotating* filter, const uint64_t* hashes, size_t n,
                                                    uint8_t* bits) {
  if (filter == nullptr) return FilterView().MayContainHashesToBits(nullptr, n, bits);
  filter->filter.MayContainHashesToBits(hashes, n, bits);
}

uint64_t linefilter_rotating_count_maybes(const linefilter_rotating* filter, const uint64_t* hashes, size_t n) {
  return filter == nullptr ? n : filter->filter.CountMaybes(hashes, n);
}

linefilter_code linefilter_rotating_key_status(const linefilter_rotating* filter, linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->filter.KeyStatus(), status);
}

uint64_t linefilter_rotating_generation(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.generation();
}

linefilter_hash_id linefilter_rotating_hash_id(const linefilter_rotating* filter) {
  return filter == nullptr ? LINEFILTER_HASH_CALLER : static_cast<linefilter_hash_id>(filter->filter.hash_id());
}

uint64_t linefilter_rotating_seed(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.seed();
}

uint32_t linefilter_rotating_num_generations(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.num_generations();
}

uint64_t linefilter_rotating_keys_per_generation(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.keys_per_generation();
}

linefilter_rotation linefilter_rotating_rotation(const linefilter_rotating* filter) {
  return filter == nullptr ? LINEFILTER_ROTATE_BY_CALLER : static_cast<linefilter_rotation>(filter->filter.rotation());
}

uint32_t linefilter_rotating_num_probes(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.num_probes();
}

uint64_t linefilter_rotating_body_bytes(const linefilter_rotating* filter) {
  return filter == nullptr ? 0 : filter->filter.body_bytes();
}

const char* linefilter_rotating_target(const linefilter_rotating* filter) {
  return filter == nullptr ? FilterView().target() : filter->filter.target();
}

double linefilter_rotating_fill_ratio(const linefilter_rotating* filter, uint32_t age) {
  return filter == nullptr ? 0 : filter->filter.FillRatio(age);
}

double linefilter_rotating_estimated_keys(const linefilter_rotating* filter, uint32_t age) {
  return filter == nullptr ? 0 : filter->filter.EstimatedKeys(age);
}

double linefilter_rotating_expected_fpr(const linefilter_rotating* filter) {
  return filter == nullptr ? 1 : filter->filter.ExpectedFpr();
}
