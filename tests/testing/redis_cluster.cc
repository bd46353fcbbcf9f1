#include "tests/testing/redis_cluster.h"

#include <algorithm>
#include <chrono>

#include "gtest/gtest.h"

namespace linefilter::test {

RedisCluster::RedisCluster(const RedisServerOptions& options, bool has_replicas)
    : masters_{0, 1, 2}, owners_(kNumSlots) {
  RedisServerOptions of_node = options;
  of_node.cluster = true;
  for (size_t i = 0; i < (has_replicas ? 2 * kNumNodes : kNumNodes); ++i) {
    nodes_.push_back(std::make_unique<RedisServer>(of_node));
    if (!nodes_[i]->ok()) {
      why_ = nodes_[i]->why();
      return;
    }
    clients_.push_back(std::make_unique<RedisClient>(nodes_[i]->plain_address(), options.password));
  }
  Join();
  if (!WaitUntilWhole() || !Follow()) why_ = "the nodes did not join: " + client(0).Ask({"CLUSTER", "INFO"}).text;
  SetNodeTimeout(node_timeout_ms_);
}

void RedisCluster::SetNodeTimeout(uint32_t ms) {
  node_timeout_ms_ = ms;
  for (const auto& node : clients_) (void)node->Ask({"CONFIG", "SET", "cluster-node-timeout", std::to_string(ms)});
}

void RedisCluster::Join() {
  for (size_t i = 0; i < kNumNodes; ++i) {
    const size_t first = kNumSlots * i / kNumNodes, end = kNumSlots * (i + 1) / kNumNodes;
    for (size_t slot = first; slot < end; ++slot) owners_[slot] = i;
    client(i).Do({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    client(i).Do({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(end - 1)});
  }
  for (size_t i = 1; i < nodes_.size(); ++i) {
    client(0).Do(
        {"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[i]->port()), std::to_string(nodes_[i]->cluster_port())});
  }
}

bool RedisCluster::Follow() {
  for (size_t i = kNumNodes; i < nodes_.size(); ++i) client(i).Do({"CLUSTER", "REPLICATE", IdOf(i - kNumNodes)});
  return WaitUntil([this] {
    for (size_t i = kNumNodes; i < nodes_.size(); ++i) {
      if (client(i).Fact({"INFO", "replication"}, "master_link_status") != "up") return false;
    }
    for (const auto& node : clients_) {  // all know of the replicas
      for (const RedisReply& range : node->Ask({"CLUSTER", "SLOTS"}).items) {
        if (range.items.size() != 2 + nodes_.size() / kNumNodes) return false;
      }
    }
    return true;
  });
}

bool RedisCluster::AllKnowAsMaster(size_t node) {
  const std::string begin = "\n" + IdOf(node) + " ";
  return std::all_of(clients_.begin(), clients_.end(), [&begin](const auto& client) {
    const std::string nodes = "\n" + client->Text({"CLUSTER", "NODES"});
    const size_t line = nodes.find(begin);
    return line != std::string::npos && nodes.find("master ", line) < nodes.find('\n', line + 1);
  });
}

bool RedisCluster::FailOver(size_t replica) {
  // It gives up after 5 s, if it was not fast enough or the others do not vote yet; then it may be told again.
  auto told = std::chrono::steady_clock::time_point();
  if (masters_[replica % kNumNodes] == replica) return false;
  const bool is_done = WaitUntil([this, replica, &told] {
    const auto now = std::chrono::steady_clock::now();
    if (client(replica).Fact({"INFO", "replication"}, "role") == "master") return true;
    if (now - told > std::chrono::milliseconds(5500)) {
      (void)client(replica).Ask({"CLUSTER", "FAILOVER"});
      told = now;
    }
    return false;
  });
  if (!is_done || !WaitUntil([this, replica] { return AllKnowAsMaster(replica); })) return false;
  size_t& master = masters_[replica % kNumNodes];
  std::replace(owners_.begin(), owners_.end(), master, replica);
  master = replica;
  return true;
}

bool RedisCluster::WaitUntilWhole() {
  return WaitUntil([this] {
    for (const auto& node : clients_) {
      if (node->Fact({"CLUSTER", "INFO"}, "cluster_state") != "ok" ||
          node->Fact({"CLUSTER", "INFO"}, "cluster_slots_ok") != std::to_string(kNumSlots) ||
          node->Fact({"CLUSTER", "INFO"}, "cluster_known_nodes") != std::to_string(nodes_.size())) {
        return false;
      }
      size_t slots = 0;  // of nodes whose address is known by now
      for (const RedisReply& range : node->Ask({"CLUSTER", "SLOTS"}).items) {
        if (range.items.at(2).items.at(0).text.empty()) return false;
        slots += static_cast<size_t>(range.items[1].integer - range.items[0].integer + 1);
      }
      if (slots != kNumSlots) return false;
    }
    return true;
  });
}

std::string RedisCluster::addresses() const {
  std::string list;
  for (const auto& node : nodes_) list += (list.empty() ? "" : ",") + node->address();
  return list;
}

void RedisCluster::StartMove(uint32_t slot, size_t to) {
  const std::string number = std::to_string(slot);
  client(to).Do({"CLUSTER", "SETSLOT", number, "IMPORTING", IdOf(OwnerOf(slot))});
  client(OwnerOf(slot)).Do({"CLUSTER", "SETSLOT", number, "MIGRATING", IdOf(to)});
}

size_t RedisCluster::MoveKeys(uint32_t slot, size_t to, size_t count) {
  RedisClient& from = client(OwnerOf(slot));
  const RedisReply keys = from.Do({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), std::to_string(count)});
  if (keys.items.empty()) return 0;
  std::vector<std::string> words = {"MIGRATE", "127.0.0.1", std::to_string(nodes_[to]->port()), "", "0", "60000"};
  if (!nodes_[to]->password().empty()) {
    words.push_back("AUTH");
    words.push_back(nodes_[to]->password());
  }
  words.push_back("KEYS");
  for (const RedisReply& key : keys.items) words.push_back(key.text);
  from.Do(words);
  return keys.items.size();
}

void RedisCluster::FinishMove(uint32_t slot, size_t to) {
  const std::string id = IdOf(to);
  const size_t from = OwnerOf(slot);
  const auto tell = [this, slot, &id](size_t node) {
    client(node).Do({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id});
  };
  tell(to);  // first: else the old owner would send everybody to a node that does not serve it yet
  tell(from);
  for (const size_t master : masters_) {
    if (master != to && master != from) tell(master);
  }
  owners_[slot] = to;
}

void RedisCluster::MoveSlot(uint32_t slot, size_t to) {
  if (OwnerOf(slot) == to) return;
  StartMove(slot, to);
  while (MoveKeys(slot, to, 10) != 0) {
  }
  FinishMove(slot, to);
}

bool RedisCluster::RestartNode(size_t i) {
  const bool started = nodes_[i]->Restart();
  EXPECT_TRUE(started) << nodes_[i]->why();
  SetNodeTimeout(node_timeout_ms_);
  return started && WaitUntilWhole();
}

}  // namespace linefilter::test
