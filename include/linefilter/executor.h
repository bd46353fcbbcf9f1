// An executor lends threads of the host, because the library starts none. A builder shares its work out to it.
//
//   linefilter::FilterOptions options;
//   options.executor = {run_on_pool, &pool, 8};  // a function of yours, which runs up to 8 tasks on your threads
#ifndef LINEFILTER_EXECUTOR_H_
#define LINEFILTER_EXECUTOR_H_

#include <cstddef>

namespace linefilter {

// If all are null, the calling thread works alone. The bytes of an image do not depend on the executor.
struct Executor {
  // Calls task(argument, i) once for each i < num_tasks, in any order, on any threads (the calling one too, or alone),
  // and returns when all have returned. num_tasks is at most num_threads. Tasks do not wait for each other.
  void (*run)(void* context, void (*task)(void* argument, size_t index), void* argument,
              size_t num_tasks) noexcept = nullptr;
  void* context = nullptr;  // handed to run
  // How many tasks are worth running at once. Each takes memory of its own (builder.h says how much), so
  // fewer may be used.
  size_t num_threads = 1;
};

}  // namespace linefilter

#endif  // LINEFILTER_EXECUTOR_H_
