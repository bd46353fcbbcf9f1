// Where the servers of a filter in Redis are, and how long its calls wait for them (linefilter/redis.h).
//
//   linefilter::RedisServers servers;
//   servers.addresses = "10.0.0.1:6379,10.0.0.2:6379";  // or servers.SetUrl("redis://10.0.0.1,10.0.0.2")
//   servers.deadlines.request_ms = 20;  // a lookup that takes longer is "maybe"
#ifndef LINEFILTER_REDIS_SERVERS_H_
#define LINEFILTER_REDIS_SERVERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/internal/export.h"
#include "linefilter/status.h"

namespace linefilter {

// How long calls may take. Requests are lookups, insertions and removals: they stand in somebody's way, so their
// deadline is hard. It holds all that the call does: it connects, waits for replies, and tries again what failed. Only
// the system's search for the name of a host can take longer; addresses in numbers need none. All other calls are
// administration (Create, Open, Load, Info, downloads, steps of generations). RedisFilter::Within gives one call a
// deadline of its own.
struct Deadlines {
  uint32_t request_ms = 100;        // a call of up to 1 MB (1e6 bytes) of requests and replies; above 0
  uint32_t request_ms_per_mb = 20;  // and each MB that it has beyond that
  // Administration tries again for so long, each of its batches of commands: a call may have many, perhaps for hours.
  uint32_t admin_ms = 10000;
  uint32_t connect_ms = 1000;  // the time for one connection, within the others; above 0
  // The time for one reply, once it is the next to come; above 0. A large one has longer: a second for each 64 KiB.
  uint32_t reply_ms = 2000;
  // The breaker's first pause (RedisNode); 0: none, and each request waits for a server that is ill.
  uint32_t pause_ms = 80;
};

// What to do with a lookup that cannot be answered in time. Whatever is chosen, its keys are "maybe".
enum class OnUnavailable : uint8_t {
  kError,  // its Status is kUnavailable
  kMaybe,  // its Status is ok, as long as RedisServers::maybes_per_second allows that; then kUnavailable
};

// What an object knows of one server. Its breaker keeps requests from a server that is ill. It opens when a connection
// is refused, and when the server was silent, lost, loading or a replica three times in a row. Silence counts where the
// call had at least half of Deadlines::request_ms. From then on requests fail at once, for Deadlines::pause_ms. Then
// one is let through: if that succeeds the breaker closes, else it pauses for twice as long, up to eight times. Chance
// cuts each pause by up to a half. The first of four such trials may take all of its call's time, the others a quarter.
// Administration is stopped only where it has a deadline of its own (RedisFilter::Within).
struct RedisNode {
  const char* address;    // until the next call that is not const
  bool is_open;           // the breaker: requests are not let through
  uint32_t ms_to_trial;   // until one is; 0 if one may be now
  uint64_t num_failures;  // of the server, also those whose error nobody looked at
  uint64_t num_opened;    // how often the breaker opened
  uint64_t num_rejected;  // requests, or parts of them, that failed at once
};

// What calls of a RedisFilter are.
enum class RedisVerb : uint8_t {
  kMayContain = 0,  // lookups
  kInsert = 1,      // insertions
  kRemove = 2,      // removals
  kInfo = 3,        // Info, Card
  kExpire = 4,      // Expire
  kLoad = 5,        // Load, LoadNext
  kWrite = 6,       // WriteImage, Save
  kBegin = 7,       // BeginGeneration, BeginGenerationFromImage
  kFill = 8,        // InsertHashesIntoNext
  kSwitch = 9,      // SwitchGeneration
  kAbandon = 10,    // AbandonGeneration
};
inline constexpr size_t kNumRedisVerbs = 11;  // of RedisVerb
// A lower-case name like "may_contain"; "unknown" for what is none.
LINEFILTER_EXPORT const char* RedisVerbName(RedisVerb verb) noexcept;

// One call that has ended, as RedisServers::on_call is told of it. What it points to is there until that returns.
struct RedisCall {
  RedisVerb verb = RedisVerb::kMayContain;  // what it was
  StatusCode code = StatusCode::kOk;        // kUnavailable also where OnUnavailable::kMaybe makes it ok
  const char* filter = "";                  // its name
  const char* node = "";     // the server whose reply came last, or that failed last; "" if none was asked
  const char* message = "";  // of the Status
  uint64_t num_keys = 0;     // that were asked, inserted or removed
  uint64_t ns = 0;           // the time that it took
};

// Where the servers are, who asks, and how long to wait.
struct RedisServers {
  // Takes addresses, user, password, database and tls of redis://[USER:PASSWORD@]HOST[:PORT][,HOST...][/DATABASE], or
  // rediss:// for TLS; the rest stays. What has a meaning in a URL is written as %XX in user and password. "?cluster"
  // at the end says nothing: a cluster tells so itself. On an error (kInvalidArgument, whose sentence does not show the
  // URL) nothing changes.
  LINEFILTER_EXPORT Status SetUrl(std::string_view url) noexcept;

