// However keys come into a filter of a peer, one by one, in batches, built or filled anew, on two threads or while it
// is asked, it has the same members and answers alike.
#include <algorithm>
#include <utility>

#include "bench/threads.h"
#include "tests/bench/peers_test.h"
#include "tests/testing/nightly.h"

namespace linefilter::bench {
namespace {

bool Has(const Peer& peer, Access access) {
  for (const Access other : peer.accesses) {
    if (other == access) return true;
  }
  return false;
}

bool IsFill(Access access) { return IsBuild(access) && access >= Access::kFill; }

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
      for (const uint64_t num_keys :
           {1u, 2u, 3u, 100u, 1001u, test::IsNightly() ? 30001u : 6001u}) {  // odd: no two halves
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

bool IsSealed(const Peer& peer) { return peer.name == "blocked_sealed" || peer.name == "split_block_sealed"; }

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
        if (IsSealed(peer)) {
          EXPECT_EQ(more, maybes) << "the keys go to a filter that nobody asks";
        } else {
          EXPECT_GT(more, maybes);
          EXPECT_LT(more, maybes + 250 * static_cast<uint64_t>(times)) << "absent keys that are asked were inserted";
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

}  // namespace
}  // namespace linefilter::bench
