// States: whatever Create made, and whatever image a class takes, is saved, loaded and saved again with the same
// answers, and goes on the same way: 10,000 of them, extremes included. What a class does not take leaves it unmade. No
// key is lost on the way.
//
// Each state is made by chance: of a class, with options, hashes and insertions of its own; or of an image whose fields
// claim anything, written by the reference (tests/reference) with a right check.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/remote_body.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/claims.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

using reference::Bytes;
using reference::PutLittleEndian;
using test::kMost;
using test::OneOf;
using test::Random;

// All of them; where a CPU is emulated (tools/lib/cpus.sh) 400.
uint64_t NumStates() { return std::getenv("LINEFILTER_TEST_EFFORT") == nullptr ? 10000 : 400; }
// Of what goes on from a claim: a stage that it asks for is opened, or refused alike.
constexpr uint64_t kMemoryLimit = uint64_t{1} << 18;

// Of a filter that is made: hash, size, probes.
FilterOptions SomeOptions(Random* random, bool by_rate) {
  FilterOptions options;
  if (by_rate) {
    options.fpr = OneOf(random, {0.999999, 0.5, 0.1, 0.01, 0.0003, 1e-5, 1e-7});
  } else if (random->Below(2) == 0) {
    options.fpr = OneOf(random, {0.99, 0.3, 0.01, 0.003, 1e-6});
  } else {
    options.bits_per_key = OneOf(random, {1.0, 2.5, 10.0, 30.0, 64.0});
    if (random->Below(4) == 0) options.num_probes = static_cast<uint32_t>(1 + random->Below(16));
  }
  options.hash_id = OneOf(random, {HashId::kXxh3, HashId::kXxh3, HashId::kCaller, HashId::kKeyed});
  if (options.hash_id == HashId::kXxh3) options.seed = OneOf<uint64_t>(random, {0, 0, 1, kMost, (*random)()});
  if (options.hash_id == HashId::kKeyed) {
    for (uint8_t& byte : options.secret.bytes) byte = static_cast<uint8_t>(random->Below(256));
    options.secret.bytes[0] |= 1;
  }
  options.memory_limit = kMemoryLimit;
  return options;
}

// Of what is opened again.
FilterOptions ToOpen(const FilterOptions& made) {
  FilterOptions options;
  options.memory_limit = made.memory_limit;
  if (made.hash_id == HashId::kKeyed) options.hash_id = made.hash_id, options.secret = made.secret;
  return options;
}

std::vector<uint64_t> SomeHashes(Random* random, size_t n) {
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) {
    hash = random->Below(16) == 0 ? OneOf<uint64_t>(random, {0, 1, kMost, uint64_t{1} << 63}) : (*random)();
  }
  return hashes;
}

template <class Filter>
std::string ImageOf(const Filter& filter) {
  std::string image;
  const Status status = filter.AppendImage(&image);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

template <class Filter>
std::vector<uint8_t> AnswersOf(const Filter& filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 2);
  filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  return answers;
}

// --- How each class goes on: the answers that it gives meanwhile, the same for the same choices ---

template <class Filter>
void Insert(Filter* filter, Random* random, std::vector<uint8_t>* answers) {
  for (const uint64_t hash : SomeHashes(random, random->Below(20))) {
    answers->push_back(filter->InsertHash(hash));
    EXPECT_TRUE(filter->MayContainHash(hash)) << "a member is absent";
  }
  const std::vector<uint64_t> batch = SomeHashes(random, 1 + random->Below(40));
  std::vector<uint8_t> were_new(batch.size());
  filter->InsertHashes(batch.data(), batch.size(), were_new.data());
  answers->insert(answers->end(), were_new.begin(), were_new.end());
  EXPECT_TRUE(filter->MayContainHash(batch.back())) << "a member is absent";
}

