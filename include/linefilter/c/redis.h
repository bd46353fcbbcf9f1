// A filter in Redis or Redis Cluster, in C, shared by many machines. Link liblinefilter_redis (pkg-config
// linefilter-redis). Start at linefilter/c.h; linefilter/redis.h tells what is guaranteed, and what errors mean.
//
//   linefilter_redis_servers* servers = linefilter_redis_servers_new("redis://10.0.0.1,10.0.0.2", &status);
//   linefilter_redis* seen = linefilter_redis_reserve(servers, "seen", 100000000, &options, NULL, NULL, &status);
//   if (seen == NULL) fail(status.message);
//   uint8_t outcome = LINEFILTER_REDIS_FAILED;
//   linefilter_redis_insert_key(seen, url, size, &outcome, &status);
//   if (outcome == LINEFILTER_REDIS_NEW) fetch(url);  // certainly nobody had it
//   bool maybe = true;
//   if (linefilter_redis_may_contain_key(seen, url, size, &maybe, &status) != LINEFILTER_OK) log_error(status.message);
//   if (maybe) ...                                    // true also after an error
//   linefilter_redis_free(seen);
//   linefilter_redis_servers_free(servers);
//
// One thread at a time uses a linefilter_redis; open one in each. Lookups, insertions and removals have a hard deadline
// (linefilter_redis_deadlines), and fail at once while a server is ill. A NULL handle is an error of every call, and
// its answers are "maybe".
//
// The caller frees the handles, by linefilter_redis_free and linefilter_redis_servers_free. They lie in the memory of
// malloc: the allocator, memory_limit and executor of options do not count here. A string that is returned lives as
// long as is said beside it.
#ifndef LINEFILTER_C_REDIS_H_
#define LINEFILTER_C_REDIS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// ---- Where the servers are, and how long calls wait. Filters copy these when they are opened, so they may be freed or
// changed afterwards. What `context`s point to must live as long as the filters.
typedef struct linefilter_redis_servers linefilter_redis_servers;

// `where` is redis://[USER:PASSWORD@]HOST[:PORT][,HOST...][/DATABASE], rediss:// for TLS, host:port[,host:port...], or
// unix:/path. NULL means 127.0.0.1:6379. One server of a cluster is enough; name several.
linefilter_redis_servers* linefilter_redis_servers_new(const char* where, linefilter_status* status);
// Frees it. NULL does nothing.
void linefilter_redis_servers_free(linefilter_redis_servers* servers);
// A user of Redis' ACL and its password, in place of those of `where`. NULL means the default user, or no password.
linefilter_code linefilter_redis_servers_set_login(linefilter_redis_servers* servers, const char* user,
                                                   const char* password, linefilter_status* status);
// The number of the database, in place of that of `where`; 0 at first. A cluster has only 0.
linefilter_code linefilter_redis_servers_set_database(linefilter_redis_servers* servers, int32_t database,
                                                      linefilter_status* status);

// How long calls may take, in ms: see Deadlines in linefilter/redis_servers.h. This never changes its size.
typedef struct linefilter_redis_deadlines {
  uint32_t request_ms;         // a lookup, insertion or removal of up to 1 MB; 100 at first
  uint32_t request_ms_per_mb;  // and each MB beyond that; 20
  uint32_t admin_ms;           // each batch of commands of all other calls; 10000
  uint32_t connect_ms;         // one connection, within the others; 1000
  uint32_t reply_ms;           // one reply, within the others; 2000
  uint32_t pause_ms;           // the breaker's first pause; 0: none; 80
} linefilter_redis_deadlines;
// What is set; the default for NULL.
linefilter_redis_deadlines linefilter_redis_servers_deadlines(const linefilter_redis_servers* servers);
// Sets all of them: read them, and change some.
linefilter_code linefilter_redis_servers_set_deadlines(linefilter_redis_servers* servers,
                                                       const linefilter_redis_deadlines* deadlines,
                                                       linefilter_status* status);

