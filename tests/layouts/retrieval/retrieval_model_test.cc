// The sizing's model of `retrieval` against what the builder reaches. How: the rate of a filter is the mean of those of
// its blocks, and that of a block follows from its level alone. So blocks with exactly j random keys are made, enough
// to know the mean of their rates, and whole filters.
//
// To make the table of lib/layouts/retrieval/model.cc again (about five minutes), from 21 keys on; below, the rate
// lives on blocks so rare that they are extrapolated, as told there:
//   retrieval_model_test --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_PrintTable'
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter {
namespace {

struct Rate {
  double mean = 0, error = 0;  // of the mean, absolute
};

double RateOfLevel(uint64_t level) {
  return (1 - static_cast<double>(level % 8) / 16) * std::pow(2, -static_cast<double>(level / 8));
}

Rate RateOfBlocks(const FilterBase& filter) {
  uint64_t counts[FilterBase::kMaxLevels];
  const size_t levels = filter.CountLevels(counts);
  double blocks = 0, sum = 0, squares = 0;
  for (size_t level = 0; level < levels; ++level) {
    const double rate = RateOfLevel(level), n = static_cast<double>(counts[level]);
    blocks += n, sum += n * rate, squares += n * rate * rate;
  }
  const double mean = sum / blocks;
  // To it come keys that agree with one of their block in the in-block hash, whose number is estimated.
  const double equal = filter.ApproximateSize().keys / blocks / 4294967296.0;
  EXPECT_GE(filter.ExpectedFpr(), mean * (1 - 1e-9)) << "a filter knows its own rate";
  EXPECT_NEAR(filter.ExpectedFpr() - mean, equal * (1 - mean), 0.1 * equal + 1e-9 * mean);
  return {mean, std::sqrt(std::max(0.0, squares / blocks - mean * mean) / blocks)};
}

Rate RateOfHashes(FilterBuilder* builder, uint64_t num_blocks) {
  std::string image;
  EXPECT_TRUE(test::IsOk(builder->Finish(&image)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_EQ(view.layout(), Layout::kRetrieval) << view.status().message();
  EXPECT_EQ(view.body_bytes(), 64 * num_blocks);
  return RateOfBlocks(view);
}

// A hair less than the bits there are, so that rounding cannot ask for another block.
FilterOptions OptionsFor(uint64_t num_blocks, uint64_t num_keys) {
  FilterOptions options;
  options.layout = Layout::kRetrieval;
  options.hash_id = HashId::kCaller;
  options.bits_per_key = 512 * static_cast<double>(num_blocks) / static_cast<double>(num_keys) * (1 - 1e-12);
  return options;
}

// 2^log_blocks blocks of `load` (8 or more) keys each.
Rate RateOfLoad(uint64_t load, int log_blocks, uint64_t seed) {
  const uint64_t num_blocks = uint64_t{1} << log_blocks;
  FilterBuilder builder(OptionsFor(num_blocks, load * num_blocks));
  test::Random random(1000 * seed + load);
  for (uint64_t i = 0; i < load; ++i) {
    for (uint64_t block = 0; block < num_blocks; ++block) {
      builder.AddHash(block << (64 - log_blocks) | random() >> log_blocks);
    }
  }
  return RateOfHashes(&builder, num_blocks);
}

// Of one block with so many keys, without the keys that agree with one of them in the whole in-block hash.
double ModelOfLoad(uint64_t load) {
  const double agree = static_cast<double>(load) / 4294967296.0;
  return (ExpectedFpr(Layout::kRetrieval, load, 64, 0) - agree) / (1 - agree);
}

constexpr uint64_t kFirstLoad = 21, kTableEnd = 193;

// Up to 32 keys the rates of blocks scatter, above 126 they take long: dense elimination.
int LogBlocks(uint64_t load) {
  const int log_blocks = load <= 32 ? 15 : load <= 126 ? 11 : 6;
  return test::Effort() < 1 ? 6 : log_blocks;
}

// The table's own error is stated in model.cc.
TEST(RetrievalModel, KnowsTheMeanRateOfBlocksOfEachLoad) {
  for (uint64_t load = kFirstLoad; load < kTableEnd; load += load < 127 && test::Effort() == 1 ? 1u : 9u) {
    const Rate rate = RateOfLoad(load, LogBlocks(load), 1);
    const double model = ModelOfLoad(load);
    EXPECT_NEAR(rate.mean / model, 1, 6 * rate.error / model + (load < 24 ? 0.02 : 0.005)) << load << " keys";
  }
}

TEST(RetrievalModel, KnowsAboutTheRateOfFullerBlocks) {
  for (uint64_t load = kTableEnd; load < 460; load += 37) {
    EXPECT_NEAR(RateOfLoad(load, 5, 2).mean / ModelOfLoad(load), 1, 0.05) << load << " keys";
  }
  EXPECT_NEAR(RateOfLoad(480, 5, 2).mean / ModelOfLoad(480), 1, 0.1) << "the worst";
  EXPECT_GT(ModelOfLoad(3000), 0.9);
  EXPECT_EQ(ModelOfLoad(10000), 1) << "the equations of one eighth alone contradict";
}

TEST(RetrievalModel, RisesWithTheLoad) {
  for (uint64_t load = 1; load < 5000; ++load) ASSERT_GT(ModelOfLoad(load + 1), ModelOfLoad(load) * 0.999999) << load;
  for (uint64_t load = 1; load < 17; ++load) {
    EXPECT_GT(ModelOfLoad(load), std::pow(2, -31)) << "the highest level, 248";
    EXPECT_LT(ModelOfLoad(load), 12 * std::pow(2, -31));
  }
}

// What the issue demands: within 2 % of measured from 6 to 24 bits per key. Measured rates of blocks of each load,
// weighed with the loads' Poisson probabilities: so the rare full blocks, on which the rate lives at high densities,
// are seen as often as the others. Loads below kFirstLoad weigh less than 3 % there (at 24 bits per key), below 0.1 %
// at 20.
TEST(RetrievalModel, IsWithinOnePercentOfMeasuredBlocksFrom6To24BitsPerKey) {
  if (test::Effort() < 1) GTEST_SKIP() << "measures too little: this build is not optimized";
  constexpr uint64_t kMeasured = 127, kLoads = 220;
  Rate rates[kMeasured];
  for (uint64_t load = kFirstLoad; load < kMeasured; ++load) rates[load] = RateOfLoad(load, LogBlocks(load), 3);
  for (double bits_per_key = 6; bits_per_key <= 24; bits_per_key += 0.5) {
    const double mean_load = 512 / bits_per_key;
    double weight = std::exp(-mean_load), measured = 0, variance = 0;
    for (uint64_t load = 0; load < kLoads; weight *= mean_load / static_cast<double>(++load)) {
      const bool is_measured = load >= kFirstLoad && load < kMeasured;
      const Rate rate = is_measured ? rates[load] : Rate{ModelOfLoad(load), 0};
      measured += weight * (rate.mean + static_cast<double>(load) / 4294967296.0);
      variance += weight * weight * rate.error * rate.error;
    }
    const double model = FprForBitsPerKey(Layout::kRetrieval, bits_per_key);
    EXPECT_LT(6 * std::sqrt(variance) / model, 0.015) << bits_per_key << ": measured well enough";
    EXPECT_NEAR(measured / model, 1, 0.005 + 6 * std::sqrt(variance) / model) << bits_per_key;
    if (bits_per_key == std::floor(bits_per_key)) {
      RecordProperty("measured_by_model_at_" + std::to_string(static_cast<int>(bits_per_key)),
                     std::to_string(measured / model));
    }
  }
}

// Whole filters, of few blocks (binomial loads) and many.
TEST(RetrievalModel, IsTheMeanRateOfFilters) {
  for (const double bits_per_key : {6.0, 8.0, 10.0, 12.0, 16.0}) {
    for (const uint64_t num_blocks : {uint64_t{2}, uint64_t{50}, uint64_t{10000}}) {
      const uint64_t num_keys = static_cast<uint64_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
      const uint64_t blocks_in_all = static_cast<uint64_t>(10000 * test::Effort());
      const uint64_t num_filters = std::max<uint64_t>(blocks_in_all / num_blocks, 1);
      test::Random random(num_blocks);
      double mean = 0, variance = 0;
      for (uint64_t f = 0; f < num_filters; ++f) {
        FilterBuilder builder(OptionsFor(num_blocks, num_keys));
        for (uint64_t i = 0; i < num_keys; ++i) builder.AddHash(random());
        const Rate rate = RateOfHashes(&builder, num_blocks);
        mean += rate.mean / static_cast<double>(num_filters);
        variance += rate.error * rate.error / static_cast<double>(num_filters * num_filters);
      }
      const double model = ExpectedFpr(Layout::kRetrieval, num_keys, 64 * num_blocks, 0);
      // The error is that of blocks, which is a little more than what whole filters scatter by; 10 of it, because the
      // rates of few blocks are skew.
      EXPECT_NEAR(mean / model, 1, 0.005 + 10 * std::sqrt(variance) / model)
          << bits_per_key << " bits per key, " << num_blocks << " blocks, " << num_filters << " filters";
    }
  }
}

TEST(RetrievalModel, HasNoProbesToChoose) {
  FilterOptions options = OptionsFor(100, 5000);
  options.num_probes = 5;
  uint64_t image_bytes = 0;
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, FilterBuilder::EstimateBytes(options, 5000, &image_bytes),
                         "leave it 0"));
  FilterBuilder builder(options);
  EXPECT_EQ(builder.status().code(), StatusCode::kInvalidArgument) << "before any key is added";
  options.num_probes = 0;
  EXPECT_TRUE(FilterBuilder::EstimateBytes(options, 5000, &image_bytes).ok());
}

TEST(RetrievalModel, DISABLED_PrintTable) {
  ASSERT_EQ(test::Effort(), 1) << "in an optimized build";
  double worst = 0;
  for (uint64_t load = kFirstLoad; load < kTableEnd; ++load) {
    const Rate rate = RateOfLoad(load, load < 30 ? 19 : load < 127 ? 15 : 12, 4);
    worst = std::max(worst, rate.error / rate.mean);
    printf("%.5g,%s", rate.mean, load % 8 == 0 ? "\n" : " ");
  }
  printf("\nlargest relative standard error %g\n", worst);
}

}  // namespace
}  // namespace linefilter
