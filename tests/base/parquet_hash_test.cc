// linefilter/hash.h: the Parquet hash is XXH64 with seed 0, one by one and many at once, on every target; and what has
// that hash takes no seed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define LINEFILTER_TEST_HAS_XXHASH 1
#endif

namespace linefilter::test {
namespace {

constexpr KeyHash kParquet = {HashId::kParquet, 0, HashSecret()};

std::string BytesOf(uint64_t value, int size) {
  std::string bytes;
  AppendLittleEndian(&bytes, value, size);
  return bytes;
}

// The bytes with which xxHash checks itself, and what it expects of their first 0, 1, 4, 14 and 222 (seed 0).
TEST(ParquetHash, IsXxh64OfTheBytesOfXxhashsOwnCheck) {
  std::string bytes;
  for (uint64_t generator = 2654435761u; bytes.size() < 222; generator *= 11400714785074694797u) {
    bytes.push_back(static_cast<char>(generator >> 56));
  }
  const std::string_view all = bytes;
  EXPECT_EQ(ParquetHash(all.substr(0, 0)), 0xef46db3751d8e999u);
  EXPECT_EQ(ParquetHash(all.substr(0, 1)), 0xe934a84adb052768u);
  EXPECT_EQ(ParquetHash(all.substr(0, 4)), 0x9136a0dca57457eeu);
  EXPECT_EQ(ParquetHash(all.substr(0, 14)), 0x8282dcc4994e35c8u);
  EXPECT_EQ(ParquetHash(all), 0xb641ae8cb691c174u);
}

// They are computed apart, in Python, by a program that gives the values above.
TEST(ParquetHash, HasTheseValues) {
  EXPECT_EQ(ParquetHash("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(ParquetHash("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(ParquetHash("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
  EXPECT_EQ(ParquetHash(0), 0x34c96acdcadb1bbbu);
  EXPECT_EQ(ParquetHash(1), 0x9f29cb17a2a49995u);
  EXPECT_EQ(ParquetHash(-1), 0x85d136adb773c6c9u);
  EXPECT_EQ(ParquetHash(0x0123456789abcdef), 0xea3c52081e9843ecu);
  const uint32_t values[] = {0, 1, 0xffffffff, 0x89abcdef};
  uint64_t hashes[4];
  ParquetHashes(values, 4, hashes);
  EXPECT_EQ(hashes[0], 0x3aefa6fd5cf2deb4u);
  EXPECT_EQ(hashes[1], 0xf42f94001fcb5351u);
  EXPECT_EQ(hashes[2], 0x7f78e4bda3addf93u);
  EXPECT_EQ(hashes[3], 0xb80a02efdbe8080eu);
}

#ifdef LINEFILTER_TEST_HAS_XXHASH
TEST(ParquetHash, IsXxh64OfTheInstalledXxhash) {
  Random random(1);
  std::string bytes;
  for (size_t i = 0; i < 3000; ++i) bytes.push_back(static_cast<char>(random()));
  for (size_t size = 0; size < 2000; size += size < 300 ? 1 : 101) {
    const std::string_view key = std::string_view(bytes).substr(random.Below(1000), size);
    ASSERT_EQ(ParquetHash(key), XXH64(key.data(), size, 0)) << size << " bytes";
  }
}
#endif

TEST(ParquetHash, OfAnIntegerIsThatOfItsEightBytes) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t value = random() >> random.Below(64);
    ASSERT_EQ(ParquetHash(value), ParquetHash(BytesOf(value, 8))) << value;
    ASSERT_EQ(ParquetHashNumber(value), ParquetHash(value));
  }
  EXPECT_EQ(ParquetHash(int32_t{-1}), ParquetHash(~uint64_t{0})) << "widened by its sign, as HashKey does";
  EXPECT_EQ(ParquetHash(std::string_view()), ParquetHash("")) << "a view without an address is the empty key";
}

// The first `first` places of an array are left out, so that vectors lie at any address.
TEST(ParquetHashes, OfIntegersOf64BitsAreThoseOfTheirEightBytes) {
  Random random(3);
  std::vector<uint64_t> keys;
  for (int i = 0; i < 300; ++i) keys.push_back(random() >> random.Below(64));
  OnEveryTarget([&](const char*) {
    for (size_t n = 0; n + 3 <= keys.size(); n += n < 40 ? 1 : 17) {
      const size_t first = n % 3;
      std::vector<uint64_t> hashes(n + 1, 5), own(keys.begin() + static_cast<ptrdiff_t>(first), keys.end());
      ParquetHashes(keys.data() + first, n, hashes.data());
      ParquetHashes(own.data(), n, own.data());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(hashes[i], ParquetHashBytes(BytesOf(keys[first + i], 8).data(), 8)) << i << " of " << n;
        ASSERT_EQ(own[i], hashes[i]) << "into their own array";
      }
      ASSERT_EQ(hashes[n], 5u) << "nothing is written behind them";
      ASSERT_EQ(own[n], keys[first + n]);
    }
  });
}

TEST(ParquetHashes, OfIntegersOf32BitsAreThoseOfTheirFourBytes) {
  Random random(4);
  std::vector<uint32_t> values;
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<uint32_t>(random()) >> random.Below(32));
  OnEveryTarget([&](const char*) {
    for (size_t n = 0; n + 3 <= values.size(); n += n < 40 ? 1 : 17) {
      const size_t first = n % 3;
      std::vector<uint64_t> hashes(n + 1, 5);
      ParquetHashes(values.data() + first, n, hashes.data());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(hashes[i], ParquetHashBytes(BytesOf(values[first + i], 4).data(), 4)) << i << " of " << n;
      }
      ASSERT_EQ(hashes[n], 5u) << "nothing is written behind them";
    }
  });
}

TEST(ParquetHashes, OfTextsAreThoseOfEachText) {
  Random random(5);
  std::string text;
  for (size_t i = 0; i < 2000; ++i) text.push_back(static_cast<char>(random()));
  std::vector<std::string_view> keys = {std::string_view()};
  for (const uint64_t longest : {300u, 16u, 8u, 40u}) {
    for (size_t i = 0; i < 500; ++i) {
      keys.push_back(std::string_view(text).substr(random.Below(1000), random.Below(longest)));
    }
  }
  OnEveryTarget([&](const char*) {
    for (size_t n = 0; n <= 300; n += n < 140 ? 1 : 41) {
      for (size_t first = 0; first + n <= keys.size(); first += 500) {
        std::vector<uint64_t> hashes(n + 1, 5);
        ParquetHashes(keys.data() + first, n, hashes.data());
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(hashes[i], ParquetHash(keys[first + i])) << keys[first + i].size() << " bytes";
        }
        ASSERT_EQ(hashes[n], 5u) << "nothing is written behind them";
      }
    }
  });
}

