#include "lib/adapters/redis/servers/server_map.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

// Redis' makers name a thousand nodes as the most. Replicas are only asked for maps, so this many will do.
constexpr size_t kMostMasters = 1000, kMostReplicas = 1000;

// A node that is there connects within this time, even if many are not.
constexpr int64_t kLeastConnectMs = 250;

Failure Unclear(const std::string& server, const char* command) {
  return {Verdict::kFinal,
          Status::Error(StatusCode::kIoError, "Redis at %s: the reply to %s makes no sense", server.c_str(), command)};
}

// Chooses among several servers' failures: what may be otherwise later says more than what is so for ever.
void Prefer(const Failure& failure, Failure* worst) {
  const auto hope = [](const Failure& of) {
    return of.verdict == Verdict::kFine      ? 0
           : of.verdict == Verdict::kRetry   ? 3
           : of.verdict == Verdict::kReplica ? 2
                                             : 1;
  };
  if (hope(failure) > hope(*worst)) *worst = failure;
}

bool BeginsWith(std::string_view text, std::string_view begin) { return text.substr(0, begin.size()) == begin; }

// A user who gives a certificate wants TLS: without it the password would go in the clear, and nobody would be told.
Status CheckTls(const RedisServers& servers) {
  const std::pair<const char*, const std::string*> needless[] = {{"tls_ca", &servers.tls_ca},
                                                                 {"tls_certificate", &servers.tls_certificate},
                                                                 {"tls_key", &servers.tls_key},
                                                                 {"tls_server_name", &servers.tls_server_name}};
  for (const auto& [name, value] : needless) {
    if (servers.tls || value->empty()) continue;
    return Status::Error(StatusCode::kInvalidArgument,
                         "RedisServers::%s is given without RedisServers::tls, so nothing would be encrypted, not even "
                         "a password: give both or neither",
                         name);
  }
  return Status();
}

}  // namespace

Status ServerMap::Begin(const RedisServers& servers) {
  std::vector<Address> seeds;
  const Status status = ParseAddresses(servers.addresses, &seeds);
  if (!status.ok()) return status;
  if (servers.database < 0) {
    return Status::Error(StatusCode::kInvalidArgument, "RedisServers::database is %d: 0 is the first",
                         servers.database);
  }
  constexpr uint32_t kMostPauseMs = 3600000;
  if (servers.deadlines.pause_ms > kMostPauseMs) {
    return Status::Error(StatusCode::kInvalidArgument, "Deadlines::pause_ms is %u: an hour is the most",
                         servers.deadlines.pause_ms);
  }
  if (servers.deadlines.request_ms == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Deadlines::request_ms is at least 1: with 0 no lookup or insertion could ever be answered");
  }
  if (servers.deadlines.reply_ms == 0 || servers.deadlines.connect_ms == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Deadlines::reply_ms and connect_ms are at least 1: without a time-out a server "
                         "that is gone would be waited for for ever");
  }
  const Status tls = CheckTls(servers);
  if (!tls.ok()) return tls;
  servers_ = servers;
  pid_ = getpid();
  seeds_ = std::move(seeds);
  return Status();
}

void ServerMap::CloseIfForked() noexcept {
  const pid_t pid = getpid();
  if (pid == pid_) return;
  pid_ = pid;
  for (const auto& node : nodes_) node->connection.Close();
}

Failure ServerMap::Discover(Clock::time_point end) {
  Failure worst;
  for (size_t i = 0; i < seeds_.size(); ++i) {
    auto node = std::make_unique<Node>();
    SetAddress(node.get(), seeds_[(first_seed_ + i) % seeds_.size()]);
    Failure failure = Open(node.get(), end, seeds_.size() - i);
    if (!IsFine(failure)) {
      Prefer(failure, &worst);
      continue;
    }
    const Reply* reply = nullptr;
    failure = node->connection.CallForMap(&reply);
    // It is without cluster support, or behind a proxy that does not know the command.
    const bool is_lone = reply != nullptr && reply->type() == Reply::Type::kError &&
                         (BeginsWith(reply->text(), "ERR This instance has cluster support disabled") ||
                          BeginsWith(reply->text(), "ERR unknown "));
    if (is_lone) {
      failure = CheckRole(node.get());
    } else if (IsFine(failure) && !reply->is_array()) {
      failure = Unclear(node->connection.server(), "CLUSTER SLOTS");
    }
    if (!IsFine(failure)) {
      Prefer(failure, &worst);
      continue;
    }
    HeedSuccess(*node);
    first_seed_ = (first_seed_ + i) % seeds_.size();
    is_cluster_ = !is_lone;
    nodes_.clear();
    nodes_.push_back(std::move(node));
    if (is_cluster_) failure = RefreshMap(end);
    if (!IsFine(failure)) nodes_.clear();
    return failure;
  }
  return worst;
}

