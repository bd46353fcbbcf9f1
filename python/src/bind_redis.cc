// A filter in Redis, for Python, but for its keys (bind_redis_keys.cc).
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/redis_metrics.h"
#include "python/src/buffer.h"
#include "python/src/options.h"
#include "python/src/redis.h"

namespace linefilter::python {
namespace {

RedisLayout LayoutWith(uint64_t shard_bytes, uint64_t followed_keys = 0, bool grows = false, uint64_t max_growth = 0) {
  RedisLayout layout;
  layout.shard_bytes = shard_bytes;
  layout.followed_keys = followed_keys;
  layout.grows = grows;
  layout.max_growth = max_growth;
  return layout;
}

std::unique_ptr<Redis> Create(const NoticedServers& servers, const std::string& name, uint64_t num_keys,
                              const FilterOptions& options, uint64_t shard_bytes, uint64_t followed_keys, bool grows,
                              uint64_t max_growth) {
  return std::make_unique<Redis>(servers, [&](RedisFilter& filter, const RedisServers& watched) {
    return filter.Create(watched, name, num_keys, options, LayoutWith(shard_bytes, followed_keys, grows, max_growth));
  });
}

std::unique_ptr<Redis> FromImage(const NoticedServers& servers, const std::string& name, const py::object& image,
                                 const py::object& secret, uint64_t shard_bytes, uint64_t followed_keys) {
  const auto given = SecretOf(secret);
  const Buffer bytes(image);
  return std::make_unique<Redis>(servers, [&](RedisFilter& filter, const RedisServers& watched) {
    return filter.CreateFromImage(watched, name, bytes.data(), bytes.size(), OrNull(given),
                                  LayoutWith(shard_bytes, followed_keys));
  });
}

std::unique_ptr<Redis> Open(const NoticedServers& servers, const std::string& name, const py::object& secret) {
  const auto given = SecretOf(secret);
  return std::make_unique<Redis>(servers, [&](RedisFilter& filter, const RedisServers& watched) {
    return filter.Open(watched, name, OrNull(given));
  });
}

// None if there were not so many.
py::object SlowCallOf(const RedisMetrics& metrics, size_t i) {
  using namespace py::literals;
  SlowRedisCall call;
  if (!metrics.slow_call(i, &call)) return py::none();
  return py::dict("verb"_a = RedisVerbName(call.verb),
                  "node"_a = py::reinterpret_steal<py::object>(
                      PyUnicode_DecodeUTF8(call.node, static_cast<Py_ssize_t>(strlen(call.node)), "replace")),
                  "filter"_a = py::bytes(call.filter), "num_keys"_a = call.num_keys,
                  "seconds"_a = static_cast<double>(call.ns) / 1e9, "ok"_a = call.code == StatusCode::kOk);
}

py::bytes ToBytes(Redis& redis) {
  struct Room {
    char* at;
    uint64_t left;
    bool too_small;
  };
  for (;;) {
    const uint64_t size = redis.Tell(std::mem_fn(&RedisFilter::ImageBytes));
    const py::bytes image = NewBytes(size);
    Room room = {PyBytes_AS_STRING(image.ptr()), size, false};
    const Sink sink = {[](void* context, const void* data, size_t n) noexcept {
                         Room* const to = static_cast<Room*>(context);
                         to->too_small |= n > to->left;
                         if (to->too_small) return false;
                         memcpy(to->at, data, n);
                         to->at += n, to->left -= n;
                         return true;
                       },
                       &room};
    redis.Do([&](RedisFilter& filter) {
      const Status status = filter.WriteImage(sink);
      return room.too_small ? Status() : status;
    });
    if (!room.too_small && room.left == 0) return image;
    // A generation of another size serves since: its size is known by now.
  }
}

py::dict InfoOf(Redis& redis) {
  RedisInfo info;
  redis.Do([&](RedisFilter& filter) { return filter.Info(&info); });
  using py::literals::operator""_a;
  return py::dict(
      "layout"_a = LayoutName(info.layout), "hash_id"_a = HashIdName(info.hash_id), "seed"_a = info.seed,
      "num_probes"_a = info.num_probes, "num_stages"_a = info.num_stages, "capacity"_a = info.capacity,
      "num_blocks"_a = info.num_blocks, "body_bytes"_a = info.body_bytes, "shard_bytes"_a = info.shard_bytes,
      "num_shards"_a = info.num_shards, "followed_keys"_a = info.followed_keys, "generation"_a = info.generation,
      "next_generation"_a = info.next_generation, "previous_generation"_a = info.previous_generation,
      "version"_a = info.version, "expires_in_ms"_a = info.expires_in_ms, "num_masters"_a = info.num_masters,
      "cluster"_a = info.cluster, "num_lost_shards"_a = info.num_lost_shards, "sampled_bytes"_a = info.sampled_bytes,
      "fill_ratio"_a = info.fill_ratio, "approximate_size"_a = TupleOf(info.approximate_size),
      "expected_fpr"_a = info.expected_fpr, "over_capacity"_a = info.OverCapacity());
}

// What RedisInfo tells of the room, from those of its facts that it takes.
uint64_t RoomFor(const py::object& layout, uint32_t num_probes, uint64_t body_bytes, double keys, double expected_fpr,
                 double fpr) {
  RedisInfo info;
  info.layout = LayoutOf(layout);
  info.num_probes = num_probes;
  info.body_bytes = body_bytes;
  info.approximate_size.keys = keys;
  info.expected_fpr = expected_fpr;
  return info.RoomFor(fpr);
}

// Member functions of RedisFilter, for Python: a fact, a step, and a step that takes an image.
template <class Fact>
auto Telling(Fact fact) {
  return
      [fact](Redis& redis) { return redis.Tell([&](const RedisFilter& filter) { return std::invoke(fact, filter); }); };
}
template <class... Arguments>
auto Doing(Status (RedisFilter::*step)(Arguments...) noexcept) {
  return [step](Redis& redis, Arguments... arguments) {
    redis.Do([&](RedisFilter& filter) { return (filter.*step)(arguments...); });
  };
}
auto DoingWithImage(Status (RedisFilter::*step)(const void* image, size_t size) noexcept) {
  return [step](Redis& redis, const py::object& image) {
    const Buffer bytes(image);
    redis.Do([&](RedisFilter& filter) { return (filter.*step)(bytes.data(), bytes.size()); });
  };
}

// A field of the deadlines, for Python.
auto Getting(uint32_t Deadlines::*field) {
  return [field](const NoticedServers& servers) { return servers.deadlines.*field; };
}
auto Setting(uint32_t Deadlines::*field) {
  return [field](NoticedServers& servers, uint32_t ms) { servers.deadlines.*field = ms; };
}

// What is known of each server, as dictionaries.
py::list NodesOf(Redis& redis) {
  using py::literals::operator""_a;
  std::vector<std::pair<std::string, RedisNode>> found;
  redis.Tell([&found](const RedisFilter& filter) {
    for (size_t i = 0; i < filter.num_nodes(); ++i) found.emplace_back(filter.node(i).address, filter.node(i));
    return found.size();
  });
  py::list nodes;
  for (const auto& [address, node] : found) {
    nodes.append(py::dict("address"_a = address, "open"_a = node.is_open,
                          "seconds_to_trial"_a = node.ms_to_trial / 1000.0, "failures"_a = node.num_failures,
                          "opened"_a = node.num_opened, "rejected"_a = node.num_rejected));
  }
  return nodes;
}

void BindImagesAndGenerations(py::class_<Redis>& bound) {
  bound.def("load", DoingWithImage(&RedisFilter::Load))
      .def("load_next", DoingWithImage(&RedisFilter::LoadNext))
      .def("to_bytes", &ToBytes)
      .def("save",
           [](Redis& redis, const std::string& path) {
             redis.Do([&](RedisFilter& filter) { return WithErrno([&] { return filter.Save(path.c_str()); }); });
           })
      .def("begin_generation",
           [](Redis& redis, uint64_t num_keys, const FilterOptions& options, uint64_t shard_bytes, bool grows,
              uint64_t max_growth) {
             redis.Do([&](RedisFilter& filter) {
               return filter.BeginGeneration(num_keys, options, LayoutWith(shard_bytes, 0, grows, max_growth));
             });
           })
      .def("begin_generation_from_image",
           [](Redis& redis, const py::object& image, uint64_t shard_bytes) {
             const Buffer bytes(image);
             redis.Do([&](RedisFilter& filter) {
               return filter.BeginGenerationFromImage(bytes.data(), bytes.size(), LayoutWith(shard_bytes));
             });
           })
      .def("switch_generation", Doing(&RedisFilter::SwitchGeneration))
      .def("abandon_generation", Doing(&RedisFilter::AbandonGeneration))
      .def("expire", Doing(&RedisFilter::Expire));
}

py::dict CacheInfoOf(CachedRedis& redis) {
  using py::literals::operator""_a;
  const RedisCacheInfo info = redis.own().Info();
  return py::dict("age_ms"_a = info.age_ms, "num_refreshes"_a = info.num_refreshes,
                  "num_downloads"_a = info.num_downloads, "num_failures"_a = info.num_failures,
                  "num_bytes"_a = info.num_bytes);
}

void BindCached(py::module_& module) {
  py::class_<CachedRedis> bound(module, "CachedRedis", py::module_local());
  bound
      .def_static(
          "open",
          [](const NoticedServers& servers, const std::string& name, uint32_t within_ms, const py::object& secret) {
            const auto given = SecretOf(secret);
            return std::make_unique<CachedRedis>(servers, name, within_ms, OrNull(given));
          })
      .def("refresh", [](CachedRedis& redis) { redis.Do([](CachedRedis& cached) { return cached.own().Refresh(); }); })
      .def("info", &CacheInfoOf)
      .def("layout", [](CachedRedis& redis) { return LayoutName(redis.own().Read()->layout()); })
      .def("num_probes", [](CachedRedis& redis) { return redis.own().Read()->num_probes(); })
      .def("num_blocks", [](CachedRedis& redis) { return redis.own().Read()->num_blocks(); })
      .def("body_bytes", [](CachedRedis& redis) { return redis.own().Read()->body_bytes(); })
      .def("hash_id", [](CachedRedis& redis) { return HashIdName(redis.own().key_hash().id); })
      .def("seed", [](CachedRedis& redis) { return redis.own().key_hash().seed; });
  BindRedisKeys(bound);
}

void BindServers(py::module_& module) {
  // It is never deleted: filters that it watches may outlive the object of Python.
  py::class_<RedisMetrics, std::unique_ptr<RedisMetrics, py::nodelete>>(module, "RedisMetrics", py::module_local())
      .def(py::init<uint32_t>())
      .def("prometheus",
           [](const RedisMetrics& metrics) {
             std::string text;
             Check(metrics.WritePrometheus(&text));
             return text;
           })
      .def("num_calls", &RedisMetrics::num_calls)
      .def("num_slow", &RedisMetrics::num_slow)
      .def("slow_call", &SlowCallOf);
  py::class_<NoticedServers>(module, "RedisServers", py::module_local())
      .def(py::init<>())
      .def_readwrite("notice", &NoticedServers::told)
      .def("watch", [](NoticedServers& servers, RedisMetrics& metrics) { metrics.Watch(&servers); })
      .def("set_url", [](NoticedServers& servers, const std::string& url) { Check(servers.SetUrl(url)); })
      .def_readwrite("addresses", &RedisServers::addresses)
      .def_readwrite("user", &RedisServers::user)
      .def_readwrite("password", &RedisServers::password)
      .def_readwrite("database", &RedisServers::database)
      .def_readwrite("tls", &RedisServers::tls)
      .def_readwrite("tls_ca", &RedisServers::tls_ca)
      .def_readwrite("tls_certificate", &RedisServers::tls_certificate)
      .def_readwrite("tls_key", &RedisServers::tls_key)
      .def_readwrite("tls_server_name", &RedisServers::tls_server_name)
      .def_property("request_ms", Getting(&Deadlines::request_ms), Setting(&Deadlines::request_ms))
      .def_property("request_per_mb_ms", Getting(&Deadlines::request_ms_per_mb), Setting(&Deadlines::request_ms_per_mb))
      .def_property("admin_ms", Getting(&Deadlines::admin_ms), Setting(&Deadlines::admin_ms))
      .def_property("connect_ms", Getting(&Deadlines::connect_ms), Setting(&Deadlines::connect_ms))
      .def_property("reply_ms", Getting(&Deadlines::reply_ms), Setting(&Deadlines::reply_ms))
      .def_property("pause_ms", Getting(&Deadlines::pause_ms), Setting(&Deadlines::pause_ms))
      .def_property(
          "answers_maybe", [](const NoticedServers& s) { return s.on_unavailable == OnUnavailable::kMaybe; },
          [](NoticedServers& s, bool maybe) {
            s.on_unavailable = maybe ? OnUnavailable::kMaybe : OnUnavailable::kError;
          })
      .def_readwrite("maybes_per_second", &RedisServers::maybes_per_second)
      .def_readwrite("replica_reads", &RedisServers::replica_reads)
      .def_readwrite("wait_replicas", &RedisServers::wait_replicas)
      .def_readwrite("wait_ms", &RedisServers::wait_ms);
}

}  // namespace

void BindRedis(py::module_& module) {
  BindServers(module);
  py::class_<Redis> bound(module, "Redis", py::module_local());
  bound.def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def_static("open", &Open)
      .def_static("room_for", &RoomFor)
      .def_static("delete",
                  [](const NoticedServers& servers, const std::string& name) {
                    CheckWithoutGil([&] { return RedisFilter::Delete(servers, name); });
                  })
      .def("info", &InfoOf)
      .def("check_growth", [](Redis& redis) { Check(redis.Tell(std::mem_fn(&RedisFilter::growth_status))); })
      .def("nodes", &NodesOf)
      .def("within",
           [](Redis& redis, uint32_t ms) {
             redis.Do([&](RedisFilter& filter) {
               filter.Within(ms);
               return Status();
             });
           })
      .def("layout", Telling([](const RedisFilter& filter) { return LayoutName(filter.layout()); }))
      .def("num_probes", Telling(&RedisFilter::num_probes))
      .def("num_blocks", Telling(&RedisFilter::num_blocks))
      .def("body_bytes", Telling(&RedisFilter::body_bytes))
      .def("generation", Telling(&RedisFilter::generation))
      .def("image_bytes", Telling(&RedisFilter::ImageBytes))
      .def("hash_id", [](const Redis& redis) { return HashIdName(redis.own().hash_id()); })
      .def("seed", [](const Redis& redis) { return redis.own().seed(); });
  BindRedisKeys(bound);
  BindImagesAndGenerations(bound);
  BindCached(module);
  BindAsyncRedis(module);
}

}  // namespace linefilter::python
