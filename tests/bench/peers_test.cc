// The benchmark's peers are what they claim to be: every one, with every kind of key it takes, loses no member, answers
// alike by every access, and lets through what its scheme lets through.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/peer.h"
#include "bench/threads.h"
#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tools/measure/key_families.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kAbsentKeys = 400000;

// Answers on this CPU.
bool IsFilter(const Peer& peer) { return !peer.is_floor && !peer.targets.empty(); }

bool Has(const Peer& peer, Access access) {
  for (const Access other : peer.accesses) {
    if (other == access) return true;
  }
  return false;
}

bool IsFill(Access access) { return IsBuild(access) && access >= Access::kFill; }

Spec SpecOf(KeyKind kind, uint64_t num_keys, double bits_per_key) {
  Spec spec;
  spec.kind = kind;
  spec.num_keys = num_keys;
  spec.bits_per_key = bits_per_key;
  spec.body_bytes = static_cast<uint64_t>(std::ceil(static_cast<double>(num_keys) * bits_per_key / 8));
  return spec;
}

// How many of the keys are "maybe" by one access.
uint64_t MaybesBy(Access access, size_t target, const PeerFilter& filter, const Keys& keys) {
  if (!IsBatch(access)) return filter.Lookup(target, access, keys, nullptr);
  std::vector<uint8_t> answers(keys.size + 1, 2);
  filter.Lookup(target, access, keys, answers.data());
  uint64_t count = 0;
  for (size_t i = 0; i < keys.size; ++i) {
    EXPECT_LE(answers[i], 1) << i;
    count += answers[i];
  }
  EXPECT_EQ(answers[keys.size], 2) << "written past the end";
  return count;
}

// How many of the keys are "maybe", asked in each way that the peer has; all ways and targets must agree. (Not those
// during inserts: what they ask takes keys of its own.)
uint64_t Maybes(const Peer& peer, const PeerFilter& filter, const Keys& keys) {
  uint64_t maybes = 0;
  int ways = 0;
  for (size_t target = 0; target < peer.targets.size(); ++target) {
    for (const Access access : peer.accesses) {
      if (access >= Access::kInsertSingle) continue;
      const uint64_t count = MaybesBy(access, target, filter, keys);
      if (ways++ == 0) maybes = count;
      EXPECT_EQ(count, maybes) << AccessName(access) << " " << peer.targets[target];
    }
  }
  EXPECT_GE(ways, 1);
  return maybes;
}

// Asks for all members and for the absent keys; the rate of the latter.
double CheckedFpr(const Peer& peer, const PeerFilter& filter, const Spec& spec, uint64_t num_absent) {
  ForMembers(spec, [&](const Keys& keys) { EXPECT_EQ(Maybes(peer, filter, keys), keys.size) << "FALSE NEGATIVE"; });
  Spec absent = spec;
  absent.first_key = kFirstAbsent;
  absent.num_keys = num_absent;
  uint64_t maybes = 0;
  ForMembers(absent, [&](const Keys& keys) { maybes += Maybes(peer, filter, keys); });
  return static_cast<double>(maybes) / static_cast<double>(num_absent);
}

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

// Of peers without a model, at 10 bits per key. Both probes of LevelDB come from one 32-bit hash, and its rate changes
// with the number of bits: 0.9 % for 10^4 keys, 1.2 to 2 % for 3 * 10^4 to 10^7.
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
      EXPECT_LT(bits_per_key, 10.1);
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
    } else {
      EXPECT_EQ(peer.name, "libbloom");
      EXPECT_EQ(filter->num_probes(), 7u);  // 10 * 0.69 rounded up
    }
    EXPECT_NE(peer.origin.find_first_of("0123456789"), std::string::npos) << peer.origin << " names no version";
  }
}

TEST(Peers, InsertingMembersAgainChangesNothing) {
  for (const Peer& peer : AllPeers()) {
    for (const Access access : {Access::kInsertSingle, Access::kInsertBatch}) {
      if (!Has(peer, access) || !IsFilter(peer)) continue;
      SCOPED_TRACE(peer.name + " " + AccessName(access));
      const Spec spec = SpecOf(peer.kinds[0], 20000, 10);
      const std::unique_ptr<PeerFilter> filter = peer.make(spec);
      const double before = CheckedFpr(peer, *filter, spec, 50000);
      for (size_t target = 0; target < peer.targets.size(); ++target) {
        ForMembers(spec, [&](const Keys& keys) { filter->Insert(target, access, keys); });
      }
      EXPECT_EQ(CheckedFpr(peer, *filter, spec, 50000), before);
    }
  }
}

