#include "tools/program/redis/plan_report.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/program/command.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Field {
  const char* name;
  double RedisRates::*value;
};

constexpr Field kFields[] = {{"lookups_sync", &RedisRates::lookups_sync},
                             {"lookups_pipelined", &RedisRates::lookups_pipelined},
                             {"inserts_sync", &RedisRates::inserts_sync},
                             {"inserts_pipelined", &RedisRates::inserts_pipelined}};

// Reads what `redis bench --json` printed. kIoError, or kInvalidArgument with the field that is missing or no rate.
Status ReadRedisRates(const std::string& path, RedisRates* rates) {
  errno = 0;
  std::ifstream in(path);
  std::ostringstream text;  // not parsed from the stream, which throws where the path is a folder
  text << in.rdbuf();
  if (!in.is_open() || (text.fail() && errno != 0)) {
    return Status::Error(StatusCode::kIoError, "%s: cannot be read: %s", path.c_str(), strerror(errno));
  }
  const nlohmann::json json = nlohmann::json::parse(text.str(), nullptr, false);
  if (!json.is_object()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s: holds no rates: it must be what `linefilter redis bench --json` printed", path.c_str());
  }
  RedisRates read;
  for (const Field& field : kFields) {
    const auto found = json.find(field.name);
    double value = found != json.end() && found->is_number() ? found->get<double>() : 0;
    if (!(value >= 1 && value <= 1e15)) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "%s: %s is %s: it must be what `linefilter redis bench --json` printed", path.c_str(),
                           field.name, found == json.end() ? "missing" : "no rate of 1 or more");
    }
    read.*field.value = value;
  }
  const auto batch = json.find("batch");
  if (batch == json.end() || !batch->is_number_unsigned() || *batch == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s: batch is no count above 0: it must be what `linefilter redis bench --json` printed",
                         path.c_str());
  }
  read.batch = batch->get<uint64_t>();
  *rates = read;
  return Status();
}

void AddFilter(const RedisPlan& plan, Report* report) {
  report->Count("filters", plan.filters);
  report->Count("num_probes", plan.sizing.num_probes);
  report->Real("bits_per_key", std::round(1e4 * plan.sizing.bits_per_key) / 1e4);
  report->Rate("expected_fpr", plan.expected_fpr);
  report->Number("body_bytes", plan.body_bytes);
  report->Count("shards", plan.shards);
  report->Count("shard_bytes", plan.shard_bytes);
  report->Number("memory_bytes", plan.memory_bytes);
}

void AddServers(const RedisPlanRequest& request, const RedisPlan& plan, Report* report) {
  report->Count("masters", plan.masters);
  report->Text("bound_by", plan.bound_by);
  report->Count("replicas", request.replicas);
  report->Count("nodes", plan.nodes);
  report->Count("clusters", plan.clusters);
  report->Count("shards_of_node", plan.shards_of_node);
  report->Number("data_of_node", plan.data_of_node);
  report->Rate("copied_while_saving", std::round(1e4 * plan.copied_share) / 1e4);
  report->Number("memory_of_node", plan.memory_of_node);
  report->Rate("time_of_node", std::round(1e4 * plan.time_share) / 1e4);
  report->Real("megabits_in_of_node", std::round(plan.bits_in / 1e5) / 10);
  report->Real("megabits_out_of_node", std::round(plan.bits_out / 1e5) / 10);
  report->Number("disk_bytes_per_second_of_node", plan.disk_bytes);
}

}  // namespace

int RunRedisPlan(RedisPlanRequest request, const std::string& rates_file, bool json) {
  if (!rates_file.empty()) {
    const Status status = ReadRedisRates(rates_file, &request.rates);
    if (!status.ok()) return Fail("plan: %s", status.message());
  }
  RedisPlan plan;
  const Status status = PlanRedis(request, &plan);
  if (!status.ok()) return Fail("plan: %s", status.message());

  Report report;
  report.Count("num_keys", request.num_keys);
  if (request.fpr != 0) report.Rate("wanted_fpr", request.fpr);
  if (request.fpr == 0) report.Real("wanted_bits_per_key", request.bits_per_key);
  report.Count("lookups_per_second", request.lookups);
  report.Count("inserts_per_second", request.inserts);
  report.Text("rates", !rates_file.empty()
                           ? rates_file
                           : "assumed (Redis 7.0.15 on loopback): measure yours, linefilter redis bench");
  report.Count("lookups_per_client", static_cast<uint64_t>(std::llround(request.rates.lookups_pipelined)));
  report.Count("inserts_per_client", static_cast<uint64_t>(std::llround(request.rates.inserts_pipelined)));
  AddFilter(plan, &report);
  AddServers(request, plan, &report);
  // In a batch filters come one after another; insertions, at most, read the blocks first, then write what is missing.
  report.Count("round_trips_lookup", plan.filters);
  report.Count("round_trips_insert", 2 * plan.filters);
  report.Count("batch", plan.batch);
  report.Real("keys_per_write", std::round(10 * plan.keys_per_write) / 10);
  report.Real("checks_per_key", std::round(1e4 * plan.checks_per_key) / 1e4);
  report.Real("pipelined_clients", std::ceil(plan.pipelined_clients));
  report.Real("synchronous_callers", std::ceil(plan.synchronous_callers));
  report.Print(json);
  if (plan.keys_per_write < kPlanFewKeysPerWrite * static_cast<double>(request.rates.batch)) {
    fprintf(
        stderr,
        "linefilter: plan: a batch of %llu is %.1f keys to each node, far fewer than the %llu of the rates: what it "
        "costs is a guess; measure it (redis bench --batch %.0f), or ask more keys at once (--batch)\n",
        static_cast<unsigned long long>(plan.batch), plan.keys_per_write,
        static_cast<unsigned long long>(request.rates.batch), std::ceil(plan.keys_per_write));
  }
  return kExitGood;
}

}  // namespace linefilter::tools
