// What an image was before, it is after it was loaded into Redis and downloaded, with the same answers. Its filter goes
// on in the same way (grows, forgets), also when keys came meanwhile. The image of no keys is a filter, and what cannot
// be opened leaves open what was.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/reference/redis.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/claims.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

FilterOptions SomeOptions(Random* random) {
  FilterOptions options = Fpr(random->Below(2) == 0 ? 0.01 : 0.2);
  options.hash_id = static_cast<HashId>(random->Below(3));
  if (options.hash_id == HashId::kXxh3) options.seed = random->Below(2) * (*random)();
  if (options.hash_id == HashId::kKeyed) options.secret.bytes[7] = static_cast<uint8_t>(1 + random->Below(255));
  return options;
}

FilterOptions ToOpen(const FilterOptions& made) {
  FilterOptions options;
  if (made.hash_id == HashId::kKeyed) options.hash_id = made.hash_id, options.secret = made.secret;
  return options;
}

class RedisStates : public RedisServerTest {
 protected:
  // Up, down, up again under another name, down again.
  template <class Filter>
  void ExpectComesBack(Filter* filter, const FilterOptions& options, Random* random) {
    const std::string image = ImageOf(*filter), name = "state" + std::to_string(++states_);
    const RedisLayout layout = {random->Below(3) * 256};
    RedisFilter first, second;
    ASSERT_TRUE(IsOk(first.CreateFromImage(servers_, name, image.data(), image.size(), SecretOf(options), layout)));
    ASSERT_TRUE(second.Open(servers_, name, SecretOf(options)).ok());
    const std::string down = Download(&second);
    EXPECT_TRUE(down == image) << down.size() << " bytes of " << image.size();
    const std::vector<uint64_t> asked = RandomHashes(100, (*random)());
    std::vector<uint8_t> expected(asked.size()), answers(asked.size());
    filter->MayContainHashes(asked.data(), asked.size(), expected.data());
    ASSERT_TRUE(first.MayContainHashes(asked.data(), asked.size(), answers.data()).ok());
    EXPECT_EQ(answers, expected);

    Filter loaded;
    ASSERT_TRUE(IsOk(loaded.CreateFromImage(down.data(), down.size(), ToOpen(options))));
    const std::vector<uint64_t> more = RandomHashes(random->Below(3000), (*random)());
    EXPECT_EQ(loaded.InsertHashes(more.data(), more.size()), filter->InsertHashes(more.data(), more.size()));
    const std::string later = ImageOf(loaded);
    EXPECT_TRUE(later == ImageOf(*filter)) << "it goes on the same way";
    ASSERT_TRUE(second.CreateFromImage(servers_, name + "b", later.data(), later.size(), SecretOf(options)).ok());
    EXPECT_TRUE(Download(&second) == later);
    (void)RedisFilter::Delete(servers_, name);
    (void)RedisFilter::Delete(servers_, name + "b");
  }

  uint64_t states_ = 0;
};

TEST_F(RedisStates, WhatGrowsOrForgetsComesBackAndGoesOn) {
  Random random(26);
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const FilterOptions options = SomeOptions(&random);
    const std::vector<uint64_t> hashes = RandomHashes(random.Below(4) == 0 ? 0 : random.Below(5000), random());
    if (i % 2 == 0) {
      GrowthOptions growth;
      growth.max_growth = random.Below(3) * 7;
      ScalableFilter filter = Created<ScalableFilter>(1 + random.Below(2000), options, growth);
      filter.InsertHashes(hashes.data(), hashes.size());
      ExpectComesBack(&filter, options, &random);
    } else {
      RotatingFilter filter;
      ASSERT_TRUE(filter
                      .Create(1 + random.Below(3000), static_cast<uint32_t>(2 + random.Below(4)), options,
                              static_cast<Rotation>(random.Below(2)))
                      .ok());
      filter.InsertHashes(hashes.data(), hashes.size());
      ExpectComesBack(&filter, options, &random);
    }
  }
}

