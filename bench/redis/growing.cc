// linefilter_bench_redis_growing: what growth costs. Several writers fill a filter that began small, and one that was
// made for all keys and has the same bound. The first keys are in before the time counts.
//
//   linefilter_bench_redis_growing [--server HOST:PORT] [--writers N] [--first N] [--num-keys N] [--fpr P] [--batch N]
//                                  [--rounds N]
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/arguments.h"
#include "bench/redis/common.h"
#include "tools/measure/redis_bench_filters.h"

namespace linefilter::bench {
namespace {

struct Request {
  RedisServers servers;
  uint64_t writers = 8, first = 1000000, num_keys = 10000000, batch = 1024, rounds = 3;
  double fpr = 0.01;
  bool outcomes = false;
};

// All writers together insert keys `begin` to `end`, each those of its own share; the seconds that it took.
double Insert(const Request& request, const std::string& name, uint64_t begin, uint64_t end) {
  std::vector<Status> statuses(request.writers);
  std::vector<std::thread> threads;
  const double seconds = Seconds([&] {
    for (uint64_t w = 0; w < request.writers; ++w) {
      threads.emplace_back([&, w] {
        RedisFilter filter;
        Status& status = statuses[w];
        status = filter.Open(request.servers, name);
        std::vector<uint64_t> hashes;
        std::vector<RedisInsert> outcomes;
        for (uint64_t key = begin + w; key < end && status.ok();) {
          hashes.clear();
          for (; key < end && hashes.size() < request.batch; key += request.writers) {
            hashes.push_back(tools::BenchHash(key));
          }
          outcomes.resize(hashes.size());
          status = filter.InsertHashes(hashes.data(), hashes.size(), request.outcomes ? outcomes.data() : nullptr);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  for (const Status& status : statuses) Require(status);
  return seconds;
}

double ShareOfMaybes(RedisFilter* filter, uint64_t begin, uint64_t end) {
  std::vector<uint64_t> hashes;
  for (uint64_t key = begin; key < end; ++key) hashes.push_back(tools::BenchHash(key));
  std::vector<uint8_t> answers(hashes.size());
  Require(filter->MayContainHashes(hashes.data(), hashes.size(), answers.data()));
  return static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / static_cast<double>(hashes.size());
}

struct Row {
  const char* name;
  bool grows;
  std::vector<double> seconds = {};
  double members = 1, rate = 0;
  RedisInfo info = {};
};

void Fill(const Request& request, Row* row) {
  const std::string name = tools::NewBenchName();
  RedisFilter filter;
  RedisLayout layout;
  layout.grows = row->grows;
  Require(filter.Create(request.servers, name, row->grows ? request.first : request.num_keys,
                        FilterOptions::AtFpr(request.fpr), layout));
  Require(filter.Expire(3600000));
  (void)Insert(request, name, 0, request.first);
  row->seconds.push_back(Insert(request, name, request.first, request.num_keys));
  Require(filter.Info(&row->info));
  row->members = std::min(row->members, ShareOfMaybes(&filter, 0, request.num_keys));
  row->rate = std::max(row->rate, ShareOfMaybes(&filter, tools::kFirstAbsent, tools::kFirstAbsent + 1000000));
  Require(RedisFilter::Delete(request.servers, name));
}

int Run(Request request) {
  request.servers.deadlines.request_ms = 60000;
  Row rows[] = {{"fixed", false}, {"grows", true}};
  for (uint64_t round = 0; round < request.rounds; ++round) {
    for (Row& row : rows) Fill(request, &row);
  }
  printf("%-8s %9s %7s %7s %13s %9s %10s\n", "filter", "seconds", "ratio", "stages", "bits_per_key", "rate", "lost");
  for (const Row& row : rows) {
    printf("%-8s %9.3f %7.2f %7u %13.2f %9.5f %10.0f\n", row.name, Median(row.seconds),
           Median(row.seconds) / Median(rows[0].seconds), row.info.num_stages,
           8 * static_cast<double>(row.info.body_bytes) / static_cast<double>(request.num_keys), row.rate,
           (1 - row.members) * static_cast<double>(request.num_keys));
  }
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Request request;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_redis_growing",
      "A filter in Redis that grows, filled by several writers, beside one of a fixed size");
  arguments.Add("--server", &request.servers.addresses, "Its address; without a password and TLS");
  arguments.AddNumber("--writers", &request.writers, "How many write at once", 1, 256);
  arguments.AddNumber("--first", &request.first, "How many keys it has room for at first, which are in before", 1, 1e9);
  arguments.AddNumber("--num-keys", &request.num_keys, "How many keys there are in the end", 2, 1e9);
  arguments.AddNumber("--fpr", &request.fpr, "The bound on its false-positive rate");
  arguments.AddNumber("--batch", &request.batch, "Keys of a call", 1, 65536);
  arguments.AddNumber("--rounds", &request.rounds, "How often each is filled", 1, 1000);
  arguments.AddFlag("--outcomes", &request.outcomes, "Each key is told whether it is new");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(request); });
}
