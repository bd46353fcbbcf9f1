// linefilter_bench_redis_cached: what a copy that follows a filter in Redis costs. A lookup stands beside one of a
// local filter, a refresh beside the size of the filter, and insertions with the stream beside those without.
//
//   linefilter_bench_redis_cached [--server HOST:PORT] [--rounds N]
#include <cstdio>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/redis/common.h"
#include "linefilter/concurrent.h"
#include "linefilter/redis_cached.h"
#include "tools/measure/redis_bench_filters.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kWithinMs = 3600000;  // no refresh comes by itself
constexpr uint64_t kFollowedKeys = 1000000;

struct Request {
  RedisServers servers;
  uint64_t rounds = 41;
};

std::vector<uint64_t> Hashes(size_t n, uint64_t first) {
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = tools::BenchHash(first++);
  return hashes;
}

// A filter of a name of its own, which goes at the end.
class Made {
 public:
  Made(const RedisServers& servers, uint64_t num_keys, double bits_per_key, uint64_t followed_keys)
      : servers_(servers) {
    RedisLayout layout;
    layout.followed_keys = followed_keys;
    Require(filter.Create(servers_, name, num_keys, FilterOptions::AtBitsPerKey(bits_per_key), layout));
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { (void)RedisFilter::Delete(servers_, name).ok(); }

  const std::string name = tools::NewBenchName();
  RedisFilter filter;

 private:
  const RedisServers& servers_;
};

// In cache, absent keys, each way in turn.
void MeasureLookups(const Request& request) {
  constexpr size_t kKeys = 300000, kAsked = 4096, kTimes = 50;
  Made made(request.servers, kKeys, 10, kFollowedKeys);
  const std::vector<uint64_t> members = Hashes(kKeys, 0), asked = Hashes(kAsked, uint64_t{1} << 40);
  Require(made.filter.InsertHashes(members.data(), members.size(), nullptr));
  RedisCachedFilter cached;
  Require(cached.Open(request.servers, made.name, kWithinMs));
  ConcurrentFilter local;
  Require(local.Create(kKeys, FilterOptions::AtBitsPerKey(10)));
  local.InsertHashes(members.data(), members.size());
  std::vector<uint8_t> answers(kAsked);
  const FilterBase& plain = local;
  uint64_t maybes = 0;
  const auto each = [&](const auto& asks) {
    for (const uint64_t hash : asked) maybes += asks(hash);
  };
  std::vector<double> ns[5];
  for (uint64_t round = 0; round < request.rounds; ++round) {
    const auto add = [&](size_t row, const auto& work) {
      const double seconds = Seconds([&] {
        for (size_t i = 0; i < kTimes; ++i) work();
      });
      ns[row].push_back(1e9 * seconds / kTimes / kAsked);
    };
    add(0, [&] { plain.MayContainHashes(asked.data(), kAsked, answers.data()); });
    add(1, [&] { cached.MayContainHashes(asked.data(), kAsked, answers.data()); });
    add(2, [&] { each([&](uint64_t hash) { return plain.MayContainHash(hash); }); });
    add(3, [&] {
      const SwappableFilter::Lease lease = cached.Read();
      each([&](uint64_t hash) { return lease->MayContainHash(hash); });
    });
    add(4, [&] { each([&](uint64_t hash) { return cached.MayContainHash(hash); }); });
  }
  printf("lookup, ns: batch of 4,096: local %.2f, cached %.2f (%.2f)\n", Median(ns[0]), Median(ns[1]),
         Median(ns[1]) / Median(ns[0]));
  printf("lookup, ns: single: local %.2f, in a lease %.2f (%.2f), by itself %.2f (%llu maybes)\n", Median(ns[2]),
         Median(ns[3]), Median(ns[3]) / Median(ns[2]), Median(ns[4]), static_cast<unsigned long long>(maybes));
}

void MeasureRefreshes(const Request& request) {
  constexpr size_t kInsertions = 10000;
  Made made(request.servers, uint64_t{64} << 20, 8, kFollowedKeys);
  RedisCachedFilter cached;
  Require(cached.Open(request.servers, made.name, kWithinMs));
  for (const size_t batch : {kInsertions, size_t{1}}) {
    const std::vector<uint64_t> hashes = Hashes(kInsertions, batch << 32);
    for (size_t i = 0; i < kInsertions; i += batch)
      Require(made.filter.InsertHashes(hashes.data() + i, batch, nullptr));
    const uint64_t before = cached.Info().num_bytes;
    const double seconds = Seconds([&] { Require(cached.Refresh()); });
    const RedisCacheInfo info = cached.Info();
    printf("refresh of %llu bytes after 10,000 insertions in calls of %zu: %llu bytes, %.1f ms, %llu downloads\n",
           static_cast<unsigned long long>(made.filter.body_bytes()), batch,
           static_cast<unsigned long long>(info.num_bytes - before), 1e3 * seconds,
           static_cast<unsigned long long>(info.num_downloads));
  }
}

void MeasureInsertions(const Request& request) {
  const struct { size_t batch, num_keys; } rows[] = {{1, 5000}, {100, 100000}, {10000, 400000}};
  for (const auto& row : rows) {
    std::vector<double> rates[2];
    for (uint64_t round = 0; round < (request.rounds + 4) / 5; ++round) {
      for (const bool is_followed : {false, true}) {
        Made made(request.servers, 2000000, 10, is_followed ? kFollowedKeys : 0);
        RedisCachedFilter cached;
        if (is_followed) Require(cached.Open(request.servers, made.name, kWithinMs));
        const std::vector<uint64_t> hashes = Hashes(row.num_keys, round << 40);
        rates[is_followed].push_back(static_cast<double>(row.num_keys) / Seconds([&] {
                                       for (size_t i = 0; i < row.num_keys; i += row.batch) {
                                         Require(made.filter.InsertHashes(hashes.data() + i, row.batch, nullptr));
                                       }
                                     }));
      }
    }
    printf("insertions per second in calls of %zu: %.0f without, %.0f with a stream (%.2f)\n", row.batch,
           Median(rates[0]), Median(rates[1]), Median(rates[1]) / Median(rates[0]));
  }
}

int Run(Request request) {
  request.servers.deadlines.request_ms = 60000;
  MeasureLookups(request);
  MeasureRefreshes(request);
  MeasureInsertions(request);
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Request request;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_redis_cached",
      "A copy that follows a filter in Redis: lookups, refreshes, and insertions with the stream");
  arguments.Add("--server", &request.servers.addresses, "Its address; without a password and TLS");
  arguments.AddNumber("--rounds", &request.rounds, "How often lookups are measured; insertions a fifth of that", 1,
                      1000);
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(request); });
}
