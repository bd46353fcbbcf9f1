// One pass of a batch sends to every node what is queued for it, and takes its replies, all nodes at once.
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/servers/router.h"

namespace linefilter::redis_internal {
namespace {

// These are enough that client and server work at the same time, few enough for the server's buffers of replies.
constexpr size_t kMostInFlight = 1024;
constexpr size_t kMostUnsent = size_t{1} << 18;    // bytes of large commands
constexpr size_t kMostOwnBytes = size_t{1} << 18;  // bytes of the reply to ROLE, which names all replicas

constexpr std::string_view kAskingBytes = "*1\r\n$6\r\nASKING\r\n";
constexpr std::string_view kRoleBytes = "*1\r\n$4\r\nROLE\r\n";

}  // namespace

void Router::Pass(const Patience& patience) {
  OpenAll(patience);
  for (Node* const node : active_) Send(node);
  for (Grow(), ForgetDone(); !active_.empty(); ForgetDone()) {
    Wait();
    for (Node* const node : active_) Send(node);
    Grow();
  }
}

void Router::Grow() {
  // A redirect made a cluster of it: the next pass connects to whom it named.
  if (map_.is_cluster()) grows_in_pass_ = false;
  const Node* const node = map_.NodeOfSlot(0);
  while (growing_ != nullptr && grows_in_pass_ && node->queue.size() - node->num_written < kMostInFlight / 2) {
    const size_t had = states_.size();
    AddSome();
    QueueFrom(had);
    for (Node* const active : active_) Send(active);
  }
}

// This comes before anything is sent: no reply is waited for while others connect. A node that was not reached the last
// time comes last, so that it takes nobody's time away.
void Router::OpenAll(const Patience& patience) {
  size_t num_closed = 0;
  for (Node* const node : active_) {
    // A server that says that it is loading has an open connection. Another one may be there for a lone server.
    if (map_.MustSkip(*node)) node->connection.Close();
    num_closed += !node->connection.is_open();
  }
  if (num_closed == 0) return;
  std::partition(active_.begin(), active_.end(), [](const Node* node) { return !node->was_unreachable; });
  const auto end = patience.end(map_.servers());
  for (Node* const node : active_) {
    if (node->connection.is_open()) continue;
    Failure failure = node->failure;
    if (node->given_up) {
      --num_closed;
    } else {
      failure = map_.EnsureOpen(node, end, num_closed--);
    }
    if (!IsFine(failure)) Lose(node, failure);
  }
}

void Router::ForgetDone() {
  size_t num_active = 0;
  for (Node* const node : active_) {
    if (node->num_received != node->queue.size()) {
      active_[num_active++] = node;
      continue;
    }
    last_ = node->breaker;
    if (node->connection.has_input()) node->connection.Close();  // more replies than questions
    node->queue.clear();
    node->num_written = node->num_received = 0;
    node->retried = node->has_once = false;
  }
  active_.resize(num_active);
}

// Waits for whichever node has something.
void Router::Wait() {
  if (map_.servers().tls) {  // bytes that were read and decrypted already are not seen by poll
    bool any = false;
    for (Node* const node : active_) any |= Receive(node);
    if (any) return;
  }
  if (active_.size() == 1 && active_[0]->connection.is_open() && active_[0]->connection.MayWait()) {
    (void)Receive(active_[0], true);
    return;
  }
  auto first_end = Clock::time_point::max();
  polled_.clear();
  for (Node* const node : active_) {
    pollfd polled = {};
    polled.fd = -1;  // was lost just now
    if (node->connection.is_open()) {
      first_end = std::min(first_end, node->connection.deadline());
      polled.fd = node->connection.fd();
      polled.events = node->connection.wanted();
    }
    polled_.push_back(polled);
  }
  if (first_end == Clock::time_point::max()) return;
  (void)poll(polled_.data(), polled_.size(), MsUntil(first_end));
  for (size_t i = 0; i < active_.size(); ++i) {
    Node* const node = active_[i];
    if (!node->connection.is_open()) continue;
    if ((polled_[i].revents & ~POLLOUT) != 0) Receive(node);
    // It may go on and on.
    if (!node->connection.is_open() || node->num_received == node->num_written) continue;
    const Failure failure = node->connection.TimedOutNow();
    if (!IsFine(failure)) Lose(node, failure);
  }
}

void Router::Send(Node* node) {
  if (!node->connection.is_open()) return;
  std::vector<uint32_t>& queue = node->queue;
  if (node->InFlight() == 0) {
    node->connection.SetEnd(map_.EndFor(*node), node->has_once);
    node->connection.Await();
  }
  if (node->InFlight() <= kMostInFlight / 2) {
    while (node->num_written < queue.size() && node->InFlight() < kMostInFlight &&
           node->connection.unsent() < kMostUnsent) {
      const uint32_t command = queue[node->num_written++];
      node->connection.Write(command == Node::kAsking ? kAskingBytes
                             : command == Node::kRole ? kRoleBytes
                                                      : batch_->bytes(command));
    }
  }
  const Failure failure = node->connection.Flush();
  if (!IsFine(failure)) Lose(node, failure);
}

bool Router::Receive(Node* node, bool wait) {
  bool any = false;
  const Failure failure = node->connection.Receive(wait, &any);
  const size_t had = node->num_received;
  // What has come counts, even if nothing comes any more.
  while (node->num_received < node->num_written) {
    const uint32_t command = node->queue[node->num_received];
    ReplyParser::Limits limits;
    limits.bytes = command >= Node::kRole ? kMostOwnBytes : batch_->most_bytes(command);
    const Reply* reply = nullptr;
    const ReplyParser::Result result = node->connection.NextReply(limits, &reply);
    if (result == ReplyParser::Result::kMore) break;
    const Failure wrong =
        result == ReplyParser::Result::kGarbage ? Garbage(node->connection.server()) : TakeReply(node, *reply);
    if (!IsFine(wrong)) {
      Lose(node, wrong);
      return any;
    }
  }
  if (!IsFine(failure)) {
    Lose(node, failure);
  } else if (node->num_received != had) {
    node->connection.Await();
  }
  return any;
}

// Takes a reply: it is fine, or this tells what is wrong with the node.
Failure Router::TakeReply(Node* node, const Reply& reply) {
  const uint32_t command = node->queue[node->num_received];
  if (command == Node::kRole) {
    Failure failure = map_.JudgeRole(reply, *node);
    if (IsFine(failure)) {
      ++node->num_received;
      --num_roles_;
    }
    return failure;
  }
  if (command == Node::kAsking) {  // if it was refused, the next reply says more
    ++node->num_received;
    return Failure();
  }
  if (reply.type() == Reply::Type::kError) {
    const Failure failure = TakeError(node, command, reply);
    if (IsFine(failure)) ++node->num_received;
    return failure;
  }
  ++node->num_received;
  ++node->num_answered;
  if (map_.HeedSuccess(*node)) node->connection.SetEnd(map_.EndFor(*node), node->has_once);  // no short trial any more
  const Kind kind = batch_->kind(command);
  if (kind == Kind::kCheck && node->retried) return Failure();  // too early: stays pending
  if (kind == Kind::kInsert) {
    const uint64_t connection = node->connection.number();
    node->lost_write |= node->wrote_on != 0 && node->wrote_on != connection;
    node->wrote_on = connection;
  }
  states_[command] = kDone;
  --num_left_;
  handler_->OnReply(command, reply);
  return Failure();
}

Failure Router::TakeError(Node* node, uint32_t command, const Reply& reply) {
  Failure failure = JudgeError(reply.text(), node->connection.server());
  switch (failure.verdict) {
    case Verdict::kMoved:
    case Verdict::kAsk: {
      const bool owns = failure.verdict == Verdict::kMoved;
      Node* const other = map_.Follow(reply.text(), *node, owns);
      if (other == nullptr) break;
      node->retried = true;
      if (owns) {
        must_refresh_ = true;
      } else {
        if (asked_.empty()) asked_.resize(batch_->size());
        asked_[command] = other;
        states_[command] = kAsked;
      }
      return Failure();
    }
    case Verdict::kRetry:
      if (!node->retried) map_.Heed(*node, failure);  // once in a pass
      node->retried = must_refresh_ = true;
      Fail(command, node);
      node->failure = last_failure_ = failure;
      return Failure();
    case Verdict::kReplica:
      if (batch_->kind(command) != Kind::kOnce) return failure;  // it is run again where the master is
      ++node->num_received;
      Finish(command, failure.status, Effect::kNone);
      return failure;
    default:
      break;
  }
  // Perhaps somebody else has the address of a node now.
  const StatusCode code = failure.status.code();
  must_refresh_ |= code == StatusCode::kInvalidArgument || code == StatusCode::kIoError;
  Finish(command, failure.status, IsRefusal(reply.text()) ? Effect::kNone : Effect::kUnknown);
  return Failure();
}

void Router::Lose(Node* node, const Failure& failure) {
  const bool is_broken = failure.verdict == Verdict::kBroken;
  const bool is_final = is_broken || failure.verdict == Verdict::kFinal ||
                        (failure.verdict == Verdict::kReplica && !map_.has_other_servers());
  // Even if it is final: the newest map may have another node in its place. It was looked for when the breaker opened.
  must_refresh_ = must_refresh_ || !is_broken;
  const bool is_unconfirmed = num_roles_ != 0 || (growing_ != nullptr && map_.ChecksRole());
  grows_in_pass_ = false;
  if (is_final) growing_ = nullptr;
  if (node->connection.is_open()) map_.Heed(*node, failure);  // else that is done
  node->connection.GiveUp();
  const size_t first = node->num_received, written = node->num_written;
  node->num_received = node->num_written = node->queue.size();
  for (size_t i = first; i < node->queue.size(); ++i) {
    const uint32_t command = node->queue[i];
    if (command >= Node::kRole) continue;
    if (is_final || (i < written && batch_->kind(command) == Kind::kOnce)) {
      Finish(command, failure.status, i < written ? Effect::kUnknown : Effect::kNone);
    } else {
      Fail(command, node);
    }
  }
  if (is_final) {
    if (is_unconfirmed) Refuse(failure.status);
    num_roles_ = 0;
    if (map_.ChecksRole()) FinishAll(failure.status);
    return;
  }
  has_failures_ = true;
  node->failure = last_failure_ = failure;
  const bool is_replica = failure.verdict == Verdict::kReplica && !map_.is_cluster();
  if (is_replica) map_.LeaveSeed();
  if ((is_unconfirmed || is_replica) && node->num_answered != 0) RunAllAgain(node);
}

// A later pass would ask another server for these.
void Router::FinishAll(const Status& status) {
  growing_ = nullptr;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != kDone) Finish(static_cast<uint32_t>(i), status, Effect::kNone);
  }
}

// A lone server's answers count only if the same connection said before and behind them that it is a master. A replica
// that was one, or becomes one, may be late, and the server that is there now cannot vouch for it. What must not run
// twice has failed then.
void Router::RunAllAgain(Node* node) {
  first_error_ = Status();
  for (size_t i = 0; i < states_.size(); ++i) {
    const bool is_done = states_[i] == kDone;
    if (is_done && batch_->kind(i) == Kind::kOnce) {
      Refuse(node->failure.status);
      handler_->OnError(i, node->failure.status);
      continue;
    }
    num_left_ += is_done;
    Fail(static_cast<uint32_t>(i), node);
  }
  node->num_answered = node->wrote_on = 0;
  node->lost_write = false;
}

}  // namespace linefilter::redis_internal
