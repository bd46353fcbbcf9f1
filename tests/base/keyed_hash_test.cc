// linefilter/hash.h: the hash is SipHash-1-3, filters of it need their secret, and keys that are prepared against
// XXH3, whatever its seed, gain nothing against it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/keys_of_hashes.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

HashSecret Secret(uint64_t number) {
  Random random(number);
  HashSecret secret;
  for (uint8_t& byte : secret.bytes) byte = static_cast<uint8_t>(random());
  return secret;
}

HashSecret CountingSecret() {
  HashSecret secret;
  for (size_t i = 0; i < 16; ++i) secret.bytes[i] = static_cast<uint8_t>(i);
  return secret;
}

std::string CountingBytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

// Appendix A of the paper, which has a vector of SipHash-2-4 alone: the reference's rounds are right.
TEST(KeyedHash, TheReferenceGivesThePapersVector) {
  EXPECT_EQ(reference::SipHash(2, 4, CountingBytes(15), CountingSecret().bytes), 0xa129ca6149be45e5u);
}

// Secret 00 01 ... 0f, message 00 01 ...; computed apart, in Python, by a program that gives the paper's vector and
// CPython's own hash of strings, which is SipHash-1-3 (3.11, PYTHONHASHSEED=0: a secret of zeros).
TEST(KeyedHash, IsSipHash13) {
  struct Vector {
    size_t size;
    uint64_t hash;
  };
  for (const Vector& vector : {Vector{0, 0xabac0158050fc4dcu},
                               {1, 0xc9f49bf37d57ca93u},
                               {3, 0x8bf80ab8e7ddf7fbu},
                               {4, 0xcf75576088d38328u},
                               {7, 0xd3927d989bb11140u},
                               {8, 0x369095118d299a8eu},
                               {9, 0x25a48eb36c063de4u},
                               {15, 0xd320d86d2a519956u},
                               {16, 0xcc4fdd1a7d908b66u},
                               {17, 0x9cf2689063dbd80cu},
                               {63, 0x9d199062b7bbb3a8u},
                               {64, 0xf17997ec4b4a6065u},
                               {255, 0xf76214e3153c4a15u},
                               {256, 0x75b3e64e167de370u},
                               {1025, 0xb159262a62ee624fu}}) {
    EXPECT_EQ(KeyedHash(CountingBytes(vector.size), CountingSecret()), vector.hash) << vector.size;
  }
  EXPECT_EQ(CheckOfSecret(CountingSecret()), 0x8607d32de83dffa2u);
  for (size_t size = 0; size < 300; ++size) {
    const HashSecret secret = Secret(size);
    Random random(size);
    std::string message;
    for (size_t i = 0; i < size; ++i) message.push_back(static_cast<char>(random()));
    ASSERT_EQ(KeyedHash(message, secret), reference::SipHash(1, 3, message, secret.bytes)) << size;
  }
}

TEST(KeyedHash, OfAnIntegerIsThatOfItsEightBytes) {
  const HashSecret secret = Secret(1);
  for (const uint64_t key : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{0x0123456789abcdef}}) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(key >> (8 * i)));
    EXPECT_EQ(KeyedHash(key, secret), KeyedHash(bytes, secret));
  }
  EXPECT_EQ(KeyedHash(int32_t{-1}, secret), KeyedHash(~uint64_t{0}, secret)) << "widened by its sign, as HashKey does";
}

FilterOptions Keyed(const HashSecret& secret, Layout layout = Layout::kBlocked) {
  FilterOptions options = BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout);
  options.hash_id = HashId::kKeyed;
  options.secret = secret;
  return options;
}

std::string KeyOf(uint64_t i) { return "user-" + std::to_string(i) + "@example.org"; }

std::string Image(const FilterOptions& options, uint64_t num_keys) {
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < num_keys; ++i) builder.AddKey(KeyOf(i));
  return Finish(&builder);
}

