// Redis, for Python: a RedisFilter behind a mutex, since it is one thread's. Whoever waits, for the server or for
// another thread, does so without the GIL.
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/redis.h"
#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/options.h"

namespace linefilter::python {
namespace {

// Insertions of one call of the library: between two of them a signal's handler gets in.
constexpr size_t kPiece = 65536;

RedisServers MakeServers(const std::string& addresses, const std::string& user, const std::string& password,
                         int database, bool tls, const std::string& tls_ca, const std::string& tls_certificate,
                         const std::string& tls_key, const std::string& tls_server_name, uint32_t connect_timeout_ms,
                         uint32_t timeout_ms, uint32_t patience_ms, bool replica_reads, uint32_t wait_replicas,
                         uint32_t wait_ms) {
  RedisServers servers;
  servers.addresses = addresses;
  servers.user = user;
  servers.password = password;
  servers.database = database;
  servers.tls = tls;
  servers.tls_ca = tls_ca;
  servers.tls_certificate = tls_certificate;
  servers.tls_key = tls_key;
  servers.tls_server_name = tls_server_name;
  servers.connect_timeout_ms = connect_timeout_ms;
  servers.timeout_ms = timeout_ms;
  servers.patience_ms = patience_ms;
  servers.replica_reads = replica_reads;
  servers.wait_replicas = wait_replicas;
  servers.wait_ms = wait_ms;
  return servers;
}

RedisLayout LayoutWith(uint64_t shard_bytes) {
  RedisLayout layout;
  layout.shard_bytes = shard_bytes;
  return layout;
}

class Redis {
 public:
  // `open` is create, from_image or open; the hash is that of the filter, which no later generation changes.
  template <class Open>
  explicit Redis(const Open& open) {
    CheckWithoutGil([&] { return open(filter_); });
  }

  Hasher hasher() const { return Hasher(filter_.key_hash()); }
  const RedisFilter& own() const { return filter_; }

  // call(filter) is a Status or SystemResult. With the GIL, without which it is called.
  template <class Call>
  void Do(const Call& call) {
    CheckProcess();
    CheckWithoutGil([&] {
      const std::lock_guard lock(mutex_);
      return call(filter_);
    });
  }
  // The same for a fact that is read with the header record.
  template <class Fact>
  auto Tell(const Fact& fact) {
    CheckProcess();
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return fact(filter_);
  }

 private:
  // Two processes that share a connection would get each other's replies: a key would be "absent" that is not. And a
  // mutex that another thread held at the fork is held for ever in the child.
  void CheckProcess() const {
    if (getpid() == process_) return;
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "the filter was opened by another process, before a fork: open it in each process"));
  }

  RedisFilter filter_;
  const pid_t process_ = getpid();
  std::mutex mutex_;
};

std::unique_ptr<Redis> Create(const RedisServers& servers, const std::string& name, uint64_t num_keys,
                              const FilterOptions& options, uint64_t shard_bytes) {
  return std::make_unique<Redis>(
      [&](RedisFilter& filter) { return filter.Create(servers, name, num_keys, options, LayoutWith(shard_bytes)); });
}

std::unique_ptr<Redis> FromImage(const RedisServers& servers, const std::string& name, const py::object& image,
                                 const py::object& secret, uint64_t shard_bytes) {
  const auto given = SecretOf(secret);
  const Buffer bytes(image);
  return std::make_unique<Redis>([&](RedisFilter& filter) {
    return filter.CreateFromImage(servers, name, bytes.data(), bytes.size(), OrNull(given), LayoutWith(shard_bytes));
  });
}

std::unique_ptr<Redis> Open(const RedisServers& servers, const std::string& name, const py::object& secret) {
  const auto given = SecretOf(secret);
  return std::make_unique<Redis>([&](RedisFilter& filter) { return filter.Open(servers, name, OrNull(given)); });
}

