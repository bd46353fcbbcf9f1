#include "lib/adapters/redis/servers/router.h"

#include <algorithm>
#include <string>
#include <utility>

namespace linefilter::redis_internal {
namespace {

// A command that is redirected so often without a pause goes round in circles.
constexpr int kMostRedirects = 16;

constexpr char kAdminName[] = "Deadlines::admin_ms";

class OneAnswer final : public ReplyHandler {
 public:
  explicit OneAnswer(Answer* answer) : answer_(answer) {}
  void OnReply(size_t, const Reply& reply) override {
    // No command that is asked here answers so; PTTL does for a key that is gone.
    constexpr int64_t kNoNumber = -2;
    answer_->is_nil = reply.is_nil();
    answer_->text.assign(reply.text());
    answer_->number = reply.is_integer() ? reply.integer() : kNoNumber;
  }

 private:
  Answer* const answer_;
};

}  // namespace

Status Router::Connect(const RedisServers& servers) {
  ServerMap map;
  const Status status = map.Begin(servers);
  if (!status.ok()) return status;
  map.SetQuiet(true);
  const uint32_t ms = servers.deadlines.admin_ms;
  Patience patience(Clock::now() + std::chrono::milliseconds(ms), {Clock::time_point::max(), ms, kAdminName});
  for (;;) {
    const Failure failure = map.Discover(patience.end(servers));
    if (IsFine(failure)) break;
    if (!patience.MayRetry(failure, map) || !patience.Pause()) return patience.GivenUp(failure);
  }
  map.SetQuiet(false);
  last_ = nullptr;
  map_ = std::move(map);
  must_refresh_ = false;
  return Status();
}

Status Router::Do(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words, Answer* answer) {
  Batch batch;
  batch.Add(key, kind, words);
  OneAnswer handler(answer);
  return Run(batch, &handler);
}

Status Router::Run(const Batch& batch, ReplyHandler* handler) {
  Begin(batch, handler);
  return RunToEnd(batch.num_bytes());
}

Status Router::RunGrowing(Batch* batch, uint64_t num_bytes, ReplyHandler* handler) {
  Begin(*batch, handler);
  growing_ = batch;
  // A node of a cluster that comes later would have to be connected to between the others' replies.
  if (map_.is_cluster()) AddRest();
  return RunToEnd(growing_ == nullptr ? batch->num_bytes() : num_bytes);
}

void Router::AddSome() {
  if (!handler_->AddMore(growing_)) growing_ = nullptr;
  num_left_ += batch_->size() - states_.size();
  states_.resize(batch_->size(), kPending);
  if (!asked_.empty()) asked_.resize(batch_->size());
  if (!failed_.empty()) failed_.resize(batch_->size());
}

void Router::AddRest() {
  while (growing_ != nullptr) AddSome();
}

Status Router::RunToEnd(uint64_t num_bytes) {
  num_passes_ = 0;
  if (num_left_ == 0) return first_error_;
  const CallEnd end = EndWith(num_bytes);
  map_.SetEnd(end);
  if (end.is_fixed() && Clock::now() >= end.at) return FailLate(end);
  Patience patience = PatienceFor(end);
  RefreshMap(patience);
  QueueAll();
  grows_in_pass_ = true;
  for (int num_redirects = 0;;) {
    Pass(patience);
    AddRest();  // some had no reply: the next pass knows all
    ++num_passes_;
    if (IsDone()) break;
    if (!has_failures_ && ++num_redirects > kMostRedirects) {
      failed_.assign(batch_->size(), nullptr);
      for (State& state : states_) state = state == kDone ? kDone : kFailed;
      has_failures_ = true;
      last_failure_ = nobody_ = {
          Verdict::kRetry,
          Status::Error(StatusCode::kUnavailable, "the nodes of the cluster keep sending us from one to another")};
    }
    if (has_failures_) AfterFailures(&patience);
    if (IsDone()) break;
    RefreshMap(patience);
    QueueWhatIsLeft();
  }
  const Status waited = WaitForReplicas();  // for what was written, even if something else failed
  is_replicated_ = waited.ok();
  return first_error_.ok() ? waited : first_error_;
}

bool Router::BeginCall(Call::Kind kind, uint32_t own_ms) {
  if (is_in_call_ || (kind == Call::kAdmin && own_ms == 0)) return false;
  is_in_call_ = true;
  is_request_ = kind == Call::kRequest && own_ms == 0;
  bytes_of_call_ = 0;
  const Deadlines& deadlines = map_.servers().deadlines;
  if (own_ms != 0) {
    call_.ms = own_ms;
    call_.name = "RedisFilter::Within";
  } else {
    call_.ms = is_request_ ? deadlines.request_ms : deadlines.admin_ms;
    call_.name = is_request_ ? "Deadlines::request_ms" : kAdminName;
  }
  call_.is_telling = call_.ms >= deadlines.request_ms / 2;
  const bool is_fixed = own_ms != 0 || is_request_;
  call_.at = is_fixed ? Clock::now() + std::chrono::milliseconds(call_.ms) : Clock::time_point::max();
  return true;
}

void Router::EndCall() {
  if (gave_up_) {
    for (const auto& node : map_.nodes()) node->given_up = false;
  }
  is_in_call_ = is_request_ = gave_up_ = false;
  map_.SetEnd(CallEnd());
}

CallEnd Router::EndWith(uint64_t num_bytes) {
  const Deadlines& deadlines = map_.servers().deadlines;
  if (!is_in_call_) return {Clock::time_point::max(), deadlines.admin_ms, kAdminName};
  if (!is_request_) return call_;
  constexpr uint64_t kMegabyte = 1000000;
  bytes_of_call_ += num_bytes;
  const uint64_t more = bytes_of_call_ > kMegabyte ? (bytes_of_call_ - 1) / kMegabyte : 0;
  constexpr uint64_t kMostMs = uint64_t{1} << 40;  // 34 years
  const uint64_t more_ms = std::min(more * deadlines.request_ms_per_mb, kMostMs);
  CallEnd end = call_;
  end.at += std::chrono::milliseconds(more_ms);
  end.ms = static_cast<uint32_t>(std::min<uint64_t>(end.ms + more_ms, UINT32_MAX));
  return end;
}

Patience Router::PatienceFor(const CallEnd& end) const {
  if (tries_once_ || gave_up_) return Patience(Clock::now(), end);
  return Patience(end.is_fixed() ? end.at : Clock::now() + std::chrono::milliseconds(end.ms), end);
}

Status Router::FailLate(const CallEnd& end) {
  const Status status = Status::Error(
      StatusCode::kUnavailable, "not all was answered within %u ms (%s): ask fewer keys at once, or give it longer",
      end.ms, end.name);
  FinishAll(status);
  return first_error_;
}

// A failure for now is tried again in the next batch, a refusal when the next node is lost.
void Router::RefreshMap(const Patience& patience) {
  if (!must_refresh_ || !map_.is_cluster()) return;
  const Failure failure = map_.RefreshMap(patience.end(map_.servers()));
  must_refresh_ = failure.verdict == Verdict::kRetry;  // the old one serves, where it is right
}

void Router::Begin(const Batch& batch, ReplyHandler* handler) {
  batch_ = &batch;
  handler_ = handler;
  num_left_ = batch.size();
  states_.assign(num_left_, kPending);
  growing_ = nullptr;
  grows_in_pass_ = false;
  asked_.clear();
  failed_.clear();
  active_.clear();
  first_error_ = Status();
  has_failures_ = false;
  num_roles_ = 0;
  is_replicated_ = map_.servers().wait_replicas == 0 || batch.size() == 0;
  map_.CloseIfForked();
  map_.DropStrangers();
  const auto is_last = [this](const auto& breaker) { return breaker.get() == last_; };
  if (std::none_of(map_.breakers().begin(), map_.breakers().end(), is_last)) last_ = nullptr;
  for (const auto& node : map_.nodes()) {
    // An exception ended a batch: the rest of its replies is nobody's.
    if (node->InFlight() != 0 || node->connection.unsent() != 0 || node->connection.has_input()) {
      node->connection.GiveUp();
    }
    node->queue.clear();
    node->num_written = node->num_received = 0;
    node->retried = node->lost_write = node->has_once = false;
    node->wrote_on = node->num_answered = 0;
  }
}

void Router::QueueAll() {
  QueueRole();
  QueueFrom(0);
}

void Router::QueueFrom(size_t first) {
  const size_t end = states_.size();
  size_t checks = end;  // those at the end
  while (checks > first && batch_->kind(checks - 1) == Kind::kCheck) --checks;
  for (size_t i = first; i < end; ++i) {
    if (i == checks && i != 0) QueueRole();
    Queue(static_cast<uint32_t>(i));
  }
  if (checks == end && growing_ == nullptr) QueueRole();
}

void Router::QueueWhatIsLeft() {
  bool only_checks = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != kDone && batch_->kind(i) != Kind::kCheck) only_checks = false;
  }
  num_roles_ = 0;
  QueueRole();
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == kDone || (batch_->kind(i) == Kind::kCheck) != only_checks) continue;
    Queue(static_cast<uint32_t>(i));
  }
  if (!only_checks) QueueRole();
}

