// A shared mutex with turns: with std::shared_mutex of glibc, overlapping readers keep a waiting writer out for ever.
#ifndef LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_
#define LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_

#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "python/src/at_fork.h"

namespace linefilter::python {

// Everybody goes through the turnstile, and who is in it waits for the mutex there: those who come later stay behind.
//
// After a fork the child's mutex is free, whoever held it. What it guards is whole if that was a reader, or someone who
// waited. If it was a writer, it may be half changed, and locking throws CutByFork from then on. (Nor is it destroyed
// there: Python goes on to count the writer, whose frames nobody clears, as one of its users.)
class FairMutex {
 public:
  void lock() {
    ThrowIfCut();
    const std::lock_guard turn(turnstile_);
    mutex_.lock();
    BeginChange();
  }
  bool try_lock() {
    ThrowIfCut();
    const std::unique_lock turn(turnstile_, std::try_to_lock);
    if (!turn.owns_lock() || !mutex_.try_lock()) return false;
    BeginChange();
    return true;
  }
  void unlock() {
    is_changing_.store(false, std::memory_order_release);  // behind the changes
    mutex_.unlock();
  }

  void lock_shared() {
    ThrowIfCut();
    const std::lock_guard turn(turnstile_);
    mutex_.lock_shared();
  }
  bool try_lock_shared() {
    ThrowIfCut();
    const std::unique_lock turn(turnstile_, std::try_to_lock);
    return turn.owns_lock() && mutex_.try_lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  void ThrowIfCut() const {
    if (is_cut_) throw CutByFork();
  }
  // A child sees the memory as each thread of the parent had written it, in the order of its stores.
  void BeginChange() {
    is_changing_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // before the changes
  }
  // In a child, which has no other thread. The old mutexes are not destroyed: that must not be done while they are
  // held.
  void Mend() noexcept {
    is_cut_ |= is_changing_.load(std::memory_order_relaxed);
    is_changing_.store(false, std::memory_order_relaxed);
    new (&turnstile_) std::mutex;
    new (&mutex_) std::shared_mutex;
  }

  std::mutex turnstile_;
  std::shared_mutex mutex_;
  std::atomic<bool> is_changing_{false};
  bool is_cut_ = false;  // written while there is one thread
  AtFork at_fork_{[](void* mutex) noexcept { static_cast<FairMutex*>(mutex)->Mend(); }, this};
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_