Failure ServerMap::EnsureOpen(Node* node, Clock::time_point end, size_t num_waiting) {
  if (node->connection.is_open()) {
    node->connection.SetEnd(EndFor(*node), false);  // it may know that of an earlier call
    return Failure();
  }
  return is_cluster_ ? Open(node, end, num_waiting) : OpenLone(node, end);
}

uint32_t ServerMap::ConnectMs(Clock::time_point end, size_t num_waiting) const {
  int64_t left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  if (left <= 0) return 0;
  if (call_end_.is_fixed()) left -= left / 4;  // it can be tried again
  const int64_t share = std::max(left / static_cast<int64_t>(std::max(num_waiting, size_t{1})), kLeastConnectMs);
  return static_cast<uint32_t>(std::min({share, left, int64_t{servers_.deadlines.connect_ms}}));
}

Failure ServerMap::Open(Node* node, Clock::time_point end, size_t num_waiting) {
  if (MustSkip(*node)) return node->breaker->Reject(Clock::now());
  const CallEnd of_node = EndFor(*node);
  const uint32_t connect_ms = ConnectMs(std::min(end, of_node.at), num_waiting);
  if (connect_ms == 0) {
    return Unreachable(node->address.text(), "no time is left to connect (RedisServers::deadlines)", Sign::kNone);
  }
  node->connection.SetEnd(of_node, false);
  Failure failure = node->connection.Open(node->address, servers_, connect_ms);
  if (failure.sign == Sign::kSilent && !call_end_.IsTelling(connect_ms)) failure.sign = Sign::kHurried;
  node->breaker->NoteAsked();
  Heed(*node, failure);
  node->was_unreachable = !IsFine(failure);
  if (IsFine(failure)) ++num_connections_;
  return failure;
}

Failure ServerMap::OpenLone(Node* node, Clock::time_point end) {
  const Address before = node->address;
  Failure worst;
  for (size_t i = 0; i < seeds_.size(); ++i) {
    const size_t seed = (first_seed_ + i) % seeds_.size();
    SetAddress(node, seeds_[seed]);
    Failure failure = Open(node, end, seeds_.size() - i);
    if (IsFine(failure)) {
      // That it accepts, and says its role, is no success yet: a server that is loading does so, too.
      failure = CheckRole(node);
      Heed(*node, failure);
    }
    if (!IsFine(failure)) {
      node->connection.Close();
      Prefer(failure, &worst);
      continue;
    }
    first_seed_ = seed;
    if (node->num_answered == 0 || node->address == before) return failure;
    node->connection.Close();  // half of a batch is of another server, which may be no master any more
    return {Verdict::kFinal,
            Status::Error(StatusCode::kUnavailable,
                          "Redis at %s went away in the midst of a batch, and %s is the master now: ask again",
                          before.text().c_str(), node->address.text().c_str())};
  }
  SetAddress(node, before);  // what the batch has answers of, if it has any
  return worst;
}

Failure ServerMap::CheckRole(Node* node) {
  if (servers_.replica_reads) return Failure();
  const Reply* reply = nullptr;
  const Failure failure = node->connection.Call({"ROLE"}, &reply);
  return reply == nullptr ? failure : JudgeRole(*reply, *node);
}

