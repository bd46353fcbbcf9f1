#include "tools/program/redis/failure.h"

#include <cstring>

#include "tools/program/command.h"

namespace linefilter::tools {
namespace {

enum class Where { kAnywhere, kAtTheBegin };

// Longer ones come before those that they begin with, bare words with what stands around them.
constexpr struct {
  const char *words, *here;
  Where where = Where::kAnywhere;
} kWords[] = {
    {"RedisServers::addresses", "--server"},
    {"Deadlines::admin_ms", "--patience"},
    {"Deadlines::request_ms", "--deadline, or --patience without it"},
    {"RedisServers::deadlines", "--timeout, --patience, --deadline"},
    {"Deadlines::reply_ms and connect_ms are", "--timeout is"},
    {"Deadlines::reply_ms", "--timeout"},
    {"Deadlines::connect_ms", "--timeout"},
    {"RedisServers::replica_reads", "--replica-reads"},
    {"RedisServers::user and password", "--user and the password (LINEFILTER_REDIS_PASSWORD or --password-file)"},
    {"RedisServers::user", "--user"},
    {"RedisServers::wait_replicas, wait_ms", "--wait-replicas, --wait"},
    {"RedisServers::wait_replicas", "--wait-replicas"},
    {"RedisServers::wait_ms", "--wait"},
    {"RedisServers::tls_certificate and tls_key go together: tls_key",
     "--tls-certificate and --tls-key go together: --tls-key"},
    {"RedisServers::tls_certificate and tls_key go together: tls_certificate",
     "--tls-certificate and --tls-key go together: --tls-certificate"},
    {"RedisServers::tls_certificate", "--tls-certificate"},
    {"RedisServers::tls_key", "--tls-key"},
    {"RedisServers::tls_server_name, or leave tls off", "--tls-server-name, or leave --tls out"},
    {"RedisServers::tls_server_name", "--tls-server-name"},
    {"RedisServers::tls_ca", "--tls-ca"},
    {"RedisServers::tls off", "--tls out"},
    {"RedisServers::tls", "--tls"},
    {"RedisServers::password, and user if it", "LINEFILTER_REDIS_PASSWORD or --password-file, and --user if it"},
    {"RedisServers::password", "LINEFILTER_REDIS_PASSWORD or --password-file"},
    {"RedisServers::database", "--database"},
    {"smaller shards (RedisLayout)", "smaller shards (--shard-bytes)"},
    {"or set replica_reads for lookups alone", "or give --replica-reads for look-ups alone"},
    {"shard_bytes is ", "--shard-bytes is ", Where::kAtTheBegin},
    {"bits_per_key is ", "--bits-per-key is ", Where::kAtTheBegin},
    {"fpr is ", "--fpr is ", Where::kAtTheBegin},
    {"neither bits_per_key nor fpr is set: set one (bits_per_key = 10",
     "neither --bits-per-key nor --fpr is above 0: give one (--bits-per-key 10", Where::kAtTheBegin}};

// Whether text[at, at + size) is within a place where the name stands, which is the user's word and stays.
bool IsOfTheName(const std::string& text, const std::string& name, size_t at, size_t size) {
  for (size_t begin = text.find(name); begin != std::string::npos && begin <= at; begin = text.find(name, begin + 1)) {
    if (at + size <= begin + name.size()) return true;
  }
  return false;
}

}  // namespace

std::string ShownName(const std::string& name) {
  constexpr size_t kMost = 60;
  std::string shown = name.substr(0, kMost);
  for (char& byte : shown) {
    if (static_cast<unsigned char>(byte) < 32 || static_cast<unsigned char>(byte) > 126) byte = '?';
  }
  return name.size() > kMost ? shown + "..." : shown;
}

std::string SentenceOf(const std::string& name, const Status& status) {
  const std::string text = status.message(), shown = ShownName(name);
  std::string sentence;
  for (size_t at = 0; at < text.size();) {
    bool found = false;
    for (const auto& [words, here, where] : kWords) {
      const size_t size = strlen(words);
      found = (where == Where::kAnywhere || at == 0) && text.compare(at, size, words) == 0 &&
              !IsOfTheName(text, shown, at, size);
      if (!found) continue;
      sentence += here;
      at += size;
      break;
    }
    if (!found) sentence += text[at++];
  }
  return sentence;
}

int ExitOf(const Status& status) { return status.code() == StatusCode::kUnavailable ? kExitUnreachable : kExitBad; }

int FailRedis(const char* command, const std::string& name, const Status& status, const std::string& advice) {
  const std::string text = SentenceOf(name, status), shown = ShownName(name);
  // Most sentences name the filter; those of the connection cannot.
  const bool is_named = text.find(shown) != std::string::npos;
  Fail("redis %s%s%s: %s%s%s", command, is_named ? "" : " ", is_named ? "" : shown.c_str(), text.c_str(),
       advice.empty() ? "" : "\n", advice.c_str());
  return ExitOf(status);
}

}  // namespace linefilter::tools
