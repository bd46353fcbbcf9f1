#include "lib/adapters/redis/wire/failure.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

// Rules go by the first words of an error reply. `text` has %s twice: the server, then its reply.
struct Rule {
  const char* begin;
  Verdict verdict;
  StatusCode code;
  const char* text;
  Sign sign = Sign::kNone;
};

constexpr Rule kRules[] = {
    {"MOVED ", Verdict::kMoved, StatusCode::kUnavailable, "Redis at %s says '%s'"},
    {"ASK ", Verdict::kAsk, StatusCode::kUnavailable, "Redis at %s says '%s'"},
    {"TRYAGAIN", Verdict::kRetry, StatusCode::kUnavailable, "Redis at %s is moving a slot: '%s'"},
    {"CLUSTERDOWN", Verdict::kRetry, StatusCode::kUnavailable, "the cluster that %s belongs to is down: '%s'",
     Sign::kLost},
    {"LOADING", Verdict::kRetry, StatusCode::kUnavailable, "Redis at %s is still starting: '%s'", Sign::kLost},
    {"MASTERDOWN", Verdict::kRetry, StatusCode::kUnavailable, "the replica at %s lost its master: '%s'", Sign::kLost},
    {"BUSY", Verdict::kRetry, StatusCode::kUnavailable, "Redis at %s is busy with a script: '%s'", Sign::kLost},
    {"NOREPLICAS", Verdict::kRetry, StatusCode::kUnavailable, "the master at %s has too few replicas: '%s'"},
    {"UNBLOCKED", Verdict::kRetry, StatusCode::kUnavailable, "Redis at %s changed its role: '%s'"},
    {"ERR max number of clients", Verdict::kRetry, StatusCode::kUnavailable, "Redis at %s is full of clients: '%s'",
     Sign::kLost},
    {"READONLY", Verdict::kReplica, StatusCode::kUnavailable, ""},
    {"NOAUTH", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s wants a password: set RedisServers::password, and user if it has ACL users ('%s')"},
    {"NOPERM", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s does not let this user do it: '%s'; its ACL must allow that (doc/REDIS.md)"},
    {"DENIED", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s refuses connections from other machines (protected mode): '%.40s'; set a password there, or bind"},
    {"ERR invalid DB index", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s: '%s'; mend RedisServers::database"},
    {"ERR DB index is out of range", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s: '%s'; mend RedisServers::database"},
    {"ERR SELECT is not allowed in cluster", Verdict::kFinal, StatusCode::kInvalidArgument,
     "Redis at %s: '%s'; RedisServers::database must be 0"},
    {"OOM", Verdict::kFinal, StatusCode::kOverLimit,
     "Redis at %s is full: '%s'; raise its maxmemory, or free some of it"},
    {"ERR string exceeds maximum allowed size", Verdict::kFinal, StatusCode::kOverLimit,
     "Redis at %s: '%s'; take smaller shards (RedisLayout)"},
    {"MISCONF", Verdict::kFinal, StatusCode::kIoError, "Redis at %s cannot write its files: '%s'"},
    {"WRONGTYPE", Verdict::kFinal, StatusCode::kIncompatible,
     "a key at %s is of somebody else: '%s'; choose another name"},
    {"ERR unknown command", Verdict::kFinal, StatusCode::kUnsupported,
     "Redis at %s does not know a command: '%s'; version 6.2 or newer is needed"},
};

bool BeginsWith(std::string_view text, std::string_view begin) { return text.substr(0, begin.size()) == begin; }

bool IsPrintable(char byte) { return byte >= 32 && byte <= 126; }

// Up to Redis 6.2 a script's error has that of the command that failed within it at its end:
// "ERR Error running script (call to f_ab): @user_script:3: @user_script: 3: -OOM command not allowed..."
std::string_view WithoutScript(std::string_view text) {
  const size_t dash = BeginsWith(text, "ERR Error running script") ? text.rfind(": -") : std::string_view::npos;
  return dash == std::string_view::npos ? text : text.substr(dash + 3);
}

}  // namespace

std::string Shown(std::string_view text) {
  std::string shown(text.substr(0, 100));
  for (char& byte : shown) byte = IsPrintable(byte) ? byte : '?';
  return shown;
}

bool IsHost(std::string_view text) { return std::all_of(text.begin(), text.end(), IsPrintable) && text.size() < 256; }

Failure JudgeError(std::string_view text, const std::string& server) {
  text = WithoutScript(text);
  if (BeginsWith(text, "READONLY")) return ReplicaFailure(server);
  const std::string said = Shown(text);
  Failure failure;
  for (const Rule& rule : kRules) {
    if (!BeginsWith(text, rule.begin)) continue;
    failure.verdict = rule.verdict;
    failure.sign = rule.sign;
    failure.status = Status::Error(rule.code, rule.text, server.c_str(), said.c_str());
    return failure;
  }
  failure.verdict = Verdict::kFinal;
  failure.status = Status::Error(StatusCode::kIoError, "Redis at %s refused: '%s'", server.c_str(), said.c_str());
  return failure;
}

bool IsRefusal(std::string_view text) {
  text = WithoutScript(text);
  const std::string_view refusals[] = {"OOM", "MISCONF", "NOREPLICAS", "READONLY", "NOPERM"};
  return std::any_of(std::begin(refusals), std::end(refusals),
                     [text](std::string_view refusal) { return BeginsWith(text, refusal); });
}

Failure JudgeAuthError(std::string_view text, const std::string& server) {
  const Failure judged = JudgeError(text, server);
  if (BeginsWith(text, "DENIED")) return judged;
  const char* sentence = "Redis at %s does not take AUTH; its reply is not shown, since it may have the password in it";
  StatusCode code = StatusCode::kInvalidArgument;
  if (judged.verdict == Verdict::kRetry) {
    sentence = "Redis at %s cannot take a password now: it is starting, or has too many clients";
    code = StatusCode::kUnavailable;
  } else if (BeginsWith(text, "WRONGPASS") || BeginsWith(text, "ERR invalid password")) {
    sentence = "Redis at %s refused user and password: mend RedisServers::user and password";
  } else if (BeginsWith(text, "ERR AUTH") || BeginsWith(text, "ERR Client sent AUTH")) {
    sentence = "Redis at %s has no password, but one was given: leave out RedisServers::password";
  } else if (BeginsWith(text, "ERR unknown command")) {
    sentence =
        "Redis at %s does not know AUTH (renamed?): leave out RedisServers::password, or mend its rename-command";
  } else if (BeginsWith(text, "ERR wrong number of arguments")) {
    sentence = "Redis at %s knows no users (it is older than 6.0): leave out RedisServers::user";
  }
  return {judged.verdict == Verdict::kRetry ? Verdict::kRetry : Verdict::kFinal,
          Status::Error(code, sentence, server.c_str())};
}

bool ParseRedirect(std::string_view text, uint16_t* slot, std::string* host, int* port) {
  const size_t first = text.find(' ');
  const size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
  const size_t colon = text.rfind(':');
  if (second == std::string_view::npos || colon == std::string_view::npos || colon < second) return false;
  const char* const end = text.data() + text.size();
  const auto slot_end = std::from_chars(text.data() + first + 1, text.data() + second, *slot);
  const auto port_end = std::from_chars(text.data() + colon + 1, end, *port);
  if (slot_end.ec != std::errc() || slot_end.ptr != text.data() + second || *slot >= kNumSlots) return false;
  if (port_end.ec != std::errc() || port_end.ptr != end || *port <= 0 || *port > 65535) return false;
  host->assign(text.substr(second + 1, colon - second - 1));
  return IsHost(*host);
}

Failure ReplicaFailure(const std::string& server) {
  return {Verdict::kReplica,
          Status::Error(StatusCode::kUnavailable,
                        "Redis at %s is a read-only replica, whose answers may be late (a key may be absent there that "
                        "was acknowledged): name the master, or set replica_reads for lookups alone",
                        server.c_str()),
          Sign::kLost};
}

Failure Unreachable(const std::string& server, const char* why, Sign sign) {
  return {Verdict::kRetry,
          Status::Error(StatusCode::kUnavailable, "no connection to Redis at %s: %s", server.c_str(), why), sign};
}

Failure Lost(const std::string& server, const char* why) {
  return {Verdict::kRetry,
          Status::Error(StatusCode::kUnavailable, "the connection to Redis at %s was lost: %s", server.c_str(), why),
          Sign::kLost};
}

Failure TimedOut(const std::string& server, int64_t ms, const char* limit) {
  return {Verdict::kRetry,
          Status::Error(StatusCode::kUnavailable, "Redis at %s did not answer within %lld ms (%s)", server.c_str(),
                        static_cast<long long>(ms), limit),
          Sign::kSilent};
}

Failure Garbage(const std::string& server) {
  return {Verdict::kFinal,
          Status::Error(StatusCode::kIoError,
                        "what answers at %s does not speak Redis' protocol: is the port right? Does it want TLS?",
                        server.c_str())};
}

}  // namespace linefilter::redis_internal
