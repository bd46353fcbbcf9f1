// A router runs batches of commands where their keys lie: on one server or the masters of a cluster (it finds out).
//
// It asks the server that owns a slot, and follows one that says MOVED or ASK. What a server cannot do now (it is
// unreachable, silent, loading, the cluster is down, the connection was lost) is tried again, with growing pauses,
// until the deadline. Then it is kUnavailable. Everything else that it refuses is final at once. A request, which may
// be several batches, ends at its deadline whatever happens: see Router::Call. Else each batch has Deadlines::admin_ms.
//
// A batch runs in passes, each of which asks all nodes at once what is still to be asked of them. The first pass runs
// everything in order, the others what was redirected or failed. Checks run only when nothing else is left, so that a
// check sees what was run again before it.
//
// A lone server is asked for its ROLE in each pass, in front and behind all but the checks at the end. If it is a
// replica either time, or its connection is lost before it says what it is, its answers may be late, and the whole
// batch is run again.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/servers/patience.h"
#include "lib/adapters/redis/servers/server_map.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/hash.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// Takes the answers to a batch: for each command one call, of one of the two, before Run returns. They come in any
// order between slots, and in the order of the batch within a slot, unless some were tried again. A lone server that is
// lost before it confirmed to be a master is replaced as a whole: then all commands are called for once more, and the
// later call counts. (A kOnce then gets an error.)
class ReplyHandler {
 public:
  virtual ~ReplyHandler() = default;
  // It is never an error reply. `reply` lives until this returns.
  virtual void OnReply(size_t command, const Reply& reply) = 0;
  // `status` is never ok. For many it is enough that Run tells the first.
  virtual void OnError(size_t /*command*/, const Status& /*status*/) {}
  // The same for a kOnce that certainly did nothing: it was refused, or never sent. OnError may follow, and tells no
  // more.
  virtual void OnRefused(size_t command, const Status& status) { OnError(command, status); }
  // Adds what comes next to a batch that grows (Router::RunGrowing), and tells whether more is to come. Checks come
  // last. Where the batch ends early, it is not called to the end.
  virtual bool AddMore(Batch* /*batch*/) { return false; }
};

// A reply that is kept: the bytes of a string, the value of an integer, or nil.
struct Answer {
  bool is_nil = false;
  std::string text;
  int64_t number = 0;
};

// One thread uses it; after a fork both processes may, the child by new connections. Its functions may throw
// std::bad_alloc (or what the handler throws), after which it can be used again.
class Router {
 public:
  Router() = default;
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Finds a server that answers and what it is, with patience. It comes before all else. Called again it takes other
  // servers, unless it fails.
  Status Connect(const RedisServers& servers);

  // Ok if all commands got a reply. Then, if servers.wait_replicas asks for it, it does WAIT on each connection that
  // ran a kInsert (kUnavailable if too few replicas have it, though OnReply was called). Else it is the first error.
  //
  // Commands of one slot run in the order of the batch on one connection, but what is tried again runs later than what
  // was not. So a command that must not run before another has *succeeded* belongs into a later batch; a kCheck does
  // not, it is run again. About 1,000 commands are in flight per server: mind servers' memory if replies are large.
  Status Run(const Batch& batch, ReplyHandler* handler);
  // The same for a batch that has its first commands: a lone server works on them while handler->AddMore adds others.
  // `num_bytes` is what Batch::num_bytes will be at the end, about. A batch for a cluster is completed first.
  Status RunGrowing(Batch* batch, uint64_t num_bytes, ReplyHandler* handler);

  // Whether the insertions of the last Run are on servers.wait_replicas replicas. Its Status may tell something else.
  bool is_replicated() const noexcept { return is_replicated_; }
  // The server whose reply came last in this call, or that failed last; null if none was asked.
  const std::string* last_server() const noexcept { return last_ == nullptr ? nullptr : &last_->server(); }
  // For the call that comes.
  void ForgetLastServer() noexcept { last_ = nullptr; }
  // Whether some command of the last Run ran later than those behind it, or may have.
  bool was_tried_again() const noexcept { return num_passes_ > 1; }
  // Runs one command for one reply, outside of batches: Do(key, Kind::kRead, {"PTTL", key.name}, &answer).
  Status Do(const RedisKey& key, Kind kind, std::initializer_list<std::string_view> words, Answer* answer);

  const RedisServers& servers() const noexcept { return map_.servers(); }
  bool is_cluster() const noexcept { return map_.is_cluster(); }
  // The masters of a cluster that have slots; else 1.
  size_t num_masters() const { return map_.num_masters(); }
  // The connection by which this key was asked for last: another one may lead to a server with another state. 0: none.
  uint64_t ConnectionTo(const RedisKey& key) {
    const Node* const node = map_.NodeOfSlot(key.slot);
    if (node == nullptr || !node->connection.is_open()) return 0;
    return HashKey(node->connection.server(), node->connection.number());
  }
  // This grows with each connection that is made: a server may have another state now than when it answered before.
  uint64_t num_connections() const noexcept { return map_.num_connections(); }

