// A peer: one kind of filter in the benchmark, ours or another's. Adding one is a file in bench/peers/ that defines
// `std::vector<Peer> Peers_<name>()`, and a line in bench/peers/CMakeLists.txt.
#ifndef LINEFILTER_BENCH_PEER_H_
#define LINEFILTER_BENCH_PEER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/keys.h"

namespace linefilter::bench {

// How a filter is asked or filled.
enum class Access {
  kSingle,     // one call per key through the peer's own interface
  kBranch,     // the same, and the caller branches on the answer
  kDependent,  // the same, and the next key depends on the answer: the latency
  kBatch,      // the peer's batch interface
  kInlined,    // as kSingle, the lookup compiled into the caller for this target
  kInlinedBranch,
  kInlinedDependent,
  kInsertSingle,
  kInsertBatch,
  kBuild,            // a filter of all members, on one thread
  kBuildTwoThreads,  // the same on two
  kFill,             // a filter is emptied and takes all members, one call per key
  kFillBatch,
  kFillTwoThreads,  // half of them each, at the same time
  kFillBatchTwoThreads,
  kSingleDuringInserts,  // as kSingle, while another thread inserts new keys as fast as it can
  kBatchDuringInserts,
};
inline bool IsBatch(Access access) { return access == Access::kBatch || access == Access::kBatchDuringInserts; }
inline bool IsInsert(Access access) { return access == Access::kInsertSingle || access == Access::kInsertBatch; }
// Of all members, by PeerFilter::Build.
inline bool IsBuild(Access access) { return access >= Access::kBuild && access <= Access::kFillBatchTwoThreads; }
inline bool IsOnTwoThreads(Access access) {
  return access == Access::kBuildTwoThreads || access == Access::kFillTwoThreads ||
         access == Access::kFillBatchTwoThreads;
}
inline bool IsDuringInserts(Access access) {
  return access == Access::kSingleDuringInserts || access == Access::kBatchDuringInserts;
}
const char* AccessName(Access access);  // "single", "branch", ..., "batch_during_inserts"

// Which filter is wanted.
struct Spec {
  KeyKind kind = KeyKind::kHash;
  uint64_t body_bytes = 0;  // the nominal size: num_keys * bits_per_key / 8
  double bits_per_key = 0;
  uint64_t num_keys = 0;  // members first_key .. first_key + num_keys - 1 (ForMembers)
  uint64_t first_key = 0;
  const tools::KeyFamily* family = nullptr;  // kString: keys of this family instead of words
  const Keys* members = nullptr;             // all of them, made before a build is timed; null: made on the way
  double rate_goal =
      0;  // why bits_per_key is what it is: the model says that it reaches this rate; 0: for no such reason
  bool built_later = false;  // `make` of a peer that rebuilds makes an empty filter, for Build is timed and fills it
};

// Calls work(keys) for all members, in runs that stay in the L2 cache.
template <class Work>
void ForMembers(const Spec& spec, const Work& work) {
  constexpr uint64_t kRun = 16384;
  KeyMaker maker(spec.kind, spec.family);
  for (uint64_t done = 0; done < spec.num_keys; done += kRun) {
    if (spec.members != nullptr) {
      work(spec.members->Slice(static_cast<size_t>(done), kRun));
      continue;
    }
    const uint64_t left = spec.num_keys - done;
    work(maker.Make(spec.first_key + done, static_cast<size_t>(left < kRun ? left : kRun)));
  }
}

// A filter full of its members. Used by one thread, but for InsertNew.
class PeerFilter {
 public:
  virtual ~PeerFilter() = default;
  // All bytes that lookups may read.
  virtual uint64_t bytes() const = 0;
  // 0 if the peer has no such number.
  virtual uint32_t num_probes() const { return 0; }
  // The model's rate for this filter; 0 if the peer has no model.
  virtual double expected_fpr() const { return 0; }
  // Cache lines that a lookup of a member reads, on the mean; 0 if nobody knows. An absent key may end sooner.
  virtual double lines() const { return 0; }
  // Asks all keys in the manner of `access` with the code of peer.targets[target]. Returns how many answered "maybe",
  // but for batches, where one byte of 0 or 1 per key goes to answers and the result means nothing.
  virtual uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const = 0;
  // kInsertSingle, kInsertBatch. The benchmark inserts members again, which changes no bit.
  virtual void Insert(size_t target, Access access, const Keys& keys);
  // kBuild to kFillBatchTwoThreads, of a peer that rebuilds: makes itself once more of the same members, in memory that
  // it keeps from the first time on, so that no page is new while it is timed.
  virtual void Build(size_t target, Access access, const Spec& spec);
  // IsDuringInserts: a thread of its own calls this again and again while they are timed. The keys are new each time.
  // What they change is asked by these accesses alone, so that all others answer as before.
  virtual void InsertNew(size_t target);
};

struct Peer {
  std::string name;        // "blocked", "rocksdb_bloom": the layout column of the results
  std::string origin;      // "linefilter", "Debian librocksdb-dev 7.8.3", "own implementation of the scheme of ..."
  bool is_floor = false;   // answers nothing: neither checked nor given an fpr
  bool is_layout = false;  // of this library, whole
  bool has_bits_of_another = false;  // asks another peer's filter in another way: accuracy measures that one alone
  std::vector<std::string> targets;  // best first; none: not for this CPU
  std::vector<KeyKind> kinds;
  std::vector<Access> accesses;
  bool rebuilds = false;         // built by PeerFilter::Build, on each target; else kBuild is `make`, of the best one
  double only_bits_per_key = 0;  // of one density: the one that it is asked for; 0: all
  uint64_t max_bytes = uint64_t{512} << 20;  // of body
  int num_bodies = 1;                        // that it keeps
  uint64_t build_bytes = 0;                  // per key, while the filter is made, beside its own bytes
  uint64_t rebuild_bytes = 0;                // per key, from the first Build on
  double fill_ns = 30;                       // per key of a large filter, about: for the duration that is told first
  // The fewest bits per key that reach this rate in a body of so many bytes, by the model; 0: none do. Null: has no
  // rows of rates.
  std::function<double(double fpr, uint64_t body_bytes)> bits_for_fpr;
  std::function<std::unique_ptr<PeerFilter>(const Spec& spec)> make;  // aborts with a sentence (Die) if it cannot
};

// All peers of this build, and those left out because a package is missing, as "name (package)".
const std::vector<Peer>& AllPeers();
const std::vector<std::string>& MissingPeers();

[[noreturn]] void Die(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEER_H_
