// The expected false-positive rate of the layout `retrieval`.
//
// The equations of a block's j keys are taken, an eighth of a constraint after another, until one contradicts. They
// then number about its 504 unknowns, so the level T is about 8 * 504 / j, and the rate (1 - (T mod 8) / 16) *
// 2^-floor(T / 8). How the rank really grows depends on how the constraints split the block and has no formula that is
// good to a percent. (Whole words are systems of 63 unknowns each, half words of 32 and 31: near 63 and 31 keys these
// contradict early.) So the mean over random blocks of j distinct keys is a table, measured with the library's solver:
//   j            blocks    relative standard error
//   0..20        analytic in its tail, see below
//   21..29       2,000,000 0.6 % falling to 0.02 %
//   30, 31       400,000   0.02 %
//   32..63       65,536    0.05 %
//   64..126      32,768    0.05 %
//   127..192     2,048     0.12 %
// and beyond, where T moves slowly, 485 equations whatever the load: within 3 % but for 8 % around 480 keys. Up to 20
// keys the mean lives on the few blocks whose keys depend on each other in a half word, which only constraint 15 tells
// (T is 127). They are 12.6 * 2^(j - 32) of all, as counted at 17 to 24 keys. The rest is of 400,000 blocks and more.
//
// j / 2^32 is added for keys that agree with one of the block in all 32 bits of the in-block hash: more than all else
// up to 15 keys. Against newly measured blocks of all loads the model is right to 0.3 % from 6 to 24 bits per key
// (tests/layouts/retrieval/retrieval_model_test.cc, which also makes the table again), to 0.5 % from 3 on, to 3 %
// below.
#include "lib/layouts/blocks/block_load.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/retrieval/solver/solver.h"

namespace linefilter::internal {
namespace {

constexpr uint64_t kTableLoads = 193;
constexpr double kTable[kTableLoads] = {
    4.6566e-10, 4.6744e-10, 4.6986e-10, 4.7468e-10, 4.8014e-10, 4.9018e-10, 4.953e-10,  5.0499e-10, 5.2108e-10,
    5.4379e-10, 5.8645e-10, 6.4864e-10, 7.7299e-10, 1.0092e-9,  1.4764e-9,  2.531e-9,   4.8698e-9,  1.0101e-8,
    2.084e-8,   4.6703e-8,  1.047e-7,   1.945e-7,   3.608e-7,   7.0776e-7,  1.3482e-6,  2.5868e-6,  4.4322e-6,
    7.4834e-6,  1.1518e-5,  1.5651e-5,  1.8711e-5,  2.1287e-5,  2.4878e-5,  2.9908e-5,  4.0409e-5,  5.1934e-5,
    6.7951e-5,  8.8333e-5,  0.00010938, 0.00014039, 0.00018104, 0.0002283,  0.00027808, 0.00032946, 0.00039078,
    0.00045132, 0.00054223, 0.00065278, 0.00075974, 0.00086483, 0.00099062, 0.0011581,  0.0013404,  0.0015208,
    0.0017004,  0.0018812,  0.0021244,  0.0024963,  0.0028745,  0.0032735,  0.0036895,  0.0040694,  0.004353,
    0.0045631,  0.0048547,  0.0052117,  0.005611,   0.0060215,  0.006432,   0.0068346,  0.0072359,  0.0076561,
    0.0085897,  0.0092311,  0.0099698,  0.01067,    0.011347,   0.012008,   0.012651,   0.013279,   0.013897,
    0.014522,   0.015235,   0.016361,   0.017562,   0.018352,   0.019509,   0.020488,   0.021519,   0.022506,
    0.023474,   0.024412,   0.025324,   0.026242,   0.027143,   0.027982,   0.028869,   0.02961,    0.030603,
    0.031407,   0.034294,   0.035364,   0.036675,   0.038454,   0.039684,   0.041151,   0.04261,    0.043845,
    0.04525,    0.046591,   0.047822,   0.049139,   0.05043,    0.051595,   0.052913,   0.0542,     0.055411,
    0.05699,    0.058731,   0.060609,   0.062929,   0.065743,   0.068123,   0.069569,   0.070252,   0.070768,
    0.071946,   0.074127,   0.076603,   0.07811,    0.079437,   0.081284,   0.083576,   0.085114,   0.086578,
    0.088203,   0.089836,   0.091869,   0.093319,   0.094696,   0.096333,   0.097939,   0.09964,    0.1009,
    0.10229,    0.10363,    0.10542,    0.10703,    0.10834,    0.10948,    0.11058,    0.11203,    0.11384,
    0.11532,    0.11656,    0.11731,    0.1183,     0.11958,    0.12157,    0.1233,     0.12447,    0.12507,
    0.1265,     0.13268,    0.13891,    0.14042,    0.14069,    0.14109,    0.14212,    0.14485,    0.14799,
    0.15163,    0.15417,    0.1556,     0.15668,    0.15791,    0.15981,    0.16161,    0.16411,    0.1671,
    0.1693,     0.17081,    0.17216,    0.17349,    0.17469,    0.17654,    0.17886,    0.1814,     0.18349,
    0.18513,    0.18653,    0.18756,    0.1889};

// The equations that a fuller block meets.
constexpr double kEquations = 485;

// The rate of a level between two whole ones is linear between their rates.
double LevelFpr(double level) {
  if (!(level > 0)) return 1;
  const uint64_t whole = static_cast<uint64_t>(level);
  const auto fpr = [](uint64_t t) {
    return (1 - static_cast<double>(t % 8) / 16) / static_cast<double>(uint64_t{1} << (t / 8));
  };
  const double below = fpr(whole), above = fpr(whole + 1);
  return below + (above - below) * (level - static_cast<double>(whole));
}

// FPR_j for j = first, first + 1, ...
class RetrievalBlockFpr {
 public:
  explicit RetrievalBlockFpr(uint64_t first) : load_(first) {}
  double Value() const {
    const double load = static_cast<double>(load_);
    // A level is whole, so half an eighth less than the equations would fill.
    const double by_level = load_ < kTableLoads ? kTable[load_] : LevelFpr(8 * kEquations / load - 0.5);
    const double fpr = by_level + (1 - by_level) * load / 4294967296.0;
    return fpr < 1 ? fpr : 1;
  }
  void Next() { ++load_; }

 private:
  uint64_t load_;
};

constexpr auto kFrom = [](uint64_t first) { return RetrievalBlockFpr(first); };

double ExpectedFprOfBlocks(uint64_t num_keys, uint64_t body_bytes, uint32_t) {
  const uint64_t num_blocks = body_bytes / 64;
  return num_blocks == 1 ? kFrom(num_keys).Value() : MeanFpr(LoadOf(num_keys, num_blocks), kFrom);
}

double LimitFpr(double bits_per_key, uint32_t) { return MeanFpr(LimitLoad(bits_per_key), kFrom); }

uint32_t NoProbes(double) { return 0; }

}  // namespace

// The error is that of a measured table (tests/layouts/retrieval/retrieval_model_test.cc).
extern const LayoutMaker kRetrievalMaker;
constexpr LayoutMaker kRetrievalMaker = {{Layout::kRetrieval, 0, 64, 64, uint64_t{64} << 32, ExpectedFprOfBlocks,
                                          LimitFpr, NoProbes, false, false, 0.01, 0, 0},
                                         1024,
                                         RetrievalBuildRange,
                                         RetrievalScratchBytes};

}  // namespace linefilter::internal
