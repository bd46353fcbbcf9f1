// With generations a filter is made anew while it serves. doc/REDIS.md section 5 has the protocol, and why nothing is
// lost. Its invariant is that the next step by anybody sets right whatever stops between two commands here.
#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/calls/upload.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/redis.h"

namespace linefilter {
namespace redis_internal {
namespace {

constexpr int kTries = 8;  // for a change that others make, too

Status NoNext(const FilterRecord& record) {
  return Status::Error(StatusCode::kIncompatible, "filter %s in Redis has no next generation: begin one first",
                       Printable(record.name()).c_str());
}

Status OthersKeepChanging(const FilterRecord& record) {
  return Status::Error(StatusCode::kUnavailable, "others keep changing filter %s in Redis: do it again",
                       Printable(record.name()).c_str());
}

Status AdvanceOf(FilterRecord* record, const Generation& generation) {
  return generation.exists() ? UnlessLost(AdvanceMarks(record, generation, record->header().version)) : Status();
}

// Advances the marks as the record demands. The client that made the record may have died before.
Status Advance(FilterRecord* record) {
  const Header header = record->header();
  Status status = AdvanceOf(record, header.current);
  if (status.ok()) status = AdvanceOf(record, header.next);
  return status.ok() ? AdvanceOf(record, header.previous) : status;
}

// kIncompatible if the record has no next generation, or another one than that was chosen.
Status CheckChosenNext(const FilterState& state) {
  if (!state.record.header().next.exists()) return NoNext(state.record);
  if (state.chosen_next == 0 || state.chosen_next == state.record.header().next.id) return Status();
  return Status::Error(
      StatusCode::kIncompatible,
      "the next generation of filter %s in Redis is another one than was begun or loaded here: somebody "
      "else abandoned that and began his own; let him, or open the filter again",
      Printable(state.record.name()).c_str());
}

// Reads the record anew, and takes its next generation, if that is ours or we take it over. We do not know whether
// another's Begin came to its end: that is done first, so that from now on all writers write to it.
Status UseNext(FilterState* state) {
  FilterRecord* const record = &state->record;
  Status status = record->ReadHeader();
  if (status.ok()) status = CheckChosenNext(*state);
  if (!status.ok() || state->chosen_next != 0) return status;
  const Header header = record->header();
  status = Advance(record);
  if (status.ok()) status = UnlessLost(KeepShards(record, header.next, header.version));
  if (status.ok()) state->chosen_next = header.next.id;
  return status;
}

// Ends a switch or an abandonment, whoever began it: afterwards there is no previous generation.
Status Finish(FilterRecord* record) {
  for (int i = 0; i < kTries; ++i) {
    Status status = Advance(record);
    if (!status.ok() || !record->header().previous.exists()) return status;
    // The time to live comes first: a client that dies now leaves nothing. Nobody makes this generation serve again.
    status = DropShards(record, record->header().previous, kLeaveMs);
    if (!status.ok()) return status;
    Header header = record->header();
    header.previous = Generation();
    status = record->ChangeHeader(header);
    if (status.code() != StatusCode::kIncompatible) return status;
    status = record->ReadHeader();  // somebody else ended it
    if (!status.ok()) return status;
  }
  return OthersKeepChanging(*record);
}

// Makes `next` the generation that serves, or the one that goes.
Status Leave(FilterRecord* record, bool serve) {
  Header header = record->header();
  if (serve) {
    const Status status = AdvanceMarks(record, header.next, header.version);
    if (!status.ok()) return status;  // a lost shard, too: its keys would be missing
    header.previous = header.current;
    header.current = header.next;
  } else {
    header.previous = header.next;
  }
  header.next = Generation();
  return record->ChangeHeader(header);
}

// Does Switch and Abandon, of a next generation that was begun or loaded here, or not.
Status TryToEndNext(FilterState* state, bool serve) {
  FilterRecord* const record = &state->record;
  for (int i = 0; i < kTries; ++i) {
    Status status = record->ReadHeader();
    if (!status.ok()) return status;
    const Header& header = record->header();
    const uint64_t own = state->chosen_next;
    if (!header.next.exists()) {
      if (own != 0 && serve != (header.current.id == own)) {
        return Status::Error(StatusCode::kIncompatible,
                             "the next generation of filter %s in Redis was %s by somebody else: begin another one",
                             Printable(record->name()).c_str(), serve ? "abandoned" : "switched to");
      }
      if (own == 0 && !header.previous.exists()) return NoNext(*record);
      return Finish(record);  // for one who died in either of the two, or for us before an error
    }
    status = UseNext(state);
    if (!status.ok()) return status;
    status = Leave(record, serve);
    if (status.ok()) status = Finish(record);
    // It may have the time of a filter that lived no longer, from a client that died before it gave it another.
    if (status.ok()) (void)KeepNamed(record, record->header(), record->time_to_live()).ok();
    if (status.code() != StatusCode::kIncompatible) return status;
  }
  return OthersKeepChanging(*record);
}

Status EndNext(FilterState* state, bool serve) {
  const Status status = TryToEndNext(state, serve);
  if (status.ok()) state->chosen_next = 0;
  return status;
}

// Begins a generation; it is empty if `body` is null.
Status Begin(FilterState* state, const Generation& generation, const uint8_t* body) {
  FilterRecord* const record = &state->record;
  if (record->header().next.exists()) {
    return Status::Error(
        StatusCode::kIncompatible,
        "filter %s in Redis has a next generation already, perhaps of a program that died, which may lack keys: "
        "switch to it if you know that it is filled, else abandon it",
        Printable(record->name()).c_str());
  }
  Status status = record->header().followed_keys == 0 ? Status() : CheckFollowed(record->name(), generation.layout);
  if (status.ok()) status = KeepNamed(record, record->header(), record->time_to_live());
  if (status.ok()) status = MakeShards(record, generation, body, record->header().version + 1);
  if (!status.ok()) return status;
  Header header = record->header();
  header.next = generation;
  state->chosen_next = 0;  // if this fails from here on, the next call looks what is there, and does the rest
  status = record->ChangeHeader(header);
  if (status.code() == StatusCode::kIncompatible) {
    // If somebody was faster, or went on from our record while its reply was lost, the shards are named.
    if (record->ReadHeader().ok() && record->header().version > header.version &&
        record->header().next.id != generation.id && record->header().current.id != generation.id) {
      (void)DropShards(record, generation);
    }
  }
  if (status.ok()) status = Advance(record);
  // It is not kept before it is named: a client that dies leaves nothing for ever.
  if (status.ok()) status = UnlessLost(KeepShards(record, generation, record->header().version));
  if (status.ok()) state->chosen_next = generation.id;
  return status;
}

// `begin` begins a generation. It is tried again if somebody changed the record within, and no other generation was
// begun: a stage was added.
template <class BeginIt>
Status BeginAgain(FilterState* state, const BeginIt& begin) {
  for (int i = 1;; ++i) {
    Status status = ReadAndFinish(&state->record);
    if (!status.ok()) return status;
    const uint64_t current = state->record.header().current.id, filled = state->record.header().current.filled_id();
    status = begin();
    const Header& now = state->record.header();
    const bool only_grew = now.current.id == current && now.current.filled_id() != filled && !now.next.exists();
    if (status.code() != StatusCode::kIncompatible || !only_grew || i == kTries) return status;
  }
}

// Callers hash by themselves, so all generations have one hash. What is left unset is no request.
Status CheckOptions(const FilterRecord& record, const FilterOptions& options) {
  const Header& header = record.header();
  const bool other_hash = options.hash_id != HashId::kXxh3 && options.hash_id != header.hash_id;
  const bool other_seed = options.seed != 0 && options.seed != header.seed;
  if (!other_hash && !other_seed) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "filter %s in Redis has hash %s and seed %016llx, which no generation can change: leave both "
                       "unset, or create another filter",
                       Printable(record.name()).c_str(), HashIdName(header.hash_id),
                       static_cast<unsigned long long>(header.seed));
}

}  // namespace

Status ReadAndFinish(FilterRecord* record) {
  const Status status = record->ReadHeader();
  return status.ok() ? Finish(record) : status;
}

}  // namespace redis_internal

