// A Status as a Python exception (linefilter/_errors.py has the classes).
#ifndef LINEFILTER_PYTHON_SRC_ERRORS_H_
#define LINEFILTER_PYTHON_SRC_ERRORS_H_

#include <pybind11/pybind11.h>

#include <cerrno>
#include <cstring>

#include "linefilter/status.h"
#include "python/src/released_gil.h"

namespace linefilter::python {

// "invalid_argument", "corrupt", ...: what `code` of the exception says.
const char* CodeName(StatusCode code);

// Throws unless ok. With the GIL held. `error_number`: errno of a call that failed, 0 if unknown.
void Check(const Status& status, int error_number = 0);

// A Status, and errno as the call left it.
struct SystemResult {
  Status status;
  int error_number;
};
inline void Check(const SystemResult& result) { Check(result.status, result.error_number); }

// Calls what talks to the operating system. Without the GIL, for reacquiring it may change errno.
template <class Call>
SystemResult WithErrno(const Call& call) {
  errno = 0;
  SystemResult result{call(), 0};
  // Something else may have failed since, in tidying up: the message is the witness.
  if (result.status.code() == StatusCode::kIoError) {
    const int error = errno;
    if (error != 0 && std::strstr(result.status.message(), std::strerror(error)) != nullptr)
      result.error_number = error;
  }
  return result;
}

// Calls what returns a Status or SystemResult without the GIL, and throws what it says.
template <class Call>
void CheckWithoutGil(const Call& call) {
  const auto run = [&] {
    const ReleasedGil release;
    return call();
  };
  Check(run());
}

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_ERRORS_H_
