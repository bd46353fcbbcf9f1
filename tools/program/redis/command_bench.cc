// linefilter redis bench measures the rates of the user's own server, for `linefilter plan --redis`.
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

#include "tools/measure/redis_bench_filters.h"
#include "tools/measure/redis_ill.h"
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
  bool ill = false, json = false;
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

// What an illness costs is a matter of the deadline, so it has the library's if none is given.
RedisServers ServersOfIllness(const Bench& bench, RedisServers servers) {
  if (bench.server.deadline_ms != 0) return servers;
  servers.deadlines.request_ms = Deadlines().request_ms;
  servers.deadlines.pause_ms = Deadlines().pause_ms;
  return servers;
}

std::string RefusalOf(const Bench& bench, const BenchRequest& request) {
  if (bench.ill && request.servers.addresses.find(',') != std::string::npos) {
    return "--ill goes before one server, and --server names several";
  }
  return RefusalOf(request);
}

void ReportIll(const std::vector<IllRow>& rows, Report* report) {
  std::vector<Report> table;
  for (const IllRow& row : rows) {
    Report& line = table.emplace_back();
    line.Text("server", row.server);
    line.Count("answered", row.num_answered);
    line.Real("first_ms", row.first_ms);
    line.Real("slowest_first_ms", row.slowest_ms);
    line.Real("next_us", row.next_us);
    line.Real("back_ms", row.back_ms);
  }
  report->Table("when_ill", std::move(table));
}

int RunBench(const Bench& bench) {
  BenchRequest request = bench.request;
  request.seconds = static_cast<double>(bench.row_ms) / 1000;
  if (!ReadyServers(bench.server, &request.servers)) return kExitBad;
  const std::string refusal = RefusalOf(bench, request);
  if (!refusal.empty()) return Fail("redis bench: %s", refusal.c_str());
  const SignalGuard guard;
  BenchFilters filters(request, NewBenchName());
  BenchResult result;
  Status status = filters.Create();
  if (status.ok() && bench.ill) status = CanBeIll(filters.lookups());
  if (status.ok()) {
    Progress progress("measuring", "rounds", request.rounds);
    request.after_round = [&progress](uint64_t rounds) { progress.Update(rounds); };
    status = MeasureRedis(request, {&filters}, &result);
  }
  const RedisServers servers_of_illness = ServersOfIllness(bench, request.servers);
  std::vector<IllRow> ill;
  if (status.ok() && bench.ill) {
    status = MeasureIll(servers_of_illness, filters.name_of_lookups(), request.rounds, &ill);
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
  if (bench.ill) {
    report.Count("deadline_ms", servers_of_illness.deadlines.request_ms);
    ReportIll(ill, &report);
  }
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
  arguments.Flag("--ill", &bench->ill, "Then lookups while a relay in this program is ill in the server's place");
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
    "--ill: for a lone server, with --deadline (100 ms without it) for a lookup. first_ms is the first call of an\n"
    "illness, next_us a later one, and back_ms how long the server is back before a call is answered.\n"
    "linefilter redis bench --json > rates.json is what linefilter plan --redis --rates rates.json takes.\n"
    "Exit code: 0 measured, 2 not, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