bool ContainsHash(Redis& redis, uint64_t hash) {
  bool maybe = true;
  redis.Do([&](RedisFilter& filter) { return filter.MayContainHash(hash, &maybe); });
  return maybe;
}

std::vector<uint64_t> HashesOfIterable(const Redis& redis, py::handle keys) {
  std::vector<uint64_t> all;
  redis.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n) { all.insert(all.end(), hashes, hashes + n); });
  return all;
}

std::vector<uint64_t> HashesOfWords(const Redis& redis, py::handle array) {
  const Words keys(array);
  redis.hasher().RequireKeys();
  const py::gil_scoped_release release;
  std::vector<uint64_t> hashes(keys.size());
  redis.hasher().OfWords(keys.data(), keys.size(), hashes.data());
  return hashes;
}

// All are one batch, so that one generation answers them.
void ContainsHashes(Redis& redis, const uint64_t* hashes, size_t n, uint8_t* answers) {
  redis.Do([&](RedisFilter& filter) { return filter.MayContainHashes(hashes, n, answers); });
}

bool AddHash(Redis& redis, uint64_t hash) {
  RedisInsert outcome = RedisInsert::kFailed;
  redis.Do([&](RedisFilter& filter) { return filter.InsertHash(hash, &outcome); });
  return outcome == RedisInsert::kNew;
}

py::bytearray BytesOf(const std::vector<uint8_t>& bytes) {
  return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Gives the error two arrays of the keys' shape, which tell of each what became of it.
void TellOutcomes(const std::vector<uint8_t>& outcomes, py::handle keys, const py::object& error) {
  const py::module_ numpy = py::module_::import("numpy");
  const bool is_flat = py::isinstance(keys, numpy.attr("flatiter"));  // of an array of objects
  const py::object array = is_flat ? keys.attr("base") : py::reinterpret_borrow<py::object>(keys);
  const bool is_array = py::isinstance(array, numpy.attr("ndarray"));
  const py::object shape = is_array ? py::object(array.attr("shape")) : py::make_tuple(outcomes.size());
  const py::object all = numpy.attr("frombuffer")(BytesOf(outcomes), "uint8").attr("reshape")(shape);
  error.attr("were_new") = numpy.attr("equal")(all, static_cast<int>(RedisInsert::kNew));
  error.attr("failed") = numpy.attr("equal")(all, static_cast<int>(RedisInsert::kFailed));
}

// Adds hashes, which are those of `keys`, and returns 1 for each that was certainly new.
std::vector<uint8_t> AddHashes(Redis& redis, const uint64_t* hashes, size_t n, py::handle keys) {
  static_assert(sizeof(RedisInsert) == 1);
  std::vector<uint8_t> outcomes(n, static_cast<uint8_t>(RedisInsert::kFailed));
  try {
    for (size_t begin = 0; begin < n; begin += kPiece) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      redis.Do([&](RedisFilter& filter) {
        return filter.InsertHashes(hashes + begin, std::min(kPiece, n - begin),
                                   reinterpret_cast<RedisInsert*>(outcomes.data() + begin));
      });
    }
  } catch (py::error_already_set& error) {
    TellOutcomes(outcomes, keys, error.value());
    throw;
  }
  for (uint8_t& outcome : outcomes) outcome = outcome == static_cast<uint8_t>(RedisInsert::kNew);
  return outcomes;
}
std::vector<uint8_t> AddHashes(Redis& redis, const std::vector<uint64_t>& hashes, py::handle keys) {
  return AddHashes(redis, hashes.data(), hashes.size(), keys);
}

size_t NumNew(const std::vector<uint8_t>& were_new) { return std::count(were_new.begin(), were_new.end(), 1); }

