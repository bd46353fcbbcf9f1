// An image may stand anywhere: at every alignment, with nothing readable behind its last byte, answers are the same.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

struct Sample {
  reference::Bytes image;
  std::vector<uint64_t> questions;
  std::vector<uint8_t> answers;
};

Sample MakeSample(Layout layout, uint32_t num_probes, size_t body_bytes, size_t num_keys) {
  Sample sample;
  reference::Filter filter = EmptyReference(layout, num_probes, body_bytes);
  filter.Fill(RandomHashes(num_keys, 1));
  sample.questions = SpecialAndRandomHashes(300, 1);
  for (size_t i = 100; i < 150; ++i) sample.questions[i] = RandomHashes(num_keys, 1)[i % num_keys];
  // The last block (and, for `classic`, the last bytes) is asked for.
  for (size_t i = 150; i < 160; ++i) sample.questions[i] |= 0xffffffff00000000;
  for (const uint64_t question : sample.questions) sample.answers.push_back(filter.MayContain(question));
  sample.image = reference::WriteImage(filter);
  return sample;
}

// At an address that is `misalignment` past a multiple of 64: as near to the end, or the begin, of the readable pages
// as that allows; ending exactly at the end for one misalignment out of 64.
void ExpectAnswersAt(const Sample& sample, uint8_t* address) {
  memcpy(address, sample.image.data(), sample.image.size());
  const FilterView view(address, sample.image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_TRUE(view.Verify().ok());
  ExpectAnswers(view, sample.questions.data(), sample.questions.size(), sample.answers.data());
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (const auto& [layout, num_probes, unit] : EveryKind()) {
    if (num_probes > 1 && num_probes != 7 && num_probes != 16) continue;
    for (const size_t units : {1u, 3u, 63u, 1000u}) {
      samples.push_back(MakeSample(layout, num_probes, unit * units, 1 + unit * units / 2));
    }
  }
  return samples;
}

// The image is moved up byte by byte until it ends at the end of the page: all 64 alignments, the last without a byte
// left.
TEST(Alignment, DoesNotMatterAndNothingBeyondTheEndIsRead) {
  const std::vector<Sample> samples = Samples();
  OnEveryTarget([&](const char*) {
    for (const Sample& sample : samples) {
      GuardedPages pages(sample.image.size() + 64);
      ASSERT_TRUE(pages.ok());
      for (size_t gap = 64; gap-- > 0;) ExpectAnswersAt(sample, pages.end() - sample.image.size() - gap);
    }
  });
}

// The end of the image is the end of the page, at each alignment: the body grows by a byte in front of the image.
TEST(Alignment, OfImagesThatEndWithThePageDoesNotMatter) {
  OnEveryTarget([&](const char*) {
    for (size_t body = 1; body <= 64; ++body) {
      const Sample sample = MakeSample(Layout::kClassic, 5, body, 5);
      GuardedPages pages(sample.image.size());
      ASSERT_TRUE(pages.ok());
      ExpectAnswersAt(sample, pages.end() - sample.image.size());
    }
  });
}

// Bodies of blocks are multiples of 64, so an extension of 0 to 63 bytes shifts them.
TEST(Alignment, OfBlocksThatEndWithThePageDoesNotMatter) {
  for (const auto& [layout, num_probes, unit] : EveryKind()) {
    if (num_probes > 0 && num_probes != 9) continue;
    for (size_t shift = 0; shift < 64; ++shift) {
      reference::Filter filter = EmptyReference(layout, num_probes, 128);
      filter.has_extensions = true;
      filter.extensions.push_back({1, reference::Bytes(shift)});
      filter.Fill(RandomHashes(30, shift));
      Sample sample;
      sample.questions = SpecialAndRandomHashes(100, shift);
      for (const uint64_t question : sample.questions) sample.answers.push_back(filter.MayContain(question));
      sample.image = reference::WriteImage(filter);
      GuardedPages pages(sample.image.size());
      ASSERT_TRUE(pages.ok());
      OnEveryTarget([&](const char*) { ExpectAnswersAt(sample, pages.end() - sample.image.size()); });
    }
  }
}

// Nothing in front of the image is read either.
TEST(Alignment, NothingBeforeTheBeginIsRead) {
  const std::vector<Sample> samples = Samples();
  OnEveryTarget([&](const char*) {
    for (const Sample& sample : samples) {
      GuardedPages pages(sample.image.size());
      ASSERT_TRUE(pages.ok());
      ExpectAnswersAt(sample, pages.begin());
    }
  });
}

// Above the L2, where batches prefetch both lines of a block that lies across two.
TEST(Alignment, DoesNotMatterWhereBatchesPrefetch) {
  for (const auto& [layout, num_probes, unit] : EveryKind()) {
    if (num_probes > 0 && num_probes != 6) continue;
    Sample sample;
    reference::Filter filter = EmptyReference(layout, num_probes, size_t{4} << 20);
    Random random(1);
    for (uint8_t& byte : filter.body) byte = static_cast<uint8_t>(random());
    sample.questions = SpecialAndRandomHashes(300, 1);
    for (const uint64_t question : sample.questions) sample.answers.push_back(filter.MayContain(question));
    sample.image = reference::WriteImage(filter);
    GuardedPages pages(sample.image.size() + 64);
    ASSERT_TRUE(pages.ok());
    OnEveryTarget([&](const char*) {
      for (const size_t gap : {0u, 1u, 8u, 31u, 63u}) ExpectAnswersAt(sample, pages.end() - sample.image.size() - gap);
    });
  }
}

// Batches look ahead in the hashes, but not beyond the last.
TEST(Alignment, NothingBeyondTheHashesOfABatchIsRead) {
  for (const Kind& kind : EveryKind()) {
    if (kind.num_probes > 0 && kind.num_probes != 6) continue;
    for (const size_t body : {size_t{64}, size_t{4} << 20}) {
      reference::Filter full = EmptyReference(kind.layout, kind.num_probes, body);
      std::fill(full.body.begin(), full.body.end(), kind.layout == Layout::kRetrieval ? 0 : 0xff);  // "maybe" to all
      const reference::Bytes image = reference::WriteImage(full);
      OnEveryTarget([&](const char*) {
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
        std::unique_ptr<Filter> filter;
        if (IsMutable(kind.layout)) filter = MutableCopy(EmptyReference(kind.layout, kind.num_probes, body));
        for (const size_t n : {1u, 7u, 15u, 16u, 31u, 32u, 33u, 47u, 48u, 49u, 64u, 80u, 1000u}) {
          GuardedPages pages(n * sizeof(uint64_t));
          ASSERT_TRUE(pages.ok());
          uint64_t* const hashes = reinterpret_cast<uint64_t*>(pages.end()) - n;
          for (size_t i = 0; i < n; ++i) hashes[i] = RandomHashes(1, i)[0];
          EXPECT_EQ(view.CountMaybes(hashes, n), n);
          if (filter == nullptr) continue;
          filter->InsertHashes(hashes, n);
          EXPECT_EQ(filter->CountMaybes(hashes, n), n);
        }
      });
    }
  }
}

// The builder writes to any address, and not a byte more than it says.
TEST(Alignment, OfTheBuffersBuiltIntoDoesNotMatter) {
  for (const Layout layout : EveryLayout()) {
    FilterOptions options = BitsPerKey(10, layout);
    std::string expected;
    OnEveryTarget([&](const char*) {
      for (size_t gap = 0; gap < 64; ++gap) {
        FilterBuilder builder(options);
        for (uint64_t i = 0; i < 100; ++i) builder.AddKey(i);
        const size_t size = static_cast<size_t>(builder.ImageBytes());
        GuardedPages pages(size + 64);
        ASSERT_TRUE(pages.ok());
        uint8_t* const out = pages.end() - size - gap;
        memset(pages.begin(), 0xa5, static_cast<size_t>(pages.end() - pages.begin()));
        size_t written = 0;
        ASSERT_TRUE(builder.FinishTo(out, size, &written).ok());
        ASSERT_EQ(written, size);
        const std::string image(reinterpret_cast<const char*>(out), size);
        if (expected.empty()) expected = image;
        EXPECT_EQ(image, expected);
        for (const uint8_t* p = pages.begin(); p < out; ++p) ASSERT_EQ(*p, 0xa5);
        for (const uint8_t* p = out + size; p < pages.end(); ++p) ASSERT_EQ(*p, 0xa5);
      }
    });
  }
}

}  // namespace
}  // namespace linefilter::test
