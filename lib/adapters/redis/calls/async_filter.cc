// RedisAsyncFilter: a queue, and a thread with a RedisFilter that takes all that waits at once.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "linefilter/redis_async.h"

namespace linefilter {
namespace {

// How often this process is a forked child. getpid, which would tell it, is a call of the system: it halved the speed.
std::atomic<uint32_t> num_forks{0};

uint32_t CountForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++num_forks; });
  (void)registered;
  return num_forks;
}

// Calls of one kind that wait: their hashes lie as a batch takes them.
template <class Done>
struct Waiting {
  struct Caller {
    Done done;
    void* context;
  };
  std::vector<uint64_t> hashes;
  std::vector<Caller> callers;

  void Add(uint64_t hash, Done done, void* context) {
    hashes.push_back(hash);
    try {
      callers.push_back({done, context});
    } catch (...) {
      hashes.pop_back();
      throw;
    }
  }
  void Clear() {
    hashes.clear();
    callers.clear();
  }
};

struct Queue {
  Waiting<RedisAsyncFilter::OnMaybe> lookups;
  Waiting<RedisAsyncFilter::OnInsert> insertions;
  Waiting<RedisAsyncFilter::OnRemove> removals;

  size_t size() const { return lookups.hashes.size() + insertions.hashes.size() + removals.hashes.size(); }
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
  ~Impl() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    comes_.notify_one();
    thread_.join();
  }

  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret) {
    const Status status = filter_.Open(servers, name, secret);
    if (status.ok()) thread_ = std::thread(&Impl::Work, this);
    return status;
  }
  bool IsForked() const noexcept { return num_forks.load(std::memory_order_relaxed) != forks_before_; }
  const RedisFilter& filter() const noexcept { return filter_; }

  template <class Done>
  Status Add(Waiting<Done> Queue::*kind, uint64_t hash, Done done, void* context) {
    if (IsForked()) {
      return Status::Error(StatusCode::kUnavailable,
                           "this process was forked, and the thread that asks Redis is the parent's: open another one");
    }
    bool was_empty;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const size_t waiting = queue_.size();
      if (waiting >= most_waiting_) {
        return Status::Error(StatusCode::kOverLimit,
                             "%zu calls wait for Redis already: call again later, or do without", waiting);
      }
      (queue_.*kind).Add(hash, done, context);
      was_empty = waiting == 0;
    }
    if (was_empty) comes_.notify_one();
    return Status();
  }
  size_t num_waiting() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return queue_.size();
  }

 private:
  void Work() {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        comes_.wait(lock, [this] { return is_ending_ || queue_.size() != 0; });
        if (queue_.size() == 0) return;
        std::swap(queue_, taken_);
      }
      Insert();
      Remove();
      Ask();
      taken_.Clear();
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
  static void Tell(const Waiting<OnMaybe>::Caller& caller, uint8_t answer, const Status& status) {
    caller.done(caller.context, answer != 0, answer != 0 ? status : Status());
  }
  static void Tell(const Waiting<OnInsert>::Caller& caller, RedisInsert outcome, const Status& status) {
    caller.done(caller.context, outcome, outcome == RedisInsert::kFailed ? status : Status());
  }
  static void Tell(const Waiting<OnRemove>::Caller& caller, RedisRemove outcome, const Status& status) {
    const bool failed = outcome == RedisRemove::kFailed || outcome == RedisRemove::kUnknown;
    caller.done(caller.context, outcome, failed ? status : Status());
  }

  void Ask() {
    Run(taken_.lookups, uint8_t{1}, [this](const uint64_t* hashes, size_t n, uint8_t* answers) {
      return filter_.MayContainHashes(hashes, n, answers);
    });
  }
  void Insert() {
    Run(taken_.insertions, RedisInsert::kFailed, [this](const uint64_t* hashes, size_t n, RedisInsert* outcomes) {
      return filter_.InsertHashes(hashes, n, outcomes);
    });
  }
  void Remove() {
    Run(taken_.removals, RedisRemove::kFailed, [this](const uint64_t* hashes, size_t n, RedisRemove* outcomes) {
      return filter_.RemoveHashes(hashes, n, outcomes);
    });
  }

  const size_t most_waiting_;
  const uint32_t forks_before_ = CountForks();
  RedisFilter filter_;  // the thread's, after Open
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable comes_;
  Queue queue_;  // with is_ending_, under mutex_
  bool is_ending_ = false;
  Queue taken_;  // the thread's
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
  impl_.reset();
  key_hash_ = KeyHash();
}

Status RedisAsyncFilter::MayContainHash(uint64_t hash, OnMaybe done, void* context) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Queue::lookups, hash, done, context); });
}

Status RedisAsyncFilter::InsertHash(uint64_t hash, OnInsert done, void* context) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Queue::insertions, hash, done, context); });
}

Status RedisAsyncFilter::RemoveHash(uint64_t hash, OnRemove done, void* context) noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  return redis_internal::Guarded([&] { return impl_->Add(&Queue::removals, hash, done, context); });
}

size_t RedisAsyncFilter::num_waiting() const noexcept { return impl_ == nullptr ? 0 : impl_->num_waiting(); }

Status RedisAsyncFilter::KeyStatus() const noexcept {
  return impl_ == nullptr ? redis_internal::Closed() : impl_->filter().KeyStatus();
}

}  // namespace linefilter
