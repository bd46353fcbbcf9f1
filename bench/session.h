// A group of rows while it is measured, in rounds: each row once, those of one access and share of hits one after the
// other. So what slows the machine for longer than that hits them alike, and comparing them round by round leaves it
// out. Several sessions may be alive and take turns.
#ifndef LINEFILTER_BENCH_SESSION_H_
#define LINEFILTER_BENCH_SESSION_H_

#include <memory>
#include <vector>

#include "bench/measure.h"

namespace linefilter::bench {

class Session {
 public:
  // Both are used until the session is destroyed.
  Session(const Group& group, const Effort& effort, Counters* counters);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Fills the filters, checks each row's answers (MeasureGroup) and measures the rates. A build of Spec::built_later is
  // timed here, for it is what fills its filter.
  void Open();
  void Round();
  // What is known so far, in the order of the group's rows.
  std::vector<Measured> Rows() const;
  // Checks that the inserts were what they should be: nothing new.
  void Close();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_SESSION_H_
