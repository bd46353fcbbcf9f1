// RedisCachedFilter: a copy that a thread of its own keeps young (follower.h), and a RedisFilter for what is inserted.
//
// A lookup looks at the clock: so it is "maybe" in time whatever became of the thread, in a process that was stopped
// and in a forked child, too.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/follower.h"
#include "linefilter/concurrent.h"
#include "linefilter/redis_cached.h"

namespace linefilter {
namespace {

constexpr uint32_t kLeastWithinMs = 50;
constexpr int64_t kNever = INT64_MIN;

// It goes on while the machine sleeps. The coarse clock, which costs 5 ns in place of 25, was 16 ms late here.
int64_t NowMs() noexcept {
#if defined(CLOCK_BOOTTIME)
  timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
#endif
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

class RedisCachedFilter::Impl {
 public:
  explicit Impl(uint32_t within_ms) : within_ms_(within_ms) {}
  ~Impl() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(ending_);
      is_ending_ = true;
    }
    ends_.notify_one();
    thread_.join();
  }

  Status Open(const RedisServers& servers, std::string_view name, const HashSecret* secret) {
    Status status = writer_.Open(servers, name, secret);
    if (status.ok()) status = follower_.Connect(servers, name, writer_.key_hash(), secret);
    if (status.ok()) status = Refresh();
    if (status.ok()) thread_ = std::thread(&Impl::Work, this);
    return status;
  }

  // In a forked child the thread is not there, and what it held stays held.
  bool IsForked() const noexcept { return getpid() != process_; }
  bool IsTooOld() const noexcept {
    const int64_t begun = begun_.load(std::memory_order_acquire);
    return begun == kNever || NowMs() - begun >= int64_t{within_ms_};
  }
  SwappableFilter::Lease Read() const noexcept { return copy_.Read(); }

  Status Insert(const uint64_t* hashes, size_t n, RedisInsert* outcomes) {
    std::vector<RedisInsert> own;
    if (outcomes == nullptr) {
      own.resize(n, RedisInsert::kFailed);
      outcomes = own.data();
    }
    const std::lock_guard<std::mutex> lock(writing_);
    const Status status = writer_.InsertHashes(hashes, n, outcomes);
    for (ConcurrentFilter* const filter : {filter_.get(), fresh_.get()}) {
      for (size_t i = 0; i < n && filter != nullptr; ++i) {
        if (outcomes[i] != RedisInsert::kFailed) filter->InsertHash(hashes[i]);
      }
    }
    return status;
  }

  Status Refresh() {
    const std::lock_guard<std::mutex> lock(refreshing_);
    const Status status = redis_internal::Guarded([this] { return RefreshNow(); });
    // The filter is gone, and nobody knows what another one has.
    if (status.code() == StatusCode::kNotFound || status.code() == StatusCode::kIncompatible) Forget();
    const std::lock_guard<std::mutex> telling(telling_);
    ++(status.ok() ? info_.num_refreshes : info_.num_failures);
    info_.num_bytes = follower_.num_bytes();
    status_ = status;
    return status;
  }

  const RedisFilter& writer() const noexcept { return writer_; }
  Status status() const {
    const std::lock_guard<std::mutex> lock(telling_);
    return status_;
  }
  RedisCacheInfo Info() const {
    const std::lock_guard<std::mutex> lock(telling_);
    RedisCacheInfo info = info_;
    const int64_t begun = begun_.load(std::memory_order_acquire);
    info.age_ms = begun == kNever ? -1 : NowMs() - begun;
    return info;
  }

 private:
  uint32_t RefreshMs() const noexcept { return within_ms_ / 3; }

  // Where all is "maybe" already it may take the time of administration: nobody is told a wrong thing meanwhile.
  Status RefreshNow() {
    int64_t begun = NowMs();
    bool is_cut = !is_followed_;
    Status status;
    if (!is_cut) status = follower_.CatchUp(IsTooOld() ? 0 : RefreshMs(), filter_.get(), &is_cut);
    if (status.ok() && is_cut) status = Download(&begun);
    if (status.ok()) begun_.store(begun, std::memory_order_release);
    return status;
  }

  // The filter serves when it has what was inserted during the download. What is inserted here meanwhile goes into
  // both. The mutex of insertions is not held while leases are waited for, in which others may insert.
  Status Download(int64_t* begun) {
    is_followed_ = false;  // the follower goes on from what it downloads now
    auto fresh = std::make_unique<ConcurrentFilter>();
    Status status = follower_.Download(fresh.get());
    if (!status.ok()) return status;
    SetFresh(std::move(fresh));
    *begun = NowMs();
    bool is_cut = false;
    status = redis_internal::Guarded([&] { return follower_.CatchUp(0, fresh_.get(), &is_cut); });
    if (status.ok() && is_cut) {
      status = Status::Error(StatusCode::kUnavailable,
                             "more was inserted while the filter was downloaded than its stream keeps, or its "
                             "generation was switched, or its server was lost: this is tried again; if it stays so, "
                             "make the filter with more followed_keys");
    }
    if (status.ok()) status = copy_.Serve(fresh_.get(), nullptr, fresh_.get());
    if (!status.ok()) {
      SetFresh(nullptr);
      return status;
    }
    is_followed_ = true;
    {
      const std::lock_guard<std::mutex> lock(writing_);
      filter_ = std::move(fresh_);  // nobody reads the old one any more
    }
    const std::lock_guard<std::mutex> telling(telling_);
    ++info_.num_downloads;
    return status;
  }

