// This converts between the types of C and those of C++.
#ifndef LINEFILTER_LIB_C_CONVERT_H_
#define LINEFILTER_LIB_C_CONVERT_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "lib/c/options.h"
#include "linefilter/c/sizing.h"
#include "linefilter/c/types.h"
#include "linefilter/c/view.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter::internal {

// Checks the allocator, too (options.h). Null options mean the defaults.
Status FromC(const linefilter_options* options, FilterOptions* to) noexcept;
// Does the same where there must be some options.
Status FromCNotNull(const linefilter_options* options, FilterOptions* to) noexcept;

// Sets the size, layout and hash of the options to those of `from`; the rest stays.
Status SetSize(const FilterOptions& from, linefilter_options* options) noexcept;

// kNoLayout is for what is no layout: an id that none has.
inline constexpr Layout kNoLayout = static_cast<Layout>(255);
Layout LayoutFromC(linefilter_layout layout) noexcept;
// The same for a kind of keys: what is none is kUnknown.
KeyKind KeyKindFromC(linefilter_key_kind kind) noexcept;
// What is no mode is kAuto.
VerifyMode ToVerifyMode(linefilter_verify_mode verify) noexcept;

void ToC(const Sizing& sizing, linefilter_sizing* to) noexcept;

// How C is told an estimate: *error may be null.
inline double KeysAndError(const SizeEstimate& size, double* error) noexcept {
  if (error != nullptr) *error = size.error;
  return size.keys;
}

// Calls use(views, begin, size) for groups of n keys: what is done with many at once takes an array of views.
template <class Use>
void ViewsInGroups(const BytesKeys& keys, size_t n, const Use& use) {
  constexpr size_t kGroup = 256;
  RoomForKeys<std::string_view, kGroup> views;
  for (size_t begin = 0; begin < n; begin += kGroup) {
    const size_t size = n - begin < kGroup ? n - begin : kGroup;
    for (size_t i = 0; i < size; ++i) ::new (static_cast<void*>(&views.of[i])) std::string_view(keys[begin + i]);
    use(views.of, begin, size);
  }
}

Sink FromC(linefilter_sink sink, void* context) noexcept;
Status CheckPath(const char* path) noexcept;

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_CONVERT_H_
