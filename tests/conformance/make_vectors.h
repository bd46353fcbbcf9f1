// What make_vectors.cc and make_unfit.cc share: filters without keys, and what they get.
#ifndef LINEFILTER_TESTS_CONFORMANCE_MAKE_VECTORS_H_
#define LINEFILTER_TESTS_CONFORMANCE_MAKE_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/conformance/images_file.h"
#include "tests/reference/reference.h"

namespace linefilter::test {

using reference::Bytes;
using reference::Extension;
using reference::Filter;
using reference::kBlocked;
using reference::kClassic;
using reference::kCounting;
using reference::kFlagChunks;
using reference::kFlagExtensions;
using reference::kFlagNumKeys;
using reference::kFlagSeed;
using reference::kRetrieval;

inline Filter Empty(int layout, int num_probes, size_t body_bytes) {
  Filter filter;
  filter.layout = layout;
  filter.num_probes = layout == kRetrieval ? 0 : num_probes;
  filter.body.assign(body_bytes, 0);
  return filter;
}

inline Filter WithNumKeys(Filter filter, uint64_t num_keys) {
  filter.has_num_keys = true;
  filter.num_keys = num_keys;
  return filter;
}

inline Filter WithExtensions(Filter filter, const std::vector<Extension>& extensions) {
  filter.has_extensions = true;
  filter.extensions = extensions;
  return filter;
}

// Stages of these many blocks, each full: keys key-0 ... go to the oldest first, `per_block` for each block.
Filter ContainerOf(const std::vector<size_t>& num_blocks, uint64_t per_block, bool is_counted);

// The records of images that no reader may take.
void UnfitImages(ImagesFile* file);

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_CONFORMANCE_MAKE_VECTORS_H_
