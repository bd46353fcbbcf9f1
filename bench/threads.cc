#include "bench/threads.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#if defined(__linux__)
#include <sched.h>
#endif

namespace linefilter::bench {
namespace {

#if defined(__linux__)
// All CPUs but the one that the caller is on: pinning by taskset is undone for this thread alone. False if the system
// allows no other.
bool LeaveCpu(int taken) {
  cpu_set_t others;
  CPU_ZERO(&others);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (cpu != taken) CPU_SET(cpu, &others);
  }
  return sched_setaffinity(0, sizeof(others), &others) == 0;
}
int CpuOfCaller() { return sched_getcpu(); }
#else
bool LeaveCpu(int) { return true; }
int CpuOfCaller() { return 0; }
#endif

class Helper {
 public:
  Helper() : thread_([this] { Work(); }) { thread_.detach(); }

  void Run(void (*task)(void*, size_t), void* argument, size_t num_tasks) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      task_ = task, argument_ = argument, num_tasks_ = num_tasks;
      next_ = 0;
      cpu_of_caller_ = CpuOfCaller();
      busy_ = true;
    }
    changed_.notify_all();
    TakeTasks();
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
  }

 private:
  void TakeTasks() {
    for (size_t i; (i = next_++) < num_tasks_;) task_(argument_, i);
  }
  void Work() {
    int left = -1;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return busy_; });
      const int taken = cpu_of_caller_;
      lock.unlock();
      if (taken != left && LeaveCpu(taken)) left = taken;
      TakeTasks();
      lock.lock();
      busy_ = false;
      lock.unlock();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  void (*task_)(void*, size_t) = nullptr;
  void* argument_ = nullptr;
  size_t num_tasks_ = 0;
  std::atomic<size_t> next_{0};
  int cpu_of_caller_ = 0;
  bool busy_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

bool HasSecondCpu() {
#if defined(__linux__)
  bool has = false;
  std::thread([&has] { has = LeaveCpu(CpuOfCaller()); }).join();
  return has;
#else
  return std::thread::hardware_concurrency() > 1;
#endif
}

bool PinToCpu(size_t index) {
#if defined(__linux__)
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return false;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || index-- != 0) continue;
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  return false;
#else
  return index < std::thread::hardware_concurrency();
#endif
}

Meanwhile::Meanwhile(std::function<void()> work) {
  thread_ = std::thread([this, work = std::move(work), taken = CpuOfCaller()] {
    LeaveCpu(taken);
    work();
    started_ = true;
    while (!stop_) work();
  });
  while (!started_) std::this_thread::yield();
}

Meanwhile::~Meanwhile() {
  stop_ = true;
  thread_.join();
}

Executor TwoThreads() {
  static Helper* const helper = new Helper;  // never destroyed: its thread waits until the process ends
  Executor executor;
  executor.run = [](void* context, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
    static_cast<Helper*>(context)->Run(task, argument, num_tasks);
  };
  executor.context = helper;
  executor.num_threads = kTwoThreads;
  return executor;
}

}  // namespace linefilter::bench
