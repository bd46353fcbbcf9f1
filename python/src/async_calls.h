// Calls of single keys whose answers come later (AsyncRedis), for holder.cc, which is built without Redis, too.
#ifndef LINEFILTER_PYTHON_SRC_ASYNC_CALLS_H_
#define LINEFILTER_PYTHON_SRC_ASYNC_CALLS_H_

#include <pybind11/pybind11.h>

#include <cstdint>

namespace linefilter::python {

namespace py = pybind11;

class AsyncCalls {
 public:
  enum class Verb : uint8_t { kExists, kAdd, kRemove };

  virtual ~AsyncCalls() = default;
  AsyncCalls(const AsyncCalls&) = delete;
  AsyncCalls& operator=(const AsyncCalls&) = delete;

  // Returns an asyncio.Future, which gets the answer or an exception. With the GIL, in the thread of the loop.
  virtual py::object Call(Verb verb, py::handle key) = 0;

 protected:
  AsyncCalls() = default;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_ASYNC_CALLS_H_
