// This has the exact false-positive rate of a block of the layout `blocked` with few keys, or few bits of each.
//
// The model's pairs of lanes do not suffice there: most false positives come from a key with the rotation of a member,
// which agrees with it in all lanes. The exact rate is the sum over all subsets A of the lanes that are asked
//   FPR_j = sum over A of (-1)^|A| g(A)^j,
//   g(A) = 1/16 sum over rotations r of (31/32)^|A intersected with (S rotated by r)|,
// which cancels too much for doubles, so here are its values, from whole numbers. They are without keys of the same
// in-block hash. tests/layouts/low_load_test.cc computes them all over again.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_NEARLY_EMPTY_BLOCKS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_NEARLY_EMPTY_BLOCKS_H_

#include <cstdint>

namespace linefilter::internal {

// With fewer probes there is nothing but pairs; with more they are right to 0.2 % for any number of keys.
inline constexpr uint32_t kLeastExactProbes = 3, kMostExactProbes = 12;

// The table goes up to so many keys, which choose fewer than 128 bits. Pairs are right to 1.7 % for more.
constexpr uint32_t MostExactKeys(uint32_t num_probes) {
  if (num_probes < kLeastExactProbes || num_probes > kMostExactProbes) return 0;
  return num_probes < 4 ? 31 : 127 / num_probes;
}

inline constexpr double kExactRates[] = {
    // clang-format off
    // 3 probes, 1 to 31 keys.
    1.90734863e-6, 5.87175236e-6, 1.30090101e-5, 2.43951942e-5, 4.10676186e-5, 6.40257868e-5, 9.42323201e-5,
    0.000132613866, 0.000180061989, 0.000237434037, 0.000305553999, 0.000385213337, 0.0004771718, 0.000582158227,
    0.000700871328, 0.000833980446, 0.000982126313, 0.00114592178, 0.00132595252, 0.00152277776, 0.00173693095,
    0.00196892042, 0.00221923008, 0.00248832, 0.00277662712, 0.00308456578, 0.0034125284, 0.00376088602,
    0.00412998887, 0.00452016698, 0.0049317307,
    // 4 probes, 1 to 31 keys.
    5.96046448e-8, 2.54337468e-7, 7.0485638e-7, 1.60953448e-6, 3.238178e-6, 5.92606482e-6, 1.006829e-5,
    1.61144054e-5, 2.45633412e-5, 3.5958597e-5, 5.08836909e-5, 6.99578562e-5, 9.38319739e-5, 0.000123184732,
    0.000158719001, 0.000201158415, 0.000251244153, 0.000309731909, 0.000377389038, 0.000454991881, 0.000543323251,
    0.000643170075, 0.000755321192, 0.000880565288, 0.00101968897, 0.00117347497, 0.00134270046, 0.00152813554,
    0.00173054175, 0.00195067075, 0.0021892631,
    // 5 probes, 1 to 25 keys.
    1.86264515e-9, 1.25392898e-8, 4.86399578e-8, 1.43905432e-7, 3.56768732e-7, 7.76683561e-7, 1.52933473e-6,
    2.78083712e-6, 4.74102184e-6, 7.66590085e-6, 1.18593944e-5, 1.76743991e-5, 2.55132685e-5, 3.58277725e-5,
    4.91185965e-5, 6.59344361e-5, 8.68707387e-5, 0.00011256814, 0.00014371064, 0.000181023548, 0.000225271256,
    0.000277254839, 0.000337809551, 0.000407802207, 0.000488128504,
    // 6 probes, 1 to 21 keys.
    5.82076609e-11, 6.61745976e-10, 3.64444649e-9, 1.4248372e-8, 4.43502453e-8, 1.16543437e-7, 2.68790065e-7,
    5.59403161e-7, 1.07215883e-6, 1.92137351e-6, 3.25681208e-6, 5.26831977e-6, 8.19009368e-6, 1.23045305e-5,
    1.79456042e-5, 2.55017424e-5, 3.54181831e-5, 4.8198804e-5, 6.44074265e-5, 8.4668602e-5, 0.000109667897,
    // 7 probes, 1 to 18 keys.
    1.8189894e-12, 3.6497474e-11, 2.94245007e-10, 1.55423936e-9, 6.16254179e-9, 1.97223199e-8, 5.35654372e-8,
    1.28003185e-7, 2.76301758e-7, 5.49291481e-7, 1.02049479e-6, 1.79164402e-6, 2.99845404e-6, 4.81651485e-6,
    7.46717421e-6, 1.12232883e-5, 1.64147292e-5, 2.34335506e-5,
    // 8 probes, 1 to 15 keys.
    5.68434189e-14, 2.19292415e-12, 2.76645567e-11, 2.04456555e-10, 1.04397361e-9, 4.06713325e-9, 1.29444929e-8,
    3.52940261e-8, 8.52442225e-8, 1.86827041e-7, 3.78220395e-7, 7.16817087e-7, 1.28505883e-6, 2.19694171e-6,
    3.60507392e-6,
    // 9 probes, 1 to 14 keys.
    1.77635684e-15, 1.38147807e-13, 2.85006024e-12, 3.00321786e-11, 1.98435261e-10, 9.41070983e-10, 3.50472456e-9,
    1.08826539e-8, 2.93525579e-8, 7.07827293e-8, 1.55846312e-7, 3.182484e-7, 6.10027396e-7, 1.10794457e-6,
    // 10 probes, 1 to 12 keys.
    5.55111512e-17, 9.74492318e-15, 3.52324292e-13, 5.30123814e-12, 4.47292462e-11, 2.54815124e-10, 1.09823749e-9,
    3.84900449e-9, 1.15080634e-8, 3.03455086e-8, 7.22785936e-8, 1.58289706e-7,
    // 11 probes, 1 to 11 keys.
    1.73472348e-18, 7.4465559e-16, 4.82403829e-14, 1.02827462e-12, 1.10058126e-11, 7.50142796e-11, 3.73187967e-10,
    1.47338831e-9, 4.87546991e-9, 1.40373264e-8, 3.61191294e-8,
    // 12 probes, 1 to 10 keys.
    5.42101086e-20, 6.40639158e-17, 7.56889177e-15, 2.24921047e-13, 3.01752266e-12, 2.44078445e-11, 1.39333333e-10,
    6.16838186e-10, 2.2503541e-9, 7.0510836e-9,
    // clang-format on
};

// FPR_j for 1 to MostExactKeys(num_probes) keys.
inline double ExactRate(uint32_t num_probes, uint32_t num_keys) {
  uint32_t at = num_keys - 1;
  for (uint32_t k = kLeastExactProbes; k < num_probes; ++k) at += MostExactKeys(k);
  return kExactRates[at];
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_NEARLY_EMPTY_BLOCKS_H_
