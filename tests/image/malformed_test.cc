// Whatever is broken is refused with a reason AND answers "maybe" to everything: doc/FORMAT.md section 5. Here what is
// wrong in itself, above all under a valid check; single faults of good images are in damage_test.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

std::string Build(Layout layout, size_t num_keys, uint64_t seed) {
  FilterOptions options = BitsPerKey(10, layout);
  options.seed = seed;
  return test::Build(options, RandomHashes(num_keys, 1));
}

// True if `size` bytes at `data` are refused with `code` (kOk: any error) and every kind of question is answered
// "maybe". Asked of a copy that fills its allocation, so that sanitizers see a read in front or behind.
::testing::AssertionResult Refused(const char* data, size_t size, StatusCode code = StatusCode::kOk) {
  static const std::vector<uint64_t> hashes = RandomHashes(64, 99);
  const std::unique_ptr<char[]> exact(data == nullptr ? nullptr : new char[size]);
  std::copy(data, data == nullptr ? data : data + size, exact.get());
  const FilterView view(exact.get(), size, VerifyMode::kTrusted);
  if (view.status().ok()) return ::testing::AssertionFailure() << "was accepted";
  if (code != StatusCode::kOk && view.status().code() != code) {
    return ::testing::AssertionFailure() << "refused with the wrong code: " << view.status().message();
  }
  if (code == StatusCode::kOk && view.status().code() != StatusCode::kCorrupt &&
      view.status().code() != StatusCode::kUnsupported) {
    return ::testing::AssertionFailure() << "refused with a code of another kind: " << view.status().message();
  }
  if (std::strlen(view.status().message()) < 15) return ::testing::AssertionFailure() << "no sentence";
  if (view.CountMaybes(hashes.data(), hashes.size()) != hashes.size())
    return ::testing::AssertionFailure() << "lost a key";
  for (const uint64_t hash : hashes) {
    view.Prepare(hash);
    if (!view.MayContainHash(hash) || !view.MayContainKey(hash)) {
      return ::testing::AssertionFailure() << "lost a key";
    }
    const std::string key = std::to_string(hash);
    if (!ImageMayContainKey(exact.get(), size, key, VerifyMode::kLazy))
      return ::testing::AssertionFailure() << "lost a key at once";
  }
  if (view.empty_set() || view.Verify().ok() || view.body_bytes() != 0) {
    return ::testing::AssertionFailure() << "pretends to be something";
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult Refused(const std::string& image, StatusCode code = StatusCode::kOk) {
  return Refused(image.data(), image.size(), code);
}

TEST(Malformed, NothingAtAll) {
  EXPECT_TRUE(Refused(nullptr, 0, StatusCode::kCorrupt));
  EXPECT_TRUE(Refused("", 0, StatusCode::kCorrupt)) << "a slice without a byte is broken, not the empty set";
  EXPECT_TRUE(Refused(nullptr, 100, StatusCode::kCorrupt));
}

TEST(Malformed, TheLastByteOfLevelDbsFilter) {
  std::string image = Build(Layout::kBlocked, 50, 0);
  for (int last = 0; last < 256; ++last) {
    if ((last & 0xf0) == 0xa0) continue;
    image.back() = static_cast<char>(last);
    Reseal(&image, image.size() - 8);
    ASSERT_TRUE(Refused(image, StatusCode::kCorrupt)) << last;
  }
}

// Images whose check is right, so that they are refused for what they say. The one they all are made of is accepted.
ImageParts Good() {
  ImageParts parts;
  parts.body.assign(640, '\0');
  return parts;
}

TEST(MalformedWithAValidCheck, TheGoodOneIsAccepted) {
  const std::string image = Assemble(Good());
  const FilterView view(image.data(), image.size(), VerifyMode::kTrusted);
  EXPECT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_FALSE(view.MayContainHash(MixHash(1))) << "so a \"maybe\" below is not one of the bits";
}

TEST(MalformedWithAValidCheck, UnknownVersions) {
  for (int version = 0; version < 16; ++version) {
    if (version == 1) continue;
    ImageParts parts = Good();
    parts.magic_version = static_cast<uint8_t>(0xa0 + version);
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << version;
    parts.body.clear();
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << "an empty set from the future: " << version;
  }
}

TEST(MalformedWithAValidCheck, UnknownLayouts) {
  std::set<int> known;
  for (const Layout layout : SupportedLayouts()) known.insert(static_cast<int>(layout));
  for (int layout = 0; layout < 256; ++layout) {
    if (known.count(layout) != 0) continue;
    ImageParts parts = Good();
    parts.layout = static_cast<uint8_t>(layout);
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << layout;
    parts.body.clear();
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << "an empty set of another layout: " << layout;
  }
}

TEST(MalformedWithAValidCheck, UnknownHashIds) {
  for (int hash_id = 4; hash_id < 16; ++hash_id) {
    ImageParts parts = Good();
    parts.hash_id = static_cast<uint8_t>(hash_id);
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << hash_id;
  }
}

TEST(MalformedWithAValidCheck, AKeyedHashWithoutTheCheckOfItsSecret) {
  ImageParts parts = Good();
  parts.hash_id = 2;
  EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt));
  parts.seed = 0;
  EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kIncompatible)) << "and with it, without the secret";
}