template <class Filter>
void More(Filter* filter, Random* random, std::vector<uint8_t>*) {
  if (random->Below(4) == 0 && filter->num_blocks() % 2 == 0 && filter->num_blocks() != 0) {
    EXPECT_TRUE(filter->Fold(2).ok());
  }
  if (random->Below(8) == 0) filter->Clear();
}
void More(ClassicFilter* filter, Random* random, std::vector<uint8_t>*) {
  if (random->Below(8) == 0) filter->Clear();
}
void More(ConcurrentBlockedFilter*, Random*, std::vector<uint8_t>*) {}
void More(CountingBlockedFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  const std::vector<uint64_t> hashes = SomeHashes(random, 10);
  for (const uint64_t hash : hashes) filter->InsertHash(hash);
  for (const uint64_t hash : hashes) answers->push_back(filter->RemoveHash(hash));
}
void More(ScalableFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  answers->push_back(static_cast<uint8_t>(filter->num_stages()));
  if (random->Below(8) == 0) filter->Clear();
}
void More(RotatingFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  for (uint64_t i = random->Below(4); i != 0; --i) {
    const uint64_t before = filter->generation();
    EXPECT_EQ(filter->Rotate(), std::min(before + 1, kLastGeneration));
  }
  for (int i = 0; i < 48; i += 8) answers->push_back(static_cast<uint8_t>(filter->generation() >> i));
}

template <class Filter>
std::vector<uint8_t> GoOn(Filter* filter, Random random) {
  std::vector<uint8_t> answers;
  for (uint64_t i = 1 + random.Below(3); i != 0; --i) {
    Insert(filter, &random, &answers);
    More(filter, &random, &answers);
  }
  return answers;
}

// --- The property ---

// Through a body that lies elsewhere, as Redis has it: the image of its facts. Where the ones of the newest stage are
// told they are those that it has, for no key came meanwhile.
std::string ThroughBody(const std::string& image, const HashSecret* secret, bool tells_ones) {
  const FilterView view(image.data(), image.size(), secret);
  BodyFacts facts = FactsOf(view);
  if (tells_ones && view.num_stages() != 0) {
    const StageInfo newest = view.stage(view.num_stages() - 1);
    const double bits = 512 * static_cast<double>(newest.num_blocks);
    facts.newest_ones = static_cast<uint64_t>(std::llround(newest.FillRatio() * bits));
  }
  test::Collector again;
  BodyImageWriter writer;
  Status status = writer.Start(facts, again.sink());
  if (status.ok()) status = writer.Append(view.body(), static_cast<size_t>(view.body_bytes()));
  if (status.ok()) status = writer.Finish();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(again.bytes.size(), BodyImageBytes(facts));
  return again.bytes;
}

// An image that this library wrote comes back byte for byte.
void ExpectSameBody(const std::string& image, const HashSecret* secret, const std::vector<uint64_t>& asked,
                    bool tells_ones) {
  const std::string again = ThroughBody(image, secret, tells_ones);
  EXPECT_EQ(again, image) << "the image of its facts and its body";
  const FilterView read(again.data(), again.size(), secret), view(image.data(), image.size(), secret);
  EXPECT_EQ(AnswersOf(read, asked), AnswersOf(view, asked));
}

// One that claims anything keeps what matters, and comes back byte for byte from then on.
void ExpectKeepsClaims(const std::string& image, const HashSecret* secret, Random* random) {
  const bool tells_ones = random->Below(2) == 0;
  const std::string again = ThroughBody(image, secret, tells_ones);
  const FilterView before(image.data(), image.size(), secret), after(again.data(), again.size(), secret);
  test::ExpectSameClaims(before, after);
  if (after.body_bytes() > 4096) {
    EXPECT_EQ(after.num_keys(), before.num_keys());
  }
  const std::vector<uint64_t> asked = SomeHashes(random, 60);
  EXPECT_EQ(AnswersOf(after, asked), AnswersOf(before, asked));
  EXPECT_EQ(ThroughBody(again, secret, tells_ones), again);
}

