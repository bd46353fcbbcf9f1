// This brings the bytes of an image into shards. No command that comes late, or twice, may undo what others did since.
// So every piece is written by a script that looks whether the string still waits for it (doc/REDIS.md section 6).
//
// Everything here may throw std::bad_alloc.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_UPLOAD_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_UPLOAD_H_

#include <cstddef>
#include <cstdint>

#include "lib/adapters/redis/calls/filter_record.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace linefilter::redis_internal {

// The bytes to upload: the view's body; for an empty set, which has none, that of the least size.
const uint8_t* BodyOf(const FilterView& view);

// kIncompatible unless the image's hash and seed (for a keyed hash the check of the secret) are those of the filter.
Status CheckHash(const FilterRecord& record, const FilterView& view);
// Checks the same, and the shape of the generation, whose layout must take an OR. (An empty set fits each shape.)
Status CheckUnitable(const FilterRecord& record, const Shards& shards, const FilterView& view);

// Writes the body into the shards of a generation that no record names yet, whose marks have kFilledVersion.
Status FillShards(FilterRecord* record, const Shards& shards, const uint8_t* body);
// Makes the shards of a generation that no record names yet, writes the body, or leaves them empty if it is null, and
// gives them marks of `version`. They have a day to live (AllocateShards). On an error they are dropped.
Status MakeShards(FilterRecord* record, const Generation& generation, const uint8_t* body, uint64_t version);

// ORs the body into the shards of a generation that serves, or will: `blocked` and `classic`, of the same shape. It is
// kIncompatible if the header record changed before the last of them: a generation may have begun, and lack the keys.
// For an empty set there is nothing to do.
Status UniteShards(FilterRecord* record, const Shards& shards, const FilterView& view);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_UPLOAD_H_
