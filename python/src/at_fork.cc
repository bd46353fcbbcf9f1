#include "python/src/at_fork.h"

#include <pthread.h>

#include <mutex>
#include <new>

namespace linefilter::python {
namespace {

// All that there are. Fork takes the mutex, so that the list is whole in the child; whoever holds it waits for nobody.
std::mutex list_mutex;
AtFork* list = nullptr;

}  // namespace

const char* CutByFork::what() const noexcept {
  return "another thread was in a call of this filter or builder when the process was forked, so that it may be half "
         "changed here: fork while no other thread uses it, or make another one in the child, of an image or of the "
         "keys";
}

AtFork::AtFork(void (*mend)(void*) noexcept, void* object) : mend_(mend), object_(object) {
  const std::lock_guard lock(list_mutex);
  next_ = list;
  if (next_ != nullptr) next_->previous_ = this;
  list = this;
}

AtFork::~AtFork() {
  const std::lock_guard lock(list_mutex);
  (previous_ == nullptr ? list : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void AtFork::InChild() {
  for (const AtFork* each = list; each != nullptr; each = each->next_) each->mend_(each->object_);
  list_mutex.unlock();
}

void AtFork::Register() {
  static const int error = pthread_atfork([] { list_mutex.lock(); }, [] { list_mutex.unlock(); }, &AtFork::InChild);
  if (error != 0) throw std::bad_alloc();  // the only reason there is
}

}  // namespace linefilter::python