// What to do with a lookup that cannot be answered in time. Whatever is chosen, its keys are "maybe".
typedef int32_t linefilter_redis_on_unavailable;
enum {
  LINEFILTER_REDIS_ERROR = 0,  // its code is LINEFILTER_UNAVAILABLE
  LINEFILTER_REDIS_MAYBE = 1   // its code is LINEFILTER_OK, for so many calls in a second; then LINEFILTER_UNAVAILABLE
};
// At first it is LINEFILTER_REDIS_ERROR. `maybes_per_second` protects what is behind the filter.
linefilter_code linefilter_redis_servers_set_on_unavailable(linefilter_redis_servers* servers,
                                                            linefilter_redis_on_unavailable what,
                                                            double maybes_per_second, linefilter_status* status);

// TLS by other files than the system's. Any of them may be NULL. This never changes its size.
typedef struct linefilter_redis_tls {
  const char* ca;           // file of the authority that signed the servers' certificates
  const char* certificate;  // file of the client's own certificate, if the servers want one
  const char* key;          // file of its key, without a passphrase
  const char* server_name;  // the name that each certificate must have; NULL: the host
} linefilter_redis_tls;
// Encrypts, as rediss:// does, with these files in place of those that were set; NULL means the system's.
linefilter_code linefilter_redis_servers_set_tls(linefilter_redis_servers* servers, const linefilter_redis_tls* tls,
                                                 linefilter_status* status);

// Insertions wait until so many replicas have them, but no longer than wait_ms; lookups without a cluster may ask a
// replica, which may be late, where replica_reads is set. See RedisServers in linefilter/redis_servers.h.
linefilter_code linefilter_redis_servers_set_replicas(linefilter_redis_servers* servers, uint32_t wait_replicas,
                                                      uint32_t wait_ms, bool replica_reads, linefilter_status* status);

// Takes a sentence when the breaker of a server opens and when it closes, once each.
typedef void (*linefilter_redis_notice)(void* context, const char* sentence) LINEFILTER_NOEXCEPT;
// Sets who is told so; NULL: nobody.
linefilter_code linefilter_redis_servers_set_notice(linefilter_redis_servers* servers, linefilter_redis_notice notice,
                                                    void* context, linefilter_status* status);

// One call that has ended. What it points to is there until the callback returns. This never changes its size.
typedef struct linefilter_redis_call {
  const char* verb;     // "may_contain", "insert", ...
  const char* filter;   // its name
  const char* node;     // the server whose reply came last, or that failed last; "" if none was asked
  const char* message;  // "ok" or the error
  // The code of what happened: LINEFILTER_UNAVAILABLE also where LINEFILTER_REDIS_MAYBE makes it LINEFILTER_OK.
  linefilter_code code;
  uint32_t reserved;  // 0
  uint64_t num_keys;  // that were asked, inserted or removed
  uint64_t ns;        // the time that it took
} linefilter_redis_call;
// Takes each call of an open filter when it ends, once, in the thread that made it.
typedef void (*linefilter_redis_on_call)(void* context, const linefilter_redis_call* call) LINEFILTER_NOEXCEPT;
// Sets who is told so; NULL: nobody.
linefilter_code linefilter_redis_servers_set_on_call(linefilter_redis_servers* servers,
                                                     linefilter_redis_on_call on_call, void* context,
                                                     linefilter_status* status);

// ---- A filter in Redis that is open here.
typedef struct linefilter_redis linefilter_redis;

// How its bits are spread over strings of Redis: see RedisLayout in linefilter/redis.h. Set everything to 0 first, for
// that is the default. This never changes its size.
typedef struct linefilter_redis_layout {
  uint64_t shard_bytes;    // the most bytes of one string; 0: what suits
  uint64_t followed_keys;  // above 0 others may follow it: so many of the last insertions are kept for them
  uint64_t max_growth;     // with grows: room for so many times num_keys is enough; 0: no end
  uint32_t grows;     // 1: num_keys is for how many it has room at first, and options->fpr bounds its rate for ever
  uint32_t reserved;  // 0
} linefilter_redis_layout;

