// A Status is the answer of all that can fail: a code, and a sentence that says what was wrong and what to do.
//
//   linefilter::Status status = filter.Create(1000000, options);
//   if (!status.ok()) fprintf(stderr, "users: %s\n", status.message());
//
// No exception crosses the public headers. A Status never allocates, so it can report that memory ran out.
#ifndef LINEFILTER_STATUS_H_
#define LINEFILTER_STATUS_H_

#include <cstring>

#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"

namespace linefilter {

// The kinds of failure.
enum class StatusCode : unsigned char {
  kOk = 0,           // nothing failed
  kInvalidArgument,  // a request that makes no sense; nothing was done
  kCorrupt,          // an image that is truncated or damaged; it answers "maybe"
  kUnsupported,      // an image from the future, or of another kind; it answers "maybe"
  kIncompatible,     // two filters, or a filter and a call, that do not fit together
  kOutOfMemory,      // an allocation failed
  kOverLimit,        // the host's memory limit would be exceeded
  kIoError,          // the operating system refused; the message has its reason
  kNotFound,         // no filter of that name is in Redis; a missing file is kIoError
  kUnavailable,      // a server does not answer, or not now; asked again later, it may
};

// A Status is copyable, thread-compatible, and has 256 bytes without heap.
class [[nodiscard]] LINEFILTER_EXPORT Status {
 public:
  LINEFILTER_INLINE Status() noexcept { message_[0] = '\0'; }
  // Success is copied in a nanosecond: filters inside engines are opened once per lookup.
  LINEFILTER_INLINE Status(const Status& other) noexcept { *this = other; }
  LINEFILTER_INLINE Status& operator=(const Status& other) noexcept {
    code_ = other.code_;
    if (!ok()) memmove(message_, other.message_, sizeof(message_));
    return *this;
  }
  // A printf-style message, cut to fit. `code` must not be kOk.
  static Status Error(StatusCode code, const char* format, ...) noexcept
#if defined(__GNUC__)
      __attribute__((format(printf, 2, 3)))
#endif
      ;

  // Whether nothing failed.
  LINEFILTER_INLINE bool ok() const noexcept { return code_ == StatusCode::kOk; }
  // kOk, or the kind of failure.
  StatusCode code() const noexcept { return code_; }
  // "ok", or what was wrong, where, and what to do.
  const char* message() const noexcept { return ok() ? "ok" : message_; }

 private:
  char message_[255];
  StatusCode code_ = StatusCode::kOk;
};

}  // namespace linefilter

#endif  // LINEFILTER_STATUS_H_
