// linefilter redis bench measures the rates of the user's own server, for `linefilter plan --redis`.
#include <csignal>
#include <memory>

#include "tools/measure/redis_bench_filters.h"
#include "tools/program/progress.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Bench {
  ServerOptions server;
  BenchRequest request;
  uint64_t row_ms = 500;
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

int FailInterrupted(const Status& removed) {
  if (removed.ok()) return Fail("redis bench: interrupted; all that was made on the server is removed");
  return Fail("redis bench: interrupted; what was made on the server (linefilter-bench:...) goes after an hour, for %s",
              SentenceOf("", removed).c_str());
}

int RunBench(const Bench& bench) {
  BenchRequest request = bench.request;
  request.seconds = static_cast<double>(bench.row_ms) / 1000;
  if (!ReadyServers(bench.server, &request.servers)) return kExitBad;
  const std::string refusal = RefusalOf(request);
  if (!refusal.empty()) return Fail("redis bench: %s", refusal.c_str());
  const SignalGuard guard;
  BenchFilters filters(request, NewBenchName());
  BenchResult result;
  Status status = filters.Create();
  if (status.ok()) {
    Progress progress("measuring", "rounds", request.rounds);
    request.after_round = [&progress](uint64_t rounds) { progress.Update(rounds); };
    status = MeasureRedis(request, {&filters}, &result);
  }
  const Status removed = filters.Delete();
  if (!status.ok() && bench_interrupted) return FailInterrupted(removed);
  if (!status.ok()) return FailRedis("bench", "", status);
  if (!removed.ok()) return FailRedis("bench", "", removed);

  Report report;
  report.Text("server", request.servers.addresses);
  report.Count("num_keys", request.num_keys);
  report.Count("rounds", request.rounds);
  report.Real("hit_share", 0.5);  // the share of look-ups with keys that are in it
  report.Real("new_share", 1);    // the share of inserts with keys that are not
  for (const BenchRow& row : result.rows) report.Number(row.name, row.per_second[0]);
  report.Count("batch", request.batch);
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
  arguments.Rate("--fpr", &request.fpr, "False-positive rate of the filters; 0.01 by default");
  arguments.Count("--batch", &request.batch, "Keys of a pipelined batch; 1024 by default");
  arguments.Count("--rounds", &request.rounds, "How often each row is measured; 5 by default");
  arguments.Duration("--seconds", &bench->row_ms, "Of a row in a round; 0.5 by default");
  DeclareServer(&arguments, ServerUse::kOther, &bench->server);
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
    "linefilter redis bench --json > rates.json is what linefilter plan --redis --rates rates.json takes.\n"
    "Exit code: 0 measured, 2 not, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
