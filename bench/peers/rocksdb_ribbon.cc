// RocksDB's Ribbon filter as packaged: the bits of a Bloom filter's rate in about 0.7 of its size, for slower lookups
// and much slower filling. It is asked for the Bloom filter's bits per key, so its real ones are lower.
// Filling takes 28 bytes per key meanwhile: 12 GB for the 4.3e8 keys of 512 MB at 10 bits per key.
#include "bench/peers/rocksdb.h"

namespace linefilter::bench {

Peer Peer_rocksdb_ribbon() {
  Peer peer = RocksDbPeer(LINEFILTER_BENCH_PACKAGE);
  peer.name = "rocksdb_ribbon";
  peer.fill_ns = 350;
  peer.build_bytes = 28;
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> {
    constexpr int kNeverBloom = -1;  // whatever the level of the table
    return std::make_unique<RocksDbFilter>(rocksdb::NewRibbonFilterPolicy(spec.bits_per_key, kNeverBloom), spec);
  };
  return peer;
}

}  // namespace linefilter::bench