// Makes an empty filter for num_keys keys; `layout` may be NULL. It is LINEFILTER_INCOMPATIBLE if the name is taken.
linefilter_redis* linefilter_redis_create(const linefilter_redis_servers* servers, const char* name, uint64_t num_keys,
                                          const linefilter_options* options, const linefilter_redis_layout* layout,
                                          linefilter_status* status);
// Opens it if it is there, and else creates it; *is_new, which may be NULL, tells which.
linefilter_redis* linefilter_redis_reserve(const linefilter_redis_servers* servers, const char* name, uint64_t num_keys,
                                           const linefilter_options* options, const linefilter_redis_layout* layout,
                                           bool* is_new, linefilter_status* status);
// Opens a filter that is there: else LINEFILTER_NOT_FOUND. `secret` has LINEFILTER_SECRET_BYTES bytes where its hash is
// keyed, and is NULL for every other.
linefilter_redis* linefilter_redis_open(const linefilter_redis_servers* servers, const char* name,
                                        const uint8_t* secret, linefilter_status* status);
// Makes a filter with the keys of an image of any layout.
linefilter_redis* linefilter_redis_from_image(const linefilter_redis_servers* servers, const char* name,
                                              const void* image, size_t size, const uint8_t* secret,
                                              const linefilter_redis_layout* layout, linefilter_status* status);
// Closes the connections. The filter stays in Redis. NULL does nothing.
void linefilter_redis_free(linefilter_redis* filter);
// Removes a filter from Redis.
linefilter_code linefilter_redis_delete(const linefilter_redis_servers* servers, const char* name,
                                        linefilter_status* status);
// Lets it go after so many ms; 0: never.
linefilter_code linefilter_redis_expire(linefilter_redis* filter, uint64_t ms, linefilter_status* status);

// Gives the next call a deadline of its own; 0 takes that back.
void linefilter_redis_within(linefilter_redis* filter, uint32_t ms);

// Asks for one key. *maybe is true unless the code is LINEFILTER_OK and the key is certainly absent.
linefilter_code linefilter_redis_may_contain_key(linefilter_redis* filter, const void* key, size_t size, bool* maybe,
                                                 linefilter_status* status);
// Does the same for an integer.
linefilter_code linefilter_redis_may_contain_u64(linefilter_redis* filter, uint64_t key, bool* maybe,
                                                 linefilter_status* status);
// Does the same for a hash, which every filter takes: linefilter_redis_hash_id tells how to make it.
linefilter_code linefilter_redis_may_contain_hash(linefilter_redis* filter, uint64_t hash, bool* maybe,
                                                  linefilter_status* status);
// Asks for n keys in one pipeline. Answers are 1 (maybe) or 0 (absent), and 1 where an error came in the way.
// `answered`, n of them, may be NULL: 1 where servers answered for that key.
linefilter_code linefilter_redis_may_contain_keys(linefilter_redis* filter, const void* const* keys,
                                                  const size_t* sizes, size_t n, uint8_t* answers, uint8_t* answered,
                                                  linefilter_status* status);
// Does the same for integers.
linefilter_code linefilter_redis_may_contain_u64s(linefilter_redis* filter, const uint64_t* keys, size_t n,
                                                  uint8_t* answers, uint8_t* answered, linefilter_status* status);
// Does the same for hashes.
linefilter_code linefilter_redis_may_contain_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                                    uint8_t* answers, uint8_t* answered, linefilter_status* status);

// What became of an insertion, in bytes.
enum {
  LINEFILTER_REDIS_KNOWN = 0,  // acknowledged; the key may have been there
  LINEFILTER_REDIS_NEW = 1,    // acknowledged; the key was certainly not there, and no other writer is told so
  LINEFILTER_REDIS_FAILED = 2  // not acknowledged: insert it again
};
// Inserts one key. `outcome` may be NULL.
linefilter_code linefilter_redis_insert_key(linefilter_redis* filter, const void* key, size_t size, uint8_t* outcome,
                                            linefilter_status* status);
