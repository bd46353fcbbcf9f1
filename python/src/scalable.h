// Scalable: a ScalableFilter behind a mutex.
#ifndef LINEFILTER_PYTHON_SRC_SCALABLE_H_
#define LINEFILTER_PYTHON_SRC_SCALABLE_H_

#include "linefilter/scalable.h"
#include "python/src/locked.h"

namespace linefilter::python {

class Scalable final : public Locked<ScalableFilter> {
 public:
  Scalable() { SetOwn(&filter_); }

 private:
  ScalableFilter filter_;
};

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_SCALABLE_H_
