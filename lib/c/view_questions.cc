// Each question is one call of the C++ object; for NULL it is "maybe".
#include "lib/c/handles.h"
#include "lib/filters/ask_many.h"
#include "lib/filters/hash_keys.h"
#include "lib/filters/serving.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

auto Each(const linefilter_view* const* views) {
  return [views](size_t i) -> const FilterBase& { return AskedBy(views[i]); };
}

// An id that does not fit into a byte is one that no filter has.
KeyHash KeyHashFromC(linefilter_hash_id hash_id, uint64_t seed) {
  constexpr linefilter_hash_id kNoHashId = 255;
  return {static_cast<HashId>(hash_id < 0 || hash_id > kNoHashId ? kNoHashId : hash_id), seed, HashSecret()};
}

}  // namespace

bool linefilter_view_may_contain_key(const linefilter_view* view, const void* key, size_t size) {
  return AskedBy(view).MayContainKey(KeyFromC(key, size));
}

bool linefilter_view_may_contain_u64(const linefilter_view* view, uint64_t key) {
  return AskedBy(view).MayContainKey(key);
}

bool linefilter_view_may_contain_hash(const linefilter_view* view, uint64_t hash) {
  return AskedBy(view).MayContainHash(hash);
}

void linefilter_view_prepare_hash(const linefilter_view* view, uint64_t hash) { AskedBy(view).Prepare(hash); }

void linefilter_view_may_contain_keys(const linefilter_view* view, const void* const* keys, const size_t* sizes,
                                      size_t n, uint8_t* answers) {
  WithServing(AskedBy(view), [&](const Serving& now) { HashAndAsk(now, BytesKeys{keys, sizes}, n, answers); });
}

void linefilter_view_may_contain_u64s(const linefilter_view* view, const uint64_t* keys, size_t n, uint8_t* answers) {
  AskedBy(view).MayContainKeys(keys, n, answers);
}

void linefilter_view_may_contain_keys_to_bits(const linefilter_view* view, const void* const* keys, const size_t* sizes,
                                              size_t n, uint8_t* bits) {
  WithServing(AskedBy(view), [&](const Serving& now) { HashAndAskToBits(now, BytesKeys{keys, sizes}, n, bits); });
}

void linefilter_view_may_contain_u64s_to_bits(const linefilter_view* view, const uint64_t* keys, size_t n,
                                              uint8_t* bits) {
  AskedBy(view).MayContainKeysToBits(keys, n, bits);
}

void linefilter_view_may_contain_hashes(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                        uint8_t* answers) {
  AskedBy(view).MayContainHashes(hashes, n, answers);
}

void linefilter_view_may_contain_hashes_to_bits(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                                uint8_t* bits) {
  AskedBy(view).MayContainHashesToBits(hashes, n, bits);
}

uint64_t linefilter_view_count_maybes(const linefilter_view* view, const uint64_t* hashes, size_t n) {
  return AskedBy(view).CountMaybes(hashes, n);
}

size_t linefilter_views_may_contain_key(const linefilter_view* const* views, size_t num_views, const void* key,
                                        size_t size, uint8_t* answers) {
  return AskManyForKey(Each(views), num_views, KeyFromC(key, size), answers);
}

size_t linefilter_views_may_contain_u64(const linefilter_view* const* views, size_t num_views, uint64_t key,
                                        uint8_t* answers) {
  return AskManyForKey(Each(views), num_views, key, answers);
}

size_t linefilter_views_may_contain_hash(const linefilter_view* const* views, size_t num_views,
                                         linefilter_hash_id hash_id, uint64_t seed, uint64_t hash, uint8_t* answers) {
  return AskManyForOne(Each(views), num_views, OneHash{KeyHashFromC(hash_id, seed), hash}, answers);
}

void linefilter_views_may_contain_keys(const linefilter_view* const* views, size_t num_views, const void* const* keys,
                                       const size_t* sizes, size_t n, uint8_t* answers) {
  const BytesKeys all{keys, sizes};
  AskManyForKeys(
      Each(views), num_views, [&](size_t i) { return all[i]; }, n, answers);
}

void linefilter_views_may_contain_u64s(const linefilter_view* const* views, size_t num_views, const uint64_t* keys,
                                       size_t n, uint8_t* answers) {
  AskManyForKeys(
      Each(views), num_views, [&](size_t i) { return keys[i]; }, n, answers);
}

void linefilter_views_may_contain_hashes(const linefilter_view* const* views, size_t num_views,
                                         linefilter_hash_id hash_id, uint64_t seed, const uint64_t* hashes, size_t n,
                                         uint8_t* answers) {
  AskManyForHashes(Each(views), num_views, KeyHashFromC(hash_id, seed), hashes, n, answers);
}

linefilter_code linefilter_view_key_status(const linefilter_view* view, linefilter_status* status) {
  return ToC(view == nullptr ? NoHandle("view") : view->asked->KeyStatus(), status);
}

bool linefilter_image_ask(const void* image, size_t size, linefilter_verify_mode verify, const void* key,
                          size_t key_size) {
  return ImageMayContainBytes(image, size, key, key_size, ToVerifyMode(verify));
}