// It goes on the same way, too, whether the keys come one by one or together.
template <class Filter>
void ExpectBatchesAsSingleCalls(const std::string& image, const FilterOptions& options,
                                const std::vector<uint64_t>& hashes) {
  Filter one_by_one, together;
  ASSERT_TRUE(one_by_one.CreateFromImage(image.data(), image.size(), options).ok());
  ASSERT_TRUE(together.CreateFromImage(image.data(), image.size(), options).ok());
  std::vector<uint8_t> were_new, answers(hashes.size(), 2);
  for (const uint64_t hash : hashes) were_new.push_back(one_by_one.InsertHash(hash));
  together.InsertHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_EQ(answers, were_new);
  EXPECT_EQ(ImageOf(together), ImageOf(one_by_one));
}

// `filter` is in some state: it saves; what is loaded is the same, saves the same, and goes on the same way.
template <class Filter>
void ExpectGoesOn(Filter* filter, const FilterOptions& made, Random* random, const test::TempDir& folder,
                  uint64_t number) {
  const FilterOptions options = ToOpen(made);
  const std::vector<uint64_t> asked = SomeHashes(random, 60);
  const std::string image = ImageOf(*filter);
  const FilterView view(image.data(), image.size(), test::SecretOf(options));
  ASSERT_TRUE(view.Verify().ok()) << view.status().message();
  reference::Filter read;
  ASSERT_TRUE(reference::ReadImage(reinterpret_cast<const uint8_t*>(image.data()), image.size(), &read));

  Filter loaded;
  if (number % 100 == 0) {  // a file costs more than all the rest
    const std::string path = folder.File("image");
    ASSERT_TRUE(filter->Save(path.c_str()).ok());
    FilterFile file;
    ASSERT_TRUE(file.Load(path.c_str(), {}, kNoMemoryLimit, test::SecretOf(options)).ok());
    ASSERT_EQ(file.view().image_bytes(), image.size());
    ASSERT_TRUE(loaded.CreateFromImage(file.view().body(), file.view().image_bytes(), options).ok());
  } else {
    const Status status = loaded.CreateFromImage(image.data(), image.size(), options);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(ImageOf(loaded), image);
  const std::vector<uint8_t> answers = AnswersOf(*filter, asked);
  EXPECT_EQ(AnswersOf(loaded, asked), answers);
  EXPECT_EQ(AnswersOf(view, asked), answers);
  ExpectSameBody(image, test::SecretOf(options), asked, random->Below(2) == 0);

  ExpectBatchesAsSingleCalls<Filter>(image, options, SomeHashes(random, 100));
  const Random choices((*random)());
  EXPECT_EQ(GoOn(filter, choices), GoOn(&loaded, choices));
  const std::string later = ImageOf(*filter);
  ASSERT_EQ(ImageOf(loaded), later);
  Filter once_more;
  ASSERT_TRUE(once_more.CreateFromImage(later.data(), later.size(), options).ok());
  EXPECT_EQ(ImageOf(once_more), later);
  EXPECT_EQ(AnswersOf(once_more, asked), AnswersOf(*filter, asked));
}

// Some counts, and what no machine has.
uint64_t SomeCount(Random* random) {
  return OneOf<uint64_t>(random, {0, 1, 2, random->Below(100), random->Below(2000), uint64_t{1} << 40, kMost});
}

// --- States that are made ---

// False: refused, and the filter is as before.
template <class Filter>
bool Make(Filter* filter, FilterOptions* options, Random* random) {
  *options = SomeOptions(random, false);
  options->foldable = random->Below(4) == 0;
  return filter->Create(SomeCount(random), *options).ok();
}
bool Make(ScalableFilter* filter, FilterOptions* options, Random* random) {
  *options = SomeOptions(random, true);
  GrowthOptions growth;
  growth.max_growth = OneOf<uint64_t>(random, {0, 1, 2, 3, 100, 1000000, kMost});
  return filter->Create(SomeCount(random), *options, growth).ok();
}
bool Make(RotatingFilter* filter, FilterOptions* options, Random* random) {
  *options = SomeOptions(random, false);
  const uint32_t generations = OneOf<uint32_t>(random, {2, 3, 4, 64});
  return filter
      ->Create(SomeCount(random), generations, *options, OneOf(random, {Rotation::kByCaller, Rotation::kByCount}))
      .ok();
}

template <class Filter>
bool MadeState(Random* random, const test::TempDir& folder, uint64_t number) {
  Filter filter;
  FilterOptions options;
  if (!Make(&filter, &options, random)) {
    EXPECT_EQ(filter.ImageBytes(), 0u);
    EXPECT_TRUE(filter.MayContainHash((*random)()));
    return false;
  }
  if (random->Below(3) != 0) (void)GoOn(&filter, Random((*random)()));
  ExpectGoesOn(&filter, options, random, folder, number);
  return true;
}

// Layout `retrieval`, which only a builder makes: no class takes it, and a view and a body answer.
bool MadeRetrieval(Random* random) {
  FilterOptions options = SomeOptions(random, true);
  options.layout = Layout::kRetrieval;
  options.memory_limit = kNoMemoryLimit;
  FilterBuilder builder(options);
  const std::vector<uint64_t> hashes =
      SomeHashes(random, random->Below(4) == 0 ? random->Below(3) : random->Below(2000));
  builder.AddHashes(hashes.data(), hashes.size());
  std::string image;
  if (!builder.Finish(&image).ok()) return false;
  const FilterView view(image.data(), image.size(), test::SecretOf(options));
  EXPECT_TRUE(view.Verify().ok()) << view.status().message();
  EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size()) << "a member is absent";
  ExpectSameBody(image, test::SecretOf(options), SomeHashes(random, 60), random->Below(2) == 0);
  BlockedFilter filter;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), ToOpen(options)).code(), StatusCode::kIncompatible);
  return true;
}