// Texts lie at both ends of what may be read.
TEST(ParquetHashes, ReadNothingBesideAText) {
  GuardedPages pages(1);
  ASSERT_TRUE(pages.ok());
  const char* const begin = reinterpret_cast<const char*>(pages.begin());
  const char* const end = reinterpret_cast<const char*>(pages.end());
  Random random(7);
  std::generate(pages.begin(), pages.end(), [&] { return static_cast<uint8_t>(random()); });
  OnEveryTarget([&](const char*) {
    for (size_t length = 0; length <= 70; ++length) {
      std::vector<std::string_view> keys = {std::string_view()};
      for (size_t i = 1; i < 80; ++i) {
        const size_t size = i % 3 == 0 ? length : random.Below(32);
        keys.emplace_back(i % 2 == 0 ? end - size : begin, size);
      }
      std::vector<uint64_t> hashes(keys.size());
      ParquetHashes(keys.data(), keys.size(), hashes.data());
      for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(hashes[i], ParquetHash(keys[i])) << keys[i].size() << " bytes";
    }
  });
}

TEST(ParquetKeyHash, IsKnownByItsName) {
  EXPECT_STREQ(HashIdName(HashId::kParquet), "parquet");
  EXPECT_TRUE(KeyHash::IsKnown(HashId::kParquet) && kParquet.hashes_keys());
  EXPECT_FALSE(KeyHash::IsKeyed(HashId::kParquet) || KeyHash::HasSeed(HashId::kParquet));
  EXPECT_TRUE(KeyHash::HasSeed(HashId::kCaller) && KeyHash::HasSeed(HashId::kXxh3));
  EXPECT_STREQ(kParquet.DifferenceTo(KeyHash()), "hash id");
  EXPECT_EQ(kParquet.DifferenceTo(kParquet), nullptr);
}

