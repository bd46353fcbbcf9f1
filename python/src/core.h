// What every filter of the module is: a FilterBase with a way to keep writers off while it is read.
//
// One rule keeps the GIL and the filters' mutexes from waiting for each other: nobody waits for a mutex while holding
// the GIL. So whoever holds a mutex can always get the GIL.
#ifndef LINEFILTER_PYTHON_SRC_CORE_H_
#define LINEFILTER_PYTHON_SRC_CORE_H_

#include <pybind11/pybind11.h>

#include <shared_mutex>

#include "linefilter/filter_base.h"
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
  Hasher hasher() const { return Hasher(filter().hash_id(), filter().seed(), filter().secret()); }

  // Reads without the GIL: for what takes longer than to give it away.
  template <class Work>
  auto Read(const Work& work) const {
    const py::gil_scoped_release release;
    std::shared_lock<std::shared_mutex> lock;
    if (mutex_ != nullptr) lock = std::shared_lock(*mutex_);
    return work(filter());
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
  // Null: nobody writes.
  explicit Core(std::shared_mutex* mutex) : mutex_(mutex) {}

 private:
  std::shared_mutex* const mutex_;
};

// One call for each part of the module: what it adds to it.
void BindErrors(py::module_& module);  // std::bad_alloc is OutOfMemoryError
void BindCore(py::module_& module);
void BindImage(py::module_& module);
void BindOptions(py::module_& module);
void BindMutable(py::module_& module);
void BindBuilder(py::module_& module);
void BindHashing(py::module_& module);
void BindSizing(py::module_& module);

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_CORE_H_