// The stage in which they are is counted from its bits, so the filter opens the next one when it is about full.
TEST_F(RedisStates, KeysThatCameInRedisAreCounted) {
  ScalableFilter grown = Created<ScalableFilter>(1000, Fpr(0.01));
  const std::vector<uint64_t> before = RandomHashes(1500, 1), meanwhile = RandomHashes(1200, 2);
  grown.InsertHashes(before.data(), before.size());
  const std::string image = ImageOf(grown);
  RedisFilter filter, other;
  ASSERT_TRUE(filter.CreateFromImage(servers_, "grown", image.data(), image.size(), nullptr, {1024}).ok());
  Insert(&filter, meanwhile);
  ASSERT_TRUE(other.Open(servers_, "grown").ok());
  const std::string down = Download(&other);
  EXPECT_EQ(down.size(), image.size());
  ScalableFilter loaded = FromImage<ScalableFilter>(down);
  EXPECT_EQ(loaded.CountMaybes(before.data(), before.size()), before.size());
  EXPECT_EQ(loaded.CountMaybes(meanwhile.data(), meanwhile.size()), meanwhile.size());
  EXPECT_NEAR(static_cast<double>(loaded.num_keys()), 2700, 100);
  EXPECT_EQ(loaded.num_stages(), 2u);
  const std::vector<uint64_t> after = RandomHashes(600, 3);
  loaded.InsertHashes(after.data(), after.size());
  EXPECT_EQ(loaded.num_stages(), 3u);
  EXPECT_TRUE(loaded.growth_status().ok());
}

// Read by another implementation, from doc/REDIS.md.
TEST_F(RedisStates, TheReferenceReadsHowItGoesOn) {
  RotatingFilter rotating;
  ASSERT_TRUE(IsOk(rotating.Create(300, 3, Fpr(0.01), Rotation::kByCount)));
  rotating.InsertHashes(RandomHashes(400, 1).data(), 400);
  const std::string image = ImageOf(rotating);
  RedisFilter filter;
  ASSERT_TRUE(filter.CreateFromImage(servers_, "rotating", image.data(), image.size(), nullptr, {64}).ok());
  RedisClient client(server_->address());
  const auto run = [&](const std::vector<std::string>& words) { return client.Do(words).text; };
  reference::Filter read;
  ASSERT_TRUE(reference::ReadRedisFilter(run, "rotating", &read));
  const reference::Bytes written = reference::WriteImage(read);
  EXPECT_EQ(std::string(written.begin(), written.end()), image);
  std::map<std::string, std::string> fields;
  ASSERT_TRUE(reference::ReadRedisRecord(run({"GET", "rotating"}), &fields));
  EXPECT_EQ(fields["current.growth"].size(), 64u);
  EXPECT_NE(fields["current.newest-ones"], "");
}

// Extremes that no filter of ours is in: whatever a view reads, its record keeps.
TEST_F(RedisStates, WhatAContainerClaimsComesBack) {
  Random random(27);
  int tried = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    reference::Filter claim = ClaimContainer(&random);
    claim.has_num_keys = !claim.body.empty() && random.Below(2) == 0;
    if (claim.has_num_keys) claim.num_keys = OneOf<uint64_t>(&random, {0, 1, 600, kMost});
    claim.has_seed = true;
    claim.seed = random();
    const reference::Bytes image = reference::WriteImage(claim);
    const FilterView before(image.data(), image.size(), VerifyMode::kWhole);
    if (!before.status().ok() || before.empty_set()) continue;
    ++tried;
    const RedisLayout layout = {random.Below(3) * 256};
    RedisFilter filter, other;
    ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "claim", image.data(), image.size(), nullptr, layout)));
    ASSERT_TRUE(other.Open(servers_, "claim").ok());
    const std::string down = Download(&other);
    const FilterView after(down.data(), down.size(), VerifyMode::kWhole);
    ExpectSameClaims(before, after);
    EXPECT_LE(after.num_keys(), 8 * after.body_bytes());
    ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "again", down.data(), down.size())));
    EXPECT_TRUE(Download(&filter) == down) << "from then on it is the same";
    (void)RedisFilter::Delete(servers_, "claim");
    (void)RedisFilter::Delete(servers_, "again");
  }
  EXPECT_GT(tried, 300);
}

// Another writer may claim any number behind the stages. It comes back as the most that can be, also with more keys.
TEST_F(RedisStates, AClaimOfMoreKeysThanBitsStaysWithinThem) {
  reference::Filter stage;
  stage.num_probes = 7;
  stage.body.resize(64 * 70);
  reference::Filter claim = reference::MakeContainer({stage, stage}, {0, 1});
  claim.has_num_keys = true;
  claim.num_keys = ~uint64_t{0};
  const reference::Bytes image = reference::WriteImage(claim);
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "claim", image.data(), image.size())));
  for (int i = 0; i < 2; ++i) {
    const std::string down = Download(&filter);
    const FilterView view(down.data(), down.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.Verify().ok()) << view.status().message();
    EXPECT_GE(view.num_keys(), 512u * 140);
    EXPECT_LE(view.num_keys(), 512u * 140 + 110);
    Insert(&filter, RandomHashes(100, 1));
  }
}

