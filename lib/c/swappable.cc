// In a linefilter_swappable a handle that was handed over serves; its linefilter_view is the owner that a lease tells.
#include <new>

#include "lib/c/handles.h"

using linefilter::Allocator;
using linefilter::FilterBase;
using linefilter::Status;
using linefilter::SwappableFilter;
using linefilter::internal::FromC;
using linefilter::internal::HandleOr;
using linefilter::internal::NewHandle;
using linefilter::internal::NoHandle;
using linefilter::internal::Refused;
using linefilter::internal::ToC;

namespace {

void FreeFilter(void* view) noexcept {
  const FilterBase* const asked = static_cast<linefilter_view*>(view)->asked;
  linefilter_filter_free(static_cast<linefilter_filter*>(const_cast<FilterBase*>(asked)));
}

void FreeScalable(void* view) noexcept {
  linefilter_scalable_free(static_cast<linefilter_scalable::View*>(static_cast<linefilter_view*>(view))->whole);
}

void FreeView(void* view) noexcept { linefilter_view_free(static_cast<linefilter_view*>(view)); }

}  // namespace

linefilter_swappable* linefilter_swappable_new(const linefilter_allocator* allocator, linefilter_status* status) {
  const Allocator memory = allocator == nullptr ? Allocator() : FromC(*allocator);
  const Status checked = linefilter::internal::CheckAllocator(memory);
  if (!checked.ok()) return ToC(checked, status), nullptr;
  auto* const handle = NewHandle<linefilter_swappable>(status, memory, memory);
  return handle == nullptr ? nullptr : HandleOr(Status(), handle, status);
}

void linefilter_swappable_free(linefilter_swappable* swappable) { linefilter::internal::FreeHandle(swappable); }

linefilter_code linefilter_swappable_swap_filter(linefilter_swappable* swappable, linefilter_filter* filter,
                                                 linefilter_status* status) {
  if (swappable == nullptr) return ToC(NoHandle("swappable filter"), status);
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  return ToC(swappable->filter.Serve(filter, &FreeFilter, &filter->view), status);
}

linefilter_code linefilter_swappable_swap_scalable(linefilter_swappable* swappable, linefilter_scalable* filter,
                                                   linefilter_status* status) {
  if (swappable == nullptr) return ToC(NoHandle("swappable filter"), status);
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  linefilter_view* const view = &filter->view;
  return ToC(swappable->filter.Serve(view->asked, &FreeScalable, view), status);
}

linefilter_code linefilter_swappable_swap_view(linefilter_swappable* swappable, linefilter_view* view,
                                               linefilter_status* status) {
  if (swappable == nullptr) return ToC(NoHandle("swappable filter"), status);
  if (view == nullptr) return ToC(NoHandle("view"), status);
  if (view->image == nullptr) {
    return ToC(Refused("the view is a linefilter_filter's or linefilter_scalable's: hand over that, by "
                       "linefilter_swappable_swap_filter or linefilter_swappable_swap_scalable"),
               status);
  }
  return ToC(swappable->filter.Serve(view->asked, &FreeView, view), status);
}

linefilter_code linefilter_swappable_swap_from_file(linefilter_swappable* swappable, const char* path,
                                                    const linefilter_allocator* allocator, uint64_t memory_limit,
                                                    const uint8_t* secret, linefilter_status* status) {
  if (swappable == nullptr) return ToC(NoHandle("swappable filter"), status);
  linefilter_status loaded;
  linefilter_view* const view = linefilter_view_load(path, allocator, memory_limit, secret, &loaded);
  if (view == nullptr) {
    if (status != nullptr) *status = loaded;
    return loaded.code;
  }
  const linefilter_code code = linefilter_swappable_swap_view(swappable, view, status);
  if (code != LINEFILTER_OK) linefilter_view_free(view);
  return code;
}

void linefilter_swappable_clear(linefilter_swappable* swappable) {
  if (swappable != nullptr) swappable->filter.Clear();
}

uint64_t linefilter_swappable_num_swaps(const linefilter_swappable* swappable) {
  return swappable == nullptr ? 0 : swappable->filter.num_swaps();
}

// A lease of C++ that lies in the structure of C, which may be copied: it points nowhere into itself.
linefilter_lease linefilter_swappable_read(const linefilter_swappable* swappable) {
  using Lease = SwappableFilter::Lease;
  linefilter_lease lease = {nullptr, {nullptr, nullptr, nullptr}};
  static_assert(sizeof(Lease) == sizeof(lease.held) && alignof(Lease) <= alignof(void*));
  if (swappable == nullptr) return lease;
  const Lease* const held = new (lease.held) Lease(swappable->filter.Read());
  lease.view = static_cast<const linefilter_view*>(held->owner());
  return lease;
}

void linefilter_lease_end(linefilter_lease* lease) {
  if (lease == nullptr || lease->held[0] == nullptr) return;
  using Lease = SwappableFilter::Lease;
  std::launder(reinterpret_cast<Lease*>(lease->held))->~Lease();
  *lease = {nullptr, {nullptr, nullptr, nullptr}};
}

// The rest is a lease and one question.

namespace {

// A question ends with the block that it stands in.
class Question {
 public:
  explicit Question(const linefilter_swappable* swappable) : lease_(linefilter_swappable_read(swappable)) {}
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() { linefilter_lease_end(&lease_); }
  const linefilter_view* view() const { return lease_.view; }

 private:
  linefilter_lease lease_;
};

}  // namespace

bool linefilter_swappable_may_contain_key(const linefilter_swappable* swappable, const void* key, size_t size) {
  return linefilter_view_may_contain_key(Question(swappable).view(), key, size);
}

bool linefilter_swappable_may_contain_u64(const linefilter_swappable* swappable, uint64_t key) {
  return linefilter_view_may_contain_u64(Question(swappable).view(), key);
}

bool linefilter_swappable_may_contain_hash(const linefilter_swappable* swappable, uint64_t hash) {
  return linefilter_view_may_contain_hash(Question(swappable).view(), hash);
}

void linefilter_swappable_may_contain_keys(const linefilter_swappable* swappable, const void* const* keys,
                                           const size_t* sizes, size_t n, uint8_t* answers) {
  linefilter_view_may_contain_keys(Question(swappable).view(), keys, sizes, n, answers);
}

void linefilter_swappable_may_contain_u64s(const linefilter_swappable* swappable, const uint64_t* keys, size_t n,
                                           uint8_t* answers) {
  linefilter_view_may_contain_u64s(Question(swappable).view(), keys, n, answers);
}

void linefilter_swappable_may_contain_hashes(const linefilter_swappable* swappable, const uint64_t* hashes, size_t n,
                                             uint8_t* answers) {
  linefilter_view_may_contain_hashes(Question(swappable).view(), hashes, n, answers);
}