TEST(ParquetKeyHash, AllWaysToHashAgree) {
  const std::vector<uint64_t> numbers = RandomHashes(300, 6);
  std::vector<std::string> texts;
  for (const uint64_t number : numbers) texts.push_back(std::to_string(number));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto expect = [](const auto& keys) {
    std::vector<uint64_t> each(keys.size()), together(keys.size());
    ASSERT_TRUE(kParquet.OfEach(
        keys.size(), [&](size_t i) { return keys[i]; }, each.data()));
    ASSERT_TRUE(kParquet.OfKeys(keys.data(), keys.size(), together.data()));
    EXPECT_EQ(together, each);
    for (size_t i = 0; i < keys.size(); ++i) {
      uint64_t hash = 0;
      ASSERT_TRUE(kParquet.Of(keys[i], &hash));
      ASSERT_EQ(hash, ParquetHash(keys[i]));
      ASSERT_EQ(hash, each[i]);
    }
  };
  expect(numbers);
  expect(views);
}

FilterOptions OfParquet(Layout layout = Layout::kBlocked) {
  FilterOptions options = BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout);
  options.hash_id = HashId::kParquet;
  return options;
}

// Integers below 2 * num_keys, of which the lower half is there: every way to ask tells the same.
void ExpectAFilter(const FilterBase& filter, uint64_t num_keys) {
  EXPECT_EQ(filter.hash_id(), HashId::kParquet);
  EXPECT_EQ(filter.seed(), 0u);
  ASSERT_TRUE(filter.KeyStatus().ok());
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < 2 * num_keys; ++i) keys.push_back(i);
  std::vector<uint8_t> answers(keys.size());
  filter.MayContainKeys(keys.data(), keys.size(), answers.data());
  uint64_t false_positives = 0;
  for (const uint64_t key : keys) {
    const bool maybe = filter.MayContainKey(key);
    ASSERT_EQ(maybe, answers[key] != 0) << key;
    ASSERT_EQ(maybe, filter.MayContainKey(BytesOf(key, 8))) << key;
    ASSERT_EQ(maybe, filter.MayContainHash(ParquetHash(key))) << key;
    if (key < num_keys) {
      ASSERT_TRUE(maybe) << "lost key " << key;
    } else {
      false_positives += maybe;
    }
  }
  EXPECT_LT(false_positives, 10 + num_keys / 30);
}

TEST(ParquetFilter, OfEveryLayoutFindsItsKeys) {
  OnEveryTarget([&](const char*) {
    for (const Layout layout : EveryLayout()) {
      for (const uint64_t num_keys : {1u, 50u, 5000u}) {
        SCOPED_TRACE(LayoutName(layout) + std::string(" ") + std::to_string(num_keys));
        FilterBuilder builder(OfParquet(layout));
        for (uint64_t key = 0; key < num_keys; ++key) builder.AddKey(key);
        const std::string image = Finish(&builder);
        ExpectAFilter(FilterView(image.data(), image.size(), VerifyMode::kWhole), num_keys);
        for (const VerifyMode verify : {VerifyMode::kWhole, VerifyMode::kLazy, VerifyMode::kTrusted}) {
          uint64_t maybes = 0;
          for (uint64_t key = 0; key < 100; ++key) {
            if (key < num_keys) {
              ASSERT_TRUE(ImageMayContainKey(image.data(), image.size(), key, verify));
            }
            maybes += ImageMayContainKey(image.data(), image.size(), num_keys + key, verify);
          }
          EXPECT_LT(maybes, 20u) << "an image that is not kept open is asked by its own hash, too";
        }
      }
    }
  });
}