// Every way to ask, for keys that are there and such that are not.
template <class Filter>
void ExpectAFilter(const Filter& filter, uint64_t num_keys, const HashSecret& secret) {
  ASSERT_TRUE(filter.KeyStatus().ok()) << filter.KeyStatus().message();
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < 2 * num_keys; ++i) texts.push_back(KeyOf(i));
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  std::vector<uint8_t> answers(keys.size());
  filter.MayContainKeys(keys.data(), keys.size(), answers.data());
  uint64_t false_positives = 0;
  for (uint64_t i = 0; i < keys.size(); ++i) {
    const bool maybe = filter.MayContainKey(keys[i]);
    ASSERT_EQ(maybe, answers[i] != 0) << i;
    ASSERT_EQ(maybe, filter.MayContainHash(KeyedHash(keys[i], secret))) << i;
    if (i < num_keys) {
      ASSERT_TRUE(maybe) << "lost key " << i;
    } else {
      false_positives += maybe;
    }
  }
  EXPECT_LT(false_positives, 10 + num_keys / 30);
}

TEST(KeyedFilter, OfEveryKindFindsItsKeys) {
  const HashSecret secret = Secret(7);
  OnEveryTarget([&](const char*) {
    for (const Layout layout : EveryLayout()) {
      for (const uint64_t num_keys : {1u, 50u, 5000u, 20000u}) {
        const std::string image = Image(Keyed(secret, layout), num_keys);
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole, &secret);
        ASSERT_TRUE(view.status().ok()) << view.status().message();
        EXPECT_EQ(view.hash_id(), HashId::kKeyed);
        ExpectAFilter(view, num_keys, secret);
      }
    }
  });
}

TEST(KeyedFilter, TakesKeysForAsLongAsItLives) {
  const HashSecret secret = Secret(8);
  BlockedFilter blocked;
  ConcurrentFilter concurrent;
  ASSERT_TRUE(blocked.Create(1000, Keyed(secret)).ok());
  ASSERT_TRUE(concurrent.Create(1000, Keyed(secret)).ok());
  for (uint64_t i = 0; i < 1000; ++i) {
    blocked.InsertKey(KeyOf(i));
    concurrent.InsertKey(KeyOf(i));
  }
  ExpectAFilter(blocked, 1000, secret);
  ExpectAFilter(concurrent, 1000, secret);
  std::string image, snapshot;
  ASSERT_TRUE(blocked.AppendImage(&image).ok());
  ASSERT_TRUE(concurrent.AppendImage(&snapshot).ok());
  EXPECT_EQ(image, snapshot);
  BlockedFilter copy, stranger;
  ASSERT_TRUE(copy.CreateFromImage(image.data(), image.size(), Keyed(secret)).ok());
  ExpectAFilter(copy, 1000, secret);
  EXPECT_EQ(copy.CreateFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible) << "without the secret";
  ExpectAFilter(copy, 1000, secret);
  ASSERT_TRUE(stranger.Create(1000, Keyed(Secret(9))).ok());
  EXPECT_TRUE(Says(StatusCode::kIncompatible, blocked.Union(stranger), "secret"))
      << "the sizes are the same: what differs must be said";
}

TEST(KeyedFilter, InAFile) {
  const TempDir dir;
  const std::string path = dir.File("keyed.filter");
  const HashSecret secret = Secret(10);
  FilterBuilder builder(Keyed(secret));
  for (uint64_t i = 0; i < 20000; ++i) builder.AddKey(KeyOf(i));
  ASSERT_TRUE(builder.FinishToFile(path.c_str()).ok());
  FilterFile file;
  ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kAuto, MapAdvice::kWillNeed, &secret).ok());
  ExpectAFilter(file.view(), 20000, secret);
  ASSERT_TRUE(file.Load(path.c_str(), {}, kNoMemoryLimit, &secret).ok());
  ExpectAFilter(file.view(), 20000, secret);
  for (const Status& status : {file.Map(path.c_str()), file.Load(path.c_str())}) {
    EXPECT_EQ(status.code(), StatusCode::kIncompatible);
  }
  ExpectAFilter(file.view(), 20000, secret);
}

