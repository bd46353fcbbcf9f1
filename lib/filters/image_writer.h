// From a finished body to its image: which optional fields it gets, and the way through a sink.
#ifndef LINEFILTER_LIB_FILTERS_IMAGE_WRITER_H_
#define LINEFILTER_LIB_FILTERS_IMAGE_WRITER_H_

#include <cstdint>

#include "lib/format/trailer.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// num_keys: null if nobody counted. A body of at most 4 KiB does not record it: a tiny image has
// the fixed trailer only.
Trailer MakeTrailer(Layout layout, uint64_t body_bytes, uint32_t num_probes, HashId hash_id, uint64_t seed,
                    const uint64_t* num_keys);

Status WriteToSink(const Trailer& trailer, const uint8_t* body, const Allocator& allocator, const Sink& sink);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_IMAGE_WRITER_H_
