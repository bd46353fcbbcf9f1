// A Grower keeps a filter that grows below its bound: it watches how full the newest stage is, and opens the next one
// before that is full. Anybody who inserts does so; one of them opens it, by a compare-and-set of the record.
//
// How full it is, a sample of its blocks tells, as it is: no counter can be lost, or count twice. So nothing but the
// record has to be right, and whoever dies leaves shards without a name, for a day.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_GROWER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_GROWER_H_

#include <cstddef>
#include <cstdint>

#include "lib/adapters/redis/calls/filter_record.h"
#include "lib/adapters/redis/record/shards.h"
#include "linefilter/filter_base.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// It may throw std::bad_alloc.
class Grower {
 public:
  explicit Grower(FilterRecord* record) : record_(record) {}

  // How many keys, 1 to `wanted`, may go into these generations before somebody looks again: all that the record names,
  // or `only` this one. It looks, and opens a stage, where it is time.
  size_t RoomFor(uint64_t only, size_t wanted);
  // So many went in.
  void Count(uint64_t only, size_t keys);
  // Ok, or why the newest stage of `current` takes more keys than it was made for.
  const Status& status() const { return watches_[0].status; }

 private:
  // A stage whose shards are being made.
  struct Opening {
    Generation alone;              // as if its generation had that stage alone; none: nothing is being made
    bool has_claim = false;        // or had it
    size_t num_made = 0;           // of its shards
    Clock::time_point not_before;  // it failed here
  };
  // What is known of the newest stage of a generation.
  struct Watch {
    uint64_t stage = 0;     // its id
    uint64_t room = 0;      // so many keys may go in before the next look
    uint64_t inserted = 0;  // here, since the last look
    double keys = -1;       // that were in it at the last look; -1: nobody looked
    Clock::time_point looked;
    bool must_keep = false;  // its shards may have another time than the filter
    bool is_last = false;    // none can follow it
    Status status;
    Opening opening;  // of the stage that follows it
  };

  void Follow(Watch* watch, const Generation& generation);
  void Look(Watch* watch, const Shards& shards);
  bool Measure(const Shards& shards, double capacity, SizeEstimate* size);
  // True if the next stage was opened.
  bool Open(Watch* watch, const Shards& shards, double keys);
  Status Plan(Opening* opening, const Shards& shards);
  // Ok and not *claimed: somebody else makes it.
  Status Claim(Opening* opening, uint64_t after, bool* claimed);
  Status MakeSome(Opening* opening, const Shards& made);
  Status Name(Opening* opening, const Shards& made, uint64_t after, double keys);

  FilterRecord* const record_;
  Watch watches_[2];  // of `current` and `next`
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_GROWER_H_
