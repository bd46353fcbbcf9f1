// What a forked child must mend: locks and counts of threads that it does not have.
//
// A child has one thread, the one that forked. What others held at that moment stays held, and what they were changing
// stays half changed. So each such object has an AtFork, whose function the child calls before fork returns. (With
// pthread_atfork, not os.register_at_fork: extensions fork, too.)
#ifndef LINEFILTER_PYTHON_SRC_AT_FORK_H_
#define LINEFILTER_PYTHON_SRC_AT_FORK_H_

#include <atomic>
#include <cstdint>
#include <exception>

namespace linefilter::python {

// Thrown in a child by what another thread of the parent was changing when it was forked. InvalidArgumentError in
// Python (errors.cc).
class CutByFork : public std::exception {
 public:
  const char* what() const noexcept override;
};

// The last member of what it mends: made when that is whole, and gone before it.
class AtFork {
 public:
  AtFork(void (*mend)(void* object) noexcept, void* object);
  ~AtFork();
  AtFork(const AtFork&) = delete;
  AtFork& operator=(const AtFork&) = delete;

  // Once, when the module is imported.
  static void Register();

 private:
  static void InChild();

  void (*const mend_)(void*) noexcept;
  void* const object_;
  AtFork* next_;
  AtFork* previous_ = nullptr;
};

// How many threads are in calls that a child could wait for, or would find half done. For filters that lock by
// themselves.
class CallCount {
 public:
  // One call. With the GIL no Python code forks meanwhile, but an extension may.
  class Call {
   public:
    explicit Call(CallCount& count) : count_(count) { ++count.inside_; }
    ~Call() { --count_.inside_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    CallCount& count_;
  };

  // Before a call that waits for the others.
  void ThrowIfCut() const {
    if (is_cut_) throw CutByFork();
  }

 private:
  void Mend() noexcept { is_cut_ |= inside_.exchange(0) != 0; }

  std::atomic<uint64_t> inside_{0};
  bool is_cut_ = false;  // written while there is one thread
  AtFork at_fork_{[](void* count) noexcept { static_cast<CallCount*>(count)->Mend(); }, this};
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_AT_FORK_H_
