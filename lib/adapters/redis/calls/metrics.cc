// Calls of filters in Redis are told to whoever watches them, and counted for Prometheus.
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/servers/forks.h"
#include "linefilter/redis_metrics.h"

namespace linefilter {
namespace redis_internal {
namespace {

// Upper ends of the histogram, in ns, and as Prometheus gets them, in seconds.
struct Bucket {
  uint64_t ns;
  const char* seconds;
};
constexpr Bucket kBuckets[] = {{50000, "0.00005"},  {100000, "0.0001"},  {250000, "0.00025"}, {500000, "0.0005"},
                               {1000000, "0.001"},  {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},
                               {25000000, "0.025"}, {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"},
                               {500000000, "0.5"},  {1000000000, "1"},   {10000000000, "10"}};
constexpr size_t kNumBuckets = sizeof(kBuckets) / sizeof(*kBuckets);
constexpr const char* kCodes[] = {"ok",           "invalid_argument", "corrupt",    "unsupported",
                                  "incompatible", "out_of_memory",    "over_limit", "io_error",
                                  "not_found",    "unavailable"};
constexpr size_t kNumCodes = static_cast<size_t>(StatusCode::kUnavailable) + 1;
static_assert(sizeof(kCodes) / sizeof(*kCodes) == kNumCodes);
constexpr size_t kKept = 32;  // slow calls

struct Row {
  std::array<uint64_t, kNumCodes> calls = {};
  std::array<uint64_t, kNumBuckets> took = {};  // no more than this, and more than the one before
  uint64_t num_calls = 0, keys = 0, ns = 0, slow = 0;
};

void CopyBeginning(const char* from, char (&to)[64]) { snprintf(to, sizeof(to), "%s", from); }

std::string Quoted(const char* value) {
  std::string quoted = "\"";
  for (; *value != '\0'; ++value) {
    if (*value == '"' || *value == '\\') quoted += '\\';
    quoted += *value == '\n' ? std::string("\\n") : std::string(1, *value);
  }
  return quoted + '"';
}

void AddHead(const char* name, const char* type, const char* help, std::string* text) {
  *text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

// Seconds are written from integers: printf writes a comma in some locales.
std::string SecondsOf(uint64_t ns) {
  char text[48];
  snprintf(text, sizeof(text), "%llu.%09llu", static_cast<unsigned long long>(ns / 1000000000),
           static_cast<unsigned long long>(ns % 1000000000));
  return text;
}

}  // namespace

struct CallCounts {
  using Key = std::pair<RedisVerb, std::string>;  // and the server

  explicit CallCounts(uint64_t least_slow_ns) : slow_ns(least_slow_ns) {}
  // Somebody may have held the mutex.
  bool IsForked() const noexcept { return NumForks() != forks; }

  const uint32_t forks = NumForks();

  const uint64_t slow_ns;
  mutable std::mutex mutex;
  std::map<Key, Row> rows;
  uint64_t num_calls = 0, num_slow = 0;
  SlowRedisCall slow[kKept];
};

void TellCall(const FilterState& state, const CallFacts& facts, Clock::time_point begin,
              const Status& status) noexcept {
  const RedisServers& servers = state.record.router().servers();
  const std::string* const server = state.record.router().last_server();
  RedisCall call;
  call.verb = facts.verb;
  call.code = status.code();
  call.filter = state.record.name().c_str();
  call.node = server == nullptr ? "" : server->c_str();
  call.message = status.message();
  call.num_keys = facts.num_keys;
  call.ns = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  servers.on_call(servers.on_call_context, call);
}

namespace {

// A row for a server that is new takes memory; without that it is the row of "", and else none.
Row* RowOf(CallCounts* counts, const RedisCall& call) noexcept {
  for (const char* node : {call.node, ""}) {
    try {
      return &counts->rows[{call.verb, node}];
    } catch (...) {
    }
  }
  return nullptr;
}

std::string LabelsOf(const CallCounts::Key& key) {
  return std::string("{verb=\"") + RedisVerbName(key.first) + "\",node=" + Quoted(key.second.c_str());
}

template <class Value>
void AddFamily(const CallCounts& counts, const char* name, const char* help, const Value& value, std::string* text) {
  AddHead(name, "counter", help, text);
  for (const auto& [key, row] : counts.rows) {
    *text += name + LabelsOf(key) + "} " + std::to_string(value(row)) + "\n";
  }
}

void AddCalls(const CallCounts& counts, std::string* text) {
  AddHead("linefilter_redis_calls_total", "counter", "Calls of filters in Redis.", text);
  for (const auto& [key, row] : counts.rows) {
    for (size_t code = 0; code < kNumCodes; ++code) {
      if (row.calls[code] == 0) continue;
      *text += "linefilter_redis_calls_total" + LabelsOf(key) + ",code=\"" + kCodes[code] + "\"} " +
               std::to_string(row.calls[code]) + "\n";
    }
  }
}

void AddHistogram(const CallCounts& counts, std::string* text) {
  const std::string name = "linefilter_redis_call_seconds";
  AddHead(name.c_str(), "histogram", "How long these calls took.", text);
  for (const auto& [key, row] : counts.rows) {
    const std::string labels = LabelsOf(key);
    uint64_t sum = 0;
    for (size_t i = 0; i < kNumBuckets; ++i) {
      sum += row.took[i];
      *text += name + "_bucket" + labels + ",le=\"" + kBuckets[i].seconds + "\"} " + std::to_string(sum) + "\n";
    }
    *text += name + "_bucket" + labels + ",le=\"+Inf\"} " + std::to_string(row.num_calls) + "\n";
    *text += name + "_sum" + labels + "} " + SecondsOf(row.ns) + "\n";
    *text += name + "_count" + labels + "} " + std::to_string(row.num_calls) + "\n";
  }
}

}  // namespace
}  // namespace redis_internal

const char* RedisVerbName(RedisVerb verb) noexcept {
  constexpr const char* kNames[kNumRedisVerbs] = {"may_contain", "insert", "remove", "info",   "expire", "load",
                                                  "write",       "begin",  "fill",   "switch", "abandon"};
  const auto number = static_cast<size_t>(verb);
  return number < kNumRedisVerbs ? kNames[number] : "unknown";
}

RedisMetrics::RedisMetrics(uint32_t slow_ms) noexcept
    : counts_(new (std::nothrow) redis_internal::CallCounts(uint64_t{slow_ms} * 1000000)) {}

RedisMetrics::~RedisMetrics() = default;

void RedisMetrics::Watch(RedisServers* servers) noexcept {
  servers->on_call = [](void* context, const RedisCall& call) noexcept {
    static_cast<RedisMetrics*>(context)->Count(call);
  };
  servers->on_call_context = this;
}

void RedisMetrics::Count(const RedisCall& call) noexcept {
  if (counts_ == nullptr || counts_->IsForked()) return;
  const std::lock_guard<std::mutex> lock(counts_->mutex);
  ++counts_->num_calls;
  const bool is_slow = call.ns >= counts_->slow_ns;
  if (is_slow) {
    SlowRedisCall& slow = counts_->slow[counts_->num_slow++ % redis_internal::kKept];
    slow.verb = call.verb;
    slow.code = call.code;
    slow.num_keys = call.num_keys;
    slow.ns = call.ns;
    redis_internal::CopyBeginning(call.filter, slow.filter);
    redis_internal::CopyBeginning(call.node, slow.node);
  }
  redis_internal::Row* const row = redis_internal::RowOf(counts_.get(), call);
  if (row == nullptr) return;
  const auto code = static_cast<size_t>(call.code);
  if (code < row->calls.size()) ++row->calls[code];
  for (size_t i = 0; i < redis_internal::kNumBuckets; ++i) {
    if (call.ns > redis_internal::kBuckets[i].ns) continue;
    ++row->took[i];
    break;
  }
  ++row->num_calls;
  row->keys += call.num_keys;
  row->ns += call.ns;
  row->slow += is_slow;
}

uint64_t RedisMetrics::num_calls() const noexcept {
  if (counts_ == nullptr || counts_->IsForked()) return 0;
  const std::lock_guard<std::mutex> lock(counts_->mutex);
  return counts_->num_calls;
}

uint64_t RedisMetrics::num_slow() const noexcept {
  if (counts_ == nullptr || counts_->IsForked()) return 0;
  const std::lock_guard<std::mutex> lock(counts_->mutex);
  return counts_->num_slow;
}

bool RedisMetrics::slow_call(size_t i, SlowRedisCall* call) const noexcept {
  if (counts_ == nullptr || counts_->IsForked()) return false;
  const std::lock_guard<std::mutex> lock(counts_->mutex);
  if (i >= redis_internal::kKept || i >= counts_->num_slow) return false;
  *call = counts_->slow[(counts_->num_slow - 1 - i) % redis_internal::kKept];
  return true;
}

Status RedisMetrics::WritePrometheus(std::string* text) const noexcept {
  if (counts_ == nullptr)
    return Status::Error(StatusCode::kOutOfMemory, "there was no memory to count calls: make it anew");
  if (counts_->IsForked()) {
    return Status::Error(StatusCode::kUnavailable,
                         "this process was forked, and these counts are the parent's: make others here");
  }
  return redis_internal::Guarded([&]() -> Status {
    const std::lock_guard<std::mutex> lock(counts_->mutex);
    std::string made;
    redis_internal::AddCalls(*counts_, &made);
    using redis_internal::Row;
    redis_internal::AddFamily(
        *counts_, "linefilter_redis_keys_total", "Keys that these calls asked, inserted or removed.",
        [](const Row& row) { return row.keys; }, &made);
    redis_internal::AddFamily(
        *counts_, "linefilter_redis_slow_calls_total", "Calls that took long.", [](const Row& row) { return row.slow; },
        &made);
    redis_internal::AddHistogram(*counts_, &made);
    *text += made;
    return Status();
  });
}

}  // namespace linefilter
