// linefilter_bench_redis_async: single lookups of many callers who do not wait, by callbacks, beside pipelined batches
// of as many keys. Each caller asks again when it was answered.
//
//   linefilter_bench_redis_async [--server HOST:PORT] [--callers N] [--lookups N] [--rounds N]
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/redis/common.h"
#include "linefilter/redis_async.h"
#include "tools/measure/redis_bench_filters.h"

namespace linefilter::bench {
namespace {

struct Request {
  RedisServers servers;
  uint64_t callers = 1000, lookups = 1000000, rounds = 11;
};

// All callers share what is left to ask.
struct Callers {
  RedisAsyncFilter* filter = nullptr;
  std::atomic<int64_t> left_to_ask{0}, left_to_answer{0};
  std::atomic<uint64_t> num_failed{0};
  std::promise<void> done;
};

void OnAnswer(void* context, bool, const Status& status) noexcept {
  auto* const callers = static_cast<Callers*>(context);
  callers->num_failed += !status.ok();
  const int64_t next = callers->left_to_ask.fetch_sub(1) - 1;
  if (next >= 0) {
    const uint64_t hash = tools::BenchHash(static_cast<uint64_t>(next));
    callers->num_failed += !callers->filter->MayContainHash(hash, &OnAnswer, callers).ok();
  }
  if (callers->left_to_answer.fetch_sub(1) == 1) callers->done.set_value();
}

double ByCallbacks(const Request& request, RedisAsyncFilter* filter) {
  Callers callers;
  callers.filter = filter;
  callers.left_to_ask = static_cast<int64_t>(request.lookups - request.callers);
  callers.left_to_answer = static_cast<int64_t>(request.lookups);
  const double seconds = Seconds([&] {
    for (uint64_t i = 0; i < request.callers; ++i) {
      Require(filter->MayContainHash(tools::BenchHash(i), &OnAnswer, &callers));
    }
    callers.done.get_future().wait();
  });
  if (callers.num_failed != 0) throw std::runtime_error("a lookup failed");
  return seconds;
}

double ByBatches(const Request& request, RedisFilter* filter) {
  std::vector<uint64_t> hashes(request.callers);
  std::vector<uint8_t> answers(request.callers);
  return Seconds([&] {
    for (uint64_t done = 0; done < request.lookups; done += hashes.size()) {
      for (uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = tools::BenchHash(done + i);
      Require(filter->MayContainHashes(hashes.data(), hashes.size(), answers.data()));
    }
  });
}

int Run(Request request) {
  request.servers.deadlines.request_ms = 60000;
  request.callers = std::min(request.callers, request.lookups);
  const std::string name = tools::NewBenchName();
  RedisFilter filter;
  Require(filter.Create(request.servers, name, 1000000, FilterOptions::AtFpr(0.01)));
  RedisAsyncFilter async;
  Require(async.Open(request.servers, name, nullptr, request.callers));
  std::vector<double> callbacks, batches;
  for (uint64_t round = 0; round < request.rounds; ++round) {
    batches.push_back(static_cast<double>(request.lookups) / ByBatches(request, &filter));
    callbacks.push_back(static_cast<double>(request.lookups) / ByCallbacks(request, &async));
  }
  printf("lookups per second: %.0f in batches of %llu, %.0f by callbacks of as many callers (%.2f)\n", Median(batches),
         static_cast<unsigned long long>(request.callers), Median(callbacks), Median(callbacks) / Median(batches));
  async.Close();
  Require(RedisFilter::Delete(request.servers, name));
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Request request;
  linefilter::bench::Arguments arguments("linefilter_bench_redis_async",
                                         "Single lookups of many callers who do not wait, beside pipelined batches");
  arguments.Add("--server", &request.servers.addresses, "Its address; without a password and TLS");
  arguments.AddNumber("--callers", &request.callers, "How many ask at once", 1, 65536);
  arguments.AddNumber("--lookups", &request.lookups, "How many lookups a round has", 1, 1e9);
  arguments.AddNumber("--rounds", &request.rounds, "How often each is measured", 1, 1000);
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(request); });
}