  // host:port[,host:port...] (an IPv6 host in brackets) or unix:/path. The first that answers is asked; in a cluster it
  // tells the others.
  std::string addresses = "127.0.0.1:6379";
  std::string user;      // a user of Redis' ACL; empty: the default user
  std::string password;  // empty: none, of a user that the ACL lets in without one (nopass)
  int database = 0;      // a cluster has only 0
  // TLS, 1.2 or newer. It needs OpenSSL when linefilter is built: else kUnsupported. What follows is refused without it
  // (kInvalidArgument).
  bool tls = false;
  // The file of the authority that signed the servers' certificates, or of these themselves; empty: the system's.
  std::string tls_ca;
  std::string tls_certificate;  // file of the client's own certificate, if the server wants one,
  std::string tls_key;          // and of its key, without a passphrase
  // The name, or address in numbers, that each server's certificate must have; it is also asked for (SNI). Empty means
  // the host that is connected to. The nodes of a cluster tell each other's addresses, not names, unless their
  // cluster-preferred-endpoint-type is hostname. So give one name that all certificates have, or certificates with
  // their addresses.
  std::string tls_server_name;

  Deadlines deadlines;                                   // how long calls may take
  OnUnavailable on_unavailable = OnUnavailable::kError;  // for lookups
  // With kMaybe: so many lookup calls in a second may be "maybe" without an error, which all go to what is behind the
  // filter. More of them get the error, so that a database that the filter protects does not go down, too.
  double maybes_per_second = 100;
  // Called with a sentence when a breaker opens and when it closes, once each, by the thread that uses the object. It
  // must not use that object. Open and Create say all by their Status.
  void (*notice)(void* context, const char* sentence) = nullptr;
  void* notice_context = nullptr;
  // Called at the end of each call of an open filter, once, by the thread that made it: a call of many keys is one. It
  // must not use that object, nor throw. RedisMetrics (linefilter/redis_metrics.h) is one to call.
  void (*on_call)(void* context, const RedisCall& call) noexcept = nullptr;
  void* on_call_context = nullptr;
  // Lookups without a cluster ask the first of `addresses` that answers, even a replica. It may be late: a key that was
  // acknowledged may be "absent" there. Unless this is set a replica is refused (kUnavailable), or the next address
  // asked; the replicas of a cluster are never asked. A replica refuses calls that change something (kUnavailable), or
  // they go to the next address, which is asked from then on. Do not set it for objects that create filters or make
  // steps of generations: they would go by records that are late.
  bool replica_reads = false;
  // Insertions, and images with keys, wait until so many replicas have them, but no longer than wait_ms, which the
  // deadline of a request gets in addition. After that the call is kUnavailable, and nothing of that part of the batch
  // is acknowledged, whichever node of a cluster was late. Calls that bring no keys (Create, steps of generations,
  // Expire, Delete) do not wait.
  uint32_t wait_replicas = 0;
  uint32_t wait_ms = 1000;  // see wait_replicas
};

}  // namespace linefilter

#endif  // LINEFILTER_REDIS_SERVERS_H_
