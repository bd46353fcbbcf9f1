// A filter in Redis for asyncio: a RedisAsyncFilter, whose thread never needs the GIL, and the futures that wait for
// it.
//
// The loop's thread keeps the calls of one turn of the loop, and hands them over in groups. So Redis answers the first
// ones while the loop still makes others. Answers gather in a list, and a descriptor that the loop watches becomes
// readable.
#ifndef LINEFILTER_PYTHON_SRC_ASYNC_REDIS_H_
#define LINEFILTER_PYTHON_SRC_ASYNC_REDIS_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/redis_async.h"
#include "python/src/async_calls.h"
#include "python/src/notices.h"

namespace linefilter::python {

// Everything but Answer is called with the GIL, which guards all that is not atomic.
class AsyncRedis final : public AsyncCalls {
 public:
  AsyncRedis(const NoticedServers& servers, const std::string& name, const HashSecret* secret, size_t most_waiting);
  // What was called is still done, but nobody is told any more.
  ~AsyncRedis() override;

  // What calls are for. Before any call.
  void SetLoop(const py::object& loop);
  py::object Call(Verb verb, py::handle key) override;
  // The loop calls it at the end of a turn with calls.
  void EndTurn();
  // The loop calls it when the descriptor is readable: the futures get the answers that are there. It throws what a
  // signal's handler raises, when all are told.
  void Tell();
  int descriptor() const { return descriptor_.number; }
  // Calls raise from now on. Returns how many have no answer yet.
  size_t Refuse();
  void Close();

 private:
  struct Waiting;
  struct Descriptor {
    Descriptor();
    ~Descriptor();
    const int number;
  };

  void HandOver() noexcept;
  // The answered calls, in the order of their answers.
  Waiting* TakeAnswered() noexcept;
  // In the thread of filter_, or where it did not take the call, which is a Waiting.
  static void Answer(void* call, bool was, const Status& error) noexcept;

  const size_t most_waiting_;
  Notices notices_;
  const Descriptor descriptor_;
  const pid_t process_ = getpid();
  py::object create_future_, call_soon_, invalid_state_;
  // What is kept, of one verb. Each call is a Waiting.
  Verb verb_ = Verb::kExists;
  std::vector<uint64_t> hashes_;
  std::vector<void*> calls_;
  size_t num_unanswered_ = 0;  // kept, handed over, or answered and not told
  bool is_due_ = false;        // EndTurn comes
  bool is_refusing_ = false;
  // A list, the last answer first. Without a mutex: a forked child would have it locked.
  std::atomic<Waiting*> answered_{nullptr};
  RedisAsyncFilter filter_;  // the last one: its thread uses the others
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_ASYNC_REDIS_H_
