// The filters of `linefilter redis bench` are on the user's own server, under a name of their own, and removed at the
// end. If it is killed, the server removes them itself, after an hour, or a day what was half uploaded. Only between
// the command that makes a filter or a key and the next, which sets its time, there is a moment whose victim stays.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_FILTERS_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_FILTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/redis.h"
#include "tools/program/redis/script.h"

namespace linefilter::tools {

// Keys are numbers: members from 0, absent ones from kFirstAbsent.
inline constexpr uint64_t kFirstAbsent = uint64_t{1} << 40;
inline uint64_t BenchHash(uint64_t number) { return MixHash(number); }

// All keys are in a filter that is asked. Half of them are in one that is filled, the others are to come.
enum class BenchUse { kLookups, kInserts };

class BenchFilters {
 public:
  BenchFilters(const RedisServers& servers, uint64_t num_keys, double fpr)
      : servers_(servers), num_keys_(num_keys), fpr_(fpr) {}
  ~BenchFilters() { (void)Delete(); }
  BenchFilters(const BenchFilters&) = delete;
  BenchFilters& operator=(const BenchFilters&) = delete;

  Status Create();
  // This may be called twice. It returns the first error; servers that are away are asked no more, as that takes long.
  Status Delete();

  RedisFilter* blocked(BenchUse use) { return use == BenchUse::kLookups ? &lookups_ : &inserts_; }
  ScriptFilter* script(BenchUse use) { return use == BenchUse::kLookups ? &script_lookups_ : &script_inserts_; }
  // They have the same bits; one way does not find what the other inserts.
  ScriptFilter* bitfield(BenchUse use) { return use == BenchUse::kLookups ? &script_lookups_ : &bitfield_inserts_; }

  struct Facts {
    uint32_t num_probes = 0;
    double bits_per_key = 0, expected_fpr = 0;
  };
  const Facts& blocked_facts() const { return blocked_; }
  const Facts& script_facts() const { return classic_; }

 private:
  Status CreateBlocked(BenchUse use, const std::string& name);
  Status CreateScript(BenchUse use, ScriptFilter* script, const std::string& key);
  void Fill(BenchUse use, Filter* filter) const;
  Facts FactsOf(const Filter& filter) const;

  const RedisServers servers_;
  const uint64_t num_keys_;
  const double fpr_;
  RedisFilter lookups_, inserts_;
  ScriptFilter script_lookups_, script_inserts_, bitfield_inserts_;
  std::vector<std::string> names_;       // names of ours
  std::vector<ScriptFilter*> uploaded_;  // those of the others
  Facts blocked_, classic_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_FILTERS_H_