using redis_internal::FilterState;
using redis_internal::Generation;
using redis_internal::Guarded;
using redis_internal::Router;

Status RedisFilter::BeginGeneration(uint64_t num_keys, const FilterOptions& options,
                                    const RedisLayout& layout) noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kBegin), [&](FilterState* state) -> Status {
    return redis_internal::BeginAgain(state, [&]() -> Status {
      Status status = redis_internal::CheckOptions(state->record, options);
      Generation generation;
      if (status.ok()) status = PlanGeneration(state->record, num_keys, options, layout, &generation);
      return status.ok() ? redis_internal::Begin(state, generation, nullptr) : status;
    });
  });
}

Status RedisFilter::BeginGenerationFromImage(const void* image, size_t size, const RedisLayout& layout) noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kBegin), [&](FilterState* state) -> Status {
    FilterView view;
    Status status = view.Open(image, size, VerifyMode::kWhole, state->record.secret());
    if (!status.ok()) return status;
    return redis_internal::BeginAgain(state, [&]() -> Status {
      Status begun = redis_internal::CheckHash(state->record, view);
      // The image is older than this call, and keys that were inserted since could not follow.
      const Layout now = state->record.current().generation.layout;
      if (begun.ok() && !redis_internal::TakesInsertions(view.layout()) && redis_internal::TakesInsertions(now)) {
        return Status::Error(
            StatusCode::kIncompatible,
            "filter %s in Redis takes keys, and those inserted since the retrieval image was made could not "
            "follow into it: create a filter of another name of it, or begin with a layout that takes keys",
            redis_internal::Printable(state->record.name()).c_str());
      }
      Generation generation;
      if (begun.ok()) begun = PlanGeneration(state->record, view, layout, &generation);
      return begun.ok() ? redis_internal::Begin(state, generation, redis_internal::BodyOf(view)) : begun;
    });
  });
}

