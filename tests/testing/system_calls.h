// The library's system calls in a test's hands: the n-th one fails, is cut short, or is the last thing its process
// does.
//
// The linker leads the calls of the library here (--wrap, tests/CMakeLists.txt); libc's own and those of the C++
// library stay as they are. Without WatchedCalls everything is as ever. One thread.
#ifndef LINEFILTER_TESTS_TESTING_SYSTEM_CALLS_H_
#define LINEFILTER_TESTS_TESTING_SYSTEM_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace linefilter::test {

enum class Call : uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kFsync,
  kRename,
  kUnlink,
  kStat,
  kLstat,
  kFstat,
  kFchmod,
  kRealpath,
  kMmap,
};
const char* NameOf(Call call);

enum class Effect : uint8_t {
  kNone,
  kFail,        // is not done, and says `error`. (A close is done all the same, as Linux does it.)
  kHalf,        // read and write: the first half of the bytes, at least one
  kNothing,     // read and write: no byte, and no error
  kFlip,        // read: one bit is another
  kKillBefore,  // the process is killed in front of the call,
  kKillWithin,  // when `bytes` of a write are written,
  kKillAfter,   // or when the call is done
};

struct Fault {
  Effect effect = Effect::kNone;
  std::optional<Call> call;  // none: calls of all kinds are counted
  uint64_t nth = 0;          // which of them, from 0
  int error = 0;
  bool stays = false;  // all calls of that kind after it have it too
  size_t bytes = 0;
};

// What was called, in order; `bytes` of a read or write: how many were asked for.
struct TracedCall {
  Call call;
  size_t bytes;
};

// Sets the fault and watches, for its lifetime. One at a time.
class WatchedCalls {
 public:
  explicit WatchedCalls(const Fault& fault = {});
  ~WatchedCalls();
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;

  bool fault_came() const;
  const std::vector<TracedCall>& trace() const;
  // Was there such a call in front of the one that was the first to have the fault?
  bool WasCalledBeforeTheFault(Call call) const;
  // Files that were opened and not closed.
  int open_files() const;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_SYSTEM_CALLS_H_
