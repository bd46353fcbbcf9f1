// Redis, for Python: a RedisFilter behind a mutex, since it is one thread's. Whoever waits, for the server or for
// another thread, does so without the GIL.
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
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

// Insertions of one call of the library.
constexpr size_t kPiece = 65536;

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
    const ReleasedGil release;
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
  redis.hasher().OfIterable(
      keys, [&](const uint64_t* hashes, size_t n, KeyKind) { all.insert(all.end(), hashes, hashes + n); });
  return all;
}

std::vector<uint64_t> HashesOfWords(const Redis& redis, py::handle array) {
  const Words keys(array);
  redis.hasher().RequireKeys();
  const ReleasedGil release;
  std::vector<uint64_t> hashes(keys.size());
  redis.hasher().OfWords(keys.data(), keys.size(), hashes.data());
  return hashes;
}

// All are one batch, so that one generation answers them. (Hashes are a vector, or Words.)
template <class Hashes>
void ContainsHashes(Redis& redis, const Hashes& hashes, uint8_t* answers) {
  redis.Do([&](RedisFilter& filter) { return filter.MayContainHashes(hashes.data(), hashes.size(), answers); });
}
template <class Hashes>
void ContainsHashes(Redis& redis, const Hashes& hashes, py::handle answers) {
  ContainsHashes(redis, hashes, Answers(answers, hashes.size()).data());
}

bool AddHash(Redis& redis, uint64_t hash) {
  RedisInsert outcome = RedisInsert::kFailed;
  redis.Do([&](RedisFilter& filter) { return filter.InsertHash(hash, &outcome); });
  return outcome == RedisInsert::kNew;
}

py::bytearray BytesOf(const std::vector<uint8_t>& bytes) {
  return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// What an array of an error is called, and the outcome that it tells of each key whether it has it.
struct Told {
  const char* name;
  uint8_t outcome;
};

// Gives the error arrays of the keys' shape, which tell of each what became of it.
void TellOutcomes(const std::vector<uint8_t>& outcomes, py::handle keys, const std::vector<Told>& told,
                  const py::object& error) {
  const py::module_ numpy = py::module_::import("numpy");
  const bool is_flat = py::isinstance(keys, numpy.attr("flatiter"));  // of an array of objects
  const py::object array = is_flat ? keys.attr("base") : py::reinterpret_borrow<py::object>(keys);
  const bool is_array = py::isinstance(array, numpy.attr("ndarray"));
  const py::object shape = is_array ? py::object(array.attr("shape")) : py::make_tuple(outcomes.size());
  const py::object all = numpy.attr("frombuffer")(BytesOf(outcomes), "uint8").attr("reshape")(shape);
  for (const Told& each : told) error.attr(each.name) = numpy.attr("equal")(all, static_cast<int>(each.outcome));
}

// Calls change(filter, begin, size) for the pieces of n hashes. Between two of them a signal's handler gets in.
template <class Change>
void InPieces(Redis& redis, size_t n, const Change& change) {
  for (size_t begin = 0; begin < n; begin += kPiece) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    redis.Do([&](RedisFilter& filter) { return change(filter, begin, std::min(kPiece, n - begin)); });
  }
}

// Adds hashes, which are those of `keys`, and returns 1 for each that was certainly new.
template <class Hashes>
std::vector<uint8_t> AddHashes(Redis& redis, const Hashes& hashes, py::handle keys) {
  static_assert(sizeof(RedisInsert) == 1);
  std::vector<uint8_t> outcomes(hashes.size(), static_cast<uint8_t>(RedisInsert::kFailed));
  try {
    InPieces(redis, hashes.size(), [&](RedisFilter& filter, size_t begin, size_t size) {
      return filter.InsertHashes(hashes.data() + begin, size, reinterpret_cast<RedisInsert*>(outcomes.data() + begin));
    });
  } catch (py::error_already_set& error) {
    const std::vector<Told> told = {{"were_new", static_cast<uint8_t>(RedisInsert::kNew)},
                                    {"failed", static_cast<uint8_t>(RedisInsert::kFailed)}};
    TellOutcomes(outcomes, keys, told, error.value());
    throw;
  }
  for (uint8_t& outcome : outcomes) outcome = outcome == static_cast<uint8_t>(RedisInsert::kNew);
  return outcomes;
}