// Does the same for an integer.
linefilter_code linefilter_redis_insert_u64(linefilter_redis* filter, uint64_t key, uint8_t* outcome,
                                            linefilter_status* status);
// Does the same for a hash.
linefilter_code linefilter_redis_insert_hash(linefilter_redis* filter, uint64_t hash, uint8_t* outcome,
                                             linefilter_status* status);
// Inserts n keys in one pipeline. `outcomes`, n of them, may be NULL. The code is that of the first failure.
linefilter_code linefilter_redis_insert_keys(linefilter_redis* filter, const void* const* keys, const size_t* sizes,
                                             size_t n, uint8_t* outcomes, linefilter_status* status);
// Does the same for integers.
linefilter_code linefilter_redis_insert_u64s(linefilter_redis* filter, const uint64_t* keys, size_t n,
                                             uint8_t* outcomes, linefilter_status* status);
// Does the same for hashes.
linefilter_code linefilter_redis_insert_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                               uint8_t* outcomes, linefilter_status* status);

// What became of a removal, in bytes.
enum {
  LINEFILTER_REDIS_WAS_ABSENT = 0,   // the key was certainly not there, and nothing changed
  LINEFILTER_REDIS_REMOVED = 1,      // its entry is out
  LINEFILTER_REDIS_NOT_REMOVED = 2,  // nothing was removed: remove it again, while the same generation serves
  LINEFILTER_REDIS_UNKNOWN = 3  // nobody knows: do not remove it again; if it stays, that is one false positive more
};
// Removes one key, once for each insertion, of a filter that is removable. Only what is in it may be removed.
// `generation` is linefilter_redis_generation as it was before the key left the exact source; 0: the one seen last.
// See RedisFilter::RemoveKey.
linefilter_code linefilter_redis_remove_key(linefilter_redis* filter, const void* key, size_t size, uint64_t generation,
                                            uint8_t* outcome, linefilter_status* status);
// Does the same for an integer.
linefilter_code linefilter_redis_remove_u64(linefilter_redis* filter, uint64_t key, uint64_t generation,
                                            uint8_t* outcome, linefilter_status* status);
// Does the same for a hash.
linefilter_code linefilter_redis_remove_hash(linefilter_redis* filter, uint64_t hash, uint64_t generation,
                                             uint8_t* outcome, linefilter_status* status);
// Removes n of them. `outcomes`, n of them, may be NULL.
linefilter_code linefilter_redis_remove_hashes(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                               uint64_t generation, uint8_t* outcomes, linefilter_status* status);

// ---- Images, and another generation while the filter is used (linefilter/redis.h tells the steps).
// Adds all keys of an image of blocked or classic that has the size and hash of the filter.
linefilter_code linefilter_redis_load(linefilter_redis* filter, const void* image, size_t size,
                                      linefilter_status* status);
// Writes the image of all keys that were acknowledged before the call; some later ones may be in it.
linefilter_code linefilter_redis_write_to_sink(linefilter_redis* filter, linefilter_sink sink, void* context,
                                               linefilter_status* status);
// Does the same into a file, which is complete before it gets its name.
linefilter_code linefilter_redis_save(linefilter_redis* filter, const char* path, linefilter_status* status);
// Begins the next generation, empty. When it returns, every acknowledged insertion by anybody goes into both.
linefilter_code linefilter_redis_begin_generation(linefilter_redis* filter, uint64_t num_keys,
                                                  const linefilter_options* options,
                                                  const linefilter_redis_layout* layout, linefilter_status* status);
// Begins it with the layout, size and keys of an image.
linefilter_code linefilter_redis_begin_generation_from_image(linefilter_redis* filter, const void* image, size_t size,
                                                             const linefilter_redis_layout* layout,
                                                             linefilter_status* status);
// Adds all keys of an image to the next generation.
linefilter_code linefilter_redis_load_next(linefilter_redis* filter, const void* image, size_t size,
                                           linefilter_status* status);
