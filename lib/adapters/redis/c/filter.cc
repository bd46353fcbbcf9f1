// A filter in Redis, in C: it is made, opened, replaced and looked at.
#include <cstring>

#include "lib/adapters/redis/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;
using namespace linefilter::redis_internal;

namespace {

Status LayoutFromC(const linefilter_redis_layout* layout, RedisLayout* to) noexcept {
  if (layout == nullptr) return Status();
  if (layout->grows > 1 || layout->reserved != 0) {
    return Refused("grows of a linefilter_redis_layout is 0 or 1, and its reserved is 0: set everything to 0 first");
  }
  to->shard_bytes = layout->shard_bytes;
  to->followed_keys = layout->followed_keys;
  to->max_growth = layout->max_growth;
  to->grows = layout->grows != 0;
  return Status();
}

// Calls `use` with the options and the layout as C++ has them.
template <class Use>
Status WithOptions(const linefilter_options* options, const linefilter_redis_layout* layout, const Use& use) noexcept {
  if (options == nullptr) return NoOptions();
  FilterOptions wanted;
  RedisLayout spread;
  Status read = ReadOptions(*options, &wanted);
  if (read.ok()) read = LayoutFromC(layout, &spread);
  return read.ok() ? use(wanted, spread) : read;
}

const HashSecret* SecretFromC(const uint8_t* secret, HashSecret* room) noexcept {
  if (secret == nullptr) return nullptr;
  memcpy(room->bytes, secret, sizeof(room->bytes));
  return room;
}

// Tells a callback of C.
void TellCall(void* context, const RedisCall& call) noexcept {
  const CallTeller* const teller = static_cast<const CallTeller*>(context);
  linefilter_status status = {LINEFILTER_OK, "ok"};
  if (call.code != StatusCode::kOk) (void)Tell(Status::Error(call.code, "%s", call.message), &status);
  const linefilter_redis_call told = {
      RedisVerbName(call.verb), call.filter, call.node, status.message, status.code, 0, call.num_keys, call.ns};
  teller->on_call(teller->context, &told);
}

// Makes a handle whose filter `open` opens with the servers.
template <class Open>
linefilter_redis* Opened(const linefilter_redis_servers* servers, const char* name, linefilter_status* status,
                         const Open& open) noexcept {
  linefilter_redis* made = nullptr;
  const Status opened = [&]() -> Status {
    if (servers == nullptr) return NoHandle("servers of Redis");
    if (name == nullptr) return Refused("the name of the filter is NULL");
    made = new (std::nothrow) linefilter_redis;
    if (made == nullptr) return Status::Error(StatusCode::kOutOfMemory, "no memory for a filter in Redis");
    try {
      RedisServers of_filter = servers->servers;
      made->teller = servers->teller;
      if (made->teller.on_call != nullptr) {
        of_filter.on_call = TellCall;
        of_filter.on_call_context = &made->teller;
      }
      return open(&made->filter, of_filter);
    } catch (...) {  // std::bad_alloc of a text
      return Status::Error(StatusCode::kOutOfMemory, "no memory for the address of a server");
    }
  }();
  if (Tell(opened, status) == LINEFILTER_OK) return made;
  delete made;
  return nullptr;
}

// Does something with an open filter.
template <class Use>
linefilter_code With(linefilter_redis* filter, linefilter_status* status, const Use& use) noexcept {
  return Tell(filter == nullptr ? NoFilter() : use(&filter->filter), status);
}

}  // namespace

linefilter_redis* linefilter_redis_reserve(const linefilter_redis_servers* servers, const char* name, uint64_t num_keys,
                                           const linefilter_options* options, const linefilter_redis_layout* layout,
                                           bool* is_new, linefilter_status* status) {
  if (is_new != nullptr) *is_new = false;
  return Opened(servers, name, status, [&](RedisFilter* filter, const RedisServers& at) {
    return WithOptions(options, layout, [&](const FilterOptions& wanted, const RedisLayout& spread) {
      return filter->Reserve(at, name, num_keys, wanted, spread, is_new);
    });
  });
}

