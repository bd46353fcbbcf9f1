// linefilter redis bench measures the rates of the user's own server, for `linefilter plan --redis`.
#include <csignal>
#include <memory>

#include "tools/measure/redis_bench_filters.h"
#include "tools/program/progress.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/rates.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Bench {
  ServerOptions server;
  BenchRequest request;
  bool json = false;
};

void Interrupt(int) { bench_interrupted = true; }

// While it lives, Ctrl-C and SIGTERM only say that it is time to clean up; the second one does not wait for that.
class SignalGuard {
 public:
  SignalGuard() {
    struct sigaction action = {};
    action.sa_handler = &Interrupt;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // flags; the second is the sign bit of an int
    sigaction(SIGINT, &action, &of_interrupt_);
    sigaction(SIGTERM, &action, &of_terminate_);
  }
  ~SignalGuard() {
    sigaction(SIGINT, &of_interrupt_, nullptr);
    sigaction(SIGTERM, &of_terminate_, nullptr);
  }

 private:
  struct sigaction of_interrupt_ = {}, of_terminate_ = {};
};

RedisRates RatesOf(const BenchRequest& request, const BenchResult& result) {
  RedisRates rates;
  rates.lookups_sync = result.rows[0].per_second[0];
  rates.lookups_pipelined = result.rows[1].per_second[0];
  rates.inserts_sync = result.rows[2].per_second[0];
  rates.inserts_pipelined = result.rows[3].per_second[0];
  rates.batch = request.batch;
  if (result.lookups.in != 0) {
    rates.lookup_request_bytes = result.lookups.in;
    rates.lookup_reply_bytes = result.lookups.out;
  }
  if (result.inserts.in != 0) {
    rates.insert_request_bytes = result.inserts.in;
    rates.insert_reply_bytes = result.inserts.out;
  }
  return rates;
}

int FailInterrupted(const Status& removed) {
  if (removed.ok()) return Fail("redis bench: interrupted; all that was made on the server is removed");
  return Fail("redis bench: interrupted; what was made on the server (linefilter-bench:...) goes after an hour, for %s",
              SentenceOf("", removed).c_str());
}

int RunBench(const Bench& bench) {
  BenchRequest request = bench.request;
  if (!ReadyServers(bench.server, &request.servers)) return kExitBad;
  const std::string refusal = RefusalOf(request);
  if (!refusal.empty()) return Fail("redis bench: %s", refusal.c_str());
  const SignalGuard guard;
  const std::string name = NewBenchName();
  BenchFilters filters(request, name);
  RedisConnection server;
  BenchResult result;
  Status status = filters.Create();
  if (status.ok()) status = server.Connect(request.servers, name);
  const bool tells_traffic = status.ok() && server.TellsTraffic();
  if (status.ok()) {
    Progress progress("measuring", "rounds", request.rounds);
    request.after_round = [&progress](uint64_t rounds) { progress.Update(rounds); };
    status = MeasureRedis(request, {&filters}, tells_traffic ? &server : nullptr, &result);
  }
  const std::string version = status.ok() ? server.TextFact("redis_version") : "";
  const bool cluster = status.ok() && server.is_cluster();
  const Status removed = filters.Delete();
  if (!status.ok() && bench_interrupted) return FailInterrupted(removed);
  if (!status.ok()) return FailRedis("bench", "", status);
  if (!removed.ok()) return FailRedis("bench", "", removed);

  Report report;
  report.Text("server", request.servers.addresses);
  report.Text("redis_version", version);
  report.Bool("cluster", cluster);
  report.Count("num_keys", request.num_keys);
  report.Count("rounds", request.rounds);
  report.Real("hit_share", 0.5);  // the share of look-ups with keys that are in it
  report.Real("new_share", 1);    // the share of inserts with keys that are not
  ReportRates(RatesOf(request, result), &report);
  report.Bool("bytes_measured", tells_traffic);
  report.Count("num_probes", filters.facts().num_probes);
  report.Real("bits_per_key", filters.facts().bits_per_key);
  report.Rate("expected_fpr", filters.facts().expected_fpr);
  report.Rate("measured_fpr", result.fprs[0].rate());
  report.Print(bench.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto bench = std::make_shared<Bench>();
  BenchRequest& request = bench->request;
  arguments.Count("--num-keys", &request.num_keys, "How many keys the filters are for; 1e7 by default (12 MB)");
  arguments.Real("--fpr", &request.fpr, "P", "False-positive rate of the filters; 0.01 by default");
  arguments.Count("--batch", &request.batch, "Keys of a pipelined batch; 1024 by default");
  arguments.Count("--rounds", &request.rounds, "How often each row is measured; 5 by default");
  arguments.Real("--seconds", &request.seconds, "S", "Of a row in a round; 0.5 by default");
  DeclareServer(&arguments, ServerUse::kMeasure, &bench->server);
  arguments.Json(&bench->json);
  return [bench] { return RunBench(*bench); };
}

}  // namespace

const Command kRedisBenchCommand = {
    "bench", "Measure look-ups and inserts per second of a server",
    "Two filters of layout blocked under names of their own (linefilter-bench:...), which are removed at the end, "
    "also\n"
    "on Ctrl-C (the second one does not wait for that), and by the server after an hour.\n"
    "Rows take turns; medians of the rounds. Half of the keys asked are in it (hit_share); all that are inserted are\n"
    "new (new_share), which costs most: of known keys batches send no bits. The other work of the server is part of\n"
    "what is measured, and yours is slowed: measure where that is no harm.\n"
    "It speaks no TLS: where the server speaks nothing else, measure another one, or through a tunnel.\n"
    "linefilter redis bench --json > rates.json is what linefilter plan --redis --rates rates.json takes.\n"
    "Exit code: 0 measured, 2 not.",
    &Declare};

}  // namespace linefilter::tools