// Adds keys to the next generation alone. After an error do it again.
linefilter_code linefilter_redis_insert_hashes_into_next(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                                         linefilter_status* status);
// Makes the next generation serve. After an error do it again: it goes on where it stopped.
linefilter_code linefilter_redis_switch_generation(linefilter_redis* filter, linefilter_status* status);
// Gives the next generation up.
linefilter_code linefilter_redis_abandon_generation(linefilter_redis* filter, linefilter_status* status);

// ---- What is known of it.
// The number of the generation that serves; 0 for NULL.
uint64_t linefilter_redis_generation(const linefilter_redis* filter);
// The layout as it was last read; auto for NULL.
linefilter_layout linefilter_redis_layout_of(const linefilter_redis* filter);
linefilter_hash_id linefilter_redis_hash_id(const linefilter_redis* filter);  // whose hashes it holds; caller for NULL
uint64_t linefilter_redis_seed(const linefilter_redis* filter);  // of a keyed hash the check of the secret; 0 for NULL
uint64_t linefilter_redis_image_bytes(const linefilter_redis* filter);  // of its image; 0 for NULL
// Why no further stage could be opened when this handle inserted last, into a filter that grows.
linefilter_code linefilter_redis_growth_status(const linefilter_redis* filter, linefilter_status* status);

// What a filter tells of itself: see RedisInfo in linefilter/redis.h. This never changes its size.
typedef struct linefilter_redis_info {
  linefilter_layout layout;       // that of the generation that serves
  linefilter_hash_id hash_id;     // whose hashes it holds
  uint64_t seed;                  // for a keyed hash the check of the secret
  uint64_t capacity;              // keys that it was made for, all stages together; 0: unknown
  uint64_t num_blocks;            // 0 in classic
  uint64_t body_bytes;            // bytes of the bits
  uint64_t shard_bytes;           // of each shard but the last, which has what is left
  uint64_t num_shards;            // strings of Redis
  uint64_t followed_keys;         // as in linefilter_redis_layout
  uint64_t generation;            // its number, random
  uint64_t next_generation;       // 0: none was begun
  uint64_t previous_generation;   // 0: none is being left
  uint64_t version;               // of the header record: grows with every change
  int64_t expires_in_ms;          // -1: never
  uint64_t num_lost_shards;       // seen by the sample: every answer there is "maybe"
  uint64_t sampled_bytes;         // of the body, on which the next four stand
  double fill_ratio;              // the share of the bits, or of the entries, that are set
  double approximate_size;        // about how many keys are in
  double approximate_size_error;  // the standard error of that
  double expected_fpr;            // the false-positive rate by what is in
  uint32_t num_probes;            // 0 where a layout has none
  uint32_t num_stages;            // 0 but in a container
  uint32_t num_masters;           // 1 without a cluster
  uint32_t is_cluster;            // 1 or 0
} linefilter_redis_info;
// Reads it, from a sample of at most 1 MiB of blocks.
linefilter_code linefilter_redis_read_info(linefilter_redis* filter, linefilter_redis_info* info,
                                           linefilter_status* status);

// One server, and its breaker: see RedisNode in linefilter/redis_servers.h. This never changes its size.
typedef struct linefilter_redis_node {
  const char* address;    // until the next call that is not const
  uint64_t num_failures;  // of the server, also those whose error nobody looked at
  uint64_t num_opened;    // how often the breaker opened
  uint64_t num_rejected;  // requests, or parts of them, that failed at once
  uint32_t ms_to_trial;   // until a request is let through; 0 if one may be now
  uint32_t is_open;       // 1: requests are not let through
} linefilter_redis_node;
// How many servers this handle asked; 0 for NULL.
size_t linefilter_redis_num_nodes(const linefilter_redis* filter);
// That server; its address is "" where there is none of that number.
linefilter_redis_node linefilter_redis_node_at(const linefilter_redis* filter, size_t i);

LINEFILTER_C_END

#endif  // LINEFILTER_C_REDIS_H_