Failure ServerMap::JudgeRole(const Reply& reply, const Node& node) const {
  const std::string& server = node.connection.server();
  if (reply.type() == Reply::Type::kError) {
    if (!BeginsWith(reply.text(), "ERR unknown ")) return JudgeError(reply.text(), server);
    return {
        Verdict::kFinal,
        Status::Error(StatusCode::kUnsupported,
                      "Redis at %s does not know ROLE, so nobody can tell whether it is a replica, whose answers may "
                      "be late; set RedisServers::replica_reads if that may be",
                      server.c_str())};
  }
  if (!reply.is_array() || reply.size() == 0) return Unclear(server, "ROLE");
  const std::string_view role = reply[0].text();
  if (role == "slave") return ReplicaFailure(server);
  if (role != "master") {
    return {Verdict::kFinal, Status::Error(StatusCode::kInvalidArgument,
                                           "the server at %s is a %.20s, no Redis: give the address of the master",
                                           server.c_str(), Shown(role).c_str())};
  }
  return Failure();
}

// Nodes that are connected come first: others may be gone for long. Then where it all began, for all may have moved.
std::vector<Node*> ServerMap::WhoHasMaps() {
  std::vector<Node*> nodes;
  const auto add_known = [this, &nodes](bool is_open, bool was_unreachable) {
    const size_t num_nodes = nodes_.size(), first = next_asked_++;
    for (size_t i = 0; i < num_nodes; ++i) {
      Node* const node = nodes_[(first + i) % num_nodes].get();
      if (node->connection.is_open() == is_open && (is_open || node->was_unreachable == was_unreachable)) {
        nodes.push_back(node);
      }
    }
  };
  const auto add_new = [this, &nodes](const std::vector<Address>& addresses) {
    for (const Address& address : addresses) {
      const size_t num_nodes = nodes_.size(), number = NumberOf(address);
      if (number == num_nodes) nodes.push_back(nodes_[number].get());
    }
  };
  add_known(true, false);
  add_known(false, false);
  std::vector<Node*> gone;
  nodes.swap(gone);
  add_known(false, true);
  nodes.swap(gone);  // what was unreachable comes last
  add_new(seeds_);
  add_new(replicas_);
  nodes.insert(nodes.end(), gone.begin(), gone.end());
  return nodes;
}

Failure ServerMap::RefreshMap(Clock::time_point end) {
  const std::vector<Node*> nodes = WhoHasMaps();
  Map best;
  Failure failure = Unreachable("the cluster", "no node tells who has which slot", Sign::kNone);
  for (size_t i = 0; i < nodes.size() && best.num_owned < kNumSlots; ++i) {
    if (i != 0 && Clock::now() >= end) break;
    if (nodes[i]->given_up || MustSkip(*nodes[i])) continue;
    Failure of_node = EnsureOpen(nodes[i], end, nodes.size() - i);
    Map map;
    if (IsFine(of_node)) {
      of_node = ReadMap(nodes[i], &map);
      Heed(*nodes[i], of_node);
      // Nobody else asks one without slots. One with slots tells maps, too, while it answers nothing.
      if (IsFine(of_node) && !HasSlots(map, *nodes[i])) HeedSuccess(*nodes[i]);
    }
    if (!IsFine(of_node)) {
      nodes[i]->connection.Close();
      nodes[i]->was_unreachable = true;
      // What may be otherwise later says more than what is so for ever.
      if (i == 0 || of_node.verdict == Verdict::kRetry) failure = of_node;
    } else if (best.owners.empty() || map.num_owned > best.num_owned) {
      best = std::move(map);
    }
  }
  if (best.num_owned == 0 && (best.owners.empty() || !map_.empty())) return failure;  // the old one serves
  map_ = std::move(best.owners);
  replicas_ = std::move(best.replicas);
  map_is_new_ = true;
  return Failure();
}

