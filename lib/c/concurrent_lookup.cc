// This asks a linefilter_concurrent, also about itself. NULL acts like a broken one.
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/filters/hash_keys.h"

using linefilter::FilterView;
using linefilter::internal::BytesKeys;
using linefilter::internal::KeyFromC;
using linefilter::internal::NoHandle;
using linefilter::internal::ToC;

bool linefilter_concurrent_may_contain_key(const linefilter_concurrent* filter, const void* key, size_t size) {
  return filter == nullptr || filter->filter.MayContainKey(KeyFromC(key, size));
}

bool linefilter_concurrent_may_contain_u64(const linefilter_concurrent* filter, uint64_t key) {
  return filter == nullptr || filter->filter.MayContainKey(key);
}

bool linefilter_concurrent_may_contain_hash(const linefilter_concurrent* filter, uint64_t hash) {
  return filter == nullptr || filter->filter.MayContainHash(hash);
}

void linefilter_concurrent_may_contain_keys(const linefilter_concurrent* filter, const void* const* keys,
                                            const size_t* sizes, size_t n, uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  linefilter::internal::HashAndAsk(filter->filter, BytesKeys{keys, sizes}, n, answers);
}

void linefilter_concurrent_may_contain_u64s(const linefilter_concurrent* filter, const uint64_t* keys, size_t n,
                                            uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  filter->filter.MayContainKeys(keys, n, answers);
}

void linefilter_concurrent_may_contain_hashes(const linefilter_concurrent* filter, const uint64_t* hashes, size_t n,
                                              uint8_t* answers) {
  if (filter == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  filter->filter.MayContainHashes(hashes, n, answers);
}

void linefilter_concurrent_may_contain_hashes_to_bits(const linefilter_concurrent* filter, const uint64_t* hashes,
                                                      size_t n, uint8_t* bits) {
  if (filter == nullptr) return FilterView().MayContainHashesToBits(nullptr, n, bits);
  filter->filter.MayContainHashesToBits(hashes, n, bits);
}

uint64_t linefilter_concurrent_count_maybes(const linefilter_concurrent* filter, const uint64_t* hashes, size_t n) {
  return filter == nullptr ? n : filter->filter.CountMaybes(hashes, n);
}

void linefilter_concurrent_prepare_hash(const linefilter_concurrent* filter, uint64_t hash) {
  if (filter != nullptr) (void)filter->filter.Prepare(hash);
}

linefilter_code linefilter_concurrent_key_status(const linefilter_concurrent* filter, linefilter_status* status) {
  return ToC(filter == nullptr ? NoHandle("filter") : filter->filter.KeyStatus(), status);
}

linefilter_layout linefilter_concurrent_layout(const linefilter_concurrent* filter) {
  return filter == nullptr ? LINEFILTER_LAYOUT_AUTO : static_cast<linefilter_layout>(filter->filter.layout());
}

linefilter_hash_id linefilter_concurrent_hash_id(const linefilter_concurrent* filter) {
  return filter == nullptr ? LINEFILTER_HASH_CALLER : static_cast<linefilter_hash_id>(filter->filter.hash_id());
}

uint64_t linefilter_concurrent_seed(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.seed();
}

uint32_t linefilter_concurrent_num_probes(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.num_probes();
}

uint64_t linefilter_concurrent_num_blocks(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.num_blocks();
}

uint64_t linefilter_concurrent_body_bytes(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.body_bytes();
}

const char* linefilter_concurrent_target(const linefilter_concurrent* filter) {
  return filter == nullptr ? FilterView().target() : filter->filter.target();
}

double linefilter_concurrent_fill_ratio(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.FillRatio();
}

double linefilter_concurrent_estimated_keys(const linefilter_concurrent* filter) {
  return filter == nullptr ? 0 : filter->filter.EstimatedKeys();
}
