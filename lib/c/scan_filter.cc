// A linefilter_scan_filter holds a ScanFilter, whose bytes it keeps. For NULL all rows stay.
#include <new>
#include <type_traits>

#include "lib/c/columns.h"
#include "lib/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// What it holds. The view is null in one that was never made, and then nothing else means anything.
struct Held {
  const linefilter_view* view;
  ScanFilter scan;
};
// C copies it as bytes, and nobody destroys it.
static_assert(sizeof(Held) <= sizeof(linefilter_scan_filter) && alignof(Held) <= alignof(linefilter_scan_filter));
static_assert(std::is_trivially_destructible_v<Held> && std::is_trivially_copyable_v<Held>);

// Null without a view.
template <class OfC>
auto FromC(OfC* scan) {
  using Inside = std::conditional_t<std::is_const_v<OfC>, const Held, Held>;
  Inside* const held = reinterpret_cast<Inside*>(scan);
  return held == nullptr || held->view == nullptr ? nullptr : &held->scan;
}

template <class Row>
linefilter_code Select(linefilter_scan_filter* scan, const linefilter_column* columns, size_t num_columns,
                       const Row* rows, size_t n, Row* maybes, size_t* num_maybes, linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  if (ScanFilter* const made = FromC(scan)) return ToC(made->Select(from, rows, n, maybes, num_maybes), status);
  static_cast<void>(SelectMaybes(AskedBy(nullptr), from, rows, n, maybes, num_maybes));  // all stay
  return ToC(NoHandle(scan == nullptr ? "scan filter" : "view of the scan filter"), status);
}

}  // namespace

void linefilter_scan_filter_init(linefilter_scan_filter* scan, const linefilter_view* view, double max_passed) {
  if (scan == nullptr) return;
  *scan = {};
  ::new (static_cast<void*>(scan)) Held{view, ScanFilter(AskedBy(view), max_passed)};
}

linefilter_code linefilter_scan_filter_select(linefilter_scan_filter* scan, const linefilter_column* columns,
                                              size_t num_columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                                              size_t* num_maybes, linefilter_status* status) {
  return Select(scan, columns, num_columns, rows, n, maybes, num_maybes, status);
}

linefilter_code linefilter_scan_filter_select16(linefilter_scan_filter* scan, const linefilter_column* columns,
                                                size_t num_columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                                                size_t* num_maybes, linefilter_status* status) {
  return Select(scan, columns, num_columns, rows, n, maybes, num_maybes, status);
}

bool linefilter_scan_filter_asks(const linefilter_scan_filter* scan) {
  const ScanFilter* const made = FromC(scan);
  return made == nullptr || made->asks();
}

uint64_t linefilter_scan_filter_num_rows(const linefilter_scan_filter* scan) {
  const ScanFilter* const made = FromC(scan);
  return made == nullptr ? 0 : made->num_rows();
}

uint64_t linefilter_scan_filter_num_asked(const linefilter_scan_filter* scan) {
  const ScanFilter* const made = FromC(scan);
  return made == nullptr ? 0 : made->num_asked();
}

uint64_t linefilter_scan_filter_num_maybes(const linefilter_scan_filter* scan) {
  const ScanFilter* const made = FromC(scan);
  return made == nullptr ? 0 : made->num_maybes();
}
