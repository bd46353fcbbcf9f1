// This is the frame of Create, CreateFromImage and Open.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_OPENING_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_OPENING_H_

#include <memory>
#include <string_view>
#include <utility>

#include "lib/adapters/redis/calls/filter_state.h"
#include "linefilter/redis.h"

namespace linefilter {

template <class Work>
Status RedisFilter::OpenBy(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                           const Work& work) noexcept {
  return redis_internal::Guarded([&]() -> Status {
    auto state = std::make_unique<redis_internal::FilterState>();
    state->record.SetSecret(secret);
    Status status = state->record.Connect(servers, name);
    if (status.ok()) status = work(state.get());
    if (status.ok()) Adopt(std::move(state));  // what was open goes now, its name and secret, too
    return status;
  });
}

}  // namespace linefilter

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_OPENING_H_
