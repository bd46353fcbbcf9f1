// This is the floor under every false-positive rate: a key that agrees with a member in all of its hash that a filter
// looks at is "maybe", however many bits the filter has. It is made of +, -, *, / alone, because sizing must give the
// same double everywhere (real.h).
#ifndef LINEFILTER_LIB_BASE_EQUAL_HASHES_H_
#define LINEFILTER_LIB_BASE_EQUAL_HASHES_H_

namespace linefilter::internal {

// Tells how likely either of two independent events is. It is never below `a`, whatever is rounded.
inline double EitherOf(double a, double b) { return a + (1 - a) * b; }

// Tells how likely a key has the whole 64-bit hash of one of `keys`. It is above 1 - (1 - 2^-64)^keys by less than 1e-6
// of that up to 2^44 keys. It is at most 1, also for infinitely many.
inline double EqualHashFpr(double keys) {
  const double share = keys / 18446744073709551616.0;
  return share < 1 ? share : 1;
}

// Tells the same for the 32-bit in-block hash, among the `load` keys of a block.
inline double EqualInBlockHashFpr(double load) {
  const double share = load / 4294967296.0;
  return share < 1 ? share : 1;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_EQUAL_HASHES_H_
