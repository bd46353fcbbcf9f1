#include "tools/measure/redis_ill.h"

#include <algorithm>
#include <chrono>

#include "tools/measure/redis_bench.h"
#include "tools/measure/relay.h"

namespace linefilter::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNextCalls = 1000;
constexpr std::chrono::seconds kLongestReturn(60);

double MsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// An illness and what was measured of it.
struct Illness {
  const char* server;
  Relay::State state;
  StatusCode code;  // how a call ends, if it has the time
  uint64_t num_answered = 0;
  std::vector<double> first_ms, next_us, back_ms;

  IllRow Row() const {
    return {server,          num_answered,   Median(first_ms), *std::max_element(first_ms.begin(), first_ms.end()),
            Median(next_us), Median(back_ms)};
  }
};

class Patient {
 public:
  Status Open(RedisServers servers, const std::string& name) {
    Status status = relay_.Start(servers.addresses);
    if (!status.ok()) return status;
    if (servers.tls && servers.tls_server_name.empty()) servers.tls_server_name = relay_.host();
    servers.addresses = relay_.address();
    return filter_.Open(servers, name);
  }

  Status Suffer(Illness* illness) {
    const bool fails = illness->code == StatusCode::kUnavailable;
    Status status = relay_.Become(illness->state);
    if (status.ok()) status = TimeFirst(illness);
    if (status.ok() && fails) status = TimeNext(illness);
    const Clock::time_point end = Clock::now();
    if (status.ok()) status = relay_.Become(Relay::State::kWell);
    if (status.ok()) status = WaitForAnswer(end);
    if (fails) illness->back_ms.push_back(MsSince(end));
    return status;
  }

  Status TimeFirst(Illness* illness) {
    const Clock::time_point begin = Clock::now();
    const Status status = Ask();
    illness->first_ms.push_back(MsSince(begin));
    illness->num_answered += status.ok();
    if (status.ok() && illness->code != StatusCode::kOk) return Wrong("a call was answered while the server was ill");
    return status.code() == illness->code || status.code() == StatusCode::kUnavailable ? Status() : status;
  }

 private:
  static Status Wrong(const char* what) {
    return Status::Error(StatusCode::kIoError, "%s: this is a fault of linefilter", what);
  }

  Status Ask() {
    bool maybe = false;
    const Status status = filter_.MayContainHash(BenchHash(0), &maybe);
    return maybe ? status : Wrong("a key that was added is absent");
  }

  Status TimeNext(Illness* illness) {
    for (int i = 0; i < kNextCalls && !bench_interrupted; ++i) {
      const Clock::time_point begin = Clock::now();
      const Status status = Ask();
      illness->next_us.push_back(1000 * MsSince(begin));
      if (status.code() != illness->code)
        return status.ok() ? Wrong("a call was answered while the server was ill") : status;
    }
    return Status();
  }

  Status WaitForAnswer(Clock::time_point begin) {
    for (;;) {
      const Status status = Ask();
      if (bench_interrupted) return Status::Error(StatusCode::kIoError, "interrupted");
      if (status.code() != StatusCode::kUnavailable || Clock::now() - begin > kLongestReturn) return status;
    }
  }

  Relay relay_;
  RedisFilter filter_;  // is closed before the relay
};

}  // namespace

Status CanBeIll(RedisFilter* filter) {
  RedisInfo info;
  const Status status = filter->Info(&info);
  if (!status.ok() || !info.cluster) return status;
  return Status::Error(StatusCode::kUnsupported, "--ill goes before a lone server, and this is a cluster");
}

Status MeasureIll(const RedisServers& servers, const std::string& name, uint64_t rounds, std::vector<IllRow>* rows) {
  Patient patient;
  Status status = patient.Open(servers, name);
  Illness illnesses[] = {
      {"refuses connections", Relay::State::kRefuses, StatusCode::kUnavailable, 0, {}, {}, {}},
      {"is silent", Relay::State::kSilent, StatusCode::kUnavailable, 0, {}, {}, {}},
      {"is silent on old connections", Relay::State::kOldAreSilent, StatusCode::kOk, 0, {}, {}, {}},
  };
  for (uint64_t round = 0; round < rounds; ++round) {
    for (Illness& illness : illnesses) {
      if (status.ok()) status = patient.Suffer(&illness);
    }
  }
  Illness gone = {"has lost the filter", Relay::State::kWell, StatusCode::kNotFound, 0, {}, {}, {}};
  if (status.ok()) status = RedisFilter::Delete(servers, name);
  if (status.ok()) status = patient.TimeFirst(&gone);
  if (!status.ok()) return status;
  for (const Illness& illness : illnesses) rows->push_back(illness.Row());
  rows->push_back(gone.Row());
  return status;
}

}  // namespace linefilter::tools