// A sentence, and "maybe" to all questions, those by hash too.
TEST(KeyedFilter, WithoutItsSecretIsNotOpened) {
  const HashSecret secret = Secret(11), other = Secret(12);
  for (const Layout layout : EveryLayout()) {
    for (const uint64_t num_keys : {0u, 50u, 5000u}) {
      const std::string image = Image(Keyed(secret, layout), num_keys);
      FilterOptions unkeyed = Keyed(HashSecret(), layout);
      unkeyed.hash_id = HashId::kXxh3;
      const std::string plain = Image(unkeyed, num_keys);
      const FilterView without(image.data(), image.size(), VerifyMode::kWhole),
          with_other(image.data(), image.size(), VerifyMode::kWhole, &other),
          with_too_much(plain.data(), plain.size(), VerifyMode::kWhole, &secret);
      const FilterView* const views[] = {&without, &with_other, &with_too_much};
      const char* const words[] = {"open it with its secret", "another secret", "not of a keyed hash"};
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(views[i]->status().code(), StatusCode::kIncompatible);
        EXPECT_NE(std::strstr(views[i]->status().message(), words[i]), nullptr) << views[i]->status().message();
        for (uint64_t key = 0; key < 300; ++key) {
          ASSERT_TRUE(views[i]->MayContainKey(KeyOf(key)));
          ASSERT_TRUE(views[i]->MayContainHash(HashKey(key)));
        }
      }
      for (uint64_t key = 0; key < 300; ++key) {
        ASSERT_TRUE(ImageMayContainKey(image.data(), image.size(), KeyOf(key), VerifyMode::kLazy));
        ASSERT_TRUE(ImageMayContainKey(image.data(), image.size(), KeyOf(key), VerifyMode::kTrusted));
      }
      const std::string_view hidden(reinterpret_cast<const char*>(secret.bytes), 16);
      for (size_t half : {0u, 8u})
        EXPECT_EQ(image.find(hidden.substr(half, 8)), std::string::npos) << "no image holds it";
    }
  }
}

TEST(KeyedFilter, MayBeOpenedAgainWithItsOwnSecret) {
  const HashSecret secret = Secret(13);
  const std::string image = Image(Keyed(secret), 500);
  FilterView view(image.data(), image.size(), VerifyMode::kWhole, &secret);
  ASSERT_TRUE(view.Open(image.data(), image.size(), VerifyMode::kWhole, &view.key_hash().secret).ok());
  ExpectAFilter(view, 500, secret);
}

TEST(KeyHash, NamesItsDifferenceToAnother) {
  const KeyHash keyed = Keyed(Secret(1)).key_hash();
  EXPECT_EQ(keyed.DifferenceTo(Keyed(Secret(1)).key_hash()), nullptr);
  EXPECT_STREQ(keyed.DifferenceTo(Keyed(Secret(2)).key_hash()), "secret");
  EXPECT_STREQ(keyed.DifferenceTo(KeyHash()), "hash id");
  KeyHash seeded;
  seeded.seed = 1;
  EXPECT_STREQ(seeded.DifferenceTo(KeyHash()), "seed");
  EXPECT_EQ(seeded.DifferenceTo(seeded), nullptr);
}

TEST(KeyedFilter, OptionsThatMakeNoSense) {
  const auto refused = [](const FilterOptions& options, const char* words) {
    BlockedFilter filter;
    const Status status = filter.Create(100, options);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << words;
    EXPECT_NE(std::strstr(status.message(), words), nullptr) << status.message();
    EXPECT_EQ(FilterBuilder(options).status().code(), StatusCode::kInvalidArgument) << words;
  };
  refused(Keyed(HashSecret()), "needs a secret");
  FilterOptions options = Keyed(Secret(1));
  options.seed = 5;
  refused(options, "instead of a seed");
  options = Keyed(Secret(1));
  options.hash_id = HashId::kXxh3;
  refused(options, "set hash_id to keyed");
}

// ---- The attack ----

// What HashKey xors an 8-byte key with, its halves exchanged.
uint64_t FlipOf(uint64_t seed) { return FlipOfXxh3(seed ^ kSeedOfKeys); }

constexpr uint64_t kNumKeys = 100000, kPrepared = 1000;

// Keys that all fall into the first block of a filter for kNumKeys keys, if its seed is what the attacker thinks.
std::vector<uint64_t> PreparedKeys(uint64_t seed, uint64_t first) {
  Random random(first);
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < kPrepared; ++i) keys.push_back(KeyWithHash(random() >> 20, seed));
  return keys;
}

