// RedisFilter's calls each check that the filter is open and turn what may be thrown into a Status; the work is
// that of functions in this folder. Here are opening, creating, lookups and insertions; other calls are with their
// work: lifetime.cc (Expire, Delete), info.cc, dump.cc and generation.cc (Load, too).
#include <algorithm>
#include <utility>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/remover.h"
#include "lib/adapters/redis/calls/shard_steps.h"
#include "lib/adapters/redis/calls/upload.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/redis.h"

namespace linefilter {

using redis_internal::FilterState;
using redis_internal::Guarded;
using redis_internal::Header;
using redis_internal::Router;

Status redis_internal::Closed() {
  return Status::Error(StatusCode::kInvalidArgument,
                       "no filter in Redis is open here (it was never opened, failed to, or was moved away): every "
                       "answer is \"maybe\", and nothing is inserted");
}

RedisFilter::RedisFilter() noexcept = default;
RedisFilter::~RedisFilter() = default;

RedisFilter::RedisFilter(RedisFilter&& other) noexcept { *this = std::move(other); }

RedisFilter& RedisFilter::operator=(RedisFilter&& other) noexcept {
  if (this == &other) return *this;
  state_ = std::move(other.state_);
  key_hash_ = other.key_hash_;
  other.Close();
  return *this;
}

void RedisFilter::Close() noexcept {
  state_.reset();
  key_hash_ = KeyHash();
}

template <class Work>
Status RedisFilter::OpenBy(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                           const Work& work) noexcept {
  return Guarded([&]() -> Status {
    auto state = std::make_unique<FilterState>();
    state->record.SetSecret(secret);
    Status status = state->record.Connect(servers, name);
    if (status.ok()) status = work(state.get());
    if (!status.ok()) return status;
    key_hash_ = {state->record.header().hash_id, state->record.header().seed,
                 secret != nullptr ? *secret : HashSecret()};
    state_ = std::move(state);  // what was open goes now, its name and secret, too
    return status;
  });
}

Status RedisFilter::growth_status() const noexcept {
  return state_ == nullptr ? redis_internal::Closed() : state_->inserter.growth_status();
}

Status RedisFilter::KeyStatus() const noexcept {
  if (state_ == nullptr) return redis_internal::Closed();
  if (key_hash_.hashes_keys()) return Status();
  return Status::Error(StatusCode::kIncompatible,
                       "filter %s in Redis was made of the caller's own hashes: ask and insert by hash",
                       redis_internal::Printable(name()).c_str());
}

Status RedisFilter::Open(const RedisServers& servers, std::string_view name, const HashSecret* secret) noexcept {
  return OpenBy(servers, name, secret, [](FilterState* state) {
    const Status status = state->record.ReadHeader();
    if (!status.ok() || state->record.router().servers().replica_reads) return status;
    // This is a courtesy to the filter, which serves without. A user who may not write, or finds a node down, tried
    // once.
    const redis_internal::Router::Once once(&state->record.router());
    (void)redis_internal::KeepNamed(&state->record, state->record.header(), state->record.time_to_live()).ok();
    return status;
  });
}

Status RedisFilter::Create(const RedisServers& servers, std::string_view name, uint64_t num_keys,
                           const FilterOptions& options, const RedisLayout& layout) noexcept {
  const KeyHash key_hash = options.key_hash();
  return OpenBy(servers, name, key_hash.secret_or_null(), [&](FilterState* state) {
    Header header;
    const Status status = redis_internal::PlanGeneration(state->record, num_keys, options, layout, &header.current);
    if (!status.ok()) return status;
    header.hash_id = key_hash.id;
    header.seed = key_hash.seed;
    header.version = 1;
    header.followed_keys = layout.followed_keys;
    return redis_internal::CreateFilter(&state->record, header, nullptr);
  });
}

Status RedisFilter::Reserve(const RedisServers& servers, std::string_view name, uint64_t num_keys,
                            const FilterOptions& options, const RedisLayout& layout, bool* is_new) noexcept {
  constexpr int kTries = 3;
  if (is_new != nullptr) *is_new = false;
  const KeyHash key_hash = options.key_hash();
  Status status;
  for (int tries = 0; tries < kTries; ++tries) {
    RedisFilter there;
    status = there.Open(servers, name, key_hash.secret_or_null());
    if (status.ok()) {
      const char* const difference = key_hash.DifferenceTo(there.key_hash());
      if (difference == nullptr) return *this = std::move(there), status;
      return Status::Error(StatusCode::kIncompatible, "filter %s in Redis is there, with another %s than is asked for",
                           redis_internal::Printable(name).c_str(), difference);
    }
    if (status.code() != StatusCode::kNotFound) return status;
    status = Create(servers, name, num_keys, options, layout);
    if (is_new != nullptr) *is_new = status.ok();
    if (status.code() != StatusCode::kIncompatible) return status;
    // Somebody else was faster, or has the name for something else, which the next look tells.
  }
  return status;
}

Status RedisFilter::CreateFromImage(const RedisServers& servers, std::string_view name, const void* image, size_t size,
                                    const HashSecret* secret, const RedisLayout& layout) noexcept {
  FilterView view;
  const Status opened = view.Open(image, size, VerifyMode::kWhole, secret);
  if (!opened.ok()) return opened;
  return OpenBy(servers, name, secret, [&](FilterState* state) {
    Header header;
    header.hash_id = view.hash_id();
    header.seed = view.seed();
    header.version = 1;
    header.followed_keys = layout.followed_keys;
    const Status status = redis_internal::PlanGeneration(state->record, view, layout, &header.current);
    if (!status.ok()) return status;
    return redis_internal::CreateFilter(&state->record, header, redis_internal::BodyOf(view));
  });
}

Status RedisFilter::MayContainHash(uint64_t hash, bool* maybe) noexcept {
  uint8_t answer = 1;
  const Status status = MayContainHashes(&hash, 1, &answer);
  *maybe = answer != 0;
  return status;
}

Status RedisFilter::MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers, uint8_t* answered) noexcept {
  bool done = false;
  const Status status = Guarded(state_, {Router::Call::kRequest, RedisVerb::kMayContain, n}, [&](FilterState* state) {
    const Status asked = redis_internal::Ask(&state->record, hashes, n, answers);
    done = true;
    return asked;
  });
  if (!done) std::fill(answers, answers + n, redis_internal::kUnanswered);
  for (size_t i = 0; i < n && answered != nullptr; ++i) answered[i] = answers[i] != redis_internal::kUnanswered;
  for (size_t i = 0; i < n; ++i) answers[i] &= 1;
  if (status.code() != StatusCode::kUnavailable || state_ == nullptr) return status;
  const RedisServers& servers = state_->record.router().servers();
  if (servers.on_unavailable != OnUnavailable::kMaybe) return status;
  return state_->maybe_limit.Allows(servers.maybes_per_second, redis_internal::Clock::now()) ? Status() : status;
}

