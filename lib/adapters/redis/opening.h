// The frame of Create, CreateFromImage and Open.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_OPENING_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_OPENING_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/adapters/redis/filter_state.h"
#include "linefilter/redis.h"

namespace linefilter {

template <class Work>
Status RedisFilter::OpenBy(const RedisServers& servers, std::string_view name, const HashSecret* secret,
                           const Work& work) noexcept {
  const Status opened = redis_internal::Guarded([&]() -> Status {
    auto state = std::make_unique<redis_internal::FilterState>();
    state->SetSecret(secret);
    const std::string copied(name);  // both may be this object's own, which Close takes away
    Close();
    Status status = state->Connect(servers, copied);
    if (status.ok()) status = work(state.get());
    if (status.ok()) Adopt(std::move(state));
    return status;
  });
  if (!opened.ok()) Close();  // there may have been no memory for the state
  return opened;
}

}  // namespace linefilter

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_OPENING_H_