TEST(ParquetFilter, OfEveryKindTakesKeysAndGoesOnFromItsImage) {
  constexpr uint64_t kKeys = 1000;
  const auto fill = [](auto* filter) {
    for (uint64_t key = 0; key < kKeys; ++key) filter->InsertKey(key);
    ExpectAFilter(*filter, kKeys);
  };
  BlockedFilter blocked = Created<BlockedFilter>(kKeys, OfParquet());
  fill(&blocked);
  ExpectAFilter(FromImage<BlockedFilter>(ImageOf(blocked)), kKeys);
  ScalableFilter scalable;
  FilterOptions growing = Fpr(0.01);
  growing.hash_id = HashId::kParquet;
  ASSERT_TRUE(scalable.Create(100, growing).ok());
  fill(&scalable);
  ExpectAFilter(FromImage<ScalableFilter>(ImageOf(scalable)), kKeys);
  RotatingFilter rotating;
  ASSERT_TRUE(rotating.Create(2 * kKeys, 3, growing).ok());
  fill(&rotating);
}

TEST(ParquetFilter, HasNoSeedAndNoSecret) {
  const auto refused = [](FilterOptions options, const char* words) {
    BlockedFilter filter;
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(100, options), words));
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, FilterBuilder(options).status(), words));
    options.bits_per_key = 0;
    options.fpr = 0.01;
    ScalableFilter scalable;
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, scalable.Create(100, options), words));
  };
  FilterOptions options = OfParquet();
  options.seed = 1;
  refused(options, "leave seed 0");
  options = OfParquet();
  options.secret.bytes[0] = 1;
  refused(options, "set hash_id to keyed");
  options = OfParquet();
  options.hash_id = static_cast<HashId>(4);
  BlockedFilter filter;
  EXPECT_TRUE(Says(StatusCode::kUnsupported, filter.Create(100, options), "choose xxh3, keyed, parquet or caller"));
}

// malformed_test has that a seed that is not 0 is refused; the answers are then "maybe".
TEST(ParquetFilter, AnImageWithASeedAnswersMaybe) {
  ImageParts parts;
  parts.body.assign(640, '\0');
  parts.hash_id = 3;
  const std::string sound = Assemble(parts);
  parts.seed = 77;
  const std::string with_seed = Assemble(parts);
  const FilterView absent(sound.data(), sound.size(), VerifyMode::kWhole),
      maybe(with_seed.data(), with_seed.size(), VerifyMode::kTrusted);
  EXPECT_FALSE(absent.MayContainKey(1));
  EXPECT_TRUE(Says(StatusCode::kCorrupt, maybe.status(), "the hash of Parquet with a seed"));
  EXPECT_TRUE(maybe.MayContainKey(1));
}

TEST(ParquetFilter, UnitesWithItsOwnKindAlone) {
  BlockedFilter parquet = Created<BlockedFilter>(100, OfParquet()), other = Created<BlockedFilter>(100, OfParquet());
  parquet.InsertKey(1);
  other.InsertKey(2);
  ASSERT_TRUE(parquet.Union(other).ok());
  EXPECT_TRUE(parquet.MayContainKey(1) && parquet.MayContainKey(2) && !parquet.MayContainKey(3));
  const BlockedFilter plain = Created<BlockedFilter>(100, BitsPerKey(10));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, parquet.Union(plain), "parquet"));
}

}  // namespace
}  // namespace linefilter::test
