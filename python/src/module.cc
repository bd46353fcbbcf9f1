// linefilter._linefilter: what the package's Python files stand on. They have the documentation, and check arguments.
#include <pybind11/pybind11.h>

#include "python/src/at_fork.h"
#include "python/src/core.h"

PYBIND11_MODULE(_linefilter, module) {
  linefilter::python::AtFork::Register();
  linefilter::python::FindKeyTypes();
  linefilter::python::BindErrors(module);
  linefilter::python::BindHolders(module);
  linefilter::python::BindColumns(module);
  linefilter::python::BindCore(module);
  linefilter::python::BindKeyCore(module);
  linefilter::python::BindImage(module);
  linefilter::python::BindOptions(module);
  linefilter::python::BindFilter(module);
  linefilter::python::BindScalable(module);
  linefilter::python::BindBuilder(module);
  linefilter::python::BindRotating(module);
  linefilter::python::BindSwappable(module);
#ifdef LINEFILTER_PYTHON_REDIS
  linefilter::python::BindRedis(module);
#endif
  linefilter::python::BindHashing(module);
  linefilter::python::BindMany(module);
  linefilter::python::BindSizing(module);
  linefilter::python::BindParquet(module);
  linefilter::python::BindParquetTypes(module);
  linefilter::python::BindFpr(module);
  module.attr("version") = LINEFILTER_VERSION;
}
