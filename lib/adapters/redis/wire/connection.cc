#include "lib/adapters/redis/wire/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "hiredis/hiredis.h"

namespace linefilter::redis_internal {
namespace {

constexpr size_t kFirstInputBytes = size_t{1} << 16;
constexpr size_t kMostIdleInputBytes = size_t{1} << 22;  // a larger buffer was for a large reply: given back
constexpr uint64_t kBytesPerMs = 64;                     // the least rate of what is large
constexpr int64_t kTickMs = 10;                          // recv waits so much longer than it is told, at most
// CLUSTER SLOTS needs this for a cluster in the smallest pieces.
constexpr size_t kMostMapElements = size_t{1} << 20, kMostMapBytes = size_t{1} << 26;

constexpr int kNothingYet = -1, kEnd = 0;  // ReadSome; below: an error, -errno - 1

timeval TimevalOf(int64_t ms) {
  timeval time;
  time.tv_sec = static_cast<time_t>(ms / 1000);
  time.tv_usec = static_cast<suseconds_t>(ms % 1000 * 1000);
  return time;
}

// What hiredis' words say of the server. No name, no more files here and the like say nothing of it.
Sign SignOf(const char* words) {
  const auto says = [words](int error) { return strstr(words, strerror(error)) != nullptr; };
  if (says(ETIMEDOUT)) return Sign::kSilent;
  const bool is_refused = says(ECONNREFUSED) || says(ENOENT) || says(EHOSTUNREACH) || says(ENETUNREACH);
  return is_refused ? Sign::kRefused : Sign::kNone;
}

// This closes what was left in the midst: the reply to come would be taken for another one's.
class CloseUnlessDone {
 public:
  explicit CloseUnlessDone(Connection* connection) : connection_(connection) {}
  CloseUnlessDone(const CloseUnlessDone&) = delete;
  CloseUnlessDone& operator=(const CloseUnlessDone&) = delete;
  ~CloseUnlessDone() {
    if (!done) connection_->GiveUp();
  }
  bool done = false;