void Router::QueueRole() {
  if (!map_.ChecksRole()) return;
  ++num_roles_;
  Node* const node = map_.NodeOfSlot(0);
  if (node->queue.empty()) active_.push_back(node);
  node->queue.push_back(Node::kRole);
}

void Router::Queue(uint32_t command) {
  Node* const node = states_[command] == kAsked ? asked_[command] : map_.NodeOfSlot(batch_->slot(command));
  if (node == nullptr) {
    Fail(command, nullptr);
    must_refresh_ = true;
    last_failure_ =
        nobody_ = {Verdict::kRetry, Status::Error(StatusCode::kUnavailable, "no node of the cluster serves slot %u",
                                                  unsigned{batch_->slot(command)})};
    return;
  }
  if (node->queue.empty()) active_.push_back(node);
  if (states_[command] == kAsked) node->queue.push_back(Node::kAsking);
  states_[command] = kPending;
  node->has_once |= batch_->kind(command) == Kind::kOnce;
  node->queue.push_back(command);
}

void Router::AfterFailures(Patience* patience) {
  // A silent server was waited for. What must not run twice needs the time for a reply to its last try.
  bool was_waited_for = map_.call_end().is_fixed() && last_failure_.sign == Sign::kSilent;
  for (size_t i = 0; i < states_.size() && was_waited_for; ++i) {
    was_waited_for = states_[i] != kFailed || batch_->kind(i) != Kind::kOnce;
  }
  if (patience->MayRetry(last_failure_, map_) && AnyMayBeAsked() && (was_waited_for || patience->Pause())) {
    for (State& state : states_) state = state == kFailed ? kPending : state;
  } else {
    for (size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] != kFailed) continue;
      Node* const node = failed_.empty() ? nullptr : failed_[i];
      if (node != nullptr && !node->connection.is_open()) node->given_up = is_in_call_;
      // A kOnce that was sent and lost is done already.
      const bool is_cut = node != nullptr && !map_.MayBeAsked(*node);
      const Failure& failure = node == nullptr ? nobody_ : node->failure;
      Finish(static_cast<uint32_t>(i), is_cut ? failure.status : patience->GivenUp(failure), Effect::kNone);
    }
    gave_up_ = is_in_call_;
    if (num_roles_ != 0) Refuse(patience->GivenUp(last_failure_));
    num_roles_ = 0;
  }
  has_failures_ = false;
}

