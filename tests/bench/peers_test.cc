// The benchmark's peers are what they claim to be: every one, with every kind of key it takes, loses no member, answers
// alike by every access, and lets through what its scheme lets through.
#include "tests/bench/peers_test.h"

#include <algorithm>

#include "linefilter/hash.h"
#include "tools/measure/key_families.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kAbsentKeys = 400000;

TEST(Peers, NamesAreDistinctAndListsAreFull) {
  const std::vector<Peer>& peers = AllPeers();
  ASSERT_FALSE(peers.empty());
  for (size_t i = 0; i < peers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(peers[i].name, peers[j].name);
    EXPECT_FALSE(peers[i].origin.empty()) << peers[i].name;
    EXPECT_FALSE(peers[i].kinds.empty()) << peers[i].name;
    EXPECT_FALSE(peers[i].accesses.empty()) << peers[i].name;
    EXPECT_NE(peers[i].make, nullptr) << peers[i].name;
  }
  for (const std::string& missing : MissingPeers()) EXPECT_NE(missing.find(" ("), std::string::npos) << missing;
}

TEST(Peers, NoFalseNegativeWhateverTheNumberOfKeys) {
  int filters = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer)) continue;
    for (const KeyKind kind : peer.kinds) {
      for (const uint64_t num_keys : {1u, 7u, 31u, 33u, 100u, 1000u, 20000u}) {
        if (peer.has_bits_of_another && num_keys < 1000) continue;  // eight filters need some for each
        for (const double bits_per_key : {6.0, 10.0, 16.0, 24.0}) {
          SCOPED_TRACE(peer.name + " " + KeyKindName(kind) + " " + std::to_string(num_keys) + " keys");
          const Spec spec = SpecOf(kind, num_keys, bits_per_key);
          const std::unique_ptr<PeerFilter> filter = peer.make(spec);
          CheckedFpr(peer, *filter, spec, 1000);
          EXPECT_GT(filter->bytes(), 0u);
          ++filters;
        }
      }
    }
  }
  EXPECT_GT(filters, 0);
}

// These are the rates of peers without a model, at 10 bits per key. Both probes of LevelDB come from one 32-bit hash,
// and its rate changes with the number of bits: 0.9 % for 10^4 keys, 1.2 to 2 % for 3 * 10^4 to 10^7.
double KnownFpr(const std::string& name) { return name == "leveldb_bloom" ? 0.0135 : 0.0095; }

TEST(Peers, RateOfTheScheme) {
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer) || peer.has_bits_of_another) continue;
    for (const KeyKind kind : peer.kinds) {
      SCOPED_TRACE(peer.name + " " + KeyKindName(kind));
      const Spec spec = SpecOf(kind, 100000, 10);
      const std::unique_ptr<PeerFilter> filter = peer.make(spec);
      const double fpr = CheckedFpr(peer, *filter, spec, kAbsentKeys);
      const double bits_per_key = 8.0 * static_cast<double>(filter->bytes()) / static_cast<double>(spec.num_keys);
      printf("%-16s %-7s %6.3f bits per key, k %2u, fpr %.5f, expected %.5f, %s\n", peer.name.c_str(),
             KeyKindName(kind), bits_per_key, filter->num_probes(), fpr, filter->expected_fpr(), peer.origin.c_str());
      // Arrow takes powers of two, and what is made for one density takes that.
      const double asked = peer.only_bits_per_key != 0 ? peer.only_bits_per_key : spec.bits_per_key;
      EXPECT_LT(bits_per_key, peer.name == "arrow_split_block" ? 20.1 : asked + 0.1);
      EXPECT_GT(bits_per_key, 6.5);
      const double known = filter->expected_fpr() > 0 ? filter->expected_fpr() : KnownFpr(peer.name);
      EXPECT_LT(fpr, 1.5 * known);
      EXPECT_GT(fpr, known / 1.5);
    }
  }
}

