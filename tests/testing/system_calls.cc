#include "tests/testing/system_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "tests/testing/wrapped.h"

namespace linefilter::test {
namespace {

// Of the one WatchedCalls that there is.
struct Watch {
  bool is_on = false;
  Fault fault;
  uint64_t counted = 0;
  std::optional<size_t> first_fault;  // its place in the trace
  std::vector<TracedCall> trace;
  int open_files = 0;
};
Watch watch;

[[noreturn]] void Die() {
  for (;;) kill(getpid(), SIGKILL);
}

// Writes the call down and answers what becomes of it.
Effect Begin(Call call, size_t bytes = 0) {
  const Fault& fault = watch.fault;
  if (!watch.is_on) return Effect::kNone;
  watch.trace.push_back({call, bytes});
  if (fault.call.value_or(call) != call) return Effect::kNone;
  const uint64_t number = watch.counted++;
  if (fault.effect == Effect::kNone || number < fault.nth || (number > fault.nth && !fault.stays)) return Effect::kNone;
  if (!watch.first_fault) watch.first_fault = watch.trace.size() - 1;
  if (fault.effect == Effect::kKillBefore) Die();
  return fault.effect;
}

// All calls but those of bytes. `make` is the real one; `failed` what it answers when it fails.
template <class Result, class Make>
Result Through(Call call, Result failed, const Make& make) {
  const Effect effect = Begin(call);
  if (effect == Effect::kFail) {
    errno = watch.fault.error;
    return failed;
  }
  const Result result = make();
  if (effect == Effect::kKillAfter) Die();
  return result;
}

size_t Half(size_t bytes) { return (bytes + 1) / 2; }

}  // namespace

const char* NameOf(Call call) {
  constexpr const char* kNames[] = {"open", "close", "read",  "write",  "fsync",    "rename", "unlink",
                                    "stat", "lstat", "fstat", "fchmod", "realpath", "mmap"};
  return kNames[static_cast<size_t>(call)];
}

WatchedCalls::WatchedCalls(const Fault& fault) {
  watch = Watch();
  watch.fault = fault;
  watch.is_on = true;
}

WatchedCalls::~WatchedCalls() { watch.is_on = false; }

bool WatchedCalls::fault_came() const { return watch.first_fault.has_value(); }

const std::vector<TracedCall>& WatchedCalls::trace() const { return watch.trace; }

bool WatchedCalls::WasCalledBeforeTheFault(Call call) const {
  const auto end = watch.trace.begin() + static_cast<ptrdiff_t>(watch.first_fault.value_or(watch.trace.size()));
  return std::any_of(watch.trace.begin(), end, [&](const TracedCall& traced) { return traced.call == call; });
}

int WatchedCalls::open_files() const { return watch.open_files; }

extern "C" {

int LINEFILTER_WRAPPED(real, open)(const char* path, int flags, ...);
int LINEFILTER_WRAPPED(wrap, open)(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = static_cast<mode_t>(va_arg(arguments, unsigned));
    va_end(arguments);
  }
  const int fd = Through(Call::kOpen, -1, [&] { return LINEFILTER_WRAPPED(real, open)(path, flags, mode); });
  watch.open_files += watch.is_on && fd >= 0;
  return fd;
}

int __real_close(int fd);
int __wrap_close(int fd) {
  const Effect effect = Begin(Call::kClose);
  watch.open_files -= watch.is_on;
  const int result = __real_close(fd);
  if (effect == Effect::kKillAfter) Die();
  if (effect != Effect::kFail) return result;
  errno = watch.fault.error;
  return -1;
}

ssize_t __real_read(int fd, void* to, size_t bytes);
ssize_t __wrap_read(int fd, void* to, size_t bytes) {
  const Effect effect = Begin(Call::kRead, bytes);
  if (effect == Effect::kFail) {
    errno = watch.fault.error;
    return -1;
  }
  if (effect == Effect::kNothing) return 0;
  const ssize_t got = __real_read(fd, to, effect == Effect::kHalf ? Half(bytes) : bytes);
  if (effect == Effect::kFlip && got > 0) static_cast<unsigned char*>(to)[got / 2] ^= 0x10;
  return got;
}

ssize_t __real_write(int fd, const void* from, size_t bytes);
ssize_t __wrap_write(int fd, const void* from, size_t bytes) {
  const Effect effect = Begin(Call::kWrite, bytes);
  if (effect == Effect::kFail) {
    errno = watch.fault.error;
    return -1;
  }
  if (effect == Effect::kNothing) return 0;
  size_t some = bytes;
  if (effect == Effect::kHalf) some = Half(bytes);
  if (effect == Effect::kKillWithin) some = std::min(bytes, watch.fault.bytes);
  const ssize_t written = __real_write(fd, from, some);
  if (effect == Effect::kKillWithin || effect == Effect::kKillAfter) Die();
  return written;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd) {
  return Through(Call::kFsync, -1, [&] { return __real_fsync(fd); });
}

int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to) {
  return Through(Call::kRename, -1, [&] { return __real_rename(from, to); });
}

int __real_unlink(const char* path);
int __wrap_unlink(const char* path) {
  return Through(Call::kUnlink, -1, [&] { return __real_unlink(path); });
}

int LINEFILTER_WRAPPED(real, stat)(const char* path, struct stat* info);
int LINEFILTER_WRAPPED(wrap, stat)(const char* path, struct stat* info) {
  return Through(Call::kStat, -1, [&] { return LINEFILTER_WRAPPED(real, stat)(path, info); });
}

int LINEFILTER_WRAPPED(real, lstat)(const char* path, struct stat* info);
int LINEFILTER_WRAPPED(wrap, lstat)(const char* path, struct stat* info) {
  return Through(Call::kLstat, -1, [&] { return LINEFILTER_WRAPPED(real, lstat)(path, info); });
}

int LINEFILTER_WRAPPED(real, fstat)(int fd, struct stat* info);
int LINEFILTER_WRAPPED(wrap, fstat)(int fd, struct stat* info) {
  return Through(Call::kFstat, -1, [&] { return LINEFILTER_WRAPPED(real, fstat)(fd, info); });
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode) {
  return Through(Call::kFchmod, -1, [&] { return __real_fchmod(fd, mode); });
}

char* __real_realpath(const char* path, char* resolved);
char* __wrap_realpath(const char* path, char* resolved) {
  return Through(Call::kRealpath, static_cast<char*>(nullptr), [&] { return __real_realpath(path, resolved); });
}

void* LINEFILTER_WRAPPED(real, mmap)(void* at, size_t bytes, int protection, int flags, int fd, off_t offset);
void* LINEFILTER_WRAPPED(wrap, mmap)(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return Through(Call::kMmap, MAP_FAILED,
                 [&] { return LINEFILTER_WRAPPED(real, mmap)(at, bytes, protection, flags, fd, offset); });
}

}  // extern "C"

}  // namespace linefilter::test
