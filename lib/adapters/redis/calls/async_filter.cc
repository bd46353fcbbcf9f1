// RedisAsyncFilter: a queue, and a thread with a RedisFilter that takes all that waits at once.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/maybe_limit.h"
#include "lib/adapters/redis/servers/forks.h"
#include "linefilter/redis_async.h"

namespace linefilter {
namespace {

// Calls of one kind that wait: their hashes lie as a batch takes them.
template <class Done>
struct Waiting {
  struct Caller {
    Done done;
    void* context;
  };
  std::vector<uint64_t> hashes;
  std::vector<Caller> callers;

  // All n, or none if memory runs out.
  void Add(const uint64_t* added, size_t n, Done done, void* const* contexts) {
    const size_t before = callers.size();
    callers.resize(before + n);
    try {
      hashes.insert(hashes.end(), added, added + n);
    } catch (...) {
      callers.resize(before);
      throw;
    }
    for (size_t i = 0; i < n; ++i) callers[before + i] = {done, contexts[i]};
  }
  void Clear() {
    hashes.clear();
    callers.clear();
  }
};

// What one round does: insertions, then removals, then lookups.
struct Round {
  Waiting<RedisAsyncFilter::OnMaybe> lookups;
  Waiting<RedisAsyncFilter::OnInsert> insertions;
  Waiting<RedisAsyncFilter::OnRemove> removals;

  void Clear() {
    lookups.Clear();
    insertions.Clear();
    removals.Clear();
  }
};

}  // namespace

class RedisAsyncFilter::Impl {
 public:
  explicit Impl(size_t most_waiting) : most_waiting_(most_waiting) {}
  ~Impl() { End(); }
  // All that waits is answered. What an answer calls for meanwhile is refused.
  void End() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    comes_.notify_one();
    thread_.join();
  }

  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret) {
    // The limit is for single lookups, and a batch would be one.
    RedisServers own = servers;
    own.on_unavailable = OnUnavailable::kError;
    answers_maybe_ = servers.on_unavailable == OnUnavailable::kMaybe;
    maybes_per_second_ = servers.maybes_per_second;
    const Status status = filter_.Open(own, name, secret);
    if (status.ok()) thread_ = std::thread(&Impl::Work, this);
    return status;
  }
  bool IsForked() const noexcept { return redis_internal::NumForks() != forks_before_; }
  const RedisFilter& filter() const noexcept { return filter_; }

  template <class Done>
  Status Add(Waiting<Done> Round::*kind, const uint64_t* hashes, size_t n, Done done, void* const* contexts) {
    if (n == 0) return Status();
    if (IsForked()) {
      return Status::Error(StatusCode::kUnavailable,
                           "this process was forked, and the thread that asks Redis is the parent's: open another one");
    }
    bool was_empty;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_ending_) return redis_internal::Closed();
      if (n > 1 && n > most_waiting_) {
        return Status::Error(StatusCode::kOverLimit, "%zu calls at once, of which %zu may wait: make several calls", n,
                             most_waiting_);
      }
      if (n > most_waiting_ - num_waiting_) {
        return Status::Error(StatusCode::kOverLimit,
                             "%zu calls wait for Redis already: call again later, or do without", num_waiting_);
      }
      // A key that was removed before it is inserted must not go after that.
      const bool is_behind =
          std::is_same_v<Done, OnInsert> && !rounds_.empty() && !rounds_.back().removals.hashes.empty();
      if (rounds_.empty() || is_behind) rounds_.emplace_back();
      (rounds_.back().*kind).Add(hashes, n, done, contexts);
      was_empty = num_waiting_ == 0;
      num_waiting_ += n;
    }
    if (was_empty) comes_.notify_one();
    return Status();
  }
  size_t num_waiting() const {
    if (IsForked()) return 0;  // somebody may have held the mutex
    const std::lock_guard<std::mutex> lock(mutex_);
    return num_waiting_;
  }

 private:
  void Work() {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        comes_.wait(lock, [this] { return is_ending_ || num_waiting_ != 0; });
        if (num_waiting_ == 0) return;
        std::swap(rounds_, taken_);
        num_waiting_ = 0;
      }
      for (const Round& round : taken_) {
        Insert(round);
        Remove(round);
        Ask(round);
      }
      taken_.resize(1);  // its memory serves again
      taken_[0].Clear();
      const std::lock_guard<std::mutex> lock(mutex_);
      if (rounds_.empty()) std::swap(rounds_, taken_);
    }
  }

  // What a batch could not answer has its error; memory that ran out is one, too.
  template <class Outcome, class Done, class Call>
  void Run(const Waiting<Done>& waiting, Outcome unanswered, const Call& call) noexcept {
    const size_t n = waiting.hashes.size();
    if (n == 0) return;
    std::vector<Outcome> outcomes;
    const Status status = redis_internal::Guarded([&]() -> Status {
      outcomes.assign(n, unanswered);
      return call(waiting.hashes.data(), n, outcomes.data());
    });
    for (size_t i = 0; i < n; ++i) {
      Tell(waiting.callers[i], outcomes.size() == n ? outcomes[i] : unanswered, status);
    }
  }
  void Tell(const Waiting<OnMaybe>::Caller& caller, uint8_t answer, const Status& status) {
    const bool is_good = answer == 0 || (answers_maybe_ && status.code() == StatusCode::kUnavailable &&
                                         maybe_limit_.Allows(maybes_per_second_, redis_internal::Clock::now()));
    caller.done(caller.context, answer != 0, is_good ? Status() : status);
  }
  static void Tell(const Waiting<OnInsert>::Caller& caller, RedisInsert outcome, const Status& status) {
    caller.done(caller.context, outcome, outcome == RedisInsert::kFailed ? status : Status());
  }
  static void Tell(const Waiting<OnRemove>::Caller& caller, RedisRemove outcome, const Status& status) {
    const bool failed = outcome == RedisRemove::kFailed || outcome == RedisRemove::kUnknown;
    caller.done(caller.context, outcome, failed ? status : Status());
  }

  void Ask(const Round& round) {
    Run(round.lookups, uint8_t{1}, [this](const uint64_t* hashes, size_t n, uint8_t* answers) {
      return filter_.MayContainHashes(hashes, n, answers);
    });
  }
  void Insert(const Round& round) {
    Run(round.insertions, RedisInsert::kFailed, [this](const uint64_t* hashes, size_t n, RedisInsert* outcomes) {
      return filter_.InsertHashes(hashes, n, outcomes);
    });
  }
  void Remove(const Round& round) {
    Run(round.removals, RedisRemove::kFailed, [this](const uint64_t* hashes, size_t n, RedisRemove* outcomes) {
      return filter_.RemoveHashes(hashes, n, outcomes);
    });
  }

  const size_t most_waiting_;
  const uint32_t forks_before_ = redis_internal::NumForks();
  RedisFilter filter_;  // the thread's, after Open
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable comes_;
  std::vector<Round> rounds_;  // this and the next two under mutex_
  size_t num_waiting_ = 0;     // in all of them
  bool is_ending_ = false;
  std::vector<Round> taken_;  // this and the rest the thread's
  bool answers_maybe_ = false;
  double maybes_per_second_ = 0;
  redis_internal::MaybeLimit maybe_limit_;
};