// Packaged peers by name: a peer that is built with another one's name, filter or probes would show here.
TEST(Peers, PackagedOnesAreThemselves) {
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer) || peer.targets[0] != "packaged") continue;
    SCOPED_TRACE(peer.name);
    const std::unique_ptr<PeerFilter> filter = peer.make(SpecOf(KeyKind::kU64, 100000, 10));
    const double bits_per_key = 8.0 * static_cast<double>(filter->bytes()) / 100000;
    if (peer.name == "leveldb_bloom") {
      EXPECT_EQ(filter->num_probes(), 6u);  // 10 * 0.69 rounded down
    } else if (peer.name == "rocksdb_bloom") {
      EXPECT_EQ(filter->num_probes(), 6u);
      EXPECT_EQ((filter->bytes() - 5) % 64, 0u);
    } else if (peer.name == "rocksdb_ribbon") {
      EXPECT_EQ(filter->num_probes(), 0u);
      EXPECT_LT(bits_per_key, 7.5);  // a Bloom filter in its place would have 10
    } else if (peer.name == "boost_bloom" || peer.name == "arrow_split_block") {
      EXPECT_EQ(filter->bytes() % 32, 0u);
      EXPECT_EQ(filter->num_probes(), 8u);
    } else {
      EXPECT_EQ(peer.name, "libbloom");
      EXPECT_EQ(filter->num_probes(), 7u);  // 10 * 0.69 rounded up
    }
    EXPECT_NE(peer.origin.find_first_of("0123456789"), std::string::npos) << peer.origin << " names no version";
  }
}

// The static peer has no bits per key to choose, and bears equal keys.
TEST(Peers, BinaryFuseIsOfOneDensity) {
  const auto& peers = AllPeers();
  const auto found =
      std::find_if(peers.begin(), peers.end(), [](const Peer& peer) { return peer.name == "binary_fuse_8_own"; });
  ASSERT_NE(found, peers.end());
  EXPECT_NE(found->only_bits_per_key, 0);
  for (const double asked : {6.0, 10.0, 16.0}) {
    const Spec spec = SpecOf(KeyKind::kHash, 1000000, asked);
    const std::unique_ptr<PeerFilter> filter = found->make(spec);
    const double bits_per_key = 8.0 * static_cast<double>(filter->bytes()) / 1e6;
    EXPECT_GT(bits_per_key, 8.9);
    EXPECT_LT(bits_per_key, 9.3);
    EXPECT_NEAR(CheckedFpr(*found, *filter, spec, kAbsentKeys), 1 / 256.0, 6e-4);
  }
  std::vector<uint64_t> hashes(30000);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = HashKey(uint64_t{i / 100 * i % 1000});
  Keys members;
  members.integers = hashes.data();
  members.size = hashes.size();
  Spec spec = SpecOf(KeyKind::kHash, hashes.size(), 10);
  spec.members = &members;
  const std::unique_ptr<PeerFilter> filter = found->make(spec);
  EXPECT_EQ(Maybes(*found, *filter, members), members.size);
}

// Filters of a family hold its keys, not words.
TEST(Peers, KeyFamiliesAreAsked) {
  int filters = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer) || peer.kinds.back() != KeyKind::kString) continue;
    for (const tools::KeyFamily& family : tools::KeyFamilies()) {
      SCOPED_TRACE(peer.name + " " + family.name);
      Spec spec = SpecOf(KeyKind::kString, 5000, 10);
      spec.family = &family;
      const std::unique_ptr<PeerFilter> filter = peer.make(spec);
      EXPECT_LT(CheckedFpr(peer, *filter, spec, 5000), 0.5);
      ++filters;
    }
    Spec spec = SpecOf(KeyKind::kString, 5000, 10);
    spec.family = &tools::KeyFamilies().front();
    const std::unique_ptr<PeerFilter> filter = peer.make(spec);
    spec.family = nullptr;
    uint64_t maybes = 0;
    ForMembers(spec, [&](const Keys& keys) { maybes += Maybes(peer, *filter, keys); });
    EXPECT_LT(maybes, 500u) << "words are members of a filter of another family";
  }
  EXPECT_GT(filters, 0);
}

}  // namespace
}  // namespace linefilter::bench