py::bytes ToBytes(Redis& redis) {
  struct Room {
    char* at;
    uint64_t left;
    bool too_small;
  };
  for (;;) {
    const uint64_t size = redis.Tell([](const RedisFilter& filter) { return filter.ImageBytes(); });
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
  py::dict facts;
  facts["layout"] = LayoutName(info.layout);
  facts["hash_id"] = HashIdName(info.hash_id);
  facts["seed"] = info.seed;
  facts["num_probes"] = info.num_probes;
  facts["num_stages"] = info.num_stages;
  facts["num_keys"] = info.num_keys;
  facts["num_blocks"] = info.num_blocks;
  facts["body_bytes"] = info.body_bytes;
  facts["shard_bytes"] = info.shard_bytes;
  facts["num_shards"] = info.num_shards;
  facts["generation"] = info.generation;
  facts["next_generation"] = info.next_generation;
  facts["previous_generation"] = info.previous_generation;
  facts["version"] = info.version;
  facts["expires_in_ms"] = info.expires_in_ms;
  facts["num_masters"] = info.num_masters;
  facts["cluster"] = info.cluster;
  facts["num_lost_shards"] = info.num_lost_shards;
  facts["sampled_bytes"] = info.sampled_bytes;
  facts["fill_ratio"] = info.fill_ratio;
  facts["estimated_keys"] = info.estimated_keys;
  facts["expected_fpr"] = info.expected_fpr;
  return facts;
}

void AddToNext(Redis& redis, const std::vector<uint64_t>& hashes) {
  for (size_t begin = 0; begin < hashes.size(); begin += kPiece) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    redis.Do([&](RedisFilter& filter) {
      return filter.InsertHashesIntoNext(hashes.data() + begin, std::min(kPiece, hashes.size() - begin));
    });
  }
}

void BindQuestions(py::class_<Redis>& bound) {
  bound.def("contains", [](Redis& redis, py::handle key) { return ContainsHash(redis, redis.hasher().OfObject(key)); })
      .def("contains_hash", &ContainsHash)
      .def("contains_words",
           [](Redis& redis, py::handle array, py::handle answers) {
             const std::vector<uint64_t> hashes = HashesOfWords(redis, array);
             const Answers out(answers, hashes.size());
             ContainsHashes(redis, hashes.data(), hashes.size(), out.data());
           })
      .def("contains_hashes",
           [](Redis& redis, py::handle array, py::handle answers) {
             const Words hashes(array);
             const Answers out(answers, hashes.size());
             ContainsHashes(redis, hashes.data(), hashes.size(), out.data());
           })
      .def("contains_iterable", [](Redis& redis, py::handle keys) {
        const std::vector<uint64_t> hashes = HashesOfIterable(redis, keys);
        std::vector<uint8_t> answers(hashes.size(), 1);
        ContainsHashes(redis, hashes.data(), hashes.size(), answers.data());
        return BytesOf(answers);
      });
}

void BindInsertions(py::class_<Redis>& bound) {
  bound.def("add", [](Redis& redis, py::handle key) { return AddHash(redis, redis.hasher().OfObject(key)); })
      .def("add_hash", &AddHash)
      .def(
          "add_words",
          [](Redis& redis, py::handle keys, const py::object& answers) {
            const std::vector<uint8_t> were_new = AddHashes(redis, HashesOfWords(redis, keys), keys);
            if (!answers.is_none() && !were_new.empty())
              memcpy(Answers(answers, were_new.size()).data(), were_new.data(), were_new.size());
            return NumNew(were_new);
          },
          py::arg("keys"), py::arg("answers") = py::none())
      .def("add_hashes",
           [](Redis& redis, py::handle array) {
             const Words hashes(array);
             return NumNew(AddHashes(redis, hashes.data(), hashes.size(), array));
           })
      .def("add_iterable",
           [](Redis& redis, py::handle keys) { return NumNew(AddHashes(redis, HashesOfIterable(redis, keys), keys)); })
      .def("add_each",
           [](Redis& redis, py::handle keys) { return BytesOf(AddHashes(redis, HashesOfIterable(redis, keys), keys)); })
      .def("add_words_to_next", [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfWords(redis, keys)); })
      .def("add_iterable_to_next",
           [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfIterable(redis, keys)); });
}

