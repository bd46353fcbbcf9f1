// A router runs batches of commands where their keys lie: on one server or the masters of a cluster (it finds out).
//
// It asks the server that owns a slot, and follows one that says MOVED or ASK. What a server cannot do now (it is
// unreachable, silent, loading, the cluster is down, the connection was lost) is tried again, with growing pauses,
// until patience_ms are over. Then it is kUnavailable. Everything else that it refuses is final at once. (Several
// batches may be one call: see Router::Call.)
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// Takes the answers to a batch: for each command one call, of one of the two, before Run returns. They come in any
// order between slots, and in the order of the batch within a slot, unless some were tried again. A lone server that is
// lost before it confirmed to be a master is replaced as a whole: then all commands are called for once more, and the
// later call counts.
class ReplyHandler {
 public:
  virtual ~ReplyHandler() = default;
  // It is never an error reply. `reply` lives until this returns.
  virtual void OnReply(size_t command, const Reply& reply) = 0;
  // `status` is never ok.
  virtual void OnError(size_t command, const Status& status) = 0;
};

// One thread uses it; after a fork both processes may, the child by new connections. Its functions may throw
// std::bad_alloc (or what the handler throws), after which it can be used again.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // Finds a server that answers and what it is, with patience. Called again it takes other servers.
  Status Connect(const RedisServers& servers);

  // Ok if all commands got a reply. Then, if servers.wait_replicas asks for it, it does WAIT on each connection that
  // ran a kInsert (kUnavailable if too few replicas have it, though OnReply was called). Else it is the first error.
  //
  // Commands of one slot run in the order of the batch on one connection, but what is tried again runs later than what
  // was not. So a command that must not run before another has *succeeded* belongs into a later batch; a kCheck does
  // not, it is run again. About 1,000 commands are in flight per server: mind servers' memory if replies are large.
  Status Run(const Batch& batch, ReplyHandler* handler);

  // Whether the insertions of the last Run are on servers.wait_replicas replicas. Its Status may tell something else.
  bool is_replicated() const noexcept;

  bool is_connected() const noexcept;
  bool is_cluster() const noexcept;
  // Whether what is read may be late (RedisServers::replica_reads).
  bool replica_reads() const noexcept;
  // The masters of a cluster that have slots; else 1.
  size_t num_masters() const noexcept;
  // This grows with each connection that is made: a server may have another state now than when it answered before.
  uint64_t num_connections() const noexcept;

  // While it lives, all batches are of one call. They have one patience together (which the batches spend in which
  // something fails), and a node that was given up as unreachable is not connected to again. So a node that is down is
  // waited for once, and others are asked on.
  class Call {
   public:
    enum Patience : uint8_t { kPatient, kOnce };  // kOnce: what fails for now is not tried again
    explicit Call(Router* router, Patience patience = kPatient);
    ~Call() { End(); }
    void End();  // before its end
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Router* router_;
  };

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_ROUTER_H_