TEST(MalformedWithAValidCheck, AHashOfParquetWithASeed) {
  ImageParts parts = Good();
  parts.hash_id = 3;
  for (const uint64_t seed : {uint64_t{1}, uint64_t{1} << 63}) {
    parts.seed = seed;
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << seed;
  }
  parts.seed = 0;
  const std::string image = Assemble(parts);
  EXPECT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kWhole).status().ok()) << "0 is no seed";
}

TEST(MalformedWithAValidCheck, KeysThatAreCountedWithoutABody) {
  ImageParts parts;
  parts.num_keys = 0;
  const std::string empty = Assemble(parts);
  EXPECT_TRUE(FilterView(empty.data(), empty.size(), VerifyMode::kTrusted).empty_set());
  parts.num_keys = 5;
  EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt));
}

TEST(MalformedWithAValidCheck, NumProbesOutOfRange) {
  struct Legal {
    uint8_t layout;
    int least, most;
  };
  std::vector<Legal> legal;
  for (const Layout layout : EveryLayout()) {
    const LayoutFacts facts = FactsOf(layout);
    const int most = static_cast<int>(facts.max_num_probes);
    // 1 tells that keys can be removed.
    legal.push_back({static_cast<uint8_t>(layout), std::min(most, 1), facts.chooses_removal ? 1 : most});
  }
  for (const auto& [layout, least, most] : legal) {
    for (int num_probes = 0; num_probes < 256; ++num_probes) {
      ImageParts parts = Good();
      parts.layout = layout;
      parts.num_probes = static_cast<uint8_t>(num_probes);
      const std::string image = Assemble(parts);
      if (num_probes >= least && num_probes <= most) {
        EXPECT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kTrusted).status().ok()) << num_probes;
      } else {
        EXPECT_TRUE(Refused(image, StatusCode::kCorrupt)) << num_probes;
        parts.body.clear();
        EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << "of an empty set: " << num_probes;
      }
    }
  }
}

TEST(MalformedWithAValidCheck, BodiesThatAreNoWholeBlocks) {
  for (const size_t body : {1u, 8u, 63u, 65u, 127u, 4095u, 4097u, 6400u - 1, 65536u + 1, 131072u - 4}) {
    ImageParts parts = Good();
    parts.body.assign(body, '\0');
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << body;
    parts.layout = 3;
    parts.num_probes = 0;
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << "of retrieval: " << body;
    parts.layout = 2;
    parts.num_probes = 6;
    const std::string classic = Assemble(parts);
    EXPECT_TRUE(FilterView(classic.data(), classic.size(), VerifyMode::kTrusted).status().ok())
        << "classic has any length: " << body;
  }
}

TEST(MalformedWithAValidCheck, ChunkChecksWhereTheyDoNotBelong) {
  for (const size_t body : {64u, 640u, 4096u}) {
    ImageParts parts = Good();
    parts.body.assign(body, '\0');
    parts.chunk_checks = true;
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << "a small body with chunk checks: " << body;
  }
  for (const size_t body : {4160u, 65536u, 655360u}) {
    ImageParts parts = Good();
    parts.body.assign(body, '\0');
    parts.chunk_checks = false;
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << "a large body without: " << body;
  }
  ImageParts parts = Good();
  parts.body.clear();
  parts.chunk_checks = true;
  EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << "of the empty set";
}

