// So many lookups in a second may be "maybe" without an error: a bucket of tokens, which holds those of a second.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_MAYBE_LIMIT_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_MAYBE_LIMIT_H_

#include <algorithm>
#include <chrono>

namespace linefilter::redis_internal {

class MaybeLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether one more may pass at that time. The first call finds the bucket full; it holds one token at least.
  bool Allows(double per_second, Time now) {
    const double most = std::max(per_second, 1.0);
    const double seconds = std::chrono::duration<double>(now - last_).count();
    tokens_ = last_ == Time() ? most : std::min(most, tokens_ + seconds * per_second);
    last_ = now;
    if (!(per_second > 0) || tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  double tokens_ = 0;
  Time last_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_MAYBE_LIMIT_H_
