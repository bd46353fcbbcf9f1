// What Python does with the keys of a filter in Redis: it asks for them, adds and removes them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/redis.h"

namespace linefilter::python {
namespace {

// Insertions or removals of one call of the library.
constexpr size_t kPiece = 65536;

template <class R>
bool ContainsHash(R& redis, uint64_t hash) {
  bool maybe = true;
  redis.Do([&](auto& filter) { return filter.MayContainHash(hash, &maybe); });
  return maybe;
}

template <class R>
std::vector<uint64_t> HashesOfIterable(const R& redis, py::handle keys) {
  std::vector<uint64_t> all;
  redis.hasher().OfIterable(
      keys, [&](const uint64_t* hashes, size_t n, KeyKind) { all.insert(all.end(), hashes, hashes + n); });
  return all;
}

template <class R>
std::vector<uint64_t> HashesOfWords(const R& redis, py::handle array) {
  const Words keys(array);
  redis.hasher().RequireKeys();
  const ReleasedGil release;
  std::vector<uint64_t> hashes(keys.size());
  redis.hasher().OfWords(keys.data(), keys.size(), hashes.data());
  return hashes;
}

template <class R>
bool AddHash(R& redis, uint64_t hash) {
  RedisInsert outcome = RedisInsert::kFailed;
  redis.Do([&](auto& filter) { return filter.InsertHash(hash, &outcome); });
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

// Asks for hashes, which are those of `keys`. All are one batch, so that one generation answers them. (Hashes are a
// vector, or Words.)
template <class R, class Hashes>
void ContainsHashes(R& redis, const Hashes& hashes, py::handle keys, uint8_t* answers) {
  if constexpr (std::is_same_v<R, CachedRedis>) {
    redis.Do([&](auto& filter) { return filter.MayContainHashes(hashes.data(), hashes.size(), answers); });
  } else {
    constexpr uint8_t kAbsent = 0, kUnanswered = 2;
    std::vector<uint8_t> answered(hashes.size());
    try {
      redis.Do([&](auto& filter) {
        return filter.MayContainHashes(hashes.data(), hashes.size(), answers, answered.data());
      });
    } catch (py::error_already_set& error) {
      std::vector<uint8_t> outcomes(answers, answers + hashes.size());
      for (size_t i = 0; i < outcomes.size(); ++i) {
        if (answered[i] == 0) outcomes[i] = kUnanswered;
      }
      TellOutcomes(outcomes, keys, {{"were_absent", kAbsent}, {"failed", kUnanswered}}, error.value());
      throw;
    }
  }
}
template <class R, class Hashes>
void ContainsHashes(R& redis, const Hashes& hashes, py::handle keys, py::handle answers) {
  ContainsHashes(redis, hashes, keys, Answers(answers, hashes.size()).data());
}

// Calls change(filter, begin, size) for the pieces of n hashes. Between two of them a signal's handler gets in.
template <class R, class Change>
void InPieces(R& redis, size_t n, const Change& change) {
  for (size_t begin = 0; begin < n; begin += kPiece) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    redis.Do([&](auto& filter) { return change(filter, begin, std::min(kPiece, n - begin)); });
  }
}

// Adds hashes, which are those of `keys`, and returns 1 for each that was certainly new.
template <class R, class Hashes>
std::vector<uint8_t> AddHashes(R& redis, const Hashes& hashes, py::handle keys) {
  static_assert(sizeof(RedisInsert) == 1);
  std::vector<uint8_t> outcomes(hashes.size(), static_cast<uint8_t>(RedisInsert::kFailed));
  try {
    InPieces(redis, hashes.size(), [&](auto& filter, size_t begin, size_t size) {
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

bool RemoveHash(Redis& redis, uint64_t hash, uint64_t generation) {
  RedisRemove outcome = RedisRemove::kFailed;
  redis.Do([&](RedisFilter& filter) { return filter.RemoveHash(hash, &outcome, generation); });
  return outcome == RedisRemove::kRemoved;
}

// Removes hashes, which are those of `keys`, and returns 1 for each that was removed. All pieces are removed from one
// generation: in a later one that another thread finds meanwhile, the keys may be missing.
template <class Hashes>
std::vector<uint8_t> RemoveHashes(Redis& redis, const Hashes& hashes, py::handle keys, uint64_t generation) {
  static_assert(sizeof(RedisRemove) == 1);
  constexpr uint8_t kUnknown = static_cast<uint8_t>(RedisRemove::kUnknown);
  std::vector<uint8_t> outcomes(hashes.size(), static_cast<uint8_t>(RedisRemove::kFailed));
  if (generation == 0) generation = redis.Tell(std::mem_fn(&RedisFilter::generation));
  try {
    InPieces(redis, hashes.size(), [&](RedisFilter& filter, size_t begin, size_t size) {
      const Status status = filter.RemoveHashes(hashes.data() + begin, size,
                                                reinterpret_cast<RedisRemove*>(outcomes.data() + begin), generation);
      // It serves no more, or not alone: that is true of the other pieces, too.
      const bool leaves = status.code() == StatusCode::kIncompatible && outcomes[begin + size - 1] == kUnknown;
      if (leaves) std::fill(outcomes.begin() + static_cast<ptrdiff_t>(begin + size), outcomes.end(), kUnknown);
      return status;
    });
  } catch (py::error_already_set& error) {
    const std::vector<Told> told = {{"were_removed", static_cast<uint8_t>(RedisRemove::kRemoved)},
                                    {"failed", static_cast<uint8_t>(RedisRemove::kFailed)},
                                    {"unknown", kUnknown}};
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

template <class R>
void BindQuestions(py::class_<R>& bound) {
  bound.def("contains", [](R& redis, py::handle key) { return ContainsHash(redis, redis.hasher().OfObject(key)); })
      .def("contains_hash", &ContainsHash<R>)
      .def("contains_words",
           [](R& redis, py::handle array, py::handle answers) {
             ContainsHashes(redis, HashesOfWords(redis, array), array, answers);
           })
      .def("contains_hashes",
           [](R& redis, py::handle array, py::handle answers) { ContainsHashes(redis, Words(array), array, answers); })
      .def("contains_iterable", [](R& redis, py::handle keys) {
        const std::vector<uint64_t> hashes = HashesOfIterable(redis, keys);
        std::vector<uint8_t> answers(hashes.size(), 1);
        ContainsHashes(redis, hashes, keys, answers.data());
        return BytesOf(answers);
      });
}

template <class R>
void BindInsertions(py::class_<R>& bound) {
  bound.def("add", [](R& redis, py::handle key) { return AddHash(redis, redis.hasher().OfObject(key)); })
      .def("add_hash", &AddHash<R>)
      .def(
          "add_words",
          [](R& redis, py::handle keys, const py::object& answers) {
            return TellEach(AddHashes(redis, HashesOfWords(redis, keys), keys), answers);
          },
          py::arg("keys"), py::arg("answers") = py::none())
      .def("add_hashes", [](R& redis, py::handle array) { return NumOnes(AddHashes(redis, Words(array), array)); })
      .def("add_iterable",
           [](R& redis, py::handle keys) { return NumOnes(AddHashes(redis, HashesOfIterable(redis, keys), keys)); })
      .def("add_each",
           [](R& redis, py::handle keys) { return BytesOf(AddHashes(redis, HashesOfIterable(redis, keys), keys)); });
}

void BindNext(py::class_<Redis>& bound) {
  bound.def("add_words_to_next", [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfWords(redis, keys)); })
      .def("add_iterable_to_next",
           [](Redis& redis, py::handle keys) { AddToNext(redis, HashesOfIterable(redis, keys)); });
}

// `generation` is the one to remove from; 0 means the one that serves, as far as is known.
void BindRemovals(py::class_<Redis>& bound) {
  bound
      .def("remove", [](Redis& redis, py::handle key,
                        uint64_t generation) { return RemoveHash(redis, redis.hasher().OfObject(key), generation); })
      .def("remove_hash", &RemoveHash)
      .def("remove_words",
           [](Redis& redis, py::handle keys, const py::object& answers, uint64_t generation) {
             return TellEach(RemoveHashes(redis, HashesOfWords(redis, keys), keys, generation), answers);
           })
      .def("remove_hashes",
           [](Redis& redis, py::handle array, uint64_t generation) {
             return NumOnes(RemoveHashes(redis, Words(array), array, generation));
           })
      .def("remove_each", [](Redis& redis, py::handle keys, uint64_t generation) {
        return BytesOf(RemoveHashes(redis, HashesOfIterable(redis, keys), keys, generation));
      });
}

}  // namespace

void BindRedisKeys(py::class_<Redis>& bound) {
  BindQuestions(bound);
  BindInsertions(bound);
  BindNext(bound);
  BindRemovals(bound);
}
void BindRedisKeys(py::class_<CachedRedis>& bound) {
  BindQuestions(bound);
  BindInsertions(bound);
}

}  // namespace linefilter::python
