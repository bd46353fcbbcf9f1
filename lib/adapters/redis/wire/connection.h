// On one connection to one server commands go out from a buffer, and replies are parsed where they were read. hiredis
// connects. Its replies, a malloc for each, are not used: a lookup in a batch would take the client 120 ns, not 90.
//
// Each reply has Deadlines::reply_ms, from the moment when it is the next to come: neither a signal nor a byte now and
// then begins the time anew. A large one also has the time that its bytes take at 64 KiB a second. Within a call that
// ends at a fixed time, a silent server gets three quarters of what is left, so that it can be tried twice more.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CONNECTION_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CONNECTION_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "lib/adapters/redis/wire/address.h"
#include "lib/adapters/redis/wire/failure.h"
#include "lib/adapters/redis/wire/reply_parser.h"
#include "lib/adapters/redis/wire/tls.h"
#include "linefilter/redis.h"

struct redisContext;

namespace linefilter::redis_internal {

using Clock = std::chrono::steady_clock;

// For poll: what is left until `end`, rounded up, so that it has come when nothing else has.
inline int MsUntil(Clock::time_point end) {
  const int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(ms, 0, INT32_MAX));
}

// When a call ends, whatever is still to come.
struct CallEnd {
  Clock::time_point at = Clock::time_point::max();  // never
  uint32_t ms = 0;                                  // its deadline,
  const char* name = "";                            // and whose that is, for sentences
  bool is_telling = true;                           // false: it gives servers hardly any time

  bool is_fixed() const noexcept { return at != Clock::time_point::max(); }
  // Whether it says something of a server that it was silent for so long.
  bool IsTelling(int64_t waited_ms) const noexcept { return is_telling && waited_ms >= 2; }
};

class Connection {
 public:
  // Connects, within connect_ms, and introduces itself: AUTH, SELECT. If that fails or throws, it is closed.
  Failure Open(const Address& address, const RedisServers& servers, uint32_t connect_ms);
  // From now on each reply is waited for until three quarters of the time until then have passed; or, if it cannot be
  // tried again, all of it.
  void SetEnd(const CallEnd& end, bool is_only_try) noexcept {
    call_end_ = end;
    is_only_try_ = is_only_try;
  }
  void Close() noexcept;
  // Does the same where commands may be under way. The system forgets what it has not sent yet, so that it does not
  // come late, after what another connection sends again.
  void GiveUp() noexcept;
  bool is_open() const noexcept { return context_ != nullptr; }
  int fd() const noexcept;
  uint64_t number() const noexcept { return number_; }            // 1, 2, 3...: among those that this object made
  const std::string& server() const noexcept { return server_; }  // its address, for sentences

  // Adds to what is to be sent.
  void Write(std::string_view bytes) { output_.append(bytes); }
  size_t unsent() const noexcept { return output_.size() - sent_; }
  // Poll for this when Receive has found nothing.
  short wanted() const noexcept;
  // Sends what the system takes at once.
  Failure Flush();

  // The next reply is waited for from now on.
  void Await() noexcept;
  Clock::time_point deadline(std::chrono::milliseconds extra = {}) const noexcept;
  // Returns the failure if the time is over.
  Failure TimedOutNow(std::chrono::milliseconds extra = {}) const;
  // Whether Receive may wait for the first bytes of a reply by itself, a system call less. It may once for each Await:
  // what goes on after that has less time.
  bool MayWait() noexcept { return is_fresh_ && !uses_tls_ && unsent() == 0 && WaitsLessThanDeadline(); }
  // Reads what has come. *any tells whether something had.
  Failure Receive(bool wait, bool* any);
  // Gives what has come already: a reply, which lives until the next call of anything here; or kMore.
  ReplyParser::Result NextReply(const ReplyParser::Limits& limits, const Reply** reply);
  // Whether bytes came and were not parsed yet.
  bool has_input() const noexcept { return begin_ != end_; }

  // Runs one command for one reply, while nothing else is in flight. `extra_ms` is for a command that waits at the
  // server. It is closed if there is no reply (*reply is null then), or if it throws.
  Failure Call(std::initializer_list<std::string_view> words, const Reply** reply, uint32_t extra_ms = 0,
               const ReplyParser::Limits& limits = ReplyParser::Limits());
  // Runs CLUSTER SLOTS, whose reply may be large.
  Failure CallForMap(const Reply** reply);

 private:
  struct FreeContext {
    void operator()(redisContext* context) const noexcept;
  };

  Failure Connect(const Address& address, uint32_t connect_ms);
  Failure Introduce(const RedisServers& servers);
  Failure Ask(std::initializer_list<std::string_view> words, const Reply** reply, uint32_t extra_ms,
              const ReplyParser::Limits& limits);
  void MakeRoom();
  Failure Poll(std::chrono::milliseconds extra);
  Failure LostBecause(const char* why) const;
  Failure LostBy(int error) const;  // errno
  int64_t ReadSome(char* to, size_t size, bool wait);
  Clock::time_point ReplyEnd(std::chrono::milliseconds extra) const noexcept;
  // Whether recv ends before the deadline does; it is told so if it does not.
  bool WaitsLessThanDeadline() noexcept;

  std::unique_ptr<redisContext, FreeContext> context_;
  std::string server_;
  uint64_t number_ = 0;
  uint32_t reply_ms_ = 0;
  int64_t receive_ms_ = 0;  // SO_RCVTIMEO
  CallEnd call_end_;
  bool is_only_try_ = false;
  bool uses_tls_ = false;
  Tls tls_;
  bool has_heard_ = false;  // a byte, since it was opened

  Clock::time_point awaited_;
  uint64_t moved_ = 0;  // bytes, both ways, since then
  bool is_fresh_ = false;

  std::string output_;
  size_t sent_ = 0;

  std::unique_ptr<char[]> input_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  ReplyParser parser_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CONNECTION_H_