// --- States that an image claims ---

// A hash, and fields that need not be there.
void ClaimFields(reference::Filter* filter, FilterOptions* options, Random* random) {
  *options = FilterOptions();
  options->memory_limit = kMemoryLimit;
  filter->hash_id = static_cast<int>(random->Below(3));
  if (filter->hash_id == 2) {
    options->hash_id = HashId::kKeyed;
    for (uint8_t& byte : options->secret.bytes) byte = static_cast<uint8_t>(random->Below(256));
    options->secret.bytes[0] |= 1;
    filter->seed = reference::CheckOfSecret(options->secret.bytes);
    filter->has_seed = true;
  } else {
    filter->seed = OneOf<uint64_t>(random, {0, 1, kMost});
    filter->has_seed = random->Below(2) == 0;
  }
  if (!filter->body.empty() && random->Below(2) == 0) {
    filter->has_num_keys = true;
    filter->num_keys = OneOf<uint64_t>(random, {0, 1, kMost});
  }
  if (random->Below(4) == 0) {
    filter->has_extensions = true;
    filter->extensions.push_back({0x1234, Bytes(random->Below(9), 7)});
  }
}

reference::Filter ClaimBody(int layout, Random* random) {
  reference::Filter claim;
  claim.layout = layout;
  claim.num_probes = static_cast<int>(1 + random->Below(layout == reference::kClassic ? 30 : 16));
  if (layout == reference::kRetrieval) claim.num_probes = random->Below(8) == 0;  // it has none
  const size_t units = OneOf<size_t>(random, {0, 1, 2, 3, 64, 65, 100});
  claim.body = test::SomeBody(random, layout == reference::kClassic ? units : 64 * units);
  return claim;
}

struct Counts {
  uint64_t states = 0, views = 0, refused = 0;
};

// An image of a layout into the class of it: refused with nothing done, or a state.
template <class Filter>
void TryClass(const std::string& image, const FilterOptions& options, Random* random, const test::TempDir& folder,
              Counts* counts) {
  Filter filter;
  if (filter.CreateFromImage(image.data(), image.size(), options).ok()) {
    ++counts->states;
    ExpectGoesOn(&filter, options, random, folder, counts->states);
  } else {
    ++counts->refused;
    EXPECT_EQ(filter.ImageBytes(), 0u);
  }
}

