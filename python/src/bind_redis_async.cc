// AsyncRedis, for Python. Its calls of keys are made by holder.cc.
#include <memory>
#include <string>

#include "python/src/async_redis.h"
#include "python/src/options.h"
#include "python/src/redis.h"

namespace linefilter::python {

void BindAsyncRedis(py::module_& module) {
  py::class_<AsyncRedis, AsyncCalls>(module, "AsyncRedis", py::module_local())
      .def_static(
          "open",
          [](const NoticedServers& servers, const std::string& name, const py::object& secret, size_t most_waiting) {
            const auto given = SecretOf(secret);
            return std::make_unique<AsyncRedis>(servers, name, OrNull(given), most_waiting);
          })
      .def("set_loop", &AsyncRedis::SetLoop)
      .def("end_turn", &AsyncRedis::EndTurn)
      .def("tell", &AsyncRedis::Tell)
      .def("descriptor", &AsyncRedis::descriptor)
      .def("refuse", &AsyncRedis::Refuse)
      .def("close", &AsyncRedis::Close);
}

}  // namespace linefilter::python
