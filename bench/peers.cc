// The lists of peers, from the lines of bench/peers/CMakeLists.txt.
#include "bench/peer.h"

namespace linefilter::bench {

#define LINEFILTER_PEERS(name) std::vector<Peer> Peers_##name();
#define LINEFILTER_MISSING_PEER(name_and_package)
#include "bench/peers.inc"
#undef LINEFILTER_PEERS

const std::vector<Peer>& AllPeers() {
  static const std::vector<Peer> all = [] {
    std::vector<Peer> peers;
#define LINEFILTER_PEERS(name) \
  for (Peer & peer : Peers_##name()) peers.push_back(std::move(peer));
#include "bench/peers.inc"
#undef LINEFILTER_PEERS
#undef LINEFILTER_MISSING_PEER
    return peers;
  }();
  return all;
}

const std::vector<std::string>& MissingPeers() {
  static const std::vector<std::string> missing = {
#define LINEFILTER_PEERS(name)
#define LINEFILTER_MISSING_PEER(name_and_package) name_and_package,
#include "bench/peers.inc"
  };
  return missing;
}

}  // namespace linefilter::bench
