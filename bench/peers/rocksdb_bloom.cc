// RocksDB's Bloom filter as packaged: k probes in one 512-bit cache line. Debian compiles it without AVX2, so this is
// the scheme's portable loop; the peer k_independent shows the scheme with AVX2.
#include "bench/peers/rocksdb.h"

namespace linefilter::bench {

Peer Peer_rocksdb_bloom() {
  Peer peer = RocksDbPeer(LINEFILTER_BENCH_PACKAGE);
  peer.name = "rocksdb_bloom";
  peer.fill_ns = 50;
  peer.build_bytes = 10;  // 64-bit hashes, and the filter once more until it is copied
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> {
    return std::make_unique<RocksDbFilter>(rocksdb::NewBloomFilterPolicy(spec.bits_per_key), spec);
  };
  return peer;
}

}  // namespace linefilter::bench
