// A FilterState is what a RedisFilter holds, and these functions are its calls' work. One rule holds for all questions:
// run a batch, look at the marks, read the record again if one demands it.
//
// Everything here may throw std::bad_alloc; the public functions catch it (Guarded).
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "lib/adapters/redis/calls/filter_record.h"
#include "lib/adapters/redis/calls/inserter.h"
#include "lib/adapters/redis/calls/maybe_limit.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/shards.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

class FilterState {
 public:
  FilterState() = default;
  FilterState(const FilterState&) = delete;
  FilterState& operator=(const FilterState&) = delete;

  FilterRecord record;
  Inserter inserter{&record};
  // The next generation that this object began or loaded into, so that it does not switch to somebody else's; 0: none.
  uint64_t chosen_next = 0;
  uint32_t own_ms = 0;  // RedisFilter::Within, for the call that comes; 0: none
  MaybeLimit maybe_limit;
};

// Sizes what `options` ask for: layout, num_probes, body_bytes, shard_bytes and num_keys, and a new id.
Status PlanGeneration(const FilterRecord& record, uint64_t num_keys, const FilterOptions& options,
                      const RedisLayout& layout, Generation* generation);
// The same for a generation that holds the image's body.
Status PlanGeneration(const FilterRecord& record, const FilterView& view, const RedisLayout& layout,
                      Generation* generation);

// Sizes a stage: the last one of the facts, which a filter that grows is about to have.
void TakeLastStage(const BodyFacts& facts, Stage* stage);
// Gives a stage its id and the size of its shards.
Status PlanStage(const FilterRecord& record, const RedisLayout& layout, Stage* stage);

// Makes a new filter. It is NameTaken if the record is there (one that is only left of a filter that expired goes).
// It makes shards of header.current with that body (MakeShards), then comes the record, then they are kept. A failure
// leaves no shards, unless nobody knows whether the record was made: these go within a day.
Status CreateFilter(FilterRecord* record, const Header& header, const uint8_t* body);
// The answer of a key for which nobody answered. Its bit 0 is that of "maybe".
inline constexpr uint8_t kUnanswered = 3;
// Asks the current generation for n hashes. An answer is 0, 1 or kUnanswered.
Status Ask(FilterRecord* record, const uint64_t* hashes, size_t n, uint8_t* answers);
// Whether the rest of the keys is worth trying after this, if the record is the same: it may lie in other shards, on
// other nodes.
bool OthersMayAnswer(const Router& router, const Status& run);

// Writes the image of the generation that serves (dump.cc). *switched means that it went meanwhile, and that what was
// written is no image.
Status WriteImageOf(FilterRecord* record, const Sink& sink, bool* switched);

// Ends the step that the record names, whoever began it (generation.cc): afterwards there is no previous generation.
Status ReadAndFinish(FilterRecord* record);

// What is said where no filter is open.
Status Closed();

// Calls `work` and returns its Status; memory that ran out is a Status, too.
template <class Work>
Status Guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Status::Error(StatusCode::kOutOfMemory, "no memory for a request to Redis: ask fewer keys at once");
  } catch (...) {
    return Status::Error(StatusCode::kOutOfMemory, "a request to Redis is too large for this machine's memory");
  }
}

// What a call is, for the servers' deadlines and for whoever watches it.
struct CallFacts {
  Router::Call::Kind kind;
  RedisVerb verb;
  uint64_t num_keys = 0;
};
inline CallFacts AdminCall(RedisVerb verb) { return {Router::Call::kAdmin, verb}; }

// Tells RedisServers::on_call of a call that began then.
void TellCall(const FilterState& state, const CallFacts& facts, Clock::time_point begin, const Status& status) noexcept;

// Calls `work` with the state of a filter that is open, as one call.
template <class Work>
Status Guarded(const std::unique_ptr<FilterState>& state, const CallFacts& facts, const Work& work) noexcept {
  if (state == nullptr) return Closed();
  const uint32_t own_ms = std::exchange(state->own_ms, 0);
  Router& router = state->record.router();
  const bool is_watched = router.servers().on_call != nullptr;
  const auto begin = is_watched ? Clock::now() : Clock::time_point();
  router.ForgetLastServer();
  const Status status = Guarded([&]() -> Status {
    const Router::Call call(&router, facts.kind, own_ms);
    return work(state.get());
  });
  if (is_watched) TellCall(*state, facts, begin, status);
  return status;
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_FILTER_STATE_H_
