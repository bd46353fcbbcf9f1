// A shared mutex with turns: with std::shared_mutex of glibc, overlapping readers keep a waiting writer out for ever.
#ifndef LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_
#define LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_

#include <mutex>
#include <shared_mutex>

namespace linefilter::python {

// Everybody goes through the turnstile, and who is in it waits for the mutex there: those who come later stay behind.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock();
  }
  bool try_lock() {
    const std::unique_lock turn(turnstile_, std::try_to_lock);
    return turn.owns_lock() && mutex_.try_lock();
  }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock_shared();
  }
  bool try_lock_shared() {
    const std::unique_lock turn(turnstile_, std::try_to_lock);
    return turn.owns_lock() && mutex_.try_lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turnstile_;
  std::shared_mutex mutex_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_FAIR_MUTEX_H_
