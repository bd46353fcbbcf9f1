// The model of a layout: its expected false-positive rate as a function of keys, bytes and probes. One entry per layout
// in sizing.cc; all else (best num_probes, inverses, limits) is derived there or from it.
#ifndef LINEFILTER_LIB_LAYOUTS_SIZING_MODEL_H_
#define LINEFILTER_LIB_LAYOUTS_SIZING_MODEL_H_

#include <cstdint>

#include "linefilter/layout.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {

struct Model {
  Layout layout;
  uint32_t min_num_probes, max_num_probes;  // both 0: the layout has no probes to choose
  uint64_t unit_bytes;                      // a body is a multiple of it
  uint64_t min_bytes;                       // of a body that is not empty
  uint64_t max_bytes;
  // Of num_keys >= 1 keys in a valid body.
  double (*expected_fpr)(uint64_t num_keys, uint64_t body_bytes, uint32_t num_probes);
  // In the limit of large sets; where uses_whole_hash, without EqualHashFpr, which grows with the set.
  double (*limit_fpr)(double bits_per_key, uint32_t num_probes);
  // Where the best num_probes is looked for: downhill from here; or, of the textbook, here and one above.
  uint32_t (*num_probes)(double bits_per_key);
  bool of_the_textbook;
  // What tells two keys apart is the whole hash. In layouts of blocks it is the block and the in-block hash; that two
  // keys agree in these is in both rates.
  bool uses_whole_hash;
};

extern const Model kBlockedModel;
extern const Model kClassicModel;
extern const Model kRetrievalModel;
extern const Model kCountingModel;

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_SIZING_MODEL_H_
