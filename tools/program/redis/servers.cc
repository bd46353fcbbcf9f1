#include "tools/program/redis/servers.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/redis/failure.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kMostMs = 86400000;  // a day: more is a slip

bool ReadPassword(const std::string& path, std::string* password) {
  errno = 0;
  std::ifstream in(path);
  if (!in.is_open() || !(std::getline(in, *password) || in.eof())) {
    Fail("--password-file %s cannot be read: %s", path.c_str(), strerror(errno));
    return false;
  }
  if (!password->empty() && password->back() == '\r') password->pop_back();
  if (!password->empty()) return true;
  Fail("--password-file %s is empty: its first line must be the password", path.c_str());
  return false;
}

bool ReadyMs(const char* option, uint64_t ms, uint32_t* value) {
  if (ms == 0 || ms > kMostMs) {
    Fail("%s of %llu ms is outside 1ms to 1d (a number alone is seconds)", option, static_cast<unsigned long long>(ms));
    return false;
  }
  *value = static_cast<uint32_t>(ms);
  return true;
}

void DeclareTls(Arguments* arguments, RedisServers* servers) {
  arguments->Flag("--tls", &servers->tls, "Encrypt; needs OpenSSL when this program is built");
  arguments->Path("--tls-ca", &servers->tls_ca,
                  "File of the authority that signed the servers' certificates; the system's by default");
  arguments->Path("--tls-certificate", &servers->tls_certificate,
                  "File of the own certificate, if the server wants one");
  arguments->Path("--tls-key", &servers->tls_key, "File of its key");
  arguments->Text("--tls-server-name", &servers->tls_server_name, "HOST",
                  "Name that the certificate must have; the host by default");
}

}  // namespace

void DeclareServer(Arguments* arguments, ServerUse use, ServerOptions* options) {
  RedisServers& servers = options->servers;
  arguments->Text("--server", &servers.addresses, "ADDRESS",
                  "host:port[,host:port...], redis[s]://host:port/N or unix:/path; 127.0.0.1:6379 by default");
  arguments->Text("--user", &servers.user, "NAME",
                  "User of Redis' ACL, who may have no password (nopass); the default user by default");
  arguments->Path("--password-file", &options->password_file,
                  "File whose first line is the password; else LINEFILTER_REDIS_PASSWORD of the environment");
  arguments->Count("--database", &options->database, "Number of the database, 0 by default; a cluster has no other");
  DeclareTls(arguments, &servers);
  arguments->Duration("--timeout", &options->timeout_ms,
                      "For a connection or reply, 2s by default, and never longer than the next two");
  arguments->Duration("--patience", &options->patience_ms,
                      "For a batch and all that is tried again of it, 10s by default");
  arguments->Duration("--deadline", &options->deadline_ms,
                      "For a batch of keys, which fails at once while a server is ill; else --patience");
  if (use == ServerUse::kAsk) {
    arguments->Flag("--replica-reads", &servers.replica_reads,
                    "Take a replica that --server names, which may be late; those of a cluster are never asked");
  } else if (use == ServerUse::kAdd) {
    arguments->Count("--wait-replicas", &options->wait_replicas,
                     "After each batch wait until so many replicas have it; 0 by default");
    arguments->Duration("--wait", &options->wait_ms, "With --wait-replicas: how long, 1s by default");
  }
}

std::string AdviceOfReplica(const ServerOptions& options, const Status& status) {
  if (!options.servers.replica_reads || status.code() != StatusCode::kNotFound) return "";
  return "If --server names a replica, it may only be late: ask the master, without --replica-reads.";
}

void DeclareFilterName(Arguments* arguments, std::string* name) {
  arguments->Text("NAME", name, "KEY", "The filter: the key of its header record", Need::kRequired);
}

bool ReadyServers(const ServerOptions& options, RedisServers* servers) {
  *servers = options.servers;
  const std::string& addresses = servers->addresses;
  const bool is_url = addresses.compare(0, 8, "redis://") == 0 || addresses.compare(0, 9, "rediss://") == 0;
  if (addresses.find('@') != std::string::npos && addresses.find("unix:") == std::string::npos) {
    Fail(
        "--server has an @, and what stands in front of it others see who list processes: give host:port, the user by "
        "--user, and the password in the environment "
        "variable %s or in a --password-file",
        kRedisPasswordVariable);  // the address is not told: it may have a password
    return false;
  }
  if (is_url) {
    RedisServers of_url = *servers;
    const Status status = of_url.SetUrl(std::string(addresses));
    if (!status.ok()) {
      Fail("--server: %s", status.message());
      return false;
    }
    servers->addresses = of_url.addresses;
    servers->database = of_url.database;
    servers->tls = servers->tls || of_url.tls;
  }
  if (const char* password = getenv(kRedisPasswordVariable); password != nullptr) servers->password = password;
  if (!options.password_file.empty() && !ReadPassword(options.password_file, &servers->password)) return false;
  if (options.database > 1000000) {
    Fail("--database is above 1e6: Redis has 16 databases unless its configuration says more");
    return false;
  }
  if (!is_url || options.database != 0) servers->database = static_cast<int>(options.database);
  if (options.wait_replicas > 1000) {
    Fail("--wait-replicas is above 1000: give how many of a master's replicas must have what was added");
    return false;
  }
  servers->wait_replicas = static_cast<uint32_t>(options.wait_replicas);
  if (!ReadyMs("--timeout", options.timeout_ms, &servers->deadlines.reply_ms)) return false;
  servers->deadlines.connect_ms = servers->deadlines.reply_ms;
  const bool has_deadline = options.deadline_ms != 0;
  if (!has_deadline) servers->deadlines.pause_ms = 0;
  return ReadyMs("--patience", options.patience_ms, &servers->deadlines.admin_ms) &&
         ReadyMs(has_deadline ? "--deadline" : "--patience", has_deadline ? options.deadline_ms : options.patience_ms,
                 &servers->deadlines.request_ms) &&
         ReadyMs("--wait", options.wait_ms, &servers->wait_ms);
}

int OpenFilter(const char* command, const ServerOptions& options, const std::string& name, const SecretOption& secret,
               RedisFilter* filter) {
  RedisServers servers;
  if (!ReadyServers(options, &servers)) return kExitBad;
  const Status status = filter->Open(servers, name, secret.OrNull());
  return status.ok() ? kExitGood : FailRedis(command, name, status, AdviceOfReplica(options, status));
}

bool IsGeneration(const std::string& word) {
  return word.size() == 16 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void ReportFilter(const RedisFilter& filter, Report* report) {
  report->Text("filter", std::string(filter.name()));
  report->Text("layout", LayoutName(filter.layout()));
  ReportHash(filter.hash_id(), filter.seed(), report);
  if (filter.num_probes() != 0) report->Count("num_probes", filter.num_probes());
  ReportRemovable(filter.layout(), filter.num_probes(), report);
  if (filter.num_blocks() != 0) report->Count("num_blocks", filter.num_blocks());
  report->Count("body_bytes", filter.body_bytes());
}

}  // namespace linefilter::tools
