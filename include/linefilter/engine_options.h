// What the filters of a storage engine should be: shared by leveldb.h and rocksdb.h.
#ifndef LINEFILTER_ENGINE_OPTIONS_H_
#define LINEFILTER_ENGINE_OPTIONS_H_

#include "linefilter/layout.h"

namespace linefilter {

// One density or rate for all filters of a policy, and how they are made.
struct EngineFilterOptions {
  // Exactly one is set. bits_per_key is 1..64. fpr, above 0 and below 1, is the highest acceptable false-positive rate
  // of filters of any number of keys up to 2^32. The policy turns it into one density when it is made. The least is
  // 2.4e-10 (kAuto, kClassic), because some of so many keys agree with an absent one in their whole hash.
  double bits_per_key = 0;
  double fpr = 0;
  // kAuto is `blocked`, or `classic` for the few dozen keys of a LevelDB filter. kRetrieval has a sixth of the false
  // positives at the same size and is slower to build. It is for 45 keys per filter and more: fewer pay for whole
  // blocks of 64 bytes.
  Layout layout = Layout::kAuto;
  // Filters are verified before they answer "absent" (leveldb.h and rocksdb.h say when, and what it costs). Unset this
  // only where the engine's own checksum finds damage first: a damaged filter may answer "absent" for a key that is
  // there.
  bool verify = true;
};

}  // namespace linefilter

#endif  // LINEFILTER_ENGINE_OPTIONS_H_