// Every target and access sets the same bits: what one inserts all find, and absent keys are let through alike.
TEST(Peers, EveryWayOfInsertingSetsTheSameBits) {
  int ways = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer)) continue;
    const Spec spec = SpecOf(peer.kinds[0], 20000, 20);
    Spec added = spec;
    added.first_key = spec.num_keys;
    double fpr = -1;
    for (const Access access : {Access::kInsertSingle, Access::kInsertBatch}) {
      if (!Has(peer, access)) continue;
      for (size_t target = 0; target < peer.targets.size(); ++target) {
        SCOPED_TRACE(peer.name + " " + AccessName(access) + " " + peer.targets[target]);
        const std::unique_ptr<PeerFilter> filter = peer.make(spec);
        ForMembers(added, [&](const Keys& keys) { filter->Insert(target, access, keys); });
        ForMembers(added, [&](const Keys& keys) { EXPECT_EQ(Maybes(peer, *filter, keys), keys.size); });
        const double now = CheckedFpr(peer, *filter, spec, 50000);
        if (fpr < 0) fpr = now;
        EXPECT_EQ(now, fpr);
        ++ways;
      }
    }
  }
  EXPECT_GE(ways, 2);
}

// A filter that was built anew, by any target, on one thread or two, answers as before.
TEST(Peers, BuildingAnewGivesTheSameAnswers) {
  int builds = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer) || !peer.rebuilds) continue;
    for (const KeyKind kind : peer.kinds) {
      for (const uint64_t num_keys : {1u, 100u, 20000u}) {
        SCOPED_TRACE(peer.name + " " + KeyKindName(kind) + " " + std::to_string(num_keys) + " keys");
        const Spec spec = SpecOf(kind, num_keys, 10);
        const std::unique_ptr<PeerFilter> filter = peer.make(spec);
        const double before = CheckedFpr(peer, *filter, spec, 20000);
        for (size_t target = 0; target < peer.targets.size(); ++target) {
          for (const Access access : {Access::kBuild, Access::kBuildTwoThreads}) {
            if (!Has(peer, access)) continue;
            filter->Build(target, access, spec);
            EXPECT_EQ(CheckedFpr(peer, *filter, spec, 20000), before) << peer.targets[target];
            ++builds;
          }
        }
      }
    }
  }
  EXPECT_GT(builds, 0);
}

// The answer to each of keys 0 .. num_keys - 1 and of many absent ones, '0' or '1'. Of a filter that is small for so
// many questions that is nearly as good as its bytes.
std::string AnswersOf(const PeerFilter& filter, KeyKind kind, size_t num_keys) {
  std::string answers;
  KeyMaker maker(kind);
  for (const auto& [first, count] : {std::pair<uint64_t, size_t>{0, num_keys}, {kFirstAbsent, 50000}}) {
    const Keys keys = maker.Make(first, count);
    for (size_t i = 0; i < keys.size; ++i) {
      answers += filter.Lookup(0, Access::kSingle, keys.Slice(i, 1), nullptr) != 0 ? '1' : '0';
    }
  }
  return answers;
}

