// linefilter_bench_redis_writers: how many keys per second several writers insert into one filter in Redis, and remove
// from it. Members that nobody removes are asked for at the end.
//
//   linefilter_bench_redis_writers [--server HOST:PORT] [--writers N] [--num-keys N] [--fpr P] [--batch N] [--rounds N]
//                                  [--seconds S]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/arguments.h"
#include "tools/measure/redis_bench_filters.h"

namespace linefilter::bench {
namespace {

struct Request {
  RedisServers servers;
  uint64_t num_keys = 1000000, batch = 1024, rounds = 5, writers = 8;
  double fpr = 0.01, seconds = 1;
};

// What one writer does in a round: it inserts keys of its own until the time is over, and removes them.
struct Writer {
  RedisFilter filter;
  uint64_t first_key = 0;
  std::vector<uint64_t> inserted;
  Status status;

  void Insert(const Request& request) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<uint64_t> batch(request.batch);
    const uint64_t most = request.num_keys / 4 / request.writers;  // half are members: the filter does not overflow
    while (status.ok() && inserted.size() + batch.size() <= most) {
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= request.seconds) break;
      for (uint64_t& hash : batch) hash = tools::BenchHash(first_key++);
      status = filter.InsertHashes(batch.data(), batch.size(), nullptr);
      inserted.insert(inserted.end(), batch.begin(), batch.end());
    }
  }
  void Remove(const Request& request) {
    for (size_t begin = 0; begin < inserted.size() && status.ok(); begin += request.batch) {
      const size_t n = std::min<size_t>(inserted.size() - begin, request.batch);
      status = filter.RemoveHashes(inserted.data() + begin, n, nullptr);
    }
    inserted.clear();
  }
};

// The filter on the server, with half of the keys as members.
class Shared {
 public:
  explicit Shared(const Request& request) : request_(request), writers_(request.writers) {}
  ~Shared() {
    if (is_made_) (void)RedisFilter::Delete(request_.servers, name_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  Status Create() {
    FilterOptions options;
    options.fpr = request_.fpr;
    options.removable = true;
    Status status = filter_.Create(request_.servers, name_, request_.num_keys, options);
    is_made_ = status.ok();
    if (status.ok()) status = filter_.Expire(3600000);
    for (uint64_t key = 0; key < request_.num_keys / 2; ++key) members_.push_back(tools::BenchHash(key));
    if (status.ok()) status = filter_.InsertHashes(members_.data(), members_.size(), nullptr);
    for (uint64_t w = 0; w < request_.writers && status.ok(); ++w) {
      writers_[w].first_key = tools::kFirstAbsent * (w + 1);
      status = writers_[w].filter.Open(request_.servers, name_);
    }
    return status;
  }

  Status Round() {
    uint64_t keys = 0;
    const double to_insert = Seconds([&](Writer* writer) { writer->Insert(request_); });
    for (const Writer& writer : writers_) keys += writer.inserted.size();
    const double to_remove = Seconds([&](Writer* writer) { writer->Remove(request_); });
    inserts_.push_back(static_cast<double>(keys) / to_insert);
    removals_.push_back(static_cast<double>(keys) / to_remove);
    for (const Writer& writer : writers_) {
      if (!writer.status.ok()) return writer.status;
    }
    return Status();
  }

  Status Print() {
    std::vector<uint8_t> answers(members_.size());
    const Status status = filter_.MayContainHashes(members_.data(), members_.size(), answers.data());
    const auto lost = std::count(answers.begin(), answers.end(), 0);
    printf("%13s %10s %10s %10s\n", "bits_per_key", "inserts/s", "removals/s", "lost");
    printf("%13.2f %10.0f %10.0f %10lld\n",
           8 * static_cast<double>(filter_.body_bytes()) / static_cast<double>(request_.num_keys), Median(inserts_),
           Median(removals_), static_cast<long long>(lost));
    return status;
  }

 private:
  double Seconds(const std::function<void(Writer*)>& work) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (Writer& writer : writers_) threads.emplace_back(work, &writer);
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  static double Median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  const Request& request_;
  const std::string name_ = tools::NewBenchName();
  RedisFilter filter_;
  bool is_made_ = false;
  std::vector<uint64_t> members_;
  std::vector<Writer> writers_;
  std::vector<double> inserts_, removals_;
};

int Run(const Request& request) {
  Shared shared(request);
  Status status = shared.Create();
  for (uint64_t round = 0; round < request.rounds && status.ok(); ++round) status = shared.Round();
  if (status.ok()) status = shared.Print();
  if (status.ok()) return 0;
  fprintf(stderr, "linefilter_bench_redis_writers: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Request request;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_redis_writers", "Insertions and removals per second by several writers of one filter in Redis");
  arguments.Add("--server", &request.servers.addresses, "Its address; without a password and TLS");
  arguments.AddNumber("--writers", &request.writers, "How many write at once", 1, 256);
  arguments.AddNumber("--num-keys", &request.num_keys, "How many keys the filter is for", 10000, 100000000);
  arguments.AddNumber("--fpr", &request.fpr, "Its false-positive rate");
  arguments.AddNumber("--batch", &request.batch, "Keys of a call", 1, 65536);
  arguments.AddNumber("--rounds", &request.rounds, "How often it is measured", 1, 1000);
  arguments.AddNumber("--seconds", &request.seconds,
                      "The time of insertions in a round, unless all keys are in before");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(request); });
}