// Whether somebody who failed is worth another try in this call.
bool Router::AnyMayBeAsked() const {
  bool any_failed = false;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != kFailed) continue;
    if (failed_[i] == nullptr || map_.MayBeAsked(*failed_[i])) return true;
    any_failed = true;
  }
  return !any_failed;
}

void Router::Fail(uint32_t command, Node* node) {
  if (failed_.empty()) failed_.resize(batch_->size());
  failed_[command] = node;
  states_[command] = kFailed;
  has_failures_ = true;
}

void Router::Finish(uint32_t command, const Status& status, Effect effect) {
  Refuse(status);
  states_[command] = kDone;
  --num_left_;
  if (effect == Effect::kNone && batch_->kind(command) == Kind::kOnce) {
    handler_->OnRefused(command, status);
  } else {
    handler_->OnError(command, status);
  }
}

Status Router::WaitForReplicas() {
  const RedisServers& servers = map_.servers();
  if (servers.wait_replicas == 0) return Status();
  const auto begin = Clock::now();
  CallEnd end = map_.call_end();
  uint32_t wait_ms = std::max(servers.wait_ms, uint32_t{1});  // 0 is for ever
  if (is_request_) end.at += std::chrono::milliseconds(wait_ms);
  if (end.is_fixed()) {  // the server's own end comes first, so that its word is heard
    const int left_ms = MsUntil(end.at);
    wait_ms = std::min(wait_ms, static_cast<uint32_t>(std::max(left_ms - left_ms / 8 - 1, 1)));
  }
  for (const auto& node : map_.nodes()) {
    if (node->wrote_on == 0) continue;
    const Reply* reply = nullptr;
    Failure failure;
    if (node->lost_write || !node->connection.is_open() ||
        node->wrote_on != node->connection.number()) {  // another connection's WAIT is not about these
      failure = Lost(node->connection.server(), "inserted, but nobody knows whether replicas have it: insert again");
    } else {
      node->connection.SetEnd(end, true);
      failure = node->connection.Call({"WAIT", std::to_string(servers.wait_replicas), std::to_string(wait_ms)}, &reply,
                                      wait_ms);
    }
    if (!IsFine(failure)) return failure.status;
    if (!reply->is_integer() || reply->integer() < int64_t{servers.wait_replicas}) {
      return Status::Error(
          StatusCode::kUnavailable,
          "inserted, but only %lld of %u replicas of %s had it after %u ms (RedisServers::wait_replicas, "
          "wait_ms)",
          static_cast<long long>(reply->integer()), servers.wait_replicas, node->connection.server().c_str(), wait_ms);
    }
  }
  if (is_request_) call_.at += Clock::now() - begin;  // which the batches that follow have, too
  return Status();
}

}  // namespace linefilter::redis_internal
