// Where the servers are, and how long calls wait, in C.
#include <cmath>
#include <cstring>
#include <string>

#include "lib/adapters/redis/c/handles.h"

using linefilter::Deadlines;
using linefilter::OnUnavailable;
using linefilter::RedisServers;
using linefilter::Status;
using linefilter::StatusCode;
using linefilter::redis_internal::Tell;

namespace {

// Changes the servers of a handle, of which nothing stays changed on an error.
template <class Change>
linefilter_code Set(linefilter_redis_servers* servers, linefilter_status* status, const Change& change) noexcept {
  if (servers == nullptr) return Tell(linefilter::internal::NoHandle("servers of Redis"), status);
  try {
    RedisServers changed = servers->servers;
    const Status made = change(&changed);
    if (made.ok()) servers->servers = std::move(changed);
    return Tell(made, status);
  } catch (...) {  // std::bad_alloc of a text
    return Tell(Status::Error(StatusCode::kOutOfMemory, "no memory for the address of a server"), status);
  }
}

std::string TextOf(const char* text) { return text == nullptr ? std::string() : std::string(text); }

Status SetWhere(const char* where, RedisServers* servers) {
  if (where == nullptr) return Status();
  if (strstr(where, "://") != nullptr) return servers->SetUrl(where);
  servers->addresses = where;
  return Status();
}

}  // namespace

linefilter_redis_servers* linefilter_redis_servers_new(const char* where, linefilter_status* status) {
  auto* const servers = new (std::nothrow) linefilter_redis_servers;
  if (servers == nullptr) {
    Tell(Status::Error(StatusCode::kOutOfMemory, "no memory for the servers' addresses"), status);
    return nullptr;
  }
  const auto set = [&](RedisServers* to) { return SetWhere(where, to); };
  if (Set(servers, status, set) == LINEFILTER_OK) return servers;
  delete servers;
  return nullptr;
}

void linefilter_redis_servers_free(linefilter_redis_servers* servers) { delete servers; }

linefilter_code linefilter_redis_servers_set_login(linefilter_redis_servers* servers, const char* user,
                                                   const char* password, linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    to->user = TextOf(user);
    to->password = TextOf(password);
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_database(linefilter_redis_servers* servers, int32_t database,
                                                      linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    to->database = database;
    return Status();
  });
}

linefilter_redis_deadlines linefilter_redis_servers_deadlines(const linefilter_redis_servers* servers) {
  const Deadlines told = servers == nullptr ? Deadlines() : servers->servers.deadlines;
  return {told.request_ms, told.request_ms_per_mb, told.admin_ms, told.connect_ms, told.reply_ms, told.pause_ms};
}

linefilter_code linefilter_redis_servers_set_deadlines(linefilter_redis_servers* servers,
                                                       const linefilter_redis_deadlines* deadlines,
                                                       linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    if (deadlines == nullptr || deadlines->request_ms == 0 || deadlines->connect_ms == 0 || deadlines->reply_ms == 0) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "the deadlines need request_ms, connect_ms and reply_ms above 0: read those that are set, by "
          "linefilter_redis_servers_deadlines, and change some");
    }
    to->deadlines = {deadlines->request_ms, deadlines->request_ms_per_mb, deadlines->admin_ms,
                     deadlines->connect_ms, deadlines->reply_ms,          deadlines->pause_ms};
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_on_unavailable(linefilter_redis_servers* servers,
                                                            linefilter_redis_on_unavailable what,
                                                            double maybes_per_second, linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    const bool is_one = what == LINEFILTER_REDIS_ERROR || what == LINEFILTER_REDIS_MAYBE;
    if (!is_one || std::isnan(maybes_per_second) || maybes_per_second < 0) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "give LINEFILTER_REDIS_ERROR or LINEFILTER_REDIS_MAYBE, and a number of calls per second");
    }
    to->on_unavailable = what == LINEFILTER_REDIS_MAYBE ? OnUnavailable::kMaybe : OnUnavailable::kError;
    to->maybes_per_second = maybes_per_second;
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_tls(linefilter_redis_servers* servers, const linefilter_redis_tls* tls,
                                                 linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    const linefilter_redis_tls files = tls == nullptr ? linefilter_redis_tls{} : *tls;
    to->tls = true;
    to->tls_ca = TextOf(files.ca);
    to->tls_certificate = TextOf(files.certificate);
    to->tls_key = TextOf(files.key);
    to->tls_server_name = TextOf(files.server_name);
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_replicas(linefilter_redis_servers* servers, uint32_t wait_replicas,
                                                      uint32_t wait_ms, bool replica_reads, linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    to->wait_replicas = wait_replicas;
    to->wait_ms = wait_ms;
    to->replica_reads = replica_reads;
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_notice(linefilter_redis_servers* servers, linefilter_redis_notice notice,
                                                    void* context, linefilter_status* status) {
  return Set(servers, status, [&](RedisServers* to) {
    to->notice = notice;
    to->notice_context = context;
    return Status();
  });
}

linefilter_code linefilter_redis_servers_set_on_call(linefilter_redis_servers* servers,
                                                     linefilter_redis_on_call on_call, void* context,
                                                     linefilter_status* status) {
  return Set(servers, status, [&](RedisServers*) {
    servers->teller = {on_call, context};
    return Status();
  });
}
