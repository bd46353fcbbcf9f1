// What tests of building share: an image from hashes or of a filter, and a sink that can refuse.
#ifndef LINEFILTER_TESTS_TESTING_BUILDING_H_
#define LINEFILTER_TESTS_TESTING_BUILDING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"

namespace linefilter::test {

inline std::string Finish(FilterBuilder* builder) {
  std::string image;
  const Status status = builder->Finish(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

inline std::string Build(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  return Finish(&builder);
}

template <class Filter>
std::string ImageOf(const Filter& filter) {
  std::string image;
  const Status status = filter.AppendImage(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

// A sink that keeps what it gets, and refuses from some byte on.
template <class Bytes>
struct CollectorOf {
  Bytes bytes;
  size_t largest_piece = 0, refuse_from = ~size_t{0};

  static bool Write(void* context, const void* data, size_t size) noexcept {
    auto* self = static_cast<CollectorOf*>(context);
    EXPECT_LE(size, size_t{1} << 20) << "pieces of at most 1 MiB";
    if (self->bytes.size() + size > self->refuse_from) return false;
    const auto* const from = static_cast<const typename Bytes::value_type*>(data);
    self->bytes.insert(self->bytes.end(), from, from + size);
    self->largest_piece = std::max(self->largest_piece, size);
    return true;
  }
  Sink sink() { return Sink{&Write, this}; }
};
using Collector = CollectorOf<std::string>;

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_BUILDING_H_