// Half of the prepared keys come in among others; how often is another half, which never came in, a false positive?
double RateAfterAttack(const FilterOptions& options, const std::vector<uint64_t>& in,
                       const std::vector<uint64_t>& out) {
  BlockedFilter filter = Created<BlockedFilter>(kNumKeys, options);
  for (uint64_t i = 0; i < kNumKeys - kPrepared; ++i) filter.InsertKey(MixHash(i));
  for (const uint64_t key : in) filter.InsertKey(key);
  uint64_t maybes = 0;
  for (const uint64_t key : out) maybes += filter.MayContainKey(key);
  return static_cast<double>(maybes) / static_cast<double>(out.size());
}

FilterOptions Seeded(uint64_t seed) {
  FilterOptions options = BitsPerKey(10);
  options.seed = seed;
  return options;
}

TEST(Adversary, WhoKnowsTheSeedFillsABlock) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{42}}) {
    EXPECT_GT(RateAfterAttack(Seeded(seed), PreparedKeys(seed, 1), PreparedKeys(seed, 2)), 0.99);
  }
}

// So a secret seed that leaks is not cured by another one: what was prepared needs an xor. And one hash tells the seed.
TEST(Adversary, AnotherSeedCostsAnXor) {
  const uint64_t old_seed = 42, new_seed = 0x123456789abcdef0u, shift = Swapped32(FlipOf(old_seed) ^ FlipOf(new_seed));
  std::vector<uint64_t> in = PreparedKeys(old_seed, 1), out = PreparedKeys(old_seed, 2);
  EXPECT_LT(RateAfterAttack(Seeded(new_seed), in, out), 0.1) << "until they are shifted";
  for (uint64_t& key : in) key ^= shift;
  for (uint64_t& key : out) key ^= shift;
  EXPECT_GT(RateAfterAttack(Seeded(new_seed), in, out), 0.99);

  const uint64_t key = 17, hash = HashKey(key, new_seed);
  const uint64_t flip = Swapped32(KeyWithHash(hash, 0) ^ key) ^ FlipOf(0);
  const uint64_t mixed = 0xc73ab174c5ecd5a2u - flip;
  const uint64_t of_xxh3 = mixed ^ (uint64_t{__builtin_bswap32(static_cast<uint32_t>(mixed))} << 32);
  EXPECT_EQ(of_xxh3 ^ kSeedOfKeys, new_seed);
}

// Over many secrets together the prepared keys have the rate of any keys.
TEST(Adversary, KeysPreparedOfflineGainNothingAgainstTheKeyedHash) {
  const std::vector<uint64_t> in = PreparedKeys(0, 1), out = PreparedKeys(0, 2);
  double prepared = 0, others = 0;
  const int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    FilterOptions options = Keyed(Secret(100 + static_cast<uint64_t>(round)));
    prepared += RateAfterAttack(options, in, out) / rounds;
    std::vector<uint64_t> any_in, any_out;
    for (uint64_t i = 0; i < kPrepared; ++i) {
      any_in.push_back(HashKey(i, 5));
      any_out.push_back(HashKey(i, 6));
    }
    others += RateAfterAttack(options, any_in, any_out) / rounds;
  }
  EXPECT_LT(prepared, 0.018) << "1 % is what 10 bits per key give";
  EXPECT_LT(others, 0.018);
}

// What no hash prevents: a false positive that was found by asking stays one; another secret forgets it.
TEST(Adversary, AReplayedFalsePositiveStillWorks) {
  const std::string image = Image(Keyed(Secret(20)), 2000), again = Image(Keyed(Secret(21)), 2000);
  const HashSecret secret = Secret(20), new_secret = Secret(21);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, &secret),
      rekeyed(again.data(), again.size(), VerifyMode::kWhole, &new_secret);
  std::vector<std::string> found;
  for (uint64_t i = 2000; found.size() < 100; ++i) {
    if (view.MayContainKey(KeyOf(i))) found.push_back(KeyOf(i));
  }
  const auto is_maybe_in = [](const FilterView& filter) {
    return [&filter](const std::string& key) { return filter.MayContainKey(key); };
  };
  EXPECT_EQ(std::count_if(found.begin(), found.end(), is_maybe_in(view)), 100);
  EXPECT_LT(std::count_if(found.begin(), found.end(), is_maybe_in(rekeyed)), 10);
}

}  // namespace
}  // namespace linefilter::test
