// What the CPU counts while a thread works: cycles, instructions, cache misses, in user space, by linux
// perf_event_open.
//
// Many machines have none to give (virtual machines, containers, other systems): why() then says so, and Start and Stop
// do nothing.
#ifndef LINEFILTER_BENCH_COUNTERS_H_
#define LINEFILTER_BENCH_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linefilter::bench {

class Counters {
 public:
  // One counter as perf_event_attr names it.
  struct Event {
    std::string name;
    uint32_t type;
    uint64_t config;
  };
  // What kNotCounted stands for is not in the results.
  static constexpr double kNotCounted = -1;
  struct Counts {
    double cycles = kNotCounted;
    double instructions = kNotCounted;
    double cache_misses = kNotCounted;  // of the last-level cache
  };

  // Of the thread that makes it; the same thread must call Start and Stop.
  Counters();
  // Other events; the first must be one that any code makes count. An event that cannot be opened is left out.
  explicit Counters(const std::vector<Event>& events);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // The first event can be counted.
  bool available() const { return leader_ >= 0; }
  // Empty if all events can be counted; else a sentence: what failed, and what to do.
  const std::string& why() const { return why_; }
  // "hardware", "hardware, but ...", "none: ...": for the context of the results.
  std::string Text() const;

  void Start();
  // Since Start; kNotCounted for events that are not. Scaled up where the kernel gave the counters to others meanwhile.
  Counts Stop();
  // The same by number of event.
  std::vector<double> StopAll();

  // What would have been counted in all of `enabled` ns, from what was in `running` of them.
  static double Scaled(uint64_t count, uint64_t enabled, uint64_t running);

 private:
  struct Reading {
    uint64_t enabled = 0, running = 0;  // ns in which the group was to count, and did
    std::vector<uint64_t> values;
  };
  void Open(const std::vector<Event>& events);
  void CheckThatItCounts(const std::string& event);
  void Close();
  bool Read(Reading* reading) const;

  std::vector<int> files_;  // by number of event; -1: left out
  int leader_ = -1;
  std::string why_;
  Reading at_start_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_COUNTERS_H_
