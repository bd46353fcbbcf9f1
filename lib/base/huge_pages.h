// This joins pages that are there already to huge ones, in memory of anybody.
#ifndef LINEFILTER_LIB_BASE_HUGE_PAGES_H_
#define LINEFILTER_LIB_BASE_HUGE_PAGES_H_

#include <cstddef>

#include "linefilter/internal/huge_pages.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Joins all huge pages within these bytes, before it returns. FilterView::AdviseHugePages says what it answers.
Status JoinHugePages(const void* memory, size_t size) noexcept;

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_HUGE_PAGES_H_
