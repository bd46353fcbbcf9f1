// The constants of the layout `retrieval` (doc/FORMAT.md section 8), for those who build a block and those who ask it.
#ifndef LINEFILTER_INTERNAL_RETRIEVAL_CONSTANTS_H_
#define LINEFILTER_INTERNAL_RETRIEVAL_CONSTANTS_H_

#include <cstdint>

namespace linefilter::internal {

// C is the first eight words of pi's fraction, odd and between 2^30 and 2^31, so that bit 63 of a product stays 0.
alignas(64) inline constexpr uint64_t kRowMultipliers[8] = {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345,
                                                            0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89};
inline constexpr uint64_t kFingerprintMultiplier = 0x9E3779B97F4A7C15u;

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_RETRIEVAL_CONSTANTS_H_
