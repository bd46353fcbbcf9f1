// This checks FilterOptions and turns them into a size.
#ifndef LINEFILTER_LIB_LAYOUTS_OPTIONS_H_
#define LINEFILTER_LIB_LAYOUTS_OPTIONS_H_

#include <cstdint>

#include "linefilter/layout.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Checks all that can be checked without the number of keys. `layout` overrides that of the options.
Status CheckOptions(Layout layout, const FilterOptions& options);
// The same for what is made at once, which goes by the layout and the number of keys of the options.
Status CheckOptionsToBuild(const FilterOptions& options);

// Whether each insertion counts in what these options make, because a key that came twice is to be removed twice.
bool KeepsRepeats(const FilterOptions& options);

// This is for filters that are always `blocked`; `what` begins the sentence, like "a rotating filter has".
Status CheckLayoutIsBlocked(const FilterOptions& options, const char* what);

// Finds a secret that was forgotten, and one that would be ignored.
Status CheckSecret(const FilterOptions& options);

// Makes the size for num_keys keys; for no keys, body_bytes is 0.
Status SizeForOptions(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing);
// The same without expected_fpr, which takes a hundred times as long as all else and nothing that is made depends on.
Status ShapeForOptions(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing);
// That expected_fpr.
inline double ExpectedFprOf(const Sizing& sizing, uint32_t turnovers = 0) {
  return ExpectedFprAfter(turnovers, sizing.layout, sizing.num_keys, sizing.body_bytes, sizing.num_probes);
}

// What FilterOptions ask for beyond a set.
struct Removal {
  bool removable = false;
  uint32_t turnovers = 0;  // the fpr is that after so many
};
// This is SizeForBitsPerKey without expected_fpr (sizing.cc).
Status ShapeForBitsPerKey(Layout layout, uint64_t num_keys, double bits_per_key, const Removal& removal,
                          Sizing* sizing);
// This is SizeForFpr; expected_fpr is then that after the turnovers.
Status SizeForFpr(Layout layout, uint64_t num_keys, double fpr, const Removal& removal, Sizing* sizing);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_OPTIONS_H_
