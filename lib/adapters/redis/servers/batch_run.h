// This runs one batch until each of its commands has its answer. It runs in passes, each of which asks all nodes at
// once what is still to be asked of them. The first pass runs everything in order, the others what was redirected or
// failed. Checks run only when nothing else is left, so that a check sees what was run again before it.
//
// A lone server is asked for its ROLE in each pass, in front and behind all but the checks at the end. If it is a
// replica either time, or its connection is lost before it says what it is, its answers may be late, and the whole
// batch is run again.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BATCH_RUN_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BATCH_RUN_H_

#include <poll.h>

#include <cstdint>
#include <vector>

#include "lib/adapters/redis/servers/patience.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/servers/server_map.h"
#include "lib/adapters/redis/wire/batch.h"

namespace linefilter::redis_internal {

class BatchRun {
 public:
  explicit BatchRun(ServerMap* map) : map_(map) {}

  Status All(const Batch& batch, ReplyHandler* handler);
  bool is_replicated() const noexcept { return is_replicated_; }
  // Begins a Router::Call.
  void BeginCall(bool patient);
  void EndCall();

 private:
  enum State : uint8_t {
    kPending,  // to be run
    kAsked,    // to be run at asked_, as ASK said
    kFailed,   // to be run after a pause
    kDone,     // answered
  };

  void Begin(const Batch& batch, ReplyHandler* handler);
  bool IsDone() const { return num_left_ == 0 && num_roles_ == 0; }
  void QueueAll();
  void QueueWhatIsLeft();
  void Queue(uint32_t command);
  void QueueRole();
  void RefreshMap(const Patience& patience);
  // Gives up what cannot be tried again, or pauses.
  void AfterFailures(Patience* patience);

  void Pass(const Patience& patience);  // this and what follows: batch_pass.cc
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

  void Finish(uint32_t command, const Status& status);
  void Refuse(const Status& status) {
    if (first_error_.ok()) first_error_ = status;
  }
  Status WaitForReplicas();

  ServerMap* map_;
  const Batch* batch_ = nullptr;
  ReplyHandler* handler_ = nullptr;
  std::vector<State> states_;
  std::vector<Node*> asked_;   // empty unless somebody said ASK
  std::vector<Node*> failed_;  // these failed what is kFailed; empty unless one did
  size_t num_left_ = 0;
  size_t num_roles_ = 0;  // the server has yet to tell these, or nothing of this pass counts
  Status first_error_;
  bool is_replicated_ = true;
  bool is_in_call_ = false;
  Clock::duration left_{};   // rest of the call's patience: only batches in which something failed take of it
  bool has_failed_ = false;  // something in this batch

  std::vector<Node*> active_;  // these have a queue that is not done
  std::vector<pollfd> polled_;
  bool has_failures_ = false;
  bool must_refresh_ = false;  // the map; also in the next batch
  Failure last_failure_, nobody_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_BATCH_RUN_H_
