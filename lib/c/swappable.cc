// In a swappable view a handle that was handed over serves; its linefilter_view is the owner that a lease tells.
#include <new>

#include "lib/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// Null for another view, and for null.
SwappableFilter* SwappableOf(const linefilter_view* view) { return view == nullptr ? nullptr : view->swappable; }

// Why there is none.
Status NotSwappable(const linefilter_view* view) {
  if (view == nullptr) return NoHandle("swappable view");
  return Status::Error(StatusCode::kIncompatible,
                       "the view is none of linefilter_swappable_new: what it asks cannot be replaced");
}

// Frees what does not serve any more.
void FreeServed(void* view) noexcept {
  linefilter_view* const served = static_cast<linefilter_view*>(view);
  if (served->filter != nullptr) return linefilter_filter_free(served->filter);
  linefilter_view_free(served);
}

}  // namespace

linefilter_view* linefilter_swappable_new(const linefilter_allocator* allocator, linefilter_status* status) {
  const Allocator memory = allocator == nullptr ? Allocator() : FromC(*allocator);
  const Status checked = CheckAllocator(memory);
  if (!checked.ok()) return ToC(checked, status), nullptr;
  auto* const view = NewHandle<SwappableView>(status, memory, memory);
  return view == nullptr ? nullptr : HandleOr(Status(), view, status);
}

linefilter_code linefilter_swappable_swap(linefilter_view* swappable, linefilter_filter* filter,
                                          linefilter_status* status) {
  SwappableFilter* const to = SwappableOf(swappable);
  if (to == nullptr) return ToC(NotSwappable(swappable), status);
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  return ToC(to->Serve(filter->keys, &FreeServed, &filter->view), status);
}

linefilter_code linefilter_swappable_swap_view(linefilter_view* swappable, linefilter_view* view,
                                               linefilter_status* status) {
  SwappableFilter* const to = SwappableOf(swappable);
  if (to == nullptr) return ToC(NotSwappable(swappable), status);
  if (view == nullptr) return ToC(NoHandle("view"), status);
  if (view->free == nullptr || view->swappable != nullptr) {
    return ToC(
        Refused("the view was not opened: hand over a filter itself, by linefilter_swappable_swap; what is swapped "
                "cannot serve in another"),
        status);
  }
  return ToC(to->Serve(view->asked, &FreeServed, view), status);
}

linefilter_code linefilter_swappable_clear(linefilter_view* swappable, linefilter_status* status) {
  SwappableFilter* const to = SwappableOf(swappable);
  if (to == nullptr) return ToC(NotSwappable(swappable), status);
  to->Clear();
  return ToC(Status(), status);
}

uint64_t linefilter_swappable_num_swaps(const linefilter_view* swappable) {
  const SwappableFilter* const filter = SwappableOf(swappable);
  return filter == nullptr ? 0 : filter->num_swaps();
}

// A lease of C++ that lies in the structure of C, which may be copied: it points nowhere into itself.
linefilter_lease linefilter_swappable_read(const linefilter_view* swappable) {
  using Lease = SwappableFilter::Lease;
  linefilter_lease lease = {swappable, {nullptr, nullptr, nullptr}};
  static_assert(sizeof(Lease) == sizeof(lease.held) && alignof(Lease) <= alignof(void*));
  const SwappableFilter* const filter = SwappableOf(swappable);
  if (filter == nullptr) return lease;
  const Lease* const held = new (lease.held) Lease(filter->Read());
  lease.view = static_cast<const linefilter_view*>(held->owner());
  return lease;
}

void linefilter_lease_end(linefilter_lease* lease) {
  if (lease == nullptr) return;
  using Lease = SwappableFilter::Lease;
  if (lease->held[0] != nullptr) std::launder(reinterpret_cast<Lease*>(lease->held))->~Lease();
  *lease = {nullptr, {nullptr, nullptr, nullptr}};
}
