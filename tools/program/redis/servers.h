// All commands of `linefilter redis` share these options: where the servers are, and which filter there.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_SERVERS_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_SERVERS_H_

#include <cstdint>
#include <string>

#include "linefilter/redis.h"
#include "linefilter/status.h"
#include "tools/program/arguments.h"
#include "tools/program/report.h"

namespace linefilter::tools {

inline constexpr char kRedisPasswordVariable[] = "LINEFILTER_REDIS_PASSWORD";

struct ServerOptions {
  RedisServers servers;
  std::string password_file;
  uint64_t database = 0;
  uint64_t timeout_ms = Deadlines().reply_ms, patience_ms = Deadlines().admin_ms, deadline_ms = 0;
  uint64_t wait_replicas = 0, wait_ms = RedisServers().wait_ms;
};

// Commands that add may wait for replicas, those that only ask may ask one, the others neither.
enum class ServerUse { kAsk, kAdd, kOther };
void DeclareServer(Arguments* arguments, ServerUse use, ServerOptions* options);

// This is for the notes of those that may ask a replica; it is a macro, so that it joins the others at compile time.
#define REPLICA_NOTES \
  "--replica-reads: a replica that is late lacks keys that were just added (\"absent\"), and a filter that is new.\n"

// Says after a failure that a replica that was asked may be late; else it is empty.
std::string AdviceOfReplica(const ServerOptions& options, const Status& status);

// Declares the positional NAME.
void DeclareFilterName(Arguments* arguments, std::string* name);

// Opens the filter. Returns kExitGood, or the exit code after saying why, for the command of that name.
int OpenFilter(const char* command, const ServerOptions& options, const std::string& name, const SecretOption& secret,
               RedisFilter* filter);

// Fills in what was given, with the password. It is false after saying why.
bool ReadyServers(const ServerOptions& options, RedisServers* servers);

// Whether the word has the form of a generation's number, as it is printed; what to say if not.
bool IsGeneration(const std::string& word);
inline constexpr char kNoGeneration[] =
    "--generation must be 16 hexadecimal digits, as `linefilter redis info` shows them: generation, next_generation";

// Several commands report this of a filter.
void ReportFilter(const RedisFilter& filter, Report* report);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_SERVERS_H_
