// What every filter of the module is: a FilterBase with a way to keep writers off while it is read.
//
// One rule keeps the GIL and the filters' mutexes from waiting for each other: nobody waits for a mutex while holding
// the GIL. So whoever holds a mutex can always get the GIL.
#ifndef LINEFILTER_PYTHON_SRC_CORE_H_
#define LINEFILTER_PYTHON_SRC_CORE_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <shared_mutex>

#include "linefilter/filter_base.h"
#include "python/src/fair_mutex.h"
#include "python/src/hasher.h"

namespace linefilter::python {

namespace py = pybind11;

// Locks as the rule demands. With the GIL held.
template <class Lock>
void LockWithGil(Lock* lock) {
  if (lock->try_lock()) return;
  const py::gil_scoped_release release;
  lock->lock();
}

class Core {
 public:
  virtual ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  virtual const FilterBase& filter() const = 0;
  Hasher hasher() const { return Hasher(filter().key_hash()); }

  // Reads without the GIL: for what takes longer than to give it away.
  template <class Work>
  auto Read(const Work& work) const {
    const py::gil_scoped_release release;
    std::shared_lock<FairMutex> lock;
    if (mutex_ != nullptr) lock = std::shared_lock(*mutex_);
    return work(filter());
  }
  // The same for n keys, work(filter, begin, size) for piece after piece: between two of them a writer gets in.
  template <class Work>
  void ReadInPieces(size_t n, const Work& work) const {
    if (mutex_ == nullptr) return Read([&](const FilterBase& filter) { work(filter, 0, n); });
    const py::gil_scoped_release release;
    for (size_t begin = 0; begin < n; begin += kPiece) {
      const std::shared_lock lock(*mutex_);
      work(filter(), begin, std::min(kPiece, n - begin));
    }
  }
  // Reads with it: for a single lookup.
  template <class Work>
  auto ReadBriefly(const Work& work) const {
    if (mutex_ == nullptr) return work(filter());
    std::shared_lock lock(*mutex_, std::defer_lock);
    LockWithGil(&lock);
    return work(filter());
  }

 protected:
  // Keys for which the mutex is held at once.
  static constexpr size_t kPiece = 65536;

  // Null: nobody writes.
  explicit Core(FairMutex* mutex) : mutex_(mutex) {}

 private:
  FairMutex* const mutex_;
};

// One call for each part of the module: what it adds to it.
void BindErrors(py::module_& module);  // std::bad_alloc is OutOfMemoryError, CutByFork InvalidArgumentError
void BindCore(py::module_& module);
void BindImage(py::module_& module);
void BindOptions(py::module_& module);
void BindMutable(py::module_& module);
void BindScalable(py::module_& module);
void BindBuilder(py::module_& module);
void BindRotating(py::module_& module);
void BindSwappable(py::module_& module);
void BindRedis(py::module_& module);  // where LINEFILTER_PYTHON_REDIS is defined
void BindHashing(py::module_& module);
void BindSizing(py::module_& module);

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_CORE_H_
