// linefilter redis bench measures the rates of the user's own server, for `linefilter plan --redis`, and a script's.
#include <csignal>
#include <memory>

#include "tools/program/redis/bench.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
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

// These are names of what a report says of one of the two.
struct Names {
  const char *num_probes, *bits_per_key, *expected_fpr, *measured_fpr;
};
constexpr Names kBlockedNames = {"num_probes", "bits_per_key", "expected_fpr", "measured_fpr"};
constexpr Names kScriptNames = {"script_num_probes", "script_bits_per_key", "script_expected_fpr",
                                "script_measured_fpr"};

void ReportKind(const Names& names, const BenchFilters::Facts& facts, const MeasuredFpr& fpr, Report* report) {
  report->Count(names.num_probes, facts.num_probes);
  report->Real(names.bits_per_key, facts.bits_per_key);
  report->Rate(names.expected_fpr, facts.expected_fpr);
  report->Rate(names.measured_fpr, fpr.rate());
}

std::string Refusal(const BenchRequest& request) {
  if (request.num_keys < 10000 || request.num_keys > 400000000) return "--num-keys is outside 1e4 to 4e8";
  if (request.rounds < 1 || request.rounds > 1000) return "--rounds is outside 1 to 1000";
  if (request.batch < 1 || request.batch > 65536) return "--batch is outside 1 to 65536";
  if (!(request.seconds >= 0.001 && request.seconds <= 3600)) return "--seconds is outside 0.001 to 3600";
  if (request.num_keys / request.rounds / 4 < request.batch) {
    return "--num-keys are too few for so many rounds and so large a batch: each round inserts some of half of them";
  }
  return "";
}

int FailInterrupted(const Status& removed) {
  if (removed.ok()) return Fail("redis bench: interrupted; all that was made on the server is removed");
  return Fail("redis bench: interrupted; what was made on the server (linefilter-bench:...) goes after an hour, for %s",
              SentenceOf("", removed).c_str());
}

int RunBench(const Bench& bench) {
  BenchRequest request = bench.request;
  if (!ReadyServers(bench.server, &request.servers)) return kExitBad;
  const std::string refusal = Refusal(request);
  if (!refusal.empty()) return Fail("redis bench: %s", refusal.c_str());
  const SignalGuard guard;
  BenchFilters filters(request.servers, request.num_keys, request.fpr);
  BenchResult result;
  Status status = filters.Create();
  if (status.ok()) status = MeasureRedis(request, &filters, &result);
  ScriptFilter* const server = filters.script(BenchUse::kLookups);
  const std::string version = status.ok() ? server->TextFact("redis_version") : "";
  const bool cluster = status.ok() && server->is_cluster();
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
  ReportRates(result.rates, &report);
  report.Bool("bytes_measured", result.bytes_measured);
  ReportKind(kBlockedNames, filters.blocked_facts(), result.blocked, &report);
  ReportKind(kScriptNames, filters.script_facts(), result.script, &report);
  std::vector<Report> rows;
  for (const BenchRow& row : result.rows) {
    Report line;
    line.Text("per_second", row.name);
    line.Number("blocked", row.blocked);
    line.Number("script", row.script);
    line.Number("bitfield", row.bitfield);
    line.Real("quotient", row.script > 0 ? row.blocked / row.script : 0);
    line.Real("quotient_bitfield", row.bitfield > 0 ? row.blocked / row.bitfield : 0);
    rows.push_back(line);
  }
  report.Table("rows", std::move(rows));
  report.Print(bench.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto bench = std::make_shared<Bench>();
  BenchRequest& request = bench->request;
  arguments.Count("--num-keys", &request.num_keys, "How many keys the filters are for; 1e7 by default (12 MB)");
  arguments.Real("--fpr", &request.fpr, "P", "False-positive rate of both; 0.01 by default");
  arguments.Count("--batch", &request.batch, "Keys of a pipelined batch; 1024 by default");
  arguments.Count("--rounds", &request.rounds, "How often each row is measured; 5 by default");
  arguments.Real("--seconds", &request.seconds, "S", "Of a row in a round; 0.5 by default");
  DeclareServer(&arguments, ServerUse::kMeasure, &bench->server);
  arguments.Json(&bench->json);
  return [bench] { return RunBench(*bench); };
}

}  // namespace

const Command kRedisBenchCommand = {
    "bench", "Measure look-ups and inserts per second of a server, beside those by script",
    "Five filters under names of their own (linefilter-bench:...), which are removed at the end, also on Ctrl-C (the\n"
    "second one does not wait for that), and by the server after an hour.\n"
    "blocked: GETRANGE of a block, BITFIELD of its bits. script: the usual way, k GETBIT or SETBIT of layout classic "
    "in\n"
    "one server-side script (EVALSHA). bitfield: the same bits by one BITFIELD_RO or BITFIELD, without a script.\n"
    "Rows take turns; medians of the rounds. Half of the keys asked are in it (hit_share); all that are inserted are\n"
    "new (new_share), which costs most: of known keys batches send no bits. The other work of the server is part of\n"
    "what is measured, and yours is slowed: measure where that is no harm.\n"
    "It speaks no TLS: where the server speaks nothing else, measure another one, or through a tunnel.\n"
    "linefilter redis bench --json > rates.json is what linefilter plan --redis --rates rates.json takes.\n"
    "Exit code: 0 measured, 2 not.",
    &Declare};

}  // namespace linefilter::tools
