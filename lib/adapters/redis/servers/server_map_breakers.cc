// The breakers of all servers that are known: who has which, what they are told, and what they let through.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "lib/adapters/redis/servers/server_map.h"

namespace linefilter::redis_internal {

// A server keeps its breaker when the map of the cluster changes.
void ServerMap::SetAddress(Node* node, const Address& address) {
  node->address = address;
  for (const auto& breaker : breakers_) {
    node->breaker = breaker.get();
    if (breaker->address() == address) return;
  }
  breakers_.push_back(std::make_unique<Breaker>(address, servers_.deadlines.pause_ms));
  node->breaker = breakers_.back().get();
}

void ServerMap::DropBreakers() noexcept {
  const auto is_stranger = [this](const std::unique_ptr<Breaker>& breaker) {
    const auto is_its_node = [&](const std::unique_ptr<Node>& node) { return node->breaker == breaker.get(); };
    return std::none_of(nodes_.begin(), nodes_.end(), is_its_node) &&
           std::find(seeds_.begin(), seeds_.end(), breaker->address()) == seeds_.end();
  };
  breakers_.erase(std::remove_if(breakers_.begin(), breakers_.end(), is_stranger), breakers_.end());
}

CallEnd ServerMap::EndFor(const Node& node) const {
  CallEnd end = call_end_;
  if (!end.is_fixed() || !node.breaker->is_open() || node.breaker->IsWholeTrial()) return end;
  const auto quarter = std::chrono::milliseconds(std::max(end.ms / 4, 1u));
  end.at = std::min(end.at, node.breaker->EndOfTrial(Clock::now(), quarter));
  return end;
}

bool ServerMap::MayBeAsked(const Node& node) const {
  if (!call_end_.is_fixed()) return true;
  if (is_cluster_) return !node.breaker->is_open();
  const auto is_open = [this](const Address& seed) {
    return std::any_of(breakers_.begin(), breakers_.end(), [&seed](const std::unique_ptr<Breaker>& breaker) {
      return breaker->is_open() && breaker->address() == seed;
    });
  };
  return !std::all_of(seeds_.begin(), seeds_.end(), is_open);
}

void ServerMap::Heed(const Node& node, const Failure& failure) {
  if (failure.sign == Sign::kNone) return;
  if (failure.sign == Sign::kHurried && !node.breaker->is_open()) return;
  if (node.breaker->Fail(failure, Clock::now())) Say("OPENED", *node.breaker);
}

void ServerMap::Say(const char* what, const Breaker& breaker) const {
  if (servers_.notice == nullptr || is_quiet_) return;
  char sentence[320];
  snprintf(sentence, sizeof(sentence), "linefilter: the breaker of Redis at %s %s after %llu failures: %s",
           breaker.server().c_str(), what, static_cast<unsigned long long>(breaker.num_failures()),
           breaker.why().c_str());
  try {
    servers_.notice(servers_.notice_context, sentence);
  } catch (...) {  // of the notice, which changes nothing of the call
  }
}

}  // namespace linefilter::redis_internal