void ClaimedState(Random* random, const test::TempDir& folder, Counts* counts) {
  const int layout = OneOf(random, {1, 2, 3, 4, 5, 5, 5, 5});
  reference::Filter claim = layout == reference::kContainer ? test::ClaimContainer(random) : ClaimBody(layout, random);
  FilterOptions options;
  ClaimFields(&claim, &options, random);
  const Bytes bytes = reference::WriteImage(claim);
  const std::string image(bytes.begin(), bytes.end());
  reference::Filter read;
  const bool is_read = reference::ReadImage(bytes.data(), bytes.size(), &read);
  const FilterView view(image.data(), image.size(), test::SecretOf(options));
  ASSERT_EQ(view.status().ok(), is_read) << view.status().message();
  counts->views += is_read;
  if (is_read) ExpectKeepsClaims(image, test::SecretOf(options), random);
  switch (layout) {
    case 1:
      if (random->Below(2) == 0) return TryClass<ConcurrentBlockedFilter>(image, options, random, folder, counts);
      return TryClass<BlockedFilter>(image, options, random, folder, counts);
    case 2:
    case 3:
      return TryClass<ClassicFilter>(image, options, random, folder, counts);
    case 4:
      return TryClass<CountingBlockedFilter>(image, options, random, folder, counts);
    default:
      TryClass<ScalableFilter>(image, options, random, folder, counts);
      TryClass<RotatingFilter>(image, options, random, folder, counts);
  }
}

TEST(States, AllLoadSaveAndGoOnTheSameWay) {
  const test::TempDir folder(test::MemoryFolder());
  Random random(26);
  uint64_t made = 0, refused = 0;
  Counts claimed;
  const uint64_t num_states = NumStates();
  for (uint64_t i = 0; made + claimed.states < num_states && !HasFailure(); ++i) {
    SCOPED_TRACE("round " + std::to_string(i));
    bool is_made = false;
    switch (i % 11) {
      case 0:
        is_made = MadeState<BlockedFilter>(&random, folder, made);
        break;
      case 1:
        is_made = MadeState<ClassicFilter>(&random, folder, made);
        break;
      case 2:
        is_made = MadeState<CountingBlockedFilter>(&random, folder, made);
        break;
      case 3:
        is_made = MadeState<ConcurrentBlockedFilter>(&random, folder, made);
        break;
      case 4:
        is_made = MadeState<ScalableFilter>(&random, folder, made);
        break;
      case 5:
        is_made = MadeState<RotatingFilter>(&random, folder, made);
        break;
      case 6:
        is_made = MadeRetrieval(&random);
        break;
      default:
        ClaimedState(&random, folder, &claimed);
        continue;
    }
    ++(is_made ? made : refused);
  }
  EXPECT_EQ(made + claimed.states, num_states);
  EXPECT_GT(made, num_states / 3);
  EXPECT_GT(refused, num_states / 10);
  EXPECT_GT(claimed.states, num_states / 5);
  EXPECT_GT(claimed.refused, num_states / 5);
  EXPECT_GT(claimed.views, num_states / 5);
  printf("%llu made (%llu refused), %llu claimed (%llu refused)\n", static_cast<unsigned long long>(made),
         static_cast<unsigned long long>(refused), static_cast<unsigned long long>(claimed.states),
         static_cast<unsigned long long>(claimed.refused));
}

// --- One by one ---

