// What tests of building share: an image from hashes, and a sink that can refuse.
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

inline std::string Build(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  std::string image;
  const Status status = builder.Finish(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

// A sink that keeps what it gets, and refuses from some byte on.
struct Collector {
  std::string bytes;
  size_t largest_piece = 0, refuse_from = ~size_t{0};

  static bool Write(void* context, const void* data, size_t size) noexcept {
    auto* self = static_cast<Collector*>(context);
    if (self->bytes.size() + size > self->refuse_from) return false;
    self->bytes.append(static_cast<const char*>(data), size);
    self->largest_piece = std::max(self->largest_piece, size);
    return true;
  }
  Sink sink() { return Sink{&Write, this}; }
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_BUILDING_H_
