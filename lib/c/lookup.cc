// Each question is one call of the C++ object; for NULL it is "maybe".
#include "lib/c/handles.h"
#include "lib/c/key_batches.h"
#include "lib/filters/hash_keys.h"

using linefilter::FilterView;
using linefilter::internal::BytesKeys;
using linefilter::internal::KeyFromC;
using linefilter::internal::NoHandle;
using linefilter::internal::ToC;

bool linefilter_view_may_contain_key(const linefilter_view* view, const void* key, size_t size) {
  return view == nullptr || view->asked->MayContainKey(KeyFromC(key, size));
}

bool linefilter_view_may_contain_u64(const linefilter_view* view, uint64_t key) {
  return view == nullptr || view->asked->MayContainKey(key);
}

bool linefilter_view_may_contain_hash(const linefilter_view* view, uint64_t hash) {
  return view == nullptr || view->asked->MayContainHash(hash);
}

void linefilter_view_prepare_hash(const linefilter_view* view, uint64_t hash) {
  if (view != nullptr) (void)view->asked->Prepare(hash);
}

void linefilter_view_may_contain_keys(const linefilter_view* view, const void* const* keys, const size_t* sizes,
                                      size_t n, uint8_t* answers) {
  if (view == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  linefilter::internal::HashAndAsk(*view->asked, BytesKeys{keys, sizes}, n, answers);
}

void linefilter_view_may_contain_u64s(const linefilter_view* view, const uint64_t* keys, size_t n, uint8_t* answers) {
  if (view == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  view->asked->MayContainKeys(keys, n, answers);
}

void linefilter_view_may_contain_hashes(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                        uint8_t* answers) {
  if (view == nullptr) return FilterView().MayContainHashes(nullptr, n, answers);
  view->asked->MayContainHashes(hashes, n, answers);
}

void linefilter_view_may_contain_hashes_to_bits(const linefilter_view* view, const uint64_t* hashes, size_t n,
                                                uint8_t* bits) {
  if (view == nullptr) return FilterView().MayContainHashesToBits(nullptr, n, bits);
  view->asked->MayContainHashesToBits(hashes, n, bits);
}

uint64_t linefilter_view_count_maybes(const linefilter_view* view, const uint64_t* hashes, size_t n) {
  return view == nullptr ? n : view->asked->CountMaybes(hashes, n);
}

size_t linefilter_views_may_contain_hash(const linefilter_view* const* views, size_t num_views, uint64_t hash,
                                         uint8_t* answers) {
  for (size_t i = 0; i < num_views; ++i) linefilter_view_prepare_hash(views[i], hash);
  size_t maybes = 0;
  for (size_t i = 0; i < num_views; ++i) {
    maybes += answers[i] = linefilter_view_may_contain_hash(views[i], hash);
  }
  return maybes;
}

linefilter_code linefilter_view_key_status(const linefilter_view* view, linefilter_status* status) {
  return ToC(view == nullptr ? NoHandle("view") : view->asked->KeyStatus(), status);
}

bool linefilter_image_may_contain_key(const void* image, size_t size, const void* key, size_t key_size) {
  return linefilter::ImageMayContainKey(image, size, KeyFromC(key, key_size));
}

bool linefilter_trusted_image_may_contain_key(const void* image, size_t size, const void* key, size_t key_size) {
  return linefilter::TrustedImageMayContainKey(image, size, KeyFromC(key, key_size));
}
