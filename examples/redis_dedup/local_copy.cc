#include "examples/redis_dedup/local_copy.h"

#include <cstring>
#include <new>
#include <utility>

#include "linefilter/filter.h"

namespace redis_dedup {
namespace {

bool AppendToString(void* context, const void* data, size_t size) noexcept {
  try {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

LocalCopy::LocalCopy(const linefilter::RedisServers& servers, std::string name, std::chrono::milliseconds every)
    : servers_(servers), name_(std::move(name)), every_(every), thread_(&LocalCopy::Work, this) {}

LocalCopy::~LocalCopy() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void LocalCopy::AreKnown(const uint64_t* hashes, size_t n, uint8_t* known) const {
  if (refreshes_ == 0) {  // nothing serves, which would be "maybe"
    std::memset(known, 0, n);
  } else {
    copy_.MayContainHashes(hashes, n, known);
  }
}

// A connection of its own: a RedisFilter is one thread's.
void LocalCopy::Work() {
  linefilter::RedisFilter filter;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_ending_) {
    lock.unlock();
    if (!filter.is_open()) (void)filter.Open(servers_, name_);
    if (filter.is_open()) Refresh(&filter);
    lock.lock();
    ends_.wait_for(lock, every_, [this] { return is_ending_; });
  }
}

// Whatever fails, the old copy goes on serving: it is older, and not wrong.
bool LocalCopy::Refresh(linefilter::RedisFilter* filter) {
  std::string image;
  if (!filter->WriteImage({AppendToString, &image}).ok()) return false;
  linefilter::BlockedFilter fetched;
  if (!fetched.CreateFromImage(image.data(), image.size()).ok() || !copy_.Swap(std::move(fetched)).ok()) return false;
  bytes_ += image.size();
  ++refreshes_;
  return true;
}

}  // namespace redis_dedup