  void SetFresh(std::unique_ptr<ConcurrentFilter> fresh) {
    const std::lock_guard<std::mutex> lock(writing_);
    fresh_ = std::move(fresh);
  }

  void Forget() {
    begun_.store(kNever, std::memory_order_release);
    is_followed_ = false;
    copy_.Clear();
    const std::lock_guard<std::mutex> lock(writing_);
    filter_.reset();
  }

  void Work() {
    std::unique_lock<std::mutex> lock(ending_);
    while (!ends_.wait_for(lock, std::chrono::milliseconds(RefreshMs()), [this] { return is_ending_; })) {
      lock.unlock();
      (void)Refresh().ok();
      lock.lock();
    }
  }

  const uint32_t within_ms_;
  const pid_t process_ = getpid();
  redis_internal::Follower follower_;
  RedisFilter writer_;
  SwappableFilter copy_;
  // What copy_ serves, and what will. They change with both mutexes held, which are taken in this order.
  std::unique_ptr<ConcurrentFilter> filter_, fresh_;
  std::mutex refreshing_, writing_;
  bool is_followed_ = false;  // whether follower_ stands where filter_ does
  // When the last refresh that succeeded began: all that was acknowledged before is in the copy.
  std::atomic<int64_t> begun_{kNever};

  mutable std::mutex telling_;
  RedisCacheInfo info_;
  Status status_;

  std::mutex ending_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

RedisCachedFilter::RedisCachedFilter() noexcept = default;
RedisCachedFilter::~RedisCachedFilter() { Close(); }

Status RedisCachedFilter::Open(const RedisServers& servers, std::string_view name, uint32_t within_ms,
                               const HashSecret* secret) noexcept {
  return redis_internal::Guarded([&]() -> Status {
    if (within_ms < kLeastWithinMs) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "a copy that is at most %u ms old would be fetched all the time: give %u ms or more",
                           within_ms, kLeastWithinMs);
    }
    auto impl = std::make_unique<Impl>(within_ms);
    const Status status = impl->Open(servers, name, secret);
    if (!status.ok()) return status;
    Close();
    key_hash_ = impl->writer().key_hash();
    impl_ = std::move(impl);
    return status;
  });
}

void RedisCachedFilter::Close() noexcept {
  if (impl_ != nullptr && impl_->IsForked()) (void)impl_.release();  // it would wait for a thread that is not there
  impl_.reset();
  key_hash_ = KeyHash();
}

SwappableFilter::Lease RedisCachedFilter::Read() const noexcept {
  return impl_ == nullptr || impl_->IsTooOld() ? nothing_.Read() : impl_->Read();
}

namespace {
Status OfAnotherProcess() {
  return Status::Error(StatusCode::kInvalidArgument,
                       "the copy was opened by another process, before a fork: open one in each process");
}
}  // namespace

Status RedisCachedFilter::InsertKey(Key key, RedisInsert* outcome) noexcept {
  const Status status = impl_ == nullptr ? redis_internal::Closed() : impl_->writer().KeyStatus();
  if (status.ok()) return InsertHash(HashOf(key), outcome);
  if (outcome != nullptr) *outcome = RedisInsert::kFailed;
  return status;
}

Status RedisCachedFilter::InsertHash(uint64_t hash, RedisInsert* outcome) noexcept {
  RedisInsert found = RedisInsert::kFailed;
  const Status status = InsertHashes(&hash, 1, &found);
  if (outcome != nullptr) *outcome = found;
  return status;
}

Status RedisCachedFilter::InsertHashes(const uint64_t* hashes, size_t n, RedisInsert* outcomes) noexcept {
  if (outcomes != nullptr) std::fill(outcomes, outcomes + n, RedisInsert::kFailed);
  if (impl_ == nullptr) return redis_internal::Closed();
  if (impl_->IsForked()) return OfAnotherProcess();
  return redis_internal::Guarded([&] { return impl_->Insert(hashes, n, outcomes); });
}

Status RedisCachedFilter::Refresh() noexcept {
  if (impl_ == nullptr) return redis_internal::Closed();
  if (impl_->IsForked()) return OfAnotherProcess();
  return redis_internal::Guarded([&] { return impl_->Refresh(); });
}

Status RedisCachedFilter::status() const noexcept {
  return impl_ == nullptr ? redis_internal::Closed() : impl_->status();
}

RedisCacheInfo RedisCachedFilter::Info() const noexcept { return impl_ == nullptr ? RedisCacheInfo() : impl_->Info(); }

}  // namespace linefilter