 private:
  Connection* const connection_;
};

}  // namespace

void Connection::FreeContext::operator()(redisContext* context) const noexcept { redisFree(context); }

int Connection::fd() const noexcept { return static_cast<int>(context_->fd); }

void Connection::Close() noexcept {
  tls_.Stop();
  context_.reset();
  output_.clear();
  sent_ = begin_ = end_ = 0;
  parser_.Reset();
}

void Connection::GiveUp() noexcept {
  if (is_open()) {
    const linger at_once = {1, 0};
    (void)setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  Close();
}

Failure Connection::Open(const Address& address, const RedisServers& servers, uint32_t connect_ms) {
  Close();
  if (servers.tls && !HasTls()) return tls_.Start(-1, address, servers, Clock::time_point());  // its sentence
  CloseUnlessDone guard(this);
  server_ = address.text();
  ++number_;
  reply_ms_ = servers.deadlines.reply_ms;
  uses_tls_ = servers.tls;
  has_heard_ = false;
  Failure failure = Connect(address, connect_ms);
  if (IsFine(failure) && uses_tls_) {
    Await();
    failure = tls_.Start(fd(), address, servers, deadline());
  }
  if (IsFine(failure)) failure = Introduce(servers);
  guard.done = IsFine(failure);
  return failure;
}

Failure Connection::Connect(const Address& address, uint32_t connect_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(connect_ms);
  for (;;) {
    const timeval time = TimevalOf(std::max(MsUntil(end) - 1, 1));
    context_.reset(address.is_path() ? redisConnectUnixWithTimeout(address.host.c_str(), time)
                                     : redisConnectWithTimeout(address.host.c_str(), address.port, time));
    if (context_ == nullptr) {
      return {Verdict::kFinal, Status::Error(StatusCode::kOutOfMemory, "no memory for a connection to Redis")};
    }
    if (context_->err == 0) break;
    // hiredis gives up when a signal comes.
    if (strstr(context_->errstr, strerror(EINTR)) != nullptr && Clock::now() < end) continue;
    return Unreachable(server_, context_->errstr, SignOf(context_->errstr));
  }
  const int flags = fcntl(fd(), F_GETFD, 0);  // what the program starts must not hold it open
  if (flags >= 0) (void)fcntl(fd(), F_SETFD, flags | FD_CLOEXEC);
  if (!address.is_path()) (void)redisEnableKeepAlive(context_.get());
  receive_ms_ = INT64_MAX;  // none is set
  return Failure();
}

Failure Connection::Introduce(const RedisServers& servers) {
  const Reply* reply = nullptr;
  Failure failure;
  if (!servers.user.empty()) {
    failure = Call({"AUTH", servers.user, servers.password}, &reply);
  } else if (!servers.password.empty()) {
    failure = Call({"AUTH", servers.password}, &reply);
  }
  if (!IsFine(failure) && reply != nullptr) return JudgeAuthError(reply->text(), server_);
  if (IsFine(failure) && servers.database != 0) {
    failure = Call({"SELECT", std::to_string(servers.database)}, &reply);
  }
  return failure;
}

Failure Connection::Flush() {
  while (unsent() != 0) {
    const int64_t sent =
        uses_tls_ ? tls_.Send(output_.data() + sent_, unsent())
                  : static_cast<int64_t>(send(fd(), output_.data() + sent_, unsent(), MSG_NOSIGNAL | MSG_DONTWAIT));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Failure();
    if (sent < 0) return LostBy(errno);
    sent_ += static_cast<size_t>(sent);
    moved_ += static_cast<uint64_t>(sent);
  }
  output_.clear();
  sent_ = 0;
  return Failure();
}

// Makes room behind what is there: it is moved to the front, or gets twice as much.
void Connection::MakeRoom() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kMostIdleInputBytes) {
      input_.reset();
      capacity_ = 0;
    }
  }
  if (capacity_ != 0 && capacity_ - end_ >= capacity_ / 4) return;
  if (begin_ >= capacity_ / 2 && begin_ != 0) {
    memmove(input_.get(), input_.get() + begin_, end_ - begin_);
  } else {
    const size_t capacity = capacity_ == 0 ? kFirstInputBytes : 2 * capacity_;
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (end_ != begin_) memcpy(larger.get(), input_.get() + begin_, end_ - begin_);
    input_ = std::move(larger);
    capacity_ = capacity;
  }
  end_ -= begin_;
  begin_ = 0;
}

// The first word to a port of TLS ends so.
Failure Connection::LostBecause(const char* why) const {
  if (has_heard_ || uses_tls_) return Lost(server_, why);
  return Lost(server_, (std::string(why) + ", and it had said nothing: does it want TLS (RedisServers::tls)?").c_str());
}

Failure Connection::LostBy(int error) const {
  return uses_tls_ && error == EPROTO ? tls_.why(server_) : LostBecause(strerror(error));
}

int64_t Connection::ReadSome(char* to, size_t size, bool wait) {
  for (;;) {
    const int64_t got =
        uses_tls_ ? tls_.Receive(to, size) : static_cast<int64_t>(recv(fd(), to, size, wait ? 0 : MSG_DONTWAIT));
    if (got >= 0) return got;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return kNothingYet;
    if (errno != EINTR) return -int64_t{errno} - 1;
    if (wait) return kNothingYet;
  }
}

Failure Connection::Receive(bool wait, bool* any) {
  MakeRoom();
  is_fresh_ = false;
  const int64_t got = ReadSome(input_.get() + end_, capacity_ - end_, wait);
  *any = got > 0;
  if (got == kNothingYet) return Failure();
  if (got == kEnd) return LostBecause("the server closed it");
  if (got < 0) return LostBy(static_cast<int>(-got - 1));
  end_ += static_cast<size_t>(got);
  moved_ += static_cast<uint64_t>(got);
  has_heard_ |= got > 0;
  return Failure();
}

ReplyParser::Result Connection::NextReply(const ReplyParser::Limits& limits, const Reply** reply) {
  size_t used = 0;
  const ReplyParser::Result result = parser_.Parse({input_.get() + begin_, end_ - begin_}, limits, &used);
  begin_ += used;
  *reply = &parser_.reply();
  return result;
}

void Connection::Await() noexcept {
  awaited_ = Clock::now();
  moved_ = 0;
  is_fresh_ = true;
}

