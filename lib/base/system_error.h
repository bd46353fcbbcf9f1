// This tells as a status what the operating system refused.
#ifndef LINEFILTER_LIB_BASE_SYSTEM_ERROR_H_
#define LINEFILTER_LIB_BASE_SYSTEM_ERROR_H_

#include <cerrno>
#include <cstring>

#include "linefilter/status.h"

namespace linefilter::internal {

// Says "`what` 'path': reason", the reason by errno. Memory that ran out in the system is memory that ran out.
inline Status SystemError(const char* what, const char* path) {
  const int error = errno;
  return Status::Error(error == ENOMEM ? StatusCode::kOutOfMemory : StatusCode::kIoError, "%s '%.120s': %s", what, path,
                       strerror(error));
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_SYSTEM_ERROR_H_
