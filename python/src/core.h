// What every filter of the module is: a FilterBase, and a way to keep others from changing it while it is read.
//
// One rule keeps the GIL and the filters' mutexes from waiting for each other: nobody waits for a mutex while holding
// the GIL. So whoever holds a mutex can always get the GIL.
#ifndef LINEFILTER_PYTHON_SRC_CORE_H_
#define LINEFILTER_PYTHON_SRC_CORE_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "linefilter/filter_base.h"
#include "python/src/fair_mutex.h"
#include "python/src/hasher.h"
#include "python/src/released_gil.h"

namespace linefilter::python {

namespace py = pybind11;

// This tells whether the caller holds the GIL.
enum class Gil { kHeld, kReleased };

// Locks as the rule demands.
template <class Lock>
void LockFor(Gil gil, Lock* lock) {
  if (gil == Gil::kHeld) {
    if (lock->try_lock()) return;
    const ReleasedGil release;
    lock->lock();
  } else {
    lock->lock();
  }
}

class Core {
 public:
  using Asking = std::function<void(const FilterBase&)>;

  virtual ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  virtual const FilterBase& filter() const = 0;
  // How keys become hashes for what answers now.
  virtual KeyHash key_hash() const { return filter().key_hash(); }
  // Calls ask(filter) with what answers now, which nobody changes meanwhile.
  virtual void Ask(Gil gil, const Asking& ask) const;
  // Answers for one key, which is any object. With the GIL.
  bool ContainsKey(py::handle key) const;
  // Throws TypeError if it has keys of one kind alone and is asked for another, for members would be "absent". For many
  // keys: a single one is not looked at, because that would cost more than it tells.
  void RequireKind(KeyKind asked) const;

  // These return what tell(filter) does: with the GIL for what is brief, without it for what takes longer than to give
  // it away.
  template <class Tell>
  auto ReadBriefly(const Tell& tell) const {
    return Told(Gil::kHeld, tell);
  }
  template <class Tell>
  auto Read(const Tell& tell) const {
    const ReleasedGil release;
    return Told(Gil::kReleased, tell);
  }
  // Calls ask(filter, begin, size) for the pieces of n keys, without the GIL. Between two of them a writer gets in.
  template <class AskPiece>
  void AskInPieces(size_t n, const AskPiece& ask) const {
    const ReleasedGil release;
    const size_t piece = mutex_ == nullptr ? std::max(n, size_t{1}) : kPiece;
    for (size_t begin = 0; begin < n; begin += piece) {
      Ask(Gil::kReleased, [&](const FilterBase& filter) { ask(filter, begin, std::min(piece, n - begin)); });
    }
  }

 protected:
  // Keys for which the mutex is held at once.
  static constexpr size_t kPiece = 65536;

  // `mutex` is null if readers keep nobody away.
  explicit Core(FairMutex* mutex) : mutex_(mutex) {}

 private:
  template <class Tell>
  auto Told(Gil gil, const Tell& tell) const {
    decltype(std::invoke(tell, std::declval<const FilterBase&>())) told{};
    Ask(gil, [&](const FilterBase& filter) { told = std::invoke(tell, filter); });
    return told;
  }

  FairMutex* const mutex_;
};

// Keys are hashed by `key_hash` before the filter is asked. One that has come meanwhile, in a SwappableFilter, may have
// another; then the answer is "maybe".
inline bool IsAnother(const KeyHash& key_hash, const FilterBase& filter) {
  return filter.key_hash().DifferenceTo(key_hash) != nullptr;
}

// Makes an object of Python its base in C++, which is at its first byte. pybind11's own caster looks up both types at
// every call, which takes a sixth of the time of a single question.
template <class Base>
class BaseCaster : public py::detail::type_caster_generic {
 public:
  template <class T>
  using cast_op_type = py::detail::cast_op_type<T>;
  static constexpr auto name = py::detail::const_name<Base>();

  BaseCaster() : type_caster_generic(Type()) {}
  bool load(py::handle object, bool /*convert*/) {
    if (!PyObject_TypeCheck(object.ptr(), typeinfo->type)) return false;
    value = reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().value_ptr();
    return value != nullptr;  // null: made by __new__ alone
  }
  operator Base*() { return static_cast<Base*>(value); }
  operator Base&() { return *static_cast<Base*>(value); }

 private:
  static const py::detail::type_info* Type() {
    static const auto* const type = py::detail::get_type_info(typeid(Base));
    return type;
  }
};

// An estimate as Python's SizeEstimate takes it.
inline py::tuple TupleOf(const SizeEstimate& size) { return py::make_tuple(size.keys, size.error); }

// Makes one byte per key, by work(hashes, n, kinds, bytes), which has the GIL and finds each byte 1 ("maybe").
template <class Work>
py::bytearray BytesOfIterable(const Hasher& hasher, py::handle keys, const Work& work) {
  std::vector<uint8_t> bytes;
  hasher.OfIterable(keys, [&](const uint64_t* hashes, size_t n, KeyKind kinds) {
    bytes.resize(bytes.size() + n, 1);
    work(hashes, n, kinds, bytes.data() + bytes.size() - n);
  });
  return py::bytearray(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// One call for each part of the module: what it adds to it.
void BindErrors(py::module_& module);   // std::bad_alloc is OutOfMemoryError, CutByFork InvalidArgumentError
void BindCore(py::module_& module);     // questions, of all filters
void BindHolders(py::module_& module);  // what Python's classes are derived from
void BindKeyCore(py::module_& module);  // insertions and images, of all that take keys
void BindImage(py::module_& module);
void BindOptions(py::module_& module);
void BindFilter(py::module_& module);
void BindScalable(py::module_& module);
void BindBuilder(py::module_& module);
void BindColumns(py::module_& module);  // what is asked and added by columns
void BindRotating(py::module_& module);
void BindSwappable(py::module_& module);
void BindRedis(py::module_& module);  // where LINEFILTER_PYTHON_REDIS is defined
void BindHashing(py::module_& module);
void BindMany(py::module_& module);  // questions to many filters at once
void BindSizing(py::module_& module);
void BindParquet(py::module_& module);       // filters in Parquet files
void BindParquetTypes(py::module_& module);  // and questions about values in them
void BindFpr(py::module_& module);           // the judge of rates, and the monitor

}  // namespace linefilter::python

template <>
class pybind11::detail::type_caster<linefilter::python::Core>
    : public linefilter::python::BaseCaster<linefilter::python::Core> {};

#endif  // LINEFILTER_PYTHON_SRC_CORE_H_