Status RedisFilter::Load(const void* image, size_t size) noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kLoad), [&](FilterState* state) -> Status {
    FilterView view;
    Status status = view.Open(image, size, VerifyMode::kWhole, state->record.secret());
    if (status.ok()) status = state->record.ReadHeader();
    if (!status.ok()) return status;
    const redis_internal::Header& header = state->record.header();
    if (header.next.exists() || header.previous.exists()) {  // each of these could have another size
      return Status::Error(StatusCode::kIncompatible,
                           "filter %s in Redis is between two generations: load into the next one, or switch or "
                           "abandon it first",
                           redis_internal::Printable(state->record.name()).c_str());
    }
    const bool is_followed = header.followed_keys != 0;
    status = CheckUnitable(state->record, state->record.current(), view);
    if (status.ok()) status = UniteShards(&state->record, state->record.current(), view);
    // Its keys are in no stream: those who follow find theirs cut, and download the filter.
    return status.ok() && is_followed ? state->record.DeleteStream() : status;
  });
}

Status RedisFilter::LoadNext(const void* image, size_t size) noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kLoad), [&](FilterState* state) -> Status {
    FilterView view;
    Status status = view.Open(image, size, VerifyMode::kWhole, state->record.secret());
    if (status.ok()) status = redis_internal::UseNext(state);
    if (status.ok()) status = CheckUnitable(state->record, state->record.next(), view);
    return status.ok() ? UniteShards(&state->record, state->record.next(), view) : status;
  });
}

Status RedisFilter::InsertHashesIntoNext(const uint64_t* hashes, size_t n) noexcept {
  return Guarded(state_, {Router::Call::kFill, RedisVerb::kFill, n}, [&](FilterState* state) -> Status {
    const Status status = redis_internal::UseNext(state);
    return status.ok() ? state->inserter.Insert(state->chosen_next, hashes, n, nullptr) : status;
  });
}

Status RedisFilter::SwitchGeneration() noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kSwitch),
                 [](FilterState* state) { return redis_internal::EndNext(state, true); });
}

Status RedisFilter::AbandonGeneration() noexcept {
  return Guarded(state_, redis_internal::AdminCall(RedisVerb::kAbandon),
                 [](FilterState* state) { return redis_internal::EndNext(state, false); });
}

}  // namespace linefilter