Status RedisFilter::InsertHash(uint64_t hash, RedisInsert* outcome) noexcept { return InsertHashes(&hash, 1, outcome); }

Status RedisFilter::InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept {
  bool done = false;
  const Status status = Guarded(state_, {Router::Call::kRequest, RedisVerb::kInsert, n}, [&](FilterState* state) {
    constexpr uint64_t kAllGenerations = 0;
    const Status inserted = state->inserter.Insert(kAllGenerations, hashes, n, outcomes);
    done = true;
    return inserted;
  });
  if (!done && outcomes != nullptr) std::fill(outcomes, outcomes + n, RedisInsert::kFailed);
  return status;
}

Status RedisFilter::RemoveHash(uint64_t hash, RedisRemove* outcome, uint64_t generation) noexcept {
  return RemoveHashes(&hash, 1, outcome, generation);
}

Status RedisFilter::RemoveHashes(const uint64_t* hashes, size_t n, RedisRemove* outcomes,
                                 uint64_t generation) noexcept {
  bool done = false;
  const Status status = Guarded(state_, {Router::Call::kRequest, RedisVerb::kRemove, n}, [&](FilterState* state) {
    const Status removed = redis_internal::Remove(&state->record, generation, hashes, n, outcomes);
    done = true;
    return removed;
  });
  if (!done && outcomes != nullptr) {
    const bool is_open = state_ != nullptr;  // then memory ran out, perhaps behind a write
    std::fill(outcomes, outcomes + n, is_open ? RedisRemove::kUnknown : RedisRemove::kFailed);
  }
  return status;
}

Layout RedisFilter::layout() const noexcept {
  return state_ == nullptr ? Layout::kAuto : state_->record.header().current.layout;
}
uint32_t RedisFilter::num_probes() const noexcept {
  return state_ == nullptr ? 0 : state_->record.header().current.num_probes;
}
uint64_t RedisFilter::num_blocks() const noexcept {
  return state_ == nullptr ? 0 : state_->record.header().current.num_blocks();
}
uint64_t RedisFilter::body_bytes() const noexcept {
  return state_ == nullptr ? 0 : state_->record.header().current.body_bytes;
}
uint64_t RedisFilter::generation() const noexcept { return state_ == nullptr ? 0 : state_->record.header().current.id; }

RedisFilter& RedisFilter::Within(uint32_t ms) noexcept {
  if (state_ != nullptr) state_->own_ms = ms;
  return *this;
}

size_t RedisFilter::num_nodes() const noexcept {
  if (state_ == nullptr) return 0;
  const auto& breakers = state_->record.router().breakers();
  return static_cast<size_t>(
      std::count_if(breakers.begin(), breakers.end(), [](const auto& breaker) { return breaker->was_asked(); }));
}
RedisNode RedisFilter::node(size_t i) const noexcept {
  if (state_ == nullptr) return {"", false, 0, 0, 0, 0};
  for (const auto& breaker : state_->record.router().breakers()) {
    if (!breaker->was_asked() || i-- != 0) continue;
    return {breaker->server().c_str(), breaker->is_open(),    breaker->MsToTrial(redis_internal::Clock::now()),
            breaker->num_failures(),   breaker->num_opened(), breaker->num_rejected()};
  }
  return {"", false, 0, 0, 0, 0};
}
std::string_view RedisFilter::name() const noexcept {
  return state_ == nullptr ? std::string_view() : std::string_view(state_->record.name());
}

}  // namespace linefilter
