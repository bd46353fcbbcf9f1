// One of several writers, each a process, perhaps on a machine of its own. It decides of each item whether it is new,
// and asks no level what the one before it could answer:
//
//   1. its own copy of the filter  "known" (or a false positive): Redis would say the same, go to 3
//   2. the filter in Redis         inserts the key; "certainly new": accepted, no look-up
//                                  "may be known": go to 3
//   3. the exact store             known or not; a key that the store does not have goes into Redis before the store
//
// The order of writes: a key is in Redis before it is in the store. Were it the other way round, another writer could
// be told "certainly new" of a key that is committed. Last of all the store's UNIQUE column decides. Where two writers
// bring the same key at the same time, one is told "certainly new", the other "may be known". It finds nothing in the
// store, since the first has not committed yet.
//
// When Redis does not answer, nothing is "new": everything goes to 3, and the keys are inserted into Redis when it is
// back. Meanwhile it is asked once a second only, or each batch would wait for it.
#ifndef LINEFILTER_EXAMPLES_REDIS_DEDUP_WRITER_H_
#define LINEFILTER_EXAMPLES_REDIS_DEDUP_WRITER_H_

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/redis_dedup/list.h"
#include "examples/uses/exact_store.h"
#include "linefilter/redis_cached.h"

namespace redis_dedup {

struct Options {
  linefilter::RedisServers servers;
  std::string name = "redis_dedup";  // of the filter
  std::string kind = "email";        // or url
  std::string db;                    // the file of the store
  std::string list;                  // a file, instead of kind and items
  uint64_t items = 100000;
  double fpr = 0.01;
  unsigned writers = 4;
  uint64_t within_ms = 300;  // how old the copy of a writer may be
};

// What one writer, or all of them together, did. Numbers of items.
struct Tally {
  uint64_t items = 0;
  uint64_t known_here = 0;          // of all: the copy says that Redis knows them
  uint64_t asked_redis = 0;         // of the others: all but those of the pause after it did not answer
  uint64_t new_in_redis = 0;        // of the others: Redis says that nobody had them
  uint64_t unanswered = 0;          // of the others: Redis did not answer
  uint64_t lookups = 0, found = 0;  // of the store
  uint64_t accepted = 0;            // rows
  uint64_t refused = 0;             // by the UNIQUE column: another writer was there in the same moment
  uint64_t failed_insertions = 0;   // that Redis never acknowledged, also of one key: make the filter anew
  uint64_t given_up = 0;            // of those: more than a writer remembers
  uint64_t refreshes = 0, refresh_bytes = 0;

  void Add(const Tally& other);
};

// For a judge, who trusts neither filter nor store: numbers of keys.
struct Notes {
  std::vector<uint64_t> told_new;  // by Redis: before the store could say anything
  std::vector<uint64_t> accepted;
};

class Writer {
 public:
  // The filter and the store exist. Writer `number` takes every `writers`-th item.
  Writer(const Options& options, const List& list, unsigned number);

  // All of its items, or those of the batches that were begun before somebody sets `stop`.
  Tally Run(Notes* notes, const volatile sig_atomic_t& stop);

 private:
  struct Item {
    uint64_t number;
    std::string key;
    bool is_new;  // as far as is known
  };

  void Decide(std::vector<Item>* items, Notes* notes);
  // 1 where Redis would say "known"; 0 where it must be asked, as of all while the copy is too old.
  void AreKnown(const std::vector<uint64_t>& hashes, std::vector<uint8_t>* known) const;
  // Inserts into Redis; what is not acknowledged is remembered. False: it was not asked.
  bool InsertIntoFilter(const std::vector<uint64_t>& hashes, std::vector<linefilter::RedisInsert>* outcomes);
  void InsertWhatFailed();
  bool IsWorthAsking() const;

  const Options& options_;
  const List& list_;
  const unsigned number_;
  linefilter::RedisCachedFilter filter_;
  uses::ExactStore store_;
  Tally tally_;
  std::vector<uint64_t> failed_;  // hashes
  std::chrono::steady_clock::time_point ask_again_{};
};

}  // namespace redis_dedup

#endif  // LINEFILTER_EXAMPLES_REDIS_DEDUP_WRITER_H_