// A builder without keys, of any layout and hash.
template <class Filter>
void ExpectOfEmptyBuilder(Layout layout) {
  for (const HashId hash_id : {HashId::kXxh3, HashId::kCaller, HashId::kKeyed}) {
    for (const bool foldable : {false, true}) {
      if (foldable && layout == Layout::kClassic) continue;
      FilterOptions options;
      options.layout = layout;
      options.bits_per_key = 10;
      options.hash_id = hash_id;
      options.foldable = foldable;
      if (hash_id == HashId::kKeyed) options.secret.bytes[3] = 1;
      const std::string image = test::Build(options, {});
      Filter filter;
      const Status status = filter.CreateFromImage(image.data(), image.size(), ToOpen(options));
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(filter.body_bytes(), layout == Layout::kClassic ? 8u : 64u);
      EXPECT_EQ(filter.hash_id(), hash_id);
      const std::vector<uint64_t> hashes = test::RandomHashes(20, 1);
      EXPECT_EQ(AnswersOf(filter, hashes), std::vector<uint8_t>(hashes.size(), 0)) << "it is empty";
      for (const uint64_t hash : hashes) filter.InsertHash(hash);
      EXPECT_EQ(AnswersOf(filter, hashes), std::vector<uint8_t>(hashes.size(), 1));
      FilterOptions limited = ToOpen(options);
      limited.memory_limit = 7;
      const Status refused = Filter().CreateFromImage(image.data(), image.size(), limited);
      EXPECT_EQ(refused.code(), StatusCode::kOverLimit);
      limited.memory_limit = std::strtoull(refused.message(), nullptr, 10) - 1;  // "N bytes are needed ..."
      EXPECT_EQ(Filter().CreateFromImage(image.data(), image.size(), limited).code(), StatusCode::kOverLimit);
      ++limited.memory_limit;
      EXPECT_TRUE(Filter().CreateFromImage(image.data(), image.size(), limited).ok()) << refused.message();
    }
  }
}

TEST(States, AnImageOfNoKeysBecomesAnEmptyFilter) {
  ExpectOfEmptyBuilder<BlockedFilter>(Layout::kBlocked);
  ExpectOfEmptyBuilder<ConcurrentBlockedFilter>(Layout::kBlocked);
  ExpectOfEmptyBuilder<CountingBlockedFilter>(Layout::kCounting);
  ExpectOfEmptyBuilder<ClassicFilter>(Layout::kClassic);
}

// The number stays, and nothing else does: generations go, snapshots are taken.
TEST(States, RotationsGoOnBehindTheLastNumber) {
  reference::Filter stage;
  stage.num_probes = 8;
  stage.body.resize(64 * 4);
  reference::Filter claim = reference::MakeContainer({stage, stage, stage}, {0, 0, 0});
  Bytes growth(32, 0);
  growth[0] = 2;
  PutLittleEndian(100, 8, &growth[8]);
  PutLittleEndian(kLastGeneration - 1, 8, &growth[16]);
  claim.extensions.push_back({reference::kGrowth, growth});
  const Bytes image = reference::WriteImage(claim);
  RotatingFilter filter;
  ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
  EXPECT_EQ(filter.generation(), kLastGeneration - 1);
  for (int i = 0; i < 10; ++i) {
    const uint64_t hash = MixHash(static_cast<uint64_t>(i));
    filter.InsertHash(hash);
    EXPECT_EQ(filter.Rotate(), kLastGeneration);
    EXPECT_EQ(filter.generation(), kLastGeneration);
    EXPECT_TRUE(filter.MayContainHash(hash));
    const std::string saved = ImageOf(filter);
    RotatingFilter loaded;
    const Status status = loaded.CreateFromImage(saved.data(), saved.size());
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(loaded.generation(), kLastGeneration);
    EXPECT_TRUE(loaded.MayContainHash(hash));
    filter.Rotate();
    filter.Rotate();
    EXPECT_FALSE(filter.MayContainHash(hash)) << "three rotations are over";
  }
}

