// How the rate of a multiset rises while its keys are replaced (turnovers.cc).
#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_TURNOVERS_H_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_TURNOVERS_H_

#include <cstdint>

namespace linefilter::internal {

// This is SizingModel::growth_by_turnovers.
double GrowthByTurnovers(double bits_per_key, uint32_t turnovers);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_TURNOVERS_H_
