// As much of LevelDB as a policy needs, to be compiled with RTTI or without.
#include "leveldb/filter_policy.h"

namespace leveldb {
FilterPolicy::~FilterPolicy() = default;
}  // namespace leveldb