// Keys that go into a body elsewhere are counted where its filter goes on: as many as the one bits tell.
TEST(States, KeysThatCameElsewhereAreCounted) {
  FilterOptions options;
  options.fpr = 0.01;
  ScalableFilter grown;
  ASSERT_TRUE(grown.Create(1000, options).ok());
  const std::vector<uint64_t> first = test::RandomHashes(1200, 1), more = test::RandomHashes(700, 2);
  grown.InsertHashes(first.data(), first.size());
  std::string image = ImageOf(grown);
  BodyFacts facts = FactsOf(FilterView(image.data(), image.size()));
  const StageInfo newest = FilterView(image.data(), image.size()).stage(1);
  facts.newest_ones = static_cast<uint64_t>(newest.FillRatio() * 512 * static_cast<double>(newest.num_blocks) + 0.5);
  const auto write = [&] {
    test::Collector again;
    BodyImageWriter writer;
    EXPECT_TRUE(writer.Start(facts, again.sink()).ok());
    for (size_t at = 0; at < facts.body_bytes; at += 100) {
      const size_t left = static_cast<size_t>(facts.body_bytes) - at;
      EXPECT_TRUE(writer.Append(image.data() + at, std::min<size_t>(left, 100)).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    return again.bytes;
  };
  EXPECT_EQ(write(), image) << "none came";
  for (const uint64_t hash : more) {
    uint64_t positions[kMaxPositions];
    for (size_t i = PositionsOfHash(facts, hash, positions); i != 0; --i) {
      image[positions[i - 1] / 8] = static_cast<char>(image[positions[i - 1] / 8] | 1 << positions[i - 1] % 8);
    }
  }
  const std::string later = write();
  ScalableFilter loaded;
  const Status status = loaded.CreateFromImage(later.data(), later.size());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(loaded.CountMaybes(more.data(), more.size()), more.size());
  EXPECT_NEAR(static_cast<double>(loaded.num_keys()), static_cast<double>(first.size() + more.size()), 60);
  EXPECT_EQ(loaded.num_keys(), FilterView(later.data(), later.size()).num_keys());
  // All bits: as many keys as bits at most, and a filter that goes on.
  std::fill(image.begin(), image.begin() + static_cast<ptrdiff_t>(facts.body_bytes), '\xff');
  const std::string full = write();
  ASSERT_TRUE(loaded.CreateFromImage(full.data(), full.size()).ok());
  EXPECT_EQ(loaded.stage(1).num_keys, 512 * loaded.stage(1).num_blocks);
}

// The same of one that forgets by count: what came counts for its rotation.
TEST(States, KeysThatCameElsewhereBringARotationNearer) {
  FilterOptions options;
  options.fpr = 0.01;
  RotatingFilter filter;
  ASSERT_TRUE(filter.Create(2000, 3, options, Rotation::kByCount).ok());
  const std::vector<uint64_t> hashes = test::RandomHashes(300, 1), more = test::RandomHashes(800, 2);
  filter.InsertHashes(hashes.data(), hashes.size());
  std::string image = ImageOf(filter);
  BodyFacts facts = FactsOf(FilterView(image.data(), image.size()));
  const StageInfo newest = FilterView(image.data(), image.size()).stage(2);
  facts.newest_ones = static_cast<uint64_t>(newest.FillRatio() * 512 * static_cast<double>(newest.num_blocks) + 0.5);
  for (const uint64_t hash : more) {
    uint64_t positions[kMaxPositions];
    for (size_t i = PositionsOfHash(facts, hash, positions); i != 0; --i) {
      image[positions[i - 1] / 8] = static_cast<char>(image[positions[i - 1] / 8] | 1 << positions[i - 1] % 8);
    }
  }
  test::Collector again;
  BodyImageWriter writer;
  ASSERT_TRUE(writer.Start(facts, again.sink()).ok());
  ASSERT_TRUE(writer.Append(image.data(), static_cast<size_t>(facts.body_bytes)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  RotatingFilter loaded;
  ASSERT_TRUE(loaded.CreateFromImage(again.bytes.data(), again.bytes.size()).ok());
  EXPECT_EQ(loaded.CountMaybes(more.data(), more.size()), more.size());
  const FilterView view(again.bytes.data(), again.bytes.size());
  EXPECT_EQ(view.stage(2).num_keys, 0u) << "a generation's keys are not told there";
  const uint64_t counted = reference::GetLittleEndian(view.growth() + 24, 8);
  EXPECT_NEAR(static_cast<double>(counted), 1100, 60) << "of 1000 that a generation takes";
  loaded.InsertHash(MixHash(1));
  EXPECT_EQ(loaded.generation(), 1u);
}

}  // namespace
}  // namespace linefilter