Clock::time_point Connection::ReplyEnd(std::chrono::milliseconds extra) const noexcept {
  return awaited_ + std::chrono::milliseconds(uint64_t{reply_ms_} + moved_ / kBytesPerMs) + extra;
}

Clock::time_point Connection::deadline(std::chrono::milliseconds extra) const noexcept {
  const Clock::time_point end = ReplyEnd(extra);
  if (!call_end_.is_fixed()) return end;
  const auto left = std::max(call_end_.at - awaited_, Clock::duration::zero());
  return std::min(end, awaited_ + (is_only_try_ ? left : left - left / 4));
}

Failure Connection::TimedOutNow(std::chrono::milliseconds extra) const {
  const Clock::time_point end = deadline(extra);
  if (Clock::now() < end) return Failure();
  const int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - awaited_).count();
  if (end == ReplyEnd(extra)) return TimedOut(server_, ms, "Deadlines::reply_ms");
  char limit[80];
  snprintf(limit, sizeof(limit), "of a deadline of %u ms: %s", call_end_.ms, call_end_.name);
  Failure failure = TimedOut(server_, ms, limit);
  if (!call_end_.IsTelling(ms)) failure.sign = Sign::kHurried;
  return failure;
}

bool Connection::WaitsLessThanDeadline() noexcept {
  const int64_t left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline() - awaited_).count();
  if (receive_ms_ <= left - kTickMs) return true;
  if (left < 2 * kTickMs) return false;
  const int64_t ms = left / 2;  // it need not be told so again for each reply of a call; poll waits for the rest
  const timeval time = TimevalOf(ms);
  if (setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) != 0) return false;
  receive_ms_ = ms;
  return true;
}

short Connection::wanted() const noexcept {
  const bool must_write = unsent() != 0 || (uses_tls_ && tls_.must_write());
  return static_cast<short>(POLLIN | (must_write ? POLLOUT : 0));
}

Failure Connection::Poll(std::chrono::milliseconds extra) {
  for (;;) {
    pollfd waited = {};
    waited.fd = fd();
    waited.events = wanted();
    const int ready = poll(&waited, 1, MsUntil(deadline(extra)));
    if (ready > 0) return Failure();
    if (ready < 0 && errno != EINTR) return Lost(server_, strerror(errno));
    const Failure failure = TimedOutNow(extra);
    if (!IsFine(failure)) return failure;
  }
}

Failure Connection::CallForMap(const Reply** reply) {
  ReplyParser::Limits limits;
  limits.bytes = kMostMapBytes;
  limits.elements = kMostMapElements;
  return Call({"CLUSTER", "SLOTS"}, reply, 0, limits);
}

Failure Connection::Call(std::initializer_list<std::string_view> words, const Reply** reply, uint32_t extra_ms,
                         const ReplyParser::Limits& limits) {
  CloseUnlessDone guard(this);
  *reply = nullptr;
  Failure failure = Ask(words, reply, extra_ms, limits);
  guard.done = *reply != nullptr;
  if (guard.done && (*reply)->type() == Reply::Type::kError) failure = JudgeError((*reply)->text(), server_);
  return failure;
}

Failure Connection::Ask(std::initializer_list<std::string_view> words, const Reply** reply, uint32_t extra_ms,
                        const ReplyParser::Limits& limits) {
  Write("*" + std::to_string(words.size()) + "\r\n");
  for (const std::string_view word : words) {
    Write("$" + std::to_string(word.size()) + "\r\n");
    Write(word);
    Write("\r\n");
  }
  Await();
  for (;;) {
    Failure failure = Flush();
    bool any = false;
    if (IsFine(failure)) failure = Receive(MayWait() && extra_ms == 0, &any);
    if (!IsFine(failure)) return failure;
    const Reply* come = nullptr;
    const ReplyParser::Result result = NextReply(limits, &come);
    if (result == ReplyParser::Result::kGarbage) return Garbage(server_);
    if (result == ReplyParser::Result::kReply) {
      *reply = come;
      return Failure();
    }
    if (!any) failure = Poll(std::chrono::milliseconds(extra_ms));
    if (!IsFine(failure)) return failure;
  }
}

}  // namespace linefilter::redis_internal
