// Keys go into a filter, of any kind, and out of a plain one. For NULL nothing is new.
#include <cstring>

#include "lib/c/handles.h"
#include "lib/filters/hash_keys.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// Answers if none of n keys is taken or given back.
uint64_t Nothing(size_t n, uint8_t* answers) {
  if (answers != nullptr && n != 0) memset(answers, 0, n);
  return 0;
}

// Calls change(hashes, n, answers) for all keys, hashed in groups that stay in the L1; returns the sum of what it
// returns.
template <class Keys, class Change>
uint64_t InGroups(const KeyHash& key_hash, const Keys& keys, size_t n, uint8_t* answers, const Change& change) {
  uint64_t count = 0;
  const bool hashed = HashInGroups(key_hash, keys, n, [&](const uint64_t* hashes, size_t begin, size_t size) {
    count += change(hashes, size, answers == nullptr ? nullptr : answers + begin);
  });
  return hashed ? count : Nothing(n, answers);
}

template <class Keys>
uint64_t InsertKeys(linefilter_filter* filter, const Keys& keys, size_t n, uint8_t* were_new) {
  if (filter == nullptr) return Nothing(n, were_new);
  KeyFilter* const to = filter->keys;
  return InGroups(to->key_hash(), keys, n, were_new, [to](const uint64_t* hashes, size_t size, uint8_t* answers) {
    return to->InsertHashes(hashes, size, answers);
  });
}

template <class Keys>
uint64_t RemoveKeys(linefilter_filter* filter, const Keys& keys, size_t n, uint8_t* were_removed) {
  Filter* const from = As<Filter>(filter);
  if (from == nullptr) return Nothing(n, were_removed);
  return InGroups(from->key_hash(), keys, n, were_removed,
                  [from](const uint64_t* hashes, size_t size, uint8_t* answers) {
                    return from->RemoveHashes(hashes, size, answers);
                  });
}

}  // namespace

bool linefilter_filter_insert_key(linefilter_filter* filter, const void* key, size_t size) {
  return filter != nullptr && filter->keys->InsertKey(KeyFromC(key, size));
}

bool linefilter_filter_insert_u64(linefilter_filter* filter, uint64_t key) {
  return filter != nullptr && filter->keys->InsertKey(key);
}

bool linefilter_filter_insert_hash(linefilter_filter* filter, uint64_t hash) {
  return filter != nullptr && filter->keys->InsertHash(hash);
}

uint64_t linefilter_filter_insert_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_new) {
  return InsertKeys(filter, BytesKeys{keys, sizes}, n, were_new);
}

uint64_t linefilter_filter_insert_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n, uint8_t* were_new) {
  return InsertKeys(filter, keys, n, were_new);
}

uint64_t linefilter_filter_insert_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_new) {
  return filter == nullptr ? Nothing(n, were_new) : filter->keys->InsertHashes(hashes, n, were_new);
}

void linefilter_filter_note_key_kind(linefilter_filter* filter, linefilter_key_kind kind) {
  if (filter != nullptr) filter->keys->NoteKeyKind(KeyKindFromC(kind));
}

bool linefilter_filter_remove_key(linefilter_filter* filter, const void* key, size_t size) {
  Filter* const from = As<Filter>(filter);
  return from != nullptr && from->RemoveKey(KeyFromC(key, size));
}

bool linefilter_filter_remove_u64(linefilter_filter* filter, uint64_t key) {
  Filter* const from = As<Filter>(filter);
  return from != nullptr && from->RemoveKey(key);
}

bool linefilter_filter_remove_hash(linefilter_filter* filter, uint64_t hash) {
  Filter* const from = As<Filter>(filter);
  return from != nullptr && from->RemoveHash(hash);
}

uint64_t linefilter_filter_remove_keys(linefilter_filter* filter, const void* const* keys, const size_t* sizes,
                                       size_t n, uint8_t* were_removed) {
  return RemoveKeys(filter, BytesKeys{keys, sizes}, n, were_removed);
}

uint64_t linefilter_filter_remove_u64s(linefilter_filter* filter, const uint64_t* keys, size_t n,
                                       uint8_t* were_removed) {
  return RemoveKeys(filter, keys, n, were_removed);
}

uint64_t linefilter_filter_remove_hashes(linefilter_filter* filter, const uint64_t* hashes, size_t n,
                                         uint8_t* were_removed) {
  Filter* const from = As<Filter>(filter);
  return from == nullptr ? Nothing(n, were_removed) : from->RemoveHashes(hashes, n, were_removed);
}
