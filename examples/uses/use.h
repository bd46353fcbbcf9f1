// What the five programs share beside the store: options, real keys, and the report of what the filter saved.
#ifndef LINEFILTER_EXAMPLES_USES_USE_H_
#define LINEFILTER_EXAMPLES_USES_USE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/filter_base.h"
#include "linefilter/options.h"

namespace uses {

struct Options {
  uint64_t items = 100000;
  double fpr = 0.01;
  std::string db;            // the file of the store
  uint64_t crash_after = 0;  // handled_trade: die after so many messages; 0: never

  linefilter::FilterOptions filter() const;  // with the rate that was asked for
};

enum class Restarts { kNo, kYes };  // kYes: goes on with the store of --db, and may crash

// The main of a program: reads the options, makes a folder for the store unless --db names one (removed at the end),
// and answers what `run` does: 0 good; 1 a duplicate was accepted, a key lost, or the filter did not save what it
// should; 2 bad usage, or the store failed.
int Main(int argc, char** argv, const char* about, Restarts restarts, int (*run)(const Options&));

// Ends the program with the sentence of a status that is not ok.
void Check(const linefilter::Status& status);

// Real words and paths of this machine, made into as many different keys as anybody asks for: the same for the same
// `items`, as long as nobody installs anything.
class Emails {
 public:
  explicit Emails(uint64_t items);
  std::string operator()(uint64_t i) const;  // of different i different

 private:
  std::vector<std::string> words_;
};
class Urls {
 public:
  explicit Urls(uint64_t items);
  std::string operator()(uint64_t i) const;

 private:
  std::vector<std::string> paths_;
};

// A stream in which every `every`th item is one that was there before: which item stands at place i.
struct Stream {
  uint64_t every;

  uint64_t NewBefore(uint64_t i) const { return i - i / every; }
  bool IsRepeated(uint64_t i) const { return i % every == every - 1; }
  uint64_t ItemAt(uint64_t i) const { return IsRepeated(i) ? linefilter::MixHash(i) % NewBefore(i) : NewBefore(i); }
};

// How many of the absent keys a filter sends to the store while it fills up from `first` to `last` keys, each asked
// just before it is inserted: the sum of the expected rates. (Of a filter from empty to full at 1 % about a seventh of
// what a full one would send.)
double MaybesWhileFilling(const linefilter::FilterBase& filter, uint64_t first, uint64_t last);

// What came out. Prints it; the answer is the exit code.
struct Tally {
  uint64_t questions = 0;           // without a filter each would be an exact look-up
  uint64_t needed = 0;              // of keys that are there: no filter saves these
  double expected_for_nothing = 0;  // of keys that are not: the false positives
  uint64_t lookups = 0;             // what the store was really asked
  uint64_t duplicates_accepted = 0, keys_lost = 0;

  int Report() const;
};
void DescribeFilter(const linefilter::FilterBase& filter);

}  // namespace uses

#endif  // LINEFILTER_EXAMPLES_USES_USE_H_
