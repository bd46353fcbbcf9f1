// The lists of peers, from the lines of bench/peers/CMakeLists.txt.
#include "bench/peer.h"

namespace linefilter::bench {

#define LINEFILTER_PEER(name) Peer Peer_##name();
#define LINEFILTER_PEERS(name) std::vector<Peer> Peers_##name();
#define LINEFILTER_MISSING_PEER(name_and_package)
#include "bench/peers.inc"
#undef LINEFILTER_PEER
#undef LINEFILTER_PEERS
#undef LINEFILTER_MISSING_PEER

namespace {

std::vector<Peer> MakeAllPeers() {
  std::vector<Peer> peers;
#define LINEFILTER_PEER(name) peers.push_back(Peer_##name());
#define LINEFILTER_PEERS(name) \
  for (Peer & peer : Peers_##name()) peers.push_back(std::move(peer));
#define LINEFILTER_MISSING_PEER(name_and_package)
#include "bench/peers.inc"
#undef LINEFILTER_PEER
#undef LINEFILTER_PEERS
#undef LINEFILTER_MISSING_PEER
  return peers;
}

}  // namespace

const std::vector<Peer>& AllPeers() {
  static const std::vector<Peer> peers = MakeAllPeers();
  return peers;
}

const std::vector<std::string>& MissingPeers() {
  static const std::vector<std::string> missing = {
#define LINEFILTER_PEER(name)
#define LINEFILTER_PEERS(name)
#define LINEFILTER_MISSING_PEER(name_and_package) name_and_package,
#include "bench/peers.inc"
#undef LINEFILTER_PEER
#undef LINEFILTER_PEERS
#undef LINEFILTER_MISSING_PEER
  };
  return missing;
}

}  // namespace linefilter::bench
