// These steps are done to all shards of a generation: they are made, marked, given a time, and dropped.
//
// Everything here may throw std::bad_alloc.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SHARD_STEPS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SHARD_STEPS_H_

#include <cstdint>

#include "lib/adapters/redis/calls/filter_record.h"
#include "lib/adapters/redis/record/header.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// A generation that was left stays for this time. A writer to it finds a mark that sends it to the record, not a
// missing key, and a download of it comes to its end.
inline constexpr uint64_t kLeaveMs = 60000;
// Marks of shards that are being filled have this version: a late piece finds another one, and is not written.
inline constexpr uint64_t kFilledVersion = 0;

// Makes these shards, empty, with marks of kFilledVersion (script `make`). They have a day, so that a client that dies
// before the record names them leaves nothing for ever (KeepShards).
Status AllocateShards(FilterRecord* record, const Shards& shards);
// Makes shards live as long as the filter whose record is there, or for ever. The record of `version` names their
// generation `current` or `next`; one that was left is left alone. kCorrupt means that one is lost; others are kept.
Status KeepShards(FilterRecord* record, const Generation& generation, uint64_t version);
// Keeps the shards of `current` and `next`, if they have another time than the record, which has `left`: the client
// that was to give them that died, or could not. It asks PTTL of all; more only then. A lost shard does not count.
Status KeepNamed(FilterRecord* record, const Header& header, const TimeToLive& left);
// Advances the marks of all shards to `version`, where they are smaller. A shard without mark is lost: kCorrupt,
// after the others were advanced; nothing is revived. The maker of the shards brings their marks up from 0, and is
// told that one was lost meanwhile (kOverLimit); to all others that is a lost one.
enum Maker : uint8_t { kNamed, kMadeHere };
Status AdvanceMarks(FilterRecord* record, const Shards& shards, uint64_t version, Maker maker);
Status AdvanceMarks(FilterRecord* record, const Generation& generation, uint64_t version, Maker maker = kNamed);
// Drops all shards by UNLINK, or with grace_ms > 0 by PEXPIRE.
Status DropShards(FilterRecord* record, const Generation& generation, uint64_t grace_ms = 0);
}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SHARD_STEPS_H_