void BindImagesAndGenerations(py::class_<Redis>& bound) {
  bound
      .def("load",
           [](Redis& redis, const py::object& image) {
             const Buffer bytes(image);
             redis.Do([&](RedisFilter& filter) { return filter.Load(bytes.data(), bytes.size()); });
           })
      .def("to_bytes", &ToBytes)
      .def("save",
           [](Redis& redis, const std::string& path) {
             redis.Do([&](RedisFilter& filter) { return WithErrno([&] { return filter.Save(path.c_str()); }); });
           })
      .def("begin_generation",
           [](Redis& redis, uint64_t num_keys, const FilterOptions& options, uint64_t shard_bytes) {
             redis.Do([&](RedisFilter& filter) {
               return filter.BeginGeneration(num_keys, options, LayoutWith(shard_bytes));
             });
           })
      .def("begin_generation_from_image",
           [](Redis& redis, const py::object& image, uint64_t shard_bytes) {
             const Buffer bytes(image);
             redis.Do([&](RedisFilter& filter) {
               return filter.BeginGenerationFromImage(bytes.data(), bytes.size(), LayoutWith(shard_bytes));
             });
           })
      .def("load_next",
           [](Redis& redis, const py::object& image) {
             const Buffer bytes(image);
             redis.Do([&](RedisFilter& filter) { return filter.LoadNext(bytes.data(), bytes.size()); });
           })
      .def("switch_generation",
           [](Redis& redis) { redis.Do([](RedisFilter& filter) { return filter.SwitchGeneration(); }); })
      .def("abandon_generation",
           [](Redis& redis) { redis.Do([](RedisFilter& filter) { return filter.AbandonGeneration(); }); });
}

}  // namespace

void BindRedis(py::module_& module) {
  py::class_<RedisServers>(module, "RedisServers", py::module_local())
      .def(py::init(&MakeServers), py::kw_only(), py::arg("addresses"), py::arg("user"), py::arg("password"),
           py::arg("database"), py::arg("tls"), py::arg("tls_ca"), py::arg("tls_certificate"), py::arg("tls_key"),
           py::arg("tls_server_name"), py::arg("connect_timeout_ms"), py::arg("timeout_ms"), py::arg("patience_ms"),
           py::arg("replica_reads"), py::arg("wait_replicas"), py::arg("wait_ms"));
  py::class_<Redis> bound(module, "Redis", py::module_local());
  bound.def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def_static("open", &Open)
      .def_static("delete",
                  [](const RedisServers& servers, const std::string& name) {
                    CheckWithoutGil([&] { return RedisFilter::Delete(servers, name); });
                  })
      .def("info", &InfoOf)
      .def("expire",
           [](Redis& redis, uint64_t ms) { redis.Do([&](RedisFilter& filter) { return filter.Expire(ms); }); })
      .def("layout", [](Redis& redis) { return redis.Tell([](const auto& of) { return LayoutName(of.layout()); }); })
      .def("num_probes", [](Redis& redis) { return redis.Tell([](const auto& of) { return of.num_probes(); }); })
      .def("num_blocks", [](Redis& redis) { return redis.Tell([](const auto& of) { return of.num_blocks(); }); })
      .def("body_bytes", [](Redis& redis) { return redis.Tell([](const auto& of) { return of.body_bytes(); }); })
      .def("generation", [](Redis& redis) { return redis.Tell([](const auto& of) { return of.generation(); }); })
      .def("image_bytes", [](Redis& redis) { return redis.Tell([](const auto& of) { return of.ImageBytes(); }); })
      .def("hash_id", [](const Redis& redis) { return HashIdName(redis.own().hash_id()); })
      .def("seed", [](const Redis& redis) { return redis.own().seed(); });
  BindQuestions(bound);
  BindInsertions(bound);
  BindImagesAndGenerations(bound);
}

}  // namespace linefilter::python