linefilter_redis* linefilter_redis_create(const linefilter_redis_servers* servers, const char* name, uint64_t num_keys,
                                          const linefilter_options* options, const linefilter_redis_layout* layout,
                                          linefilter_status* status) {
  return Opened(servers, name, status, [&](RedisFilter* filter, const RedisServers& at) {
    return WithOptions(options, layout, [&](const FilterOptions& wanted, const RedisLayout& spread) {
      return filter->Create(at, name, num_keys, wanted, spread);
    });
  });
}

linefilter_redis* linefilter_redis_open(const linefilter_redis_servers* servers, const char* name,
                                        const uint8_t* secret, linefilter_status* status) {
  return Opened(servers, name, status, [&](RedisFilter* filter, const RedisServers& at) {
    HashSecret room;
    return filter->Open(at, name, SecretFromC(secret, &room));
  });
}

linefilter_redis* linefilter_redis_from_image(const linefilter_redis_servers* servers, const char* name,
                                              const void* image, size_t size, const uint8_t* secret,
                                              const linefilter_redis_layout* layout, linefilter_status* status) {
  return Opened(servers, name, status, [&](RedisFilter* filter, const RedisServers& at) -> Status {
    HashSecret room;
    RedisLayout spread;
    const Status checked = LayoutFromC(layout, &spread);
    if (!checked.ok()) return checked;
    return filter->CreateFromImage(at, name, image, size, SecretFromC(secret, &room), spread);
  });
}

void linefilter_redis_free(linefilter_redis* filter) { delete filter; }

linefilter_code linefilter_redis_delete(const linefilter_redis_servers* servers, const char* name,
                                        linefilter_status* status) {
  if (servers == nullptr) return Tell(NoHandle("servers of Redis"), status);
  if (name == nullptr) return Tell(Refused("the name of the filter is NULL"), status);
  return Tell(RedisFilter::Delete(servers->servers, name), status);
}

linefilter_code linefilter_redis_expire(linefilter_redis* filter, uint64_t ms, linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->Expire(ms); });
}

void linefilter_redis_within(linefilter_redis* filter, uint32_t ms) {
  if (filter != nullptr) filter->filter.Within(ms);
}

linefilter_code linefilter_redis_load(linefilter_redis* filter, const void* image, size_t size,
                                      linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->Load(image, size); });
}

linefilter_code linefilter_redis_write_to_sink(linefilter_redis* filter, linefilter_sink sink, void* context,
                                               linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->WriteImage(Sink{sink, context}); });
}

linefilter_code linefilter_redis_save(linefilter_redis* filter, const char* path, linefilter_status* status) {
  return With(filter, status,
              [&](RedisFilter* of) { return path == nullptr ? Refused("the path is NULL") : of->Save(path); });
}

linefilter_code linefilter_redis_begin_generation(linefilter_redis* filter, uint64_t num_keys,
                                                  const linefilter_options* options,
                                                  const linefilter_redis_layout* layout, linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) {
    return WithOptions(options, layout, [&](const FilterOptions& wanted, const RedisLayout& spread) {
      return of->BeginGeneration(num_keys, wanted, spread);
    });
  });
}

linefilter_code linefilter_redis_begin_generation_from_image(linefilter_redis* filter, const void* image, size_t size,
                                                             const linefilter_redis_layout* layout,
                                                             linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) -> Status {
    RedisLayout spread;
    const Status checked = LayoutFromC(layout, &spread);
    return checked.ok() ? of->BeginGenerationFromImage(image, size, spread) : checked;
  });
}

linefilter_code linefilter_redis_load_next(linefilter_redis* filter, const void* image, size_t size,
                                           linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->LoadNext(image, size); });
}

linefilter_code linefilter_redis_insert_hashes_into_next(linefilter_redis* filter, const uint64_t* hashes, size_t n,
                                                         linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->InsertHashesIntoNext(hashes, n); });
}

linefilter_code linefilter_redis_switch_generation(linefilter_redis* filter, linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->SwitchGeneration(); });
}

linefilter_code linefilter_redis_abandon_generation(linefilter_redis* filter, linefilter_status* status) {
  return With(filter, status, [&](RedisFilter* of) { return of->AbandonGeneration(); });
}