TEST_F(RedisStates, AnImageOfNoKeysIsAnEmptyFilter) {
  const std::vector<uint64_t> hashes = RandomHashes(30, 1);
  for (const Layout layout : EveryLayout()) {
    SCOPED_TRACE(LayoutName(layout));
    const std::string image = Build(BitsPerKey(20, layout), {}), name = LayoutName(layout);
    ASSERT_TRUE(FilterView(image.data(), image.size(), VerifyMode::kWhole).empty_set());
    RedisFilter filter;
    ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, name, image.data(), image.size())));
    EXPECT_EQ(filter.body_bytes(), layout == Layout::kClassic ? 8u : FactsOf(layout).block_bytes);
    EXPECT_EQ(CountMissing(&filter, hashes), hashes.size()) << "all are absent";
    const std::string down = Download(&filter);
    const FilterView view(down.data(), down.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.Verify().ok());
    EXPECT_EQ(view.layout(), layout);
    EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), 0u);
    RedisFilter again;
    ASSERT_TRUE(again.CreateFromImage(servers_, name + "2", down.data(), down.size()).ok());
    if (layout == Layout::kRetrieval) continue;
    Insert(&filter, hashes);
    EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  }
}

// United with what is there it brings nothing; of another hash it is refused as any other.
TEST_F(RedisStates, AnImageOfNoKeysIsLoadedIntoAnyFilterOfItsHash) {
  FilterOptions options = BitsPerKey(10);
  options.seed = 5;
  options.layout = Layout::kBlocked;
  const std::string image = Build(options, {});
  const std::vector<uint64_t> hashes = RandomHashes(500, 1);
  RedisFilter filter = Created(servers_, "filled", 1000, options);
  Insert(&filter, hashes);
  const std::string before = Download(&filter);
  EXPECT_TRUE(IsOk(filter.Load(image.data(), image.size())));
  EXPECT_TRUE(Download(&filter) == before);
  ASSERT_TRUE(filter.BeginGeneration(1000, options).ok());
  EXPECT_TRUE(filter.LoadNext(image.data(), image.size()).ok());
  EXPECT_TRUE(filter.AbandonGeneration().ok());
  options.seed = 6;
  const std::string other = Build(options, {});
  EXPECT_EQ(filter.Load(other.data(), other.size()).code(), StatusCode::kIncompatible);
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

// On an error the object is as it was: open, and asked as before.
TEST_F(RedisStates, WhatCannotBeOpenedLeavesOpenWhatWas) {
  FilterOptions options = BitsPerKey(10);
  const std::vector<uint64_t> hashes = RandomHashes(500, 1);
  RedisFilter filter, keyed;
  ASSERT_TRUE(filter.Create(servers_, "old", 1000, options).ok());
  Insert(&filter, hashes);
  FilterOptions with_secret = Keyed(options);
  ASSERT_TRUE(keyed.Create(servers_, "keyed", 1000, with_secret).ok());
  const std::string image = Build(options, hashes), keyed_image = Build(with_secret, hashes);
  const auto fails = [&](StatusCode code, const char* what, const Status& status) {
    EXPECT_EQ(status.code(), code) << what << ": " << status.message();
    EXPECT_EQ(filter.name(), "old") << what;
    EXPECT_EQ(CountMissing(&filter, hashes), 0u) << what;
    RedisInsert outcome = RedisInsert::kFailed;
    EXPECT_TRUE(filter.InsertHash(hashes[0], &outcome).ok()) << what;
    EXPECT_EQ(outcome, RedisInsert::kKnown) << what;
  };
  fails(StatusCode::kNotFound, "none", filter.Open(servers_, "none"));
  fails(StatusCode::kIncompatible, "no secret", filter.Open(servers_, "keyed"));
  with_secret.secret.bytes[0] = 2;
  fails(StatusCode::kIncompatible, "another secret", filter.Open(servers_, "keyed", &with_secret.secret));
  fails(StatusCode::kIncompatible, "taken", filter.Create(servers_, "keyed", 1000, options));
  fails(StatusCode::kInvalidArgument, "no options", filter.Create(servers_, "new", 1000, FilterOptions()));
  fails(StatusCode::kCorrupt, "cut", filter.CreateFromImage(servers_, "new", image.data(), image.size() - 1));
  fails(StatusCode::kIncompatible, "image without its secret",
        filter.CreateFromImage(servers_, "new", keyed_image.data(), keyed_image.size()));
  fails(StatusCode::kIncompatible, "image under a name that is taken",
        filter.CreateFromImage(servers_, "keyed", image.data(), image.size()));
  RedisServers nobody = servers_;
  nobody.addresses = "127.0.0.1:1";
  test::SetPatience(50, &nobody);
  fails(StatusCode::kUnavailable, "no server", filter.Open(nobody, "old"));
  ASSERT_TRUE(filter.CreateFromImage(servers_, "new", image.data(), image.size()).ok());
  EXPECT_EQ(filter.name(), "new");
}

}  // namespace
}  // namespace linefilter::test
