// States: whatever Create made, and whatever image a class takes, is saved, loaded and saved again with the same
// answers, and goes on the same way: 10,000 of them, extremes included. What a class does not take leaves it unmade. No
// key is lost on the way.
//
// Each state is made by chance: of a class, with options, hashes and insertions of its own; or of an image whose fields
// claim anything, written by the reference (tests/reference) with a right check.
#include "tests/filters/states_test.h"

#include <cstdio>
#include <iterator>
#include <type_traits>

#include "linefilter/builder.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {
namespace {

// Sanitizers go through a quarter of them, and emulators (tools/lib/cpus.sh) through 400.
uint64_t NumStates() { return Effort() == 1 ? 10000 : IsEmulated() ? 400 : 2500; }
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
  if constexpr (std::is_same_v<Filter, ConcurrentFilter>) {
    const std::vector<Layout> layouts = EverySharedLayout();
    options->layout = layouts[random->Below(layouts.size())];
  }
  if constexpr (std::is_same_v<Filter, QuotientFilter>) options->removable = random->Below(4) != 0;
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
bool MadeRetrieval(Random* random, const TempDir&, uint64_t) {
  FilterOptions options = SomeOptions(random, true);
  options.layout = Layout::kRetrieval;
  options.memory_limit = kNoMemoryLimit;
  FilterBuilder builder(options);
  const std::vector<uint64_t> hashes =
      SomeHashes(random, random->Below(4) == 0 ? random->Below(3) : random->Below(2000));
  builder.AddHashes(hashes.data(), hashes.size());
  std::string image;
  if (!builder.Finish(&image).ok()) return false;
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, test::SecretOf(options));
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
  const uint32_t most = FactsOf(static_cast<Layout>(layout)).max_num_probes;
  claim.num_probes = static_cast<int>(most != 0                        ? 1 + random->Below(most)
                                      : layout == reference::kQuotient ? random->Below(3)         // 0 and 1 are legal
                                                                       : random->Below(8) == 0);  // it has none
  const size_t units = OneOf<size_t>(random, {0, 1, 2, 3, 64, 65, 100});
  const size_t unit = layout == reference::kClassic ? 1 : layout == reference::kSplitBlock ? 32 : 64;
  claim.body = test::SomeBody(random, unit * units);
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
  const int layout = OneOf(random, {1, 2, 3, 6, 7, 5, 5, 5, 5});
  reference::Filter claim = layout == reference::kContainer ? test::ClaimContainer(random) : ClaimBody(layout, random);
  FilterOptions options;
  ClaimFields(&claim, &options, random);
  const Bytes bytes = reference::WriteImage(claim);
  const std::string image(bytes.begin(), bytes.end());
  reference::Filter read;
  const bool is_read = reference::ReadImage(bytes.data(), bytes.size(), &read);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, test::SecretOf(options));
  ASSERT_EQ(view.status().ok(), is_read) << view.status().message();
  counts->views += is_read;
  if (is_read) ExpectKeepsClaims(image, test::SecretOf(options), random);
  switch (layout) {
    case 1:
      if (random->Below(2) == 0) return TryClass<ConcurrentFilter>(image, options, random, folder, counts);
      return TryClass<BlockedFilter>(image, options, random, folder, counts);
    case 2:
    case 3:
      return TryClass<ClassicFilter>(image, options, random, folder, counts);
    case 6:
      if (random->Below(2) == 0) return TryClass<ConcurrentFilter>(image, options, random, folder, counts);
      return TryClass<Filter>(image, options, random, folder, counts);
    case 7:
      return TryClass<QuotientFilter>(image, options, random, folder, counts);
    default:
      TryClass<ScalableFilter>(image, options, random, folder, counts);
      TryClass<RotatingFilter>(image, options, random, folder, counts);
  }
}

constexpr bool (*kMakers[])(Random* random, const TempDir& folder, uint64_t number) = {
    MadeState<BlockedFilter>,
    MadeState<ClassicFilter>,
    MadeState<QuotientFilter>,
    MadeState<ConcurrentFilter>,
    MadeState<ScalableFilter>,
    MadeState<RotatingFilter>,
    MadeRetrieval,
};

TEST(States, AllLoadSaveAndGoOnTheSameWay) {
  const test::TempDir folder(test::MemoryFolder());
  Random random(26);
  uint64_t made = 0, refused = 0;
  Counts claimed;
  const uint64_t num_states = NumStates();
  for (uint64_t i = 0; made + claimed.states < num_states && !HasFailure(); ++i) {
    SCOPED_TRACE("round " + std::to_string(i));
    if (i % 11 >= std::size(kMakers)) {
      ClaimedState(&random, folder, &claimed);
    } else {
      ++(kMakers[i % 11](&random, folder, made) ? made : refused);
    }
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

}  // namespace
}  // namespace linefilter::test