RedisAsyncFilter::RedisAsyncFilter() noexcept = default;
RedisAsyncFilter::~RedisAsyncFilter() { Close(); }

Status RedisAsyncFilter::Open(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                              size_t most_waiting) noexcept {
  return redis_internal::Guarded([&]() -> Status {
    auto opened = std::make_unique<Impl>(most_waiting);
    const Status status = opened->Open(servers, name, secret);
    if (!status.ok()) return status;
    Close();
    key_hash_ = opened->filter().key_hash();
    impl_ = std::move(opened);
    return status;
  });
}

void RedisAsyncFilter::Close() noexcept {
  // The thread is the parent's: to wait for it, or to destroy what it waits for, would take for ever.
  if (impl_ != nullptr && impl_->IsForked()) (void)impl_.release();
  if (impl_ != nullptr) impl_->End();  // answers may call until then
  impl_.reset();
  key_hash_ = KeyHash();
}

Status RedisAsyncFilter::MayContainHash(uint64_t hash, OnMaybe done, void* context) noexcept {
  return MayContainHashes(&hash, 1, done, &context);
}

Status RedisAsyncFilter::MayContainHashes(const uint64_t* hashes, size_t n, OnMaybe done,
                                          void* const* contexts) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Round::lookups, hashes, n, done, contexts); });
}

Status RedisAsyncFilter::InsertHash(uint64_t hash, OnInsert done, void* context) noexcept {
  return InsertHashes(&hash, 1, done, &context);
}

Status RedisAsyncFilter::InsertHashes(const uint64_t* hashes, size_t n, OnInsert done, void* const* contexts) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Round::insertions, hashes, n, done, contexts); });
}

Status RedisAsyncFilter::RemoveHash(uint64_t hash, OnRemove done, void* context) noexcept {
  return RemoveHashes(&hash, 1, done, &context);
}

Status RedisAsyncFilter::RemoveHashes(const uint64_t* hashes, size_t n, OnRemove done, void* const* contexts) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Round::removals, hashes, n, done, contexts); });
}

size_t RedisAsyncFilter::num_waiting() const noexcept { return impl_ == nullptr ? 0 : impl_->num_waiting(); }

Status RedisAsyncFilter::KeyStatus() const noexcept {
  return impl_ == nullptr ? redis_internal::Closed() : impl_->filter().KeyStatus();
}

}  // namespace linefilter