bool RemoveHash(Redis& redis, uint64_t hash) {
  RedisRemove outcome = RedisRemove::kFailed;
  redis.Do([&](RedisFilter& filter) { return filter.RemoveHash(hash, &outcome); });
  return outcome == RedisRemove::kRemoved;
}

// Removes hashes, which are those of `keys`, and returns 1 for each that was removed.
template <class Hashes>
std::vector<uint8_t> RemoveHashes(Redis& redis, const Hashes& hashes, py::handle keys) {
  static_assert(sizeof(RedisRemove) == 1);
  std::vector<uint8_t> outcomes(hashes.size(), static_cast<uint8_t>(RedisRemove::kFailed));
  try {
    InPieces(redis, hashes.size(), [&](RedisFilter& filter, size_t begin, size_t size) {
      return filter.RemoveHashes(hashes.data() + begin, size, reinterpret_cast<RedisRemove*>(outcomes.data() + begin));
    });
  } catch (py::error_already_set& error) {
    const std::vector<Told> told = {{"were_removed", static_cast<uint8_t>(RedisRemove::kRemoved)},
                                    {"failed", static_cast<uint8_t>(RedisRemove::kFailed)},
                                    {"unknown", static_cast<uint8_t>(RedisRemove::kUnknown)}};
    TellOutcomes(outcomes, keys, told, error.value());
    throw;
  }
  for (uint8_t& outcome : outcomes) outcome = outcome == static_cast<uint8_t>(RedisRemove::kRemoved);
  return outcomes;
}

void AddToNext(Redis& redis, const std::vector<uint64_t>& hashes) {
  InPieces(redis, hashes.size(), [&](RedisFilter& filter, size_t begin, size_t size) {
    return filter.InsertHashesIntoNext(hashes.data() + begin, size);
  });
}

size_t NumOnes(const std::vector<uint8_t>& of_each) { return std::count(of_each.begin(), of_each.end(), 1); }

// Copies to `answers`, unless they are None, and counts.
size_t TellEach(const std::vector<uint8_t>& of_each, const py::object& answers) {
  if (!answers.is_none() && !of_each.empty()) {
    memcpy(Answers(answers, of_each.size()).data(), of_each.data(), of_each.size());
  }
  return NumOnes(of_each);
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
      "num_shards"_a = info.num_shards, "generation"_a = info.generation, "next_generation"_a = info.next_generation,
      "previous_generation"_a = info.previous_generation, "version"_a = info.version,
      "expires_in_ms"_a = info.expires_in_ms, "num_masters"_a = info.num_masters, "cluster"_a = info.cluster,
      "num_lost_shards"_a = info.num_lost_shards, "sampled_bytes"_a = info.sampled_bytes,
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

void BindQuestions(py::class_<Redis>& bound) {
  bound.def("contains", [](Redis& redis, py::handle key) { return ContainsHash(redis, redis.hasher().OfObject(key)); })
      .def("contains_hash", &ContainsHash)
      .def("contains_words", [](Redis& redis, py::handle array,
                                py::handle answers) { ContainsHashes(redis, HashesOfWords(redis, array), answers); })
      .def("contains_hashes",
           [](Redis& redis, py::handle array, py::handle answers) { ContainsHashes(redis, Words(array), answers); })
      .def("contains_iterable", [](Redis& redis, py::handle keys) {
        const std::vector<uint64_t> hashes = HashesOfIterable(redis, keys);
        std::vector<uint8_t> answers(hashes.size(), 1);
        ContainsHashes(redis, hashes, answers.data());
        return BytesOf(answers);
      });
}

void BindInsertions(py::class_<Redis>& bound) {
  bound.def("add", [](Redis& redis, py::handle key) { return AddHash(redis, redis.hasher().OfObject(key)); })
      .def("add_hash", &AddHash)
      .def(
          "add_words",
          [](Redis& redis, py::handle keys, const py::object& answers) {
            return TellEach(AddHashes(redis, HashesOfWords(redis, keys), keys), answers);
          },
          py::arg("keys"), py::arg("answers") = py::none())
      .def("add_hashes", [](Redis& redis, py::handle array) { return NumOnes(AddHashes(redis, Words(array), array)); })
      .def("add_iterable",
           [](Redis& redis, py::handle keys) { return NumOnes(AddHashes(redis, HashesOfIterable(redis, keys), keys)); })
      .def("add_each",
           [](Redis& redis, py::handle keys) { return BytesOf(AddHashes(redis, HashesOfIterable(redis, keys), keys)); })
      .def("add_words_to_next", [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfWords(redis, keys)); })
      .def("add_iterable_to_next",
           [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfIterable(redis, keys)); });
}