TEST(MalformedWithAValidCheck, CriticalExtensions) {
  const std::string other = Extension(3, "abc"), critical = Extension(0x8003, "abc");
  for (const std::string& list :
       {critical, other + critical, critical + other, Extension(0xffff, ""), Extension(0x8000, "x")}) {
    for (const size_t body : {size_t{0}, size_t{640}, size_t{6400}}) {
      ImageParts parts = Good();
      parts.body.assign(body, '\0');
      parts.extensions = list;
      EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kUnsupported)) << body;
    }
  }
  for (const std::string& list : {std::string(), other, other + Extension(0, "") + Extension(0x7fff, "future")}) {
    ImageParts parts = Good();
    parts.extensions = list;
    const std::string image = Assemble(parts);
    const FilterView view(image.data(), image.size(), VerifyMode::kTrusted);
    EXPECT_TRUE(view.status().ok()) << "others are skipped: " << view.status().message();
    EXPECT_EQ(view.body_bytes(), 640u);
  }
}

TEST(MalformedWithAValidCheck, ExtensionListsThatDoNotFit) {
  const std::string entry = Extension(3, "abc");
  for (size_t cut = 1; cut < entry.size(); ++cut) {
    ImageParts parts = Good();
    parts.extensions = entry.substr(0, entry.size() - cut);
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << cut << " bytes of an entry are missing";
    parts.extensions = entry + entry.substr(0, entry.size() - cut);
    EXPECT_TRUE(Refused(Assemble(parts), StatusCode::kCorrupt)) << cut << " bytes of the second entry are missing";
  }
  // The length of the list, at offset -12 of the image, says more than there is.
  for (const uint32_t length : {641u, 1000u, 0x7fffffffu, 0xfffffff0u, 0xffffffffu}) {
    ImageParts parts = Good();
    parts.extensions = "";
    std::string image = Assemble(parts);
    for (size_t i = 0; i < 4; ++i) image[image.size() - 12 + i] = static_cast<char>(length >> (8 * i));
    Reseal(&image, 640);
    EXPECT_TRUE(Refused(image, StatusCode::kCorrupt)) << length;
  }
}

// Flags that announce fields for which there is no room, with a check that holds under every reading.
TEST(MalformedWithAValidCheck, FieldsWithoutRoom) {
  for (int flags = 1; flags < 16; ++flags) {
    for (size_t front = 0; front < 20; ++front) {
      const size_t announced = (flags & 1 ? 8u : 0u) + (flags & 2 ? 8u : 0u) + (flags & 8 ? 4u : 0u);
      if (front >= announced && !(flags & 4)) continue;  // that much would be a legal tiny image, or one of classic
      std::string image(front, '\0');
      image += std::string("\0\0\0\0\1\6", 6) + static_cast<char>(flags << 4 | 1) + '\xa1';
      Reseal(&image, 0);
      EXPECT_TRUE(Refused(image, StatusCode::kCorrupt)) << "flags " << flags << ", " << front << " bytes in front";
    }
  }
}

// Lengths that no body with chunk checks gives: with R = body + 4 c, R mod 65540 is never 1 to 4.
TEST(MalformedWithAValidCheck, LengthsThatNoBodyWithChunkChecksGives) {
  for (size_t rest = 2 * 65540 - 3; rest <= 2 * 65540 + 8; ++rest) {
    const size_t chunks = (rest + 65539) / 65540, body = rest - 4 * chunks;
    const bool fits = (body + 65535) / 65536 == chunks;
    std::string image(rest, '\0');
    for (size_t i = 0; fits && i < chunks; ++i) {
      const std::string chunk(std::min(body - 65536 * i, size_t{65536}), '\0');
      std::string check;
      AppendLittleEndian(&check, LowXxh3(chunk), 4);
      image.replace(body + 4 * i, 4, check);
    }
    image += std::string("\0\0\0\0\2\6\x41\xa1", 8);
    Reseal(&image, body);
    if (fits) {
      const FilterView view(image.data(), image.size(), VerifyMode::kTrusted);
      EXPECT_TRUE(view.status().ok()) << rest << ": " << view.status().message();
      EXPECT_TRUE(view.Verify().ok()) << rest;
    } else {
      EXPECT_TRUE(Refused(image, StatusCode::kCorrupt)) << rest;
    }
  }
}

