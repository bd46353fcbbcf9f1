// A cluster of three masters on the loopback, whose slots a test can move while they are used, and whose nodes it can
// kill and start again; with a replica of each, if it wants.
//
//   RedisCluster cluster;
//   ASSERT_TRUE(cluster.ok()) << cluster.why();
//   servers.addresses = cluster.addresses();
//   cluster.MoveSlot(slot, 2);
#ifndef LINEFILTER_TESTS_TESTING_REDIS_CLUSTER_H_
#define LINEFILTER_TESTS_TESTING_REDIS_CLUSTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/testing/redis_client.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {

class RedisCluster {
 public:
  static constexpr uint32_t kNumSlots = 16384;
  static constexpr size_t kNumNodes = 3;

  // Options of each node. All slots are served when the constructor returns, unless !ok(): a third by each master.
  // With replicas node kNumNodes + i is that of node i.
  explicit RedisCluster(const RedisServerOptions& options = {}, bool has_replicas = false);

  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  std::string addresses() const;  // of all nodes, by commas
  RedisServer& node(size_t i) { return *nodes_[i]; }
  RedisClient& client(size_t i) { return *clients_[i]; }
  size_t OwnerOf(uint32_t slot) const { return owners_[slot]; }
  // Node i, or its replica if that has taken its place.
  size_t MasterOf(size_t i) const { return masters_[i]; }
  uint32_t SlotOf(const std::string& key) {
    return static_cast<uint32_t>(client(0).Integer({"CLUSTER", "KEYSLOT", key}));
  }

  // Live, as redis-cli does it. Between StartMove and FinishMove who asks the old owner for what has moved is told ASK;
  // afterwards MOVED. MoveKeys moves at most `count` keys and says how many it were.
  void StartMove(uint32_t slot, size_t to);
  size_t MoveKeys(uint32_t slot, size_t to, size_t count);
  void FinishMove(uint32_t slot, size_t to);
  void MoveSlot(uint32_t slot, size_t to);

  // Starts a node (again); true when the whole cluster serves again. What it forgets depends on its options.
  bool RestartNode(size_t i);
  // A replica takes the place of its master, in order, so that no write is lost; false: it did not. That of the same
  // master again takes 10 s, for the others vote no sooner.
  bool FailOver(size_t replica);
  // Who does not answer for so long is dead for the others: 5 s, so that no stalled machine makes one, unless a test
  // wants to see that. (While they start they have 2 s, which is how long they do not serve then.)
  void SetNodeTimeout(uint32_t ms);
  // All nodes know all slots and serve them.
  bool WaitUntilWhole();

 private:
  void Join();
  bool Follow();
  bool AllKnowAsMaster(size_t node);
  std::string IdOf(size_t i) { return client(i).Text({"CLUSTER", "MYID"}); }

  std::vector<std::unique_ptr<RedisServer>> nodes_;
  std::vector<std::unique_ptr<RedisClient>> clients_;
  size_t masters_[kNumNodes];
  std::vector<size_t> owners_;
  uint32_t node_timeout_ms_ = 5000;
  std::string why_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_CLUSTER_H_