// A filter that is emptied and filled, by each call, target and number of threads, answers every key as one that was
// made of the same members. It takes two sets in turns: a fill that did nothing would answer as before, one that did
// not empty the filter would answer "maybe" to more.
TEST(Peers, FillingAnewGivesTheSameAnswers) {
  constexpr int kRounds = 3;  // two threads do not meet at the same line each time
  int fills = 0, fills_of_two_threads = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsFilter(peer) || std::none_of(peer.accesses.begin(), peer.accesses.end(), IsFill)) continue;
    for (const KeyKind kind : peer.kinds) {
      for (const uint64_t num_keys : {1u, 2u, 3u, 100u, 1001u, 30001u}) {  // odd ones have no two halves
        for (const double bits_per_key : {4.0, 10.0}) {
          Spec specs[2];
          KeyMaker makers[2] = {KeyMaker(kind), KeyMaker(kind)};
          Keys members[2];
          std::string answers[2];
          for (size_t s = 0; s < 2; ++s) {
            specs[s] = SpecOf(kind, num_keys, bits_per_key);
            specs[s].first_key = s * num_keys;
            members[s] = makers[s].Make(specs[s].first_key, num_keys);
            answers[s] = AnswersOf(*peer.make(specs[s]), kind, 2 * num_keys);
            specs[s].members = &members[s];
          }
          EXPECT_TRUE(answers[0] != answers[1]) << "else they prove nothing";
          const std::unique_ptr<PeerFilter> filter = peer.make(specs[0]);
          for (const Access access : peer.accesses) {
            if (!IsFill(access)) continue;
            for (size_t target = 0; target < peer.targets.size(); ++target) {
              SCOPED_TRACE(peer.name + " " + AccessName(access) + " " + peer.targets[target] + " " + KeyKindName(kind) +
                           " " + std::to_string(num_keys) + " keys at " + std::to_string(bits_per_key));
              for (int round = 0; round < (IsOnTwoThreads(access) ? kRounds : 1); ++round) {
                for (const size_t s : {size_t{1}, size_t{0}}) {
                  filter->Build(target, access, specs[s]);
                  EXPECT_EQ(Maybes(peer, *filter, members[s]), num_keys) << "FALSE NEGATIVE";
                  EXPECT_TRUE(AnswersOf(*filter, kind, 2 * num_keys) == answers[s]);
                }
              }
              ++fills;
              fills_of_two_threads += IsOnTwoThreads(access);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(fills, 0);
  if (HasSecondCpu()) {
    EXPECT_GT(fills_of_two_threads, 0);
  }
}

// The accesses of a peer that is asked during inserts, and what it is asked.
class DuringInserts {
 public:
  DuringInserts(const Peer& peer, uint64_t num_keys)
      : peer_(peer),
        filter_(peer.make(SpecOf(peer.kinds[0], num_keys, 10))),
        members_(makers_[0].Make(0, num_keys)),
        absent_(makers_[1].Make(kFirstAbsent, 20000)),
        maybes_before_(Maybes(peer, *filter_, absent_)) {}

  PeerFilter& filter() { return *filter_; }
  uint64_t maybes_before() const { return maybes_before_; }
  // How many absent keys are "maybe": by each access and target as many, while nobody inserts.
  uint64_t MaybesNow() const {
    uint64_t maybes = 0;
    int ways = 0;
    ForEachWay([&](Access access, size_t target) {
      const uint64_t count = MaybesBy(access, target, *filter_, absent_);
      if (ways++ == 0) maybes = count;
      EXPECT_EQ(count, maybes);
    });
    return maybes;
  }
  void ExpectNoneLost() const {
    ForEachWay([&](Access access, size_t target) {
      EXPECT_EQ(MaybesBy(access, target, *filter_, members_), members_.size) << "FALSE NEGATIVE";
    });
  }
  void ExpectOthersAnswerAsBefore() const {
    EXPECT_EQ(Maybes(peer_, *filter_, members_), members_.size) << "FALSE NEGATIVE";
    EXPECT_EQ(Maybes(peer_, *filter_, absent_), maybes_before_);
  }

 private:
  template <class Work>
  void ForEachWay(const Work& work) const {
    for (const Access access : peer_.accesses) {
      if (!IsDuringInserts(access)) continue;
      for (size_t target = 0; target < peer_.targets.size(); ++target) {
        SCOPED_TRACE(std::string(AccessName(access)) + " by " + peer_.targets[target]);
        work(access, target);
      }
    }
  }

  const Peer& peer_;
  const std::unique_ptr<PeerFilter> filter_;
  KeyMaker makers_[2] = {KeyMaker(peer_.kinds[0]), KeyMaker(peer_.kinds[0])};
  const Keys members_, absent_;
  const uint64_t maybes_before_;
};

bool IsAskedDuringInserts(const Peer& peer) {
  return IsFilter(peer) && (Has(peer, Access::kSingleDuringInserts) || Has(peer, Access::kBatchDuringInserts));
}

// They ask a filter with the same members, which takes keys that are neither members nor asked, others each time; no
// other access sees them.
TEST(Peers, NewKeysAreSeenByTheAccessesDuringInserts) {
  int peers = 0;
  for (const Peer& peer : AllPeers()) {
    if (!IsAskedDuringInserts(peer)) continue;
    for (size_t target = 0; target < peer.targets.size(); ++target) {
      SCOPED_TRACE(peer.name + ", inserting by " + peer.targets[target]);
      DuringInserts asked(peer, 20000);
      asked.ExpectNoneLost();
      uint64_t maybes = asked.MaybesNow();
      EXPECT_EQ(maybes, asked.maybes_before());
      for (int times = 1; times <= 16; times *= 4) {
        for (int i = 0; i < times; ++i) asked.filter().InsertNew(target);
        asked.ExpectNoneLost();
        asked.ExpectOthersAnswerAsBefore();
        const uint64_t more = asked.MaybesNow();
        if (peer.name == "blocked_sealed") {
          EXPECT_EQ(more, maybes) << "the keys go to a filter that nobody asks";
        } else {
          EXPECT_GT(more, maybes);
          EXPECT_LT(more, maybes + 200 * static_cast<uint64_t>(times)) << "absent keys that are asked were inserted";
        }
        maybes = more;
      }
    }
    ++peers;
  }
  if (HasSecondCpu()) {
    EXPECT_GT(peers, 0);
  }
}

TEST(Peers, NoFalseNegativeDuringInserts) {
  for (const Peer& peer : AllPeers()) {
    if (!IsAskedDuringInserts(peer)) continue;
    for (size_t target = 0; target < peer.targets.size(); ++target) {
      SCOPED_TRACE(peer.name + ", inserting by " + peer.targets[target]);
      // So large that all members are asked several times before so many keys are in that it answers "maybe" to all.
      DuringInserts asked(peer, 200000);
      {
        const Meanwhile inserting([&] { asked.filter().InsertNew(target); });
        asked.ExpectNoneLost();
        asked.ExpectOthersAnswerAsBefore();
      }
      asked.ExpectNoneLost();
      asked.ExpectOthersAnswerAsBefore();
    }
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
    // `counting` answers "maybe" to a third at this density; if words were members, to all.
    EXPECT_LT(maybes, peer.name == "counting" ? 2000u : 500u) << "words are members of a filter of another family";
  }
  EXPECT_GT(filters, 0);
}

}  // namespace
}  // namespace linefilter::bench
