// The types that the classes of the package are derived from. Each object holds a core.
//
// The calls for a single key stand here: `key in filter`, filter.add(key), monitor.asked(maybe), and those of an
// AsyncRedisFilter, which return futures. They are a slot and METH_O of the C API, so that neither a Python frame nor
// pybind11's dispatch lies between. Those took 130 of 170 ns. These calls lock as all others do. METH_FASTCALL has
// nothing to gain where there is one argument.
#include <pybind11/pybind11.h>
#include <structmember.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "linefilter/monitor.h"
#include "python/src/async_calls.h"
#include "python/src/key_core.h"

namespace linefilter::python {
namespace {

struct Holder {
  PyObject_HEAD PyObject* core;
};

// One reference is held for the whole call: another thread may close the filter meanwhile.
py::object CoreIn(PyObject* self) { return py::reinterpret_borrow<py::object>(reinterpret_cast<Holder*>(self)->core); }

// The call as pybind11 makes it. It serves every core that is not in memory (Redis, a builder, what was closed). It
// also tells the errors of the library, which pybind11 translates: what throws one has changed nothing, and throws it
// again.
PyObject* ByPybind(PyObject* self, const char* name, PyObject* key) {
  PyObject* const core = PyObject_GetAttrString(self, "_core");
  if (core == nullptr) return nullptr;
  PyObject* const result = PyObject_CallMethod(core, name, "(O)", key);
  Py_DECREF(core);
  return result;
}

template <class Base>
Base* AsA(const py::object& core) {
  py::detail::make_caster<Base> caster;
  return core && caster.load(core, false) ? static_cast<Base*>(caster) : nullptr;
}

// What call(core) returns; nothing if the way by pybind11 is left, or Python's error indicator is set: of what is no
// key. What is no std::exception goes through: at the end of a program Python unwinds the stack of a daemon thread.
template <class Base, class Call>
std::optional<bool> CallShort(PyObject* self, const Call& call) {
  try {
    const py::object held = CoreIn(self);
    if (Base* const core = AsA<Base>(held)) return call(*core);
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

int ContainsKey(PyObject* self, PyObject* key) {
  const auto is_in = CallShort<Core>(self, [key](const Core& core) { return core.ContainsKey(key); });
  if (is_in) return *is_in ? 1 : 0;
  if (PyErr_Occurred() != nullptr) return -1;
  PyObject* const answer = ByPybind(self, "contains", key);
  if (answer == nullptr) return -1;
  const int is_true = PyObject_IsTrue(answer);
  Py_DECREF(answer);
  return is_true;
}

PyObject* AddKey(PyObject* self, PyObject* key) {
  const auto is_new = CallShort<KeyCore>(self, [key](KeyCore& core) { return core.AddKey(key); });
  if (is_new) return PyBool_FromLong(*is_new ? 1 : 0);
  return PyErr_Occurred() != nullptr ? nullptr : ByPybind(self, "add", key);
}

PyObject* CountAnswer(PyObject* self, PyObject* maybe) {
  const int is_maybe = PyObject_IsTrue(maybe);
  if (is_maybe < 0) return nullptr;
  const py::object held = CoreIn(self);
  FprMonitor* const monitor = AsA<FprMonitor>(held);
  if (monitor == nullptr) {
    PyErr_SetString(PyExc_TypeError, "the monitor was never made: FprMonitor.__init__ was not called");
    return nullptr;
  }
  monitor->Asked(is_maybe != 0);
  Py_RETURN_NONE;
}

template <AsyncCalls::Verb kVerb>
PyObject* CallLater(PyObject* self, PyObject* key) {
  try {
    const py::object held = CoreIn(self);
    if (AsyncCalls* const calls = AsA<AsyncCalls>(held)) return calls->Call(kVerb, key).release().ptr();
    PyErr_SetString(PyExc_TypeError, "an AsyncRedisFilter is made by open()");
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void Free(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_CLEAR(reinterpret_cast<Holder*>(self)->core);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {{"_core", T_OBJECT_EX, offsetof(Holder, core), 0, nullptr}, {}};
PyMethodDef taking_methods[] = {
    {"add", &AddKey, METH_O,
     "add($self, key, /)\n--\n\n"
     "Adds a key. A filter returns True if it was certainly new, False if it may have been there."},
    {}};

PyMethodDef later_methods[] = {
    {"exists", &CallLater<AsyncCalls::Verb::kExists>, METH_O,
     "exists($self, key, /)\n--\n\nMay the key be in the set?"},
    {"add", &CallLater<AsyncCalls::Verb::kAdd>, METH_O,
     "add($self, key, /)\n--\n\nAdds a key. True: certainly nobody had it."},
    {"remove", &CallLater<AsyncCalls::Verb::kRemove>, METH_O,
     "remove($self, key, /)\n--\n\n"
     "Takes a key out once, of a removable filter, as RedisFilter.remove does. False: it was certainly absent."},
    {}};

PyMethodDef monitor_methods[] = {
    {"asked", &CountAnswer, METH_O,
     "asked($self, maybe, /)\n--\n\nThe filter was asked for a key, and this was its answer."},
    {}};

// For Python's classes alone: nobody makes an object of these types themselves.
void AddType(py::module_& module, const char* name, PyType_Slot* slots, py::handle base) {
  PyType_Spec spec = {name, sizeof(Holder), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const py::object bases = base ? py::object(py::make_tuple(base)) : py::object();
  const py::object type = py::reinterpret_steal<py::object>(PyType_FromSpecWithBases(&spec, bases.ptr()));
  if (!type) throw py::error_already_set();
  module.attr(std::strrchr(name, '.') + 1) = type;
}

}  // namespace

void BindHolders(py::module_& module) {
  PyType_Slot holder[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&Free)}, {Py_tp_members, members}, {}};
  AddType(module, "linefilter._linefilter.Holder", holder, py::handle());
  const py::object base = module.attr("Holder");
  PyType_Slot asked[] = {{Py_sq_contains, reinterpret_cast<void*>(&ContainsKey)}, {}};
  AddType(module, "linefilter._linefilter.AskedHolder", asked, base);
  PyType_Slot taking[] = {{Py_tp_methods, taking_methods}, {}};
  AddType(module, "linefilter._linefilter.TakingHolder", taking, base);
  py::class_<AsyncCalls>(module, "AsyncCalls", py::module_local());
  PyType_Slot later[] = {{Py_tp_methods, later_methods}, {}};
  AddType(module, "linefilter._linefilter.AsyncHolder", later, base);
  PyType_Slot monitor[] = {{Py_tp_methods, monitor_methods}, {}};
  AddType(module, "linefilter._linefilter.MonitorHolder", monitor, base);
}

}  // namespace linefilter::python
