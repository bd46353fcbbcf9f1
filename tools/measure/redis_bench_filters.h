// The filters of linefilter that a benchmark of Redis makes are on the user's own server, under a name of their own,
// and removed at the end. If it is killed, the server removes them itself, after an hour, or a day what was half
// uploaded. Only between the command that makes a filter and the next, which sets its time, its victim stays.
#ifndef LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_FILTERS_H_
#define LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_FILTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/redis.h"
#include "tools/measure/redis_bench.h"

namespace linefilter::tools {

// Returns "linefilter-bench:" and random digits: names of one benchmark begin so.
std::string NewBenchName();

// This way is RedisFilter's, of layout `blocked`.
class BenchFilters final : public BenchWay {
 public:
  BenchFilters(const BenchRequest& request, const std::string& name) : request_(request), name_(name) {}
  ~BenchFilters() override { (void)Delete(); }
  BenchFilters(const BenchFilters&) = delete;
  BenchFilters& operator=(const BenchFilters&) = delete;

  std::string name_of_lookups() const { return name_ + ":lookups"; }
  RedisFilter* lookups() { return &lookups_; }
  Status Create();
  // This may be called twice. It returns the first error; servers that are away are asked no more, as that takes long.
  Status Delete();

  Status Ask(const std::vector<uint64_t>& hashes, bool pipelined, uint8_t* answers) override;
  Status Insert(const std::vector<uint64_t>& hashes, bool pipelined) override;

 private:
  Status CreateOne(BenchUse use, const std::string& name, RedisFilter* filter);

  const BenchRequest& request_;
  const std::string name_;
  RedisFilter lookups_, inserts_;
  std::vector<std::string> names_;  // those that may be there
  std::vector<RedisInsert> outcomes_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_FILTERS_H_
