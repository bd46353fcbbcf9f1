// The GIL, given away for as long as this lives.
#ifndef LINEFILTER_PYTHON_SRC_RELEASED_GIL_H_
#define LINEFILTER_PYTHON_SRC_RELEASED_GIL_H_

#include <Python.h>
#include <unistd.h>

namespace linefilter::python {

class ReleasedGil {
 public:
  ReleasedGil() : thread_(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;
  // At the end of a program Python ends a daemon thread that asks for the GIL by pthread_exit. That unwinds the stack,
  // and a destructor that is left in this way aborts the process, as that of pybind11's gil_scoped_release does. So the
  // thread waits here until the process is gone. Python itself has it wait since 3.14.
  ~ReleasedGil() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* const thread_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_RELEASED_GIL_H_
