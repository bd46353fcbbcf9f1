// linefilter_bench_redis: what a server of Redis does per second, by blocks of `blocked` and by the usual ways, in
// turns. Filters and strings have names of their own, and are removed at the end, by the server after an hour.
//
//   linefilter_bench_redis [--server HOST:PORT] [--num-keys N] [--fpr P] [--batch N] [--rounds N] [--seconds S]
#include <csignal>
#include <cstdio>

#include "bench/arguments.h"
#include "bench/redis/classic_way.h"
#include "tools/measure/redis_bench_filters.h"

namespace linefilter::bench {
namespace {

void Print(const std::vector<tools::BenchWay*>& ways, const tools::BenchResult& result) {
  printf("%-18s %9s %8s %9s %9s %18s\n", "per_second", "blocked", "script", "bitfield", "quotient",
         "quotient_bitfield");
  for (const tools::BenchRow& row : result.rows) {
    const std::vector<double>& rates = row.per_second;
    printf("%-18s %9.0f %8.0f %9.0f %9.4f %18.4f\n", row.name, rates[0], rates[1], rates[2], rates[0] / rates[1],
           rates[0] / rates[2]);
  }
  const char* const names[] = {"blocked", "script", "bitfield"};
  printf("\n%-18s %9s %12s %12s %12s\n", "filter", "probes", "bits_per_key", "expected_fpr", "measured_fpr");
  for (size_t i = 0; i < ways.size(); ++i) {
    const tools::BenchWay::Facts& facts = ways[i]->facts();
    printf("%-18s %9u %12.4f %12.6f %12.6f\n", names[i], facts.num_probes, facts.bits_per_key, facts.expected_fpr,
           result.fprs[i].rate());
  }
}

int Run(const tools::BenchRequest& request) {
  const std::string name = tools::NewBenchName();
  tools::BenchFilters blocked(request, name);
  ClassicWay script(ClassicWay::kScript, name), bitfield(ClassicWay::kBitfield, name);
  const std::vector<tools::BenchWay*> ways = {&blocked, &script, &bitfield};
  tools::BenchResult result;
  const std::string refusal = tools::RefusalOf(request);
  Status status =
      refusal.empty() ? blocked.Create() : Status::Error(StatusCode::kInvalidArgument, "%s", refusal.c_str());
  if (status.ok()) status = script.Create(request);
  if (status.ok()) status = bitfield.Create(request);
  if (status.ok()) status = tools::MeasureRedis(request, ways, &result);
  if (!status.ok()) {
    fprintf(stderr, "linefilter_bench_redis: %s\n", status.message());
    return 1;
  }
  Print(ways, result);
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  const auto interrupt = [](int) { linefilter::tools::bench_interrupted = true; };
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  linefilter::tools::BenchRequest request;
  linefilter::bench::Arguments arguments(
      "linefilter_bench_redis",
      "Look-ups and inserts per second in Redis: linefilter, and k GETBIT or SETBIT by script and BITFIELD");
  arguments.Add("--server", &request.servers.addresses, "Its address; without a password and TLS");
  arguments.AddNumber("--num-keys", &request.num_keys, "How many keys the filters are for");
  arguments.AddNumber("--fpr", &request.fpr, "False-positive rate of all");
  arguments.AddNumber("--batch", &request.batch, "Keys of a pipelined batch");
  arguments.AddNumber("--rounds", &request.rounds, "How often each row is measured");
  arguments.AddNumber("--seconds", &request.seconds, "Of a row in a round");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(request); });
}
