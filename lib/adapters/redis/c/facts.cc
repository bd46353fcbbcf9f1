// What is known of a filter in Redis, in C.
#include "lib/adapters/redis/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;
using namespace linefilter::redis_internal;

namespace {

linefilter_redis_info InfoToC(const RedisInfo& info) {
  linefilter_redis_info told = {};
  told.layout = static_cast<linefilter_layout>(info.layout);
  told.hash_id = static_cast<linefilter_hash_id>(info.hash_id);
  told.seed = info.seed;
  told.capacity = info.capacity;
  told.num_blocks = info.num_blocks;
  told.body_bytes = info.body_bytes;
  told.shard_bytes = info.shard_bytes;
  told.num_shards = info.num_shards;
  told.followed_keys = info.followed_keys;
  told.generation = info.generation;
  told.next_generation = info.next_generation;
  told.previous_generation = info.previous_generation;
  told.version = info.version;
  told.expires_in_ms = info.expires_in_ms;
  told.num_lost_shards = info.num_lost_shards;
  told.sampled_bytes = info.sampled_bytes;
  told.fill_ratio = info.fill_ratio;
  told.approximate_size = info.approximate_size.keys;
  told.approximate_size_error = info.approximate_size.error;
  told.expected_fpr = info.expected_fpr;
  told.num_probes = info.num_probes;
  told.num_stages = info.num_stages;
  told.num_masters = info.num_masters;
  told.is_cluster = info.cluster ? 1 : 0;
  return told;
}

}  // namespace

linefilter_code linefilter_redis_read_info(linefilter_redis* filter, linefilter_redis_info* info,
                                           linefilter_status* status) {
  RedisInfo read;
  const Status done = filter == nullptr ? NoFilter() : filter->filter.Info(&read);
  if (info != nullptr) *info = InfoToC(read);
  return Tell(done, status);
}

linefilter_code linefilter_redis_growth_status(const linefilter_redis* filter, linefilter_status* status) {
  return Tell(filter == nullptr ? NoFilter() : filter->filter.growth_status(), status);
}

uint64_t linefilter_redis_generation(const linefilter_redis* filter) {
  return filter == nullptr ? 0 : filter->filter.generation();
}

linefilter_layout linefilter_redis_layout_of(const linefilter_redis* filter) {
  return filter == nullptr ? LINEFILTER_LAYOUT_AUTO : static_cast<linefilter_layout>(filter->filter.layout());
}

linefilter_hash_id linefilter_redis_hash_id(const linefilter_redis* filter) {
  return filter == nullptr ? LINEFILTER_HASH_CALLER : static_cast<linefilter_hash_id>(filter->filter.hash_id());
}

uint64_t linefilter_redis_seed(const linefilter_redis* filter) { return filter == nullptr ? 0 : filter->filter.seed(); }

uint64_t linefilter_redis_image_bytes(const linefilter_redis* filter) {
  return filter == nullptr ? 0 : filter->filter.ImageBytes();
}

size_t linefilter_redis_num_nodes(const linefilter_redis* filter) {
  return filter == nullptr ? 0 : filter->filter.num_nodes();
}

linefilter_redis_node linefilter_redis_node_at(const linefilter_redis* filter, size_t i) {
  if (i >= linefilter_redis_num_nodes(filter)) return {"", 0, 0, 0, 0, 0};
  const RedisNode node = filter->filter.node(i);
  return {node.address,      node.num_failures, node.num_opened,
          node.num_rejected, node.ms_to_trial,  node.is_open ? 1u : 0u};
}