  // While it lives, all batches are of one call, with one deadline together: what is not answered then fails. A node
  // that was given up as unreachable is not connected to again, and one whose breaker is open is not asked. Within
  // another call it is a part of that.
  class Call {
   public:
    enum Kind : uint8_t {
      kRequest,  // it ends after Deadlines::request_ms, and what its bytes add
      kAdmin,    // each batch has Deadlines::admin_ms, as without a call
      kFill,     // the same, but a node that was waited for once is not waited for again
    };
    // With own_ms above 0 it ends after these.
    Call(Router* router, Kind kind, uint32_t own_ms) : router_(router->BeginCall(kind, own_ms) ? router : nullptr) {}
    ~Call() {
      if (router_ != nullptr) router_->EndCall();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Router* const router_;
  };

  // While it lives, what fails for now is not tried again.
  class Once {
   public:
    explicit Once(Router* router) : router_(router) { router_->tries_once_ = true; }
    ~Once() { router_->tries_once_ = false; }
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;

   private:
    Router* const router_;
  };

  // One for each server that is known.
  const std::vector<std::unique_ptr<Breaker>>& breakers() const noexcept { return map_.breakers(); }

 private:
  enum State : uint8_t {
    kPending,  // to be run
    kAsked,    // to be run at asked_, as ASK said
    kFailed,   // to be run after a pause
    kDone,     // answered
  };

  // Begins and ends a Call; false within another one.
  bool BeginCall(Call::Kind kind, uint32_t own_ms);
  void EndCall();
  // When the call ends that this batch belongs to, and how long what fails is tried again.
  CallEnd EndWith(uint64_t num_bytes);
  Patience PatienceFor(const CallEnd& end) const;
  // All commands fail: the time was over before any was sent.
  Status FailLate(const CallEnd& end);
  void Begin(const Batch& batch, ReplyHandler* handler);
  Status RunToEnd(uint64_t num_bytes);
  bool IsDone() const { return num_left_ == 0 && num_roles_ == 0; }
  // Adds some commands to the batch that grows, or all that are missing, without queueing them.
  void AddSome();
  void AddRest();
  void QueueAll();
  void QueueFrom(size_t first);
  void QueueWhatIsLeft();
  void Queue(uint32_t command);
  void QueueRole();
  void RefreshMap(const Patience& patience);
  // Gives up what cannot be tried again, or pauses.
  void AfterFailures(Patience* patience);
  bool AnyMayBeAsked() const;

  void Pass(const Patience& patience);  // this and what follows: router_pass.cc
  // Adds commands to the batch that grows, as long as the server has few that were not sent, and sends them.
  void Grow();
  void OpenAll(const Patience& patience);
  void ForgetDone();
  void Wait();
  void Send(Node* node);
  // Receives; returns whether something had come.
  bool Receive(Node* node, bool wait = false);
  Failure TakeReply(Node* node, const Reply& reply);
  Failure TakeError(Node* node, uint32_t command, const Reply& reply);
  // The node cannot go on: its commands without a reply fail, or are failures for this pass.
  void Lose(Node* node, const Failure& failure);
  void FinishAll(const Status& status);
  void RunAllAgain(Node* node);
  // Marks a command to be run again after a pause. Null means that nobody was there to be asked; nobody_ says why.
  void Fail(uint32_t command, Node* node);

  enum class Effect : uint8_t { kUnknown, kNone };  // of a kOnce
  void Finish(uint32_t command, const Status& status, Effect effect = Effect::kUnknown);
  void Refuse(const Status& status) {
    if (first_error_.ok()) first_error_ = status;
  }
  Status WaitForReplicas();

  ServerMap map_;
  const Batch* batch_ = nullptr;
  ReplyHandler* handler_ = nullptr;
  Batch* growing_ = nullptr;  // is batch_, if handler_ has more
  bool grows_in_pass_ = false;
  std::vector<State> states_;
  std::vector<Node*> asked_;   // empty unless somebody said ASK
  std::vector<Node*> failed_;  // these failed what is kFailed; empty unless one did
  size_t num_left_ = 0;
  size_t num_roles_ = 0;  // the server has yet to tell these, or nothing of this pass counts
  Status first_error_;
  bool is_replicated_ = true;
  const Breaker* last_ = nullptr;  // of that server
  uint32_t num_passes_ = 0;        // of the last Run
  bool is_in_call_ = false, tries_once_ = false;
  CallEnd call_;                // for a request, of one with up to 1 MB
  uint64_t bytes_of_call_ = 0;  // that were asked and may be answered; only those of requests lengthen it
  bool is_request_ = false;
  bool gave_up_ = false;  // something in this call

  std::vector<Node*> active_;  // these have a queue that is not done
  std::vector<pollfd> polled_;
  bool has_failures_ = false;
  bool must_refresh_ = false;  // the map; also in the next batch
  Failure last_failure_, nobody_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_
