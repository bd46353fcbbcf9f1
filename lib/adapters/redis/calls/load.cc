// This loads images into Redis: a new filter of one, and its keys into a filter that serves.
#include "lib/adapters/redis/calls/opening.h"
#include "lib/adapters/redis/calls/upload.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/redis.h"

namespace linefilter {

using redis_internal::FilterState;
using redis_internal::Guarded;
using redis_internal::Header;

Status RedisFilter::CreateFromImage(const RedisServers& servers, std::string_view name, const void* image, size_t size,
                                    const HashSecret* secret, const RedisLayout& layout) noexcept {
  FilterView view;
  const Status opened = redis_internal::OpenImage(image, size, secret, &view);
  if (!opened.ok()) return opened;
  return OpenBy(servers, name, secret, [&](FilterState* state) {
    Header header;
    header.hash_id = view.hash_id();
    header.seed = view.seed();
    header.version = 1;
    const Status status = redis_internal::PlanFromImage(state->record, view, layout, &header.current);
    if (!status.ok()) return status;
    return redis_internal::CreateFilter(&state->record, header, [&](const redis_internal::Shards& shards) {
      return redis_internal::FillShards(&state->record, shards, redis_internal::BodyOf(view));
    });
  });
}

Status RedisFilter::Load(const void* image, size_t size) noexcept {
  if (!is_open()) return Closed();
  return Guarded([&]() -> Status {
    FilterView view;
    Status status = redis_internal::OpenImage(image, size, state_->record.secret(), &view);
    if (status.ok()) status = state_->record.ReadHeader();
    if (!status.ok()) return status;
    const Header& header = state_->record.header();
    if (header.next.exists() || header.previous.exists()) {  // each of these could have another size
      return Status::Error(StatusCode::kIncompatible,
                           "filter %s in Redis is between two generations: load into the next one, or switch or "
                           "abandon it first",
                           redis_internal::Printable(state_->record.name()).c_str());
    }
    status = CheckUnitable(state_->record, state_->record.current(), view);
    return status.ok() ? UniteShards(&state_->record, state_->record.current(), view) : status;
  });
}

}  // namespace linefilter
