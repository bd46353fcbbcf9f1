// This counts how many of the distinct lines of a stream a filter is expected to have taken for old ones.
//
// When a line comes for the first time, it is dropped with probability p, the rate of the filter at that moment, and
// kept with 1 - p. So each line that is kept stands for p / (1 - p) that were dropped, and the sum of that over all
// kept lines is right on average, however many repeats came between. p rises while the filter fills, and follows by the
// model of its layout from the distinct lines that came, not from those that were kept: a line that is dropped finds
// all its bits set, as if it had been inserted. (With the kept ones alone the sum is 8 % too small where a filter of
// 20 % fills up.) p is asked for again whenever 1/32 more lines came, and between two moments p / (1 - p) is taken for
// a straight line: where p grows as the 7th power of the lines that is 0.4 % too much.
//
// Rejected: the number of lines times the last rate (7 times too much with 7 probes, and repeats would count), and the
// rate from the bits each time, which reads the whole filter (0.1 s per GB; the model takes 1 us).
#ifndef LINEFILTER_TOOLS_PROGRAM_WRONG_DROPS_H_
#define LINEFILTER_TOOLS_PROGRAM_WRONG_DROPS_H_

#include <cstdint>
#include <vector>

#include "tools/program/living_image.h"

namespace linefilter::tools {

class WrongDrops {
 public:
  // The filter must outlive this, which tells of the lines from now on.
  explicit WrongDrops(const OwnedFilter& filter);

  // So many more lines were kept.
  void Kept(uint64_t num_lines);
  // How many distinct lines were dropped though they were new; infinite if the filter said "maybe" to all.
  double Expected();

 private:
  // A filter, or one stage of it, while it fills.
  struct Filling {
    Layout layout;
    uint64_t body_bytes;
    uint32_t num_probes;
    double came;        // distinct lines
    uint64_t kept = 0;  // of them
    double rate = 0;

    double RateWith(double lines) const;
    // So many were kept, from the first on.
    void Keep(uint64_t all);
  };

  double Rate();
  void Advance();

  const OwnedFilter& filter_;
  std::vector<Filling> fillings_;  // none: the bits tell the rate
  double keys_at_first_ = 0;
  uint64_t kept_ = 0, kept_before_ = 0, next_ = 0;
  double odds_before_ = 0, expected_ = 0;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_WRONG_DROPS_H_