void BindRemovals(py::class_<Redis>& bound) {
  bound.def("remove", [](Redis& redis, py::handle key) { return RemoveHash(redis, redis.hasher().OfObject(key)); })
      .def("remove_hash", &RemoveHash)
      .def(
          "remove_words",
          [](Redis& redis, py::handle keys, const py::object& answers) {
            return TellEach(RemoveHashes(redis, HashesOfWords(redis, keys), keys), answers);
          },
          py::arg("keys"), py::arg("answers") = py::none())
      .def("remove_hashes",
           [](Redis& redis, py::handle array) { return NumOnes(RemoveHashes(redis, Words(array), array)); })
      .def("remove_each", [](Redis& redis, py::handle keys) {
        return BytesOf(RemoveHashes(redis, HashesOfIterable(redis, keys), keys));
      });
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
      .def("switch_generation", Doing(&RedisFilter::SwitchGeneration))
      .def("abandon_generation", Doing(&RedisFilter::AbandonGeneration))
      .def("expire", Doing(&RedisFilter::Expire));
}

}  // namespace

void BindRedis(py::module_& module) {
  py::class_<RedisServers>(module, "RedisServers", py::module_local())
      .def(py::init<>())
      .def_readwrite("addresses", &RedisServers::addresses)
      .def_readwrite("user", &RedisServers::user)
      .def_readwrite("password", &RedisServers::password)
      .def_readwrite("database", &RedisServers::database)
      .def_readwrite("tls", &RedisServers::tls)
      .def_readwrite("tls_ca", &RedisServers::tls_ca)
      .def_readwrite("tls_certificate", &RedisServers::tls_certificate)
      .def_readwrite("tls_key", &RedisServers::tls_key)
      .def_readwrite("tls_server_name", &RedisServers::tls_server_name)
      .def_readwrite("connect_timeout_ms", &RedisServers::connect_timeout_ms)
      .def_readwrite("timeout_ms", &RedisServers::timeout_ms)
      .def_readwrite("patience_ms", &RedisServers::patience_ms)
      .def_readwrite("replica_reads", &RedisServers::replica_reads)
      .def_readwrite("wait_replicas", &RedisServers::wait_replicas)
      .def_readwrite("wait_ms", &RedisServers::wait_ms);
  py::class_<Redis> bound(module, "Redis", py::module_local());
  bound.def_static("create", &Create)
      .def_static("from_image", &FromImage)
      .def_static("open", &Open)
      .def_static("room_for", &RoomFor)
      .def_static("delete",
                  [](const RedisServers& servers, const std::string& name) {
                    CheckWithoutGil([&] { return RedisFilter::Delete(servers, name); });
                  })
      .def("info", &InfoOf)
      .def("layout", Telling([](const RedisFilter& filter) { return LayoutName(filter.layout()); }))
      .def("num_probes", Telling(&RedisFilter::num_probes))
      .def("num_blocks", Telling(&RedisFilter::num_blocks))
      .def("body_bytes", Telling(&RedisFilter::body_bytes))
      .def("generation", Telling(&RedisFilter::generation))
      .def("image_bytes", Telling(&RedisFilter::ImageBytes))
      .def("hash_id", [](const Redis& redis) { return HashIdName(redis.own().hash_id()); })
      .def("seed", [](const Redis& redis) { return redis.own().seed(); });
  BindQuestions(bound);
  BindInsertions(bound);
  BindRemovals(bound);
  BindImagesAndGenerations(bound);
}

}  // namespace linefilter::python
