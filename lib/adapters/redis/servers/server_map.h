// The servers are one, or the nodes of a cluster with the map of which node has which slot. Connections are opened when
// they are needed.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_SERVER_MAP_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_SERVER_MAP_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/adapters/redis/servers/breaker.h"
#include "lib/adapters/redis/wire/address.h"
#include "lib/adapters/redis/wire/connection.h"
#include "lib/adapters/redis/wire/failure.h"
#include "linefilter/redis.h"

namespace linefilter::redis_internal {

struct Node {
  Address address;
  Connection connection;
  Breaker* breaker = nullptr;    // of the address
  bool was_unreachable = false;  // the last time: others come first
  bool given_up = false;         // in this call (Router::Call): `failure` is why

  // For the pass that runs: numbers of commands, or one of the two below.
  std::vector<uint32_t> queue;
  size_t num_written = 0;   // to the connection
  size_t num_received = 0;  // replies
  size_t InFlight() const { return num_written - num_received; }
  bool retried = false;   // some command of this pass is to be run again
  bool has_once = false;  // a kOnce is in the queue, which is not tried again if its reply does not come

  // These are for the batch.
  uint64_t num_answered = 0;
  Failure failure;          // the last one, of which commands wait to be run again or were given up
  uint64_t wrote_on = 0;    // the number of the connection that ran a kInsert of this batch; 0: none did
  bool lost_write = false;  // another one did, before

  static constexpr uint32_t kAsking = UINT32_MAX;    // ASKING: the next command only
  static constexpr uint32_t kRole = UINT32_MAX - 1;  // is it still a master?
};

class ServerMap {
 public:
  // Sets where to begin; once.
  Status Begin(const RedisServers& servers);
  // What follows is for a call that ends then, until the next SetEnd. A fixed end is that of a request, which breakers
  // may stop.
  void SetEnd(const CallEnd& end) noexcept { call_end_ = end; }
  const CallEnd& call_end() const noexcept { return call_end_; }
  // Whether a request must not ask this node now.
  bool MustSkip(const Node& node) const noexcept {
    return node.breaker->is_open() && call_end_.is_fixed() && !node.breaker->LetsThrough(Clock::now());
  }
  // When the call does not wait for this node any more.
  CallEnd EndFor(const Node& node) const;
  // Whether a call may ask this node, or another one in its place, when it failed: a request does not where breakers
  // opened, whose trial is another call's.
  bool MayBeAsked(const Node& node) const;
  // Tells the node's breaker what became of it.
  void Heed(const Node& node, const Failure& failure);
  // The same for an answer. True: that closed it.
  bool HeedSuccess(const Node& node) {
    const bool closes = node.breaker->Succeed();
    if (closes) Say("CLOSED", *node.breaker);
    return closes;
  }
  // Says nothing of breakers: while it connects, the caller learns all by the Status.
  void SetQuiet(bool is_quiet) noexcept { is_quiet_ = is_quiet; }
  // One for each server that is known, in the order in which they became so.
  const std::vector<std::unique_ptr<Breaker>>& breakers() const noexcept { return breakers_; }

  // Finds out what is there: a server that may be asked, or a cluster and its map.
  Failure Discover(Clock::time_point end);
  // Connects the node if it is not, while so many wait for it and all shall have tried at `end`. A lone server is
  // looked for at all addresses.
  Failure EnsureOpen(Node* node, Clock::time_point end, size_t num_waiting);
  // It is a replica, which does not write, so a lone server is looked for at the next address first.
  void LeaveSeed() noexcept { first_seed_ = (first_seed_ + 1) % seeds_.size(); }
  // Gets the map again, from whichever node has it: the first whole one, or the fullest.
  Failure RefreshMap(Clock::time_point end);
  // Drops nodes that the newest map does not have, between batches.
  void DropStrangers();

  // After a fork connections are the parent's, whose replies are not ours.
  void CloseIfForked() noexcept;
  // Whether replies count only if the server says before and behind that it is a master (Node::kRole). In a cluster a
  // replica answers MOVED.
  bool ChecksRole() const { return !is_cluster_ && !servers_.replica_reads; }
  // Judges the reply to ROLE.
  Failure JudgeRole(const Reply& reply, const Node& node) const;

  // Finds the node of a slot; null if nobody has it, as far as is known.
  Node* NodeOfSlot(uint16_t slot) {
    const uint16_t number = is_cluster_ ? map_[slot] : 0;
    return number == kNobody ? nullptr : nodes_[number].get();
  }
  // Finds the node that a redirect names, whether it was known or not; with `owns` the slot is its own from now on.
  // Null means that it says nothing that makes sense.
  Node* Follow(std::string_view redirect, const Node& from, bool owns);

  bool is_cluster() const noexcept { return is_cluster_; }
  size_t num_masters() const;
  uint64_t num_connections() const noexcept { return num_connections_; }
  std::vector<std::unique_ptr<Node>>& nodes() noexcept { return nodes_; }
  const RedisServers& servers() const noexcept { return servers_; }
  // Whether one that is a replica may become none, or another one may be the master.
  bool has_other_servers() const noexcept { return is_cluster_ || seeds_.size() > 1; }

 private:
  static constexpr uint16_t kNobody = UINT16_MAX;

  // A node tells this of the cluster.
  struct Map {
    std::vector<uint16_t> owners;  // of slots: numbers of nodes
    size_t num_owned = 0;
    std::vector<Address> replicas;
  };

  // How long a node may take to connect; 0 when the time is over.
  uint32_t ConnectMs(Clock::time_point end, size_t num_waiting) const;
  Failure Open(Node* node, Clock::time_point end, size_t num_waiting);
  Failure OpenLone(Node* node, Clock::time_point end);
  Failure CheckRole(Node* node);
  void SetAddress(Node* node, const Address& address);
  void Say(const char* what, const Breaker& breaker) const;
  Failure ReadMap(Node* node, Map* map);
  bool HasSlots(const Map& map, const Node& node) const;
  // Drops the breakers of addresses that no node has any more, and where nothing begins.
  void DropBreakers() noexcept;
  // Lists nodes to ask for the map, the best first.
  std::vector<Node*> WhoHasMaps();
  uint16_t NumberOf(const Address& address);

  RedisServers servers_;
  CallEnd call_end_;
  bool is_quiet_ = false;
  std::vector<std::unique_ptr<Breaker>> breakers_;
  pid_t pid_ = 0;  // that of the process that connected
  std::vector<Address> seeds_;
  size_t first_seed_ = 0;  // the last one that was good
  bool is_cluster_ = false;
  std::vector<std::unique_ptr<Node>> nodes_;  // a lone server is the first
  std::vector<uint16_t> map_;                 // of slots, to nodes
  bool map_is_new_ = false;                   // since DropStrangers
  std::vector<Address> replicas_;             // they have a map, too, when all masters have gone
  uint64_t num_connections_ = 0;
  size_t next_asked_ = 0;  // for the map, so that it is not always the same that is behind
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_SERVERS_SERVER_MAP_H_
