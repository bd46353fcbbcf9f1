// This plans how large a filter in Redis must be: from keys, rate and traffic to shards, memory and nodes. It is pure
// arithmetic; every assumption is a constant here or a rate that `linefilter redis bench` measured.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_H_

#include <cstdint>

#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::tools {

// A shard of RedisFilter has 64 MiB less a block by default, with its mark the most that Redis' allocator counts as 64
// MiB. A block more counts as 80 (MEMORY USAGE, Redis 7.0.15 with jemalloc).
inline constexpr uint64_t kPlanShardBlocks = (uint64_t{1} << 20) - 1;
inline constexpr uint64_t kPlanMarkBytes = 16;
// A string of Redis ends at 512 MiB, the mark included.
inline constexpr uint64_t kPlanLeastShardBytes = 65536, kPlanMostShardBytes = (uint64_t{1} << 29) - 64;
// A shard is a string of Redis: that, its key and its place in the table of keys.
inline constexpr uint64_t kPlanKeyBytes = 160;
// RedisFilter spreads a filter over at least so many shards per master, if they have 64 KiB each.
inline constexpr uint64_t kPlanShardsPerMaster = 4, kPlanLeastShardBlocks = 1024;
// A node needs this besides: Redis itself, its clients and replication backlog. While an image is loaded into a shard,
// it needs the piece and the result for a moment.
inline constexpr double kPlanNodeBytes = 64e6;
inline constexpr int kPlanLoadShards = 2;
// While a child of Redis writes an AOF or RDB (at that speed), each page that is written is there twice.
inline constexpr double kPlanSaveBytesPerSecond = 100e6, kPlanPageBytes = 4096;
// A node is planned so full: memory of the machine, time of Redis' one thread, network.
inline constexpr double kPlanMemoryShare = 0.9, kPlanTimeShare = 0.6, kPlanNetworkShare = 0.5;
// A write of its own costs that thread at most this over a command in a pipeline: 7 us with fifty callers, 12 to 16
// with one (used_cpu_*_main_thread, Redis 7.0.15). The rest of one by one is waiting, when a server serves others.
inline constexpr double kPlanWriteSeconds = 16e-6;
// A cluster has 3 masters at least; its makers name 1000 nodes as the most that gossip bears.
inline constexpr uint64_t kPlanLeastMasters = 3, kPlanMostNodes = 1000;

// The bytes of a key of a pipelined batch, counted from the protocol, with names of 32 characters. An insertion sends
// those for each probe: 231 were counted of 6 probes, 465 of 12.
inline constexpr double kPlanLookupRequestBytes = 85, kPlanLookupReplyBytes = 71;
inline constexpr double kPlanInsertBytesPerProbe = 39, kPlanInsertReplyBytesPerProbe = 4;

// Rates are what a Redis server can do for one client; `linefilter redis bench` measures them. The defaults are the
// lower ends of what was seen of Redis 7.0.15 on loopback, client and server on two cores, 8 probes, rounded. One by
// one it was 11,854 look-ups and 10,602 inserts, and 15,000 of either on an idle machine.
struct RedisRates {
  double lookups_sync = 12e3, lookups_pipelined = 490e3;  // per second
  double inserts_sync = 10e3, inserts_pipelined = 120e3;  // those of new keys
  uint64_t batch = 256;                                   // keys that were sent at once
};

struct RedisPlanRequest {
  uint64_t num_keys = 0;
  double fpr = 0, bits_per_key = 0;    // one of the two; the other is 0
  uint64_t lookups = 0, inserts = 0;   // per second
  uint64_t replicas = 1;               // of each master
  double node_gb = 16, gigabits = 10;  // memory and network of a node, 1e9 bytes and 1e9 bits per second
  uint64_t batch = 0;                  // keys asked at once; 0: as many as the rates were measured with
  uint64_t shard_bytes = 0;            // 0: as RedisFilter makes them
  bool rebuild = false;                // room for the next generation beside the current one
  RedisRates rates;
};

struct RedisPlan {
  uint64_t filters = 1;                  // each with its own name; ShardOf(hash, filters) chooses
  Sizing sizing;                         // of one of them
  double expected_fpr = 0;               // of a look-up
  double body_bytes = 0;                 // of all, as is what follows
  uint64_t shards = 0, shard_bytes = 0;  // without the mark; the last shard of a filter has what is left
  double memory_bytes = 0;               // as Redis counts it, without replicas
  uint64_t masters = 1, nodes = 1, clusters = 1;
  const char* bound_by = "";  // why not fewer masters

  // The shards of the fullest master: they fall on nodes by the hash of their keys.
  uint64_t shards_of_node = 0;
  double data_of_node = 0, copied_share = 0, memory_of_node = 0;
  double time_share = 0;
  double bits_in = 0, bits_out = 0;  // per second, replication included
  double disk_bytes = 0;             // per second, to the AOF

  uint64_t batch = 0;
  double keys_per_write = 0;                              // of a batch, to one node at once: pipelining needs them
  double checks_per_key = 0;                              // GETRANGE of a mark, one per shard that a batch touches
  double seconds_per_lookup = 0, seconds_per_insert = 0;  // of a client, and of the thread of a node; without checks
  double pipelined_clients = 0, synchronous_callers = 0;  // threads that keep busy, at least
};

// Below this share of the keys that the rates were measured with, per write to a node, the rates are a guess: warn.
inline constexpr double kPlanFewKeysPerWrite = 0.125;

// Plans. kInvalidArgument with a sentence is for a request that makes no sense, or a node that holds nothing.
Status PlanRedis(const RedisPlanRequest& request, RedisPlan* plan);

// Tells what `bytes`, below 2^62, cost in Redis' allocator: sizes of four classes per doubling.
uint64_t AllocatedBytes(uint64_t bytes);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_H_
