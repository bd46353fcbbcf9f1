#include "lib/adapters/redis/servers/router.h"

#include <utility>

#include "lib/adapters/redis/servers/batch_run.h"

namespace linefilter::redis_internal {

// It has the servers, and the lists of a run, which keep their memory.
class Router::Impl {
 public:
  ServerMap map;
  BatchRun run{&map};
};

Router::Router() = default;
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Status Router::Connect(const RedisServers& servers) {
  auto impl = std::make_unique<Impl>();
  const Status status = impl->map.Reset(servers);
  if (!status.ok()) return status;
  Patience patience(servers, Patience::All(servers));
  for (;;) {
    const Failure failure = impl->map.Discover(patience.end(servers));
    if (failure.verdict == Verdict::kFine) break;
    if (!patience.MayRetry(failure, impl->map)) return patience.GivenUp(failure);
    patience.Pause();
  }
  impl_ = std::move(impl);
  return Status();
}

Status Router::Run(const Batch& batch, ReplyHandler* handler) {
  if (is_connected()) return impl_->run.All(batch, handler);
  const Status status = Status::Error(StatusCode::kInvalidArgument, "not connected to Redis: call Connect first");
  for (size_t i = 0; i < batch.size(); ++i) handler->OnError(i, status);
  return status;
}

Router::Call::Call(Router* router, Patience patience) : router_(router) {
  if (router_->is_connected()) router_->impl_->run.BeginCall(patience == kPatient);
}

void Router::Call::End() {
  if (router_ != nullptr && router_->is_connected()) router_->impl_->run.EndCall();
  router_ = nullptr;
}

bool Router::is_replicated() const noexcept { return !is_connected() || impl_->run.is_replicated(); }
bool Router::is_connected() const noexcept { return impl_ != nullptr; }
bool Router::is_cluster() const noexcept { return is_connected() && impl_->map.is_cluster(); }
bool Router::replica_reads() const noexcept { return is_connected() && impl_->map.servers().replica_reads; }
size_t Router::num_masters() const noexcept { return is_connected() ? impl_->map.num_masters() : 1; }
uint64_t Router::num_connections() const noexcept { return is_connected() ? impl_->map.num_connections() : 0; }

}  // namespace linefilter::redis_internal