Failure ServerMap::ReadMap(Node* node, Map* map) {
  const Reply* reply = nullptr;
  const Failure failure = node->connection.CallForMap(&reply);
  if (!IsFine(failure)) return failure;
  const std::string server = node->connection.server();
  const Failure unclear = Unclear(server, "CLUSTER SLOTS");
  const auto read_address = [node](const Reply& of_node, Address* address) {
    if (of_node.size() < 2 || !of_node[1].is_integer() || of_node[1].integer() < 1 || of_node[1].integer() > 65535) {
      return false;
    }
    address->host = of_node[0].text();
    address->port = static_cast<int>(of_node[1].integer());
    if (address->host.empty() || address->host == "?") address->host = node->address.host;  // it does not know its own
    return IsHost(address->host);
  };
  if (!reply->is_array() || reply->size() > kNumSlots) return unclear;
  map->owners.assign(kNumSlots, kNobody);
  std::vector<Address> masters;  // owners are numbers of these, until all makes sense
  std::unordered_map<std::string, uint16_t> known;
  std::unordered_set<std::string> replicas;
  for (size_t i = 0; i < reply->size(); ++i) {
    const Reply& range = (*reply)[i];  // first slot, last slot, master, replicas
    Address address;
    if (range.size() < 3 || !range[0].is_integer() || !range[1].is_integer() || !read_address(range[2], &address)) {
      return unclear;
    }
    const int64_t first = range[0].integer(), last = range[1].integer();
    if (first < 0 || last < first || last >= static_cast<int64_t>(kNumSlots)) return unclear;
    const auto [master, is_new] = known.try_emplace(address.text(), static_cast<uint16_t>(masters.size()));
    if (is_new && masters.size() == kMostMasters) return unclear;
    if (is_new) masters.push_back(address);
    std::fill(map->owners.begin() + first, map->owners.begin() + last + 1, master->second);
    for (size_t replica = 3; replica < range.size(); ++replica) {
      if (map->replicas.size() == kMostReplicas || !read_address(range[replica], &address)) continue;
      if (replicas.insert(address.text()).second) map->replicas.push_back(address);
    }
  }
  std::vector<uint16_t> numbers;
  for (const Address& master : masters) numbers.push_back(NumberOf(master));
  for (uint16_t& owner : map->owners) owner = owner == kNobody ? kNobody : numbers[owner];
  map->num_owned = kNumSlots - static_cast<size_t>(std::count(map->owners.begin(), map->owners.end(), kNobody));
  return Failure();
}

bool ServerMap::HasSlots(const Map& map, const Node& node) const {
  return std::any_of(map.owners.begin(), map.owners.end(),
                     [&](uint16_t owner) { return owner != kNobody && nodes_[owner].get() == &node; });
}

void ServerMap::DropStrangers() {
  if (!map_is_new_) return;
  map_is_new_ = false;
  std::vector<uint16_t> numbers(nodes_.size(), kNobody);
  for (const uint16_t owner : map_) {
    if (owner != kNobody) numbers[owner] = 0;
  }
  std::vector<std::unique_ptr<Node>> nodes;
  nodes.reserve(nodes_.size());  // from here on nothing throws
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (numbers[i] == kNobody) continue;
    numbers[i] = static_cast<uint16_t>(nodes.size());
    nodes.push_back(std::move(nodes_[i]));
  }
  if (nodes.empty()) return;  // a map without slots
  for (uint16_t& owner : map_) owner = owner == kNobody ? kNobody : numbers[owner];
  nodes_.swap(nodes);
  DropBreakers();
}

// A node that was reached by another name is another one here: it costs a connection more, nothing else.
uint16_t ServerMap::NumberOf(const Address& address) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->address == address) return static_cast<uint16_t>(i);
  }
  if (nodes_.size() >= kNobody) return kNobody - 1;  // more than a cluster has; who is asked says MOVED
  nodes_.push_back(std::make_unique<Node>());
  SetAddress(nodes_.back().get(), address);
  return static_cast<uint16_t>(nodes_.size() - 1);
}

Node* ServerMap::Follow(std::string_view redirect, const Node& from, bool owns) {
  uint16_t slot = 0;
  Address address;
  if (!ParseRedirect(redirect, &slot, &address.host, &address.port)) return nullptr;
  if (address.host.empty() || address.host == "?") address.host = from.address.host;
  const uint16_t number = NumberOf(address);
  if (!is_cluster_) {  // it was a lone server when we looked, or it does not tell its map
    is_cluster_ = true;
    map_.assign(kNumSlots, 0);
  }
  if (owns) map_[slot] = number;
  return nodes_[number].get();
}

size_t ServerMap::num_masters() const {
  if (!is_cluster_) return 1;
  std::vector<uint16_t> masters = map_;
  std::sort(masters.begin(), masters.end());
  masters.erase(std::unique(masters.begin(), masters.end()), masters.end());
  if (!masters.empty() && masters.back() == kNobody) masters.pop_back();
  return masters.size();
}

}  // namespace linefilter::redis_internal
