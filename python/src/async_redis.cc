#include "python/src/async_redis.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <utility>

#include "python/src/errors.h"
#include "python/src/hasher.h"

namespace linefilter::python {
namespace {

// So many calls are a pipeline while the loop makes others. On one CPU with a loop of 1,000 tasks 512 took 5.8 ms, 128
// took 6.5, and all of a turn at once 6.3 (EPYC Zen 4).
constexpr size_t kGroup = 512;

// The exception of the answer, of which each future has its own.
py::object ExceptionOf(const Status* status) {
  try {
    if (status != nullptr) Check(*status);
  } catch (const py::error_already_set& error) {
    return error.value();
  } catch (const std::exception&) {
  }
  return py::reinterpret_borrow<py::object>(PyExc_MemoryError);
}

}  // namespace

struct AsyncRedis::Waiting {
  Waiting(AsyncRedis* whose, const py::object& future_of_call) : owner(whose), future(future_of_call) {}

  AsyncRedis* const owner;
  const py::object future;
  bool was = false;  // the answer
  bool failed = false;
  std::unique_ptr<const Status> error;  // why, unless there was no memory for it
  Waiting* next = nullptr;
};

AsyncRedis::Descriptor::Descriptor() : number(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (number >= 0) return;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

AsyncRedis::Descriptor::~Descriptor() { close(number); }

AsyncRedis::AsyncRedis(const NoticedServers& servers, const std::string& name, const HashSecret* secret,
                       size_t most_waiting)
    : most_waiting_(most_waiting), notices_(servers.told) {
  const RedisServers watched = notices_.Watch(servers);
  CheckWithoutGil([&] { return filter_.Open(watched, name, secret, most_waiting); });
}

AsyncRedis::~AsyncRedis() {
  HandOver();
  Close();
  for (Waiting* call = TakeAnswered(); call != nullptr;) delete std::exchange(call, call->next);
}

void AsyncRedis::SetLoop(const py::object& loop) {
  create_future_ = loop.attr("create_future");
  call_soon_ = loop.attr("call_soon");
  invalid_state_ = py::module_::import("asyncio").attr("InvalidStateError");
}

py::object AsyncRedis::Call(Verb verb, py::handle key) {
  if (is_refusing_) Check(Status::Error(StatusCode::kInvalidArgument, "the filter is closed"));
  const uint64_t hash = Hasher(filter_.key_hash()).OfObject(key);  // which may call Python, as the next two do
  py::object future = py::reinterpret_steal<py::object>(PyObject_CallNoArgs(create_future_.ptr()));
  if (!future) throw py::error_already_set();
  if (!is_due_) {
    call_soon_(py::cast(this).attr("end_turn"));
    is_due_ = true;
  }
  if (num_unanswered_ >= most_waiting_) {
    Check(Status::Error(StatusCode::kOverLimit, "%zu calls wait for Redis already: call again later, or do without",
                        num_unanswered_));
  }
  if (verb != verb_) HandOver();
  verb_ = verb;
  auto call = std::make_unique<Waiting>(this, future);
  hashes_.reserve(kGroup);
  calls_.reserve(kGroup);
  hashes_.push_back(hash);
  calls_.push_back(call.release());
  ++num_unanswered_;
  if (calls_.size() == kGroup) HandOver();
  return future;
}

void AsyncRedis::EndTurn() {
  is_due_ = false;
  HandOver();
}

void AsyncRedis::HandOver() noexcept {
  const auto found = [](void* call, bool maybe, const Status& status) noexcept { Answer(call, maybe, status); };
  const auto added = [](void* call, RedisInsert outcome, const Status& status) noexcept {
    Answer(call, outcome == RedisInsert::kNew, status);
  };
  const auto removed = [](void* call, RedisRemove outcome, const Status& status) noexcept {
    Answer(call, outcome == RedisRemove::kRemoved, status);
  };
  const size_t n = calls_.size();
  const Status status = verb_ == Verb::kExists ? filter_.MayContainHashes(hashes_.data(), n, found, calls_.data())
                        : verb_ == Verb::kAdd  ? filter_.InsertHashes(hashes_.data(), n, added, calls_.data())
                                               : filter_.RemoveHashes(hashes_.data(), n, removed, calls_.data());
  if (!status.ok()) {
    for (void* const call : calls_) Answer(call, false, status);
  }
  hashes_.clear();
  calls_.clear();
}

void AsyncRedis::Answer(void* of, bool was, const Status& error) noexcept {
  Waiting* const call = static_cast<Waiting*>(of);
  call->was = was;
  call->failed = !error.ok();
  if (call->failed) call->error.reset(new (std::nothrow) Status(error));
  AsyncRedis& owner = *call->owner;
  Waiting* last = owner.answered_.load(std::memory_order_relaxed);
  do {
    call->next = last;
  } while (!owner.answered_.compare_exchange_weak(last, call, std::memory_order_release, std::memory_order_relaxed));
  if (last == nullptr) (void)eventfd_write(owner.descriptor_.number, 1);
}

AsyncRedis::Waiting* AsyncRedis::TakeAnswered() noexcept {
  Waiting* first = nullptr;
  for (Waiting* last = answered_.exchange(nullptr, std::memory_order_acquire); last != nullptr;) {
    Waiting* const before = std::exchange(last->next, first);
    first = std::exchange(last, before);
  }
  return first;
}

void AsyncRedis::Tell() {
  const TellsAtEnd tells(notices_);
  // Before the list is taken: what comes then is told again. A forked child leaves it to its parent, whose it is, too.
  eventfd_t times;
  if (getpid() == process_) (void)eventfd_read(descriptor_.number, &times);
  // Made once, and never given back.
  static PyObject* const set_result = PyUnicode_InternFromString("set_result");
  static PyObject* const set_exception = PyUnicode_InternFromString("set_exception");
  py::object raised;  // by a signal's handler, for set_result runs Python
  for (Waiting* next = TakeAnswered(); next != nullptr;) {
    const std::unique_ptr<Waiting> call(std::exchange(next, next->next));
    --num_unanswered_;
    const py::object with = call->failed ? ExceptionOf(call->error.get())
                                         : py::reinterpret_borrow<py::object>(call->was ? Py_True : Py_False);
    PyObject* const done =
        PyObject_CallMethodOneArg(call->future.ptr(), call->failed ? set_exception : set_result, with.ptr());
    Py_XDECREF(done);
    if (done != nullptr) continue;
    if (PyErr_ExceptionMatches(invalid_state_.ptr()) != 0) {  // it was cancelled
      PyErr_Clear();
    } else if (raised) {
      PyErr_WriteUnraisable(call->future.ptr());
    } else {
      raised = py::error_already_set().value();
    }
  }
  if (raised) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    throw py::error_already_set();
  }
}

size_t AsyncRedis::Refuse() {
  is_refusing_ = true;
  return num_unanswered_;
}

void AsyncRedis::Close() {
  is_refusing_ = true;
  const ReleasedGil release;
  filter_.Close();
}

}  // namespace linefilter::python
