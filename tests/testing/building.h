// What tests of building share: filters, an image from hashes, of a filter by every way out, or of a body that lies
// elsewhere, and a sink that can refuse.
#ifndef LINEFILTER_TESTS_TESTING_BUILDING_H_
#define LINEFILTER_TESTS_TESTING_BUILDING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/build/bulk.h"
#include "linefilter/builder.h"
#include "linefilter/remote_body.h"
#include "tests/testing/status.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// Brings the thresholds of bulk building down, or up, for its lifetime.
class ScopedTuning {
 public:
  ScopedTuning(uint64_t min_body_bytes, uint64_t range_blocks, uint64_t fewest_of_piece = 1 << 16)
      : before_(internal::Tuning()) {
    internal::BulkTuning tuning;
    tuning.min_body_bytes = min_body_bytes;
    tuning.range_blocks = range_blocks;
    tuning.fewest_of_piece = fewest_of_piece;
    tuning.min_shared_bytes = 0;
    internal::SetTuningForTests(tuning);
  }
  ~ScopedTuning() { internal::SetTuningForTests(before_); }
  ScopedTuning(const ScopedTuning&) = delete;
  ScopedTuning& operator=(const ScopedTuning&) = delete;

 private:
  const internal::BulkTuning before_;
};

inline std::string Finish(FilterBuilder* builder) {
  std::string image;
  EXPECT_TRUE(IsOk(builder->Finish(&image)));
  return image;
}

inline std::string Build(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  return Finish(&builder);
}

// This does the same with hashes that the builder does not copy.
inline std::string BuildBorrowed(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  FilterBuilder builder(options);
  builder.BorrowHashes(hashes.data(), hashes.size());
  return Finish(&builder);
}

template <class Filter>
std::string ImageOf(const Filter& filter) {
  std::string image;
  EXPECT_TRUE(IsOk(filter.AppendImage(&image)));
  return image;
}

// A filter that Create makes of these arguments. (One that threads share does not move: it is made where it stays.)
template <class Filter, class... Arguments>
Filter Created(uint64_t num_keys, const Arguments&... arguments) {
  Filter filter;
  EXPECT_TRUE(IsOk(filter.Create(num_keys, arguments...)));
  return filter;
}

// The filter that goes on from an image: a string, or a vector of bytes.
template <class Filter, class Image>
Filter FromImage(const Image& image, const FilterOptions& options = {}) {
  Filter filter;
  EXPECT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size(), options)));
  return filter;
}

// A sink that keeps what it gets, and refuses from some byte on.
template <class Bytes>
struct CollectorOf {
  Bytes bytes;
  size_t refuse_from = ~size_t{0};

  static bool Write(void* context, const void* data, size_t size) noexcept {
    auto* self = static_cast<CollectorOf*>(context);
    EXPECT_LE(size, size_t{1} << 20) << "pieces of at most 1 MiB";
    if (self->bytes.size() + size > self->refuse_from) return false;
    const auto* const from = static_cast<const typename Bytes::value_type*>(data);
    self->bytes.insert(self->bytes.end(), from, from + size);
    return true;
  }
  Sink sink() { return Sink{&Write, this}; }
};
using Collector = CollectorOf<std::string>;

// The image that is made of facts and of a body, which comes in pieces.
template <class Bytes = std::string>
Bytes ImageOfBody(const BodyFacts& facts, const void* body, size_t piece = ~size_t{0}) {
  const size_t size = static_cast<size_t>(facts.body_bytes);
  CollectorOf<Bytes> image;
  BodyImageWriter writer;
  EXPECT_TRUE(IsOk(writer.Start(facts, image.sink())));
  for (size_t at = 0, n = 0; at < size; at += n) {
    n = std::min(piece, size - at);
    EXPECT_TRUE(IsOk(writer.Append(static_cast<const char*>(body) + at, n)));
  }
  EXPECT_TRUE(IsOk(writer.Finish()));
  EXPECT_EQ(image.bytes.size(), BodyImageBytes(facts));
  return image.bytes;
}

// The image of a filter is the same by every way out; a sink or a buffer that does not take all of it is an error.
template <class Filter>
std::string ImageByEveryWayOut(const Filter& filter) {
  std::string image = "head";
  EXPECT_TRUE(filter.AppendImage(&image).ok());
  EXPECT_EQ(image.substr(0, 4), "head");
  image.erase(0, 4);
  EXPECT_EQ(image.size(), filter.ImageBytes());
  Collector collector, full;
  EXPECT_TRUE(filter.WriteImage(collector.sink()).ok());
  EXPECT_TRUE(collector.bytes == image);
  full.refuse_from = image.size() / 5 * 4;
  EXPECT_EQ(filter.WriteImage(full.sink()).code(), StatusCode::kIoError);
  std::string buffer(image.size() + 3, 'x');
  EXPECT_EQ(filter.WriteImageTo(buffer.data(), image.size() - 1).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(buffer == std::string(image.size() + 3, 'x'));
  EXPECT_TRUE(filter.WriteImageTo(buffer.data(), buffer.size()).ok());
  EXPECT_TRUE(buffer == image + "xxx");
  const TempDir folder;
  EXPECT_TRUE(filter.Save(folder.File("image").c_str()).ok());
  EXPECT_TRUE(ReadFile(folder.File("image")) == image);
  return image;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_BUILDING_H_
