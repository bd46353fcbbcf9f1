#include "linefilter/sizing.h"

#include "lib/c/convert.h"
#include "linefilter/c/sizing.h"

using namespace linefilter;
using namespace linefilter::internal;

// C++20 deprecates comparing a double with an enum.
static_assert(kMinBitsPerKey == int{LINEFILTER_MIN_BITS_PER_KEY});
static_assert(kMaxBitsPerKey == int{LINEFILTER_MAX_BITS_PER_KEY});

linefilter_code linefilter_sizing_for_bits_per_key(linefilter_layout layout, uint64_t num_keys, double bits_per_key,
                                                   linefilter_sizing* sizing, linefilter_status* status) {
  Sizing found;
  const Status sized = SizeForBitsPerKey(LayoutFromC(layout), num_keys, bits_per_key, &found);
  if (sized.ok()) ToC(found, sizing);
  return ToC(sized, status);
}

linefilter_code linefilter_sizing_for_fpr(linefilter_layout layout, uint64_t num_keys, double fpr,
                                          linefilter_sizing* sizing, linefilter_status* status) {
  Sizing found;
  const Status sized = SizeForFpr(LayoutFromC(layout), num_keys, fpr, &found);
  if (sized.ok()) ToC(found, sizing);
  return ToC(sized, status);
}

linefilter_code linefilter_sizing_for_options(uint64_t num_keys, const linefilter_options* options,
                                              linefilter_sizing* sizing, linefilter_status* status) {
  FilterOptions known;
  Sizing found;
  Status sized = FromCNotNull(options, &known);
  if (sized.ok()) sized = SizeForOptions(num_keys, known, &found);
  if (sized.ok()) ToC(found, sizing);
  return ToC(sized, status);
}

double linefilter_sizing_expected_fpr_after(uint32_t turnovers, linefilter_layout layout, uint64_t num_keys,
                                            uint64_t body_bytes, uint32_t num_probes) {
  return ExpectedFprAfter(turnovers, LayoutFromC(layout), num_keys, body_bytes, num_probes);
}

double linefilter_sizing_expected_fpr(linefilter_layout layout, uint64_t num_keys, uint64_t body_bytes,
                                      uint32_t num_probes) {
  return ExpectedFpr(LayoutFromC(layout), num_keys, body_bytes, num_probes);
}

uint64_t linefilter_sizing_max_keys(linefilter_layout layout, uint64_t body_bytes, double fpr) {
  return MaxKeysForFpr(LayoutFromC(layout), body_bytes, fpr);
}

uint32_t linefilter_layout_num_probes(linefilter_layout layout, double bits_per_key) {
  return NumProbesForBitsPerKey(LayoutFromC(layout), bits_per_key);
}

double linefilter_layout_fpr(linefilter_layout layout, double bits_per_key) {
  return FprForBitsPerKey(LayoutFromC(layout), bits_per_key);
}

double linefilter_layout_bits_per_key(linefilter_layout layout, double fpr) {
  return BitsPerKeyForFpr(LayoutFromC(layout), fpr);
}

uint32_t linefilter_layout_max_num_probes(linefilter_layout layout) {
  return FactsOf(LayoutFromC(layout)).max_num_probes;
}