// Random bytes, random bytes that end like an image, and good images with random pieces of others.
TEST(Malformed, RandomBytesNeverCrashAndAreNeverTaken) {
  Random random(1);
  const std::string good = Build(Layout::kBlocked, 90, 4);
  for (int i = 0; i < 20000; ++i) {
    std::string image;
    for (size_t size = random.Below(200); image.size() < size;) image.push_back(static_cast<char>(random()));
    if (i % 4 != 0) image += std::string("abcd\1\6", 6) + static_cast<char>(random()) + '\xa1';
    if (i % 4 == 2) image = good.substr(0, random.Below(good.size())) + image;
    if (i % 4 == 3)
      image.replace(0, image.size() / 2, good.substr(good.size() - std::min(good.size(), image.size() / 2)));
    ASSERT_TRUE(Refused(image)) << "round " << i;
  }
}

// A large body is not read at open: its damage is found by Verify, chunk by chunk, and named.
TEST(DamagedBody, IsFoundByVerifyAndNamed) {
  for (const Layout layout : EveryLayout()) {
    const std::string image = Build(layout, 300000, 1);
    const size_t body = FilterView(image.data(), image.size(), VerifyMode::kTrusted).body_bytes(),
                 chunks = (body + 65535) / 65536;
    ASSERT_GE(chunks, 5u);
    ASSERT_NE(body % 65536, 0u) << "the last chunk is a short one";
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      const size_t begin = 65536 * chunk, end = std::min(begin + 65536, body);
      for (const size_t at : {begin, begin + (end - begin) / 3, end - 1}) {
        for (const int bit : {0, 7}) {
          std::string damaged = image;
          damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
          const FilterView view(damaged.data(), damaged.size(), VerifyMode::kTrusted);
          ASSERT_TRUE(view.status().ok()) << "the trailer is good";
          ASSERT_TRUE(Says(StatusCode::kCorrupt, view.Verify(), std::to_string(begin))) << "byte " << at;
          for (size_t other = 0; other < chunks; ++other) {
            ASSERT_EQ(view.VerifyChunks(other, 1).ok(), other != chunk) << "chunk " << other << ", damage in " << chunk;
          }
          EXPECT_TRUE(view.VerifyChunks(0, chunk).ok());
          EXPECT_TRUE(view.VerifyChunks(chunk + 1, chunks - chunk - 1).ok());
          EXPECT_FALSE(view.VerifyChunks(chunk, chunks - chunk).ok());
        }
      }
    }
  }
}

TEST(DamagedBody, ChunksThatDoNotExistAreNoChunks) {
  const std::string large = Build(Layout::kBlocked, 300000, 1), small = Build(Layout::kBlocked, 50, 1);
  const FilterView view(large.data(), large.size(), VerifyMode::kTrusted),
      small_view(small.data(), small.size(), VerifyMode::kTrusted);
  const uint64_t chunks = view.num_chunks();
  EXPECT_TRUE(view.VerifyChunks(0, 0).ok());
  EXPECT_TRUE(view.VerifyChunks(chunks, 0).ok());
  for (const auto& [first, count] : {std::pair<uint64_t, uint64_t>{0, chunks + 1},
                                     {chunks, 1},
                                     {chunks + 1, 0},
                                     {1, ~uint64_t{0}},
                                     {~uint64_t{0}, 1},
                                     {~uint64_t{0}, ~uint64_t{0}}}) {
    EXPECT_EQ(view.VerifyChunks(first, count).code(), StatusCode::kInvalidArgument) << first << " " << count;
  }
  EXPECT_EQ(small_view.num_chunks(), 0u) << "verified at open";
  EXPECT_TRUE(small_view.Verify().ok());
  EXPECT_EQ(small_view.VerifyChunks(0, 1).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace linefilter::test
