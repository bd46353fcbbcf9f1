#include "linefilter/status.h"

#include <cstdarg>
#include <cstdio>

namespace linefilter {

Status Status::Error(StatusCode code, const char* format, ...) noexcept {
  Status status;
  status.code_ = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(status.message_, sizeof(status.message_), format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace linefilter
