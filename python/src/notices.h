// What the breakers of a filter in Redis say, for a callable of Python.
//
// A breaker opens in the middle of a call, without the GIL, or in the thread of a RedisCachedFilter, which Python does
// not know. So the sentences are kept. The thread of the next call that ends tells them, with the GIL and without the
// filter's mutex.
#ifndef LINEFILTER_PYTHON_SRC_NOTICES_H_
#define LINEFILTER_PYTHON_SRC_NOTICES_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

#include "linefilter/redis_servers.h"

namespace linefilter::python {

namespace py = pybind11;

// The library's, with what Python wants to be told.
struct NoticedServers : RedisServers {
  py::object told = py::none();  // called with a str
};

class Notices {
 public:
  explicit Notices(const py::object& told) : told_(told) {}
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  // The same servers, whose breakers tell this object. It must outlive the filter.
  RedisServers Watch(const RedisServers& servers);

  // Calls Python. What that raises changes nothing of the filter's call, and goes to sys.unraisablehook.
  void Tell() noexcept;

 private:
  const py::object told_;
  std::atomic<bool> has_any_{false};  // so that a call of a cached filter takes no mutex
  std::mutex mutex_;
  std::deque<std::string> sentences_;  // guarded by mutex_
};

// Tells when the call ends, also if it raises.
class TellsAtEnd {
 public:
  explicit TellsAtEnd(Notices& notices) : notices_(notices) {}
  ~TellsAtEnd() { notices_.Tell(); }
  TellsAtEnd(const TellsAtEnd&) = delete;
  TellsAtEnd& operator=(const TellsAtEnd&) = delete;

 private:
  Notices& notices_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_NOTICES_H_
