#include "python/src/hasher.h"

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "linefilter/status.h"
#include "python/src/buffer.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// For the life of the process: a module of the C API is never unloaded.
PyObject* array_type = nullptr;    // numpy.ndarray
PyObject* generic_type = nullptr;  // numpy.generic: every scalar
PyObject* bool_type = nullptr;     // numpy.bool_

bool IsA(py::handle object, PyObject* type) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type)) != 0;
}

[[noreturn]] void RefuseType(py::handle key, const char* advice) {
  throw py::type_error(std::string("a key is a str, bytes-like or an int, not ") + Py_TYPE(key.ptr())->tp_name + ": " +
                       advice);
}

// What to type for an object of a type that people try, by its name in C; classes derived from it count, too. A UUID
// and a time could be taken in several ways, of which other languages would take another.
constexpr struct {
  const char* type;
  const char* advice;
} kConversions[] = {
    {"UUID", "pass key.bytes (or str(key)), the same way everywhere"},
    {"NaTType", "leave out what is missing, by .dropna() of pandas"},
    {"NAType", "leave out what is missing, by .dropna() of pandas"},
    {"datetime.datetime", "pass key.isoformat(), or int(key.timestamp()), the same way everywhere"},
    {"datetime.date", "pass key.isoformat()"},
    {"datetime.time", "pass key.isoformat()"},
    {"datetime.timedelta", "pass key // datetime.timedelta(microseconds=1)"},
    {"decimal.Decimal", "pass str(key)"},
    {"Fraction", "pass str(key)"},
    {"PurePath", "pass str(key), or os.fsencode(key)"},
    {"_BaseAddress", "pass key.packed (or str(key)), the same way everywhere"},
    {"numpy.datetime64", "pass key.astype(\"datetime64[us]\").astype(\"int64\")"},
    {"numpy.timedelta64", "pass key.astype(\"timedelta64[us]\").astype(\"int64\")"},
    {"pyarrow.lib.Scalar", "pass key.as_py()"},
    {"Enum", "pass key.value"},
    {"tuple", "pass one str of its parts, as \"\\0\".join(key)"},
};

const char* ConversionOf(py::handle key) {
  PyObject* const mro = Py_TYPE(key.ptr())->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    const char* const name = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i))->tp_name;
    for (const auto& row : kConversions) {
      if (std::strcmp(row.type, name) == 0) return row.advice;
    }
  }
  return "pass its text, str(key), or its bytes, if either is always the same";
}

// Widened as C++ widens: a negative one by its sign.
uint64_t WidenInt(py::handle number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return static_cast<uint64_t>(value);
  }
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(number.ptr()) : ~0ULL;
  if (overflow < 0 || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_SetString(PyExc_OverflowError,
                    "an int key must be -2**63 .. 2**64 - 1: make larger ones bytes, by int.to_bytes or str");
    throw py::error_already_set();
  }
  return large;
}

// Calls use(integer) or use(bytes).
template <class Use>
uint64_t UseKey(py::handle key, const Use& use) {
  PyObject* const object = key.ptr();
  if (PyUnicode_Check(object)) {
    if (PyUnicode_IS_COMPACT_ASCII(object)) {  // which is its UTF-8
      return use(std::string_view(static_cast<const char*>(PyUnicode_DATA(object)),
                                  static_cast<size_t>(PyUnicode_GET_LENGTH(object))));
    }
    // Not PyUnicode_AsUTF8AndSize, which leaves a copy in the str for its life.
    const py::object utf8 = py::reinterpret_steal<py::object>(PyUnicode_AsUTF8String(object));
    if (!utf8) throw py::error_already_set();  // a lone surrogate has no UTF-8
    return use(std::string_view(PyBytes_AS_STRING(utf8.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(utf8.ptr()))));
  }
  if (PyBytes_Check(object)) {
    return use(std::string_view(PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))));
  }
  if (PyBool_Check(object) || IsA(key, bool_type)) {
    RefuseType(key, "it is not plain which bytes it is; write int(key) if you mean 0 or 1");
  }
  if (PyLong_Check(object)) return use(WidenInt(key));
  if (PyFloat_Check(object) && std::isnan(PyFloat_AS_DOUBLE(object))) {
    RefuseType(key, "leave out what is missing (NaN), by .dropna() of pandas");
  }
  if (PyFloat_Check(object)) RefuseType(key, "make it an int or its bytes (struct.pack), the same way everywhere");
  if (object == Py_None) RefuseType(key, "leave out what has no key");
  if (IsA(key, array_type)) RefuseType(key, "arrays are many keys (the ..._many calls), or take its tobytes()");
  if (PyIndex_Check(object)) {  // NumPy's integers among them
    const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    if (!number) throw py::error_already_set();
    return use(WidenInt(number));
  }
  if (IsA(key, generic_type) || !PyObject_CheckBuffer(object)) RefuseType(key, ConversionOf(key));
  const Buffer buffer(key, PyBUF_FORMAT | PyBUF_ND);
  const char* format = buffer.view().format;
  if (format != nullptr && *format != '\0' && std::strchr("@=<>!", *format)) ++format;  // the order, which ctypes tells
  if (buffer.view().ndim == 0) RefuseType(key, "it is one C value and no row of bytes; take its .value, or bytes(key)");
  if (format != nullptr && *format == 'c') {  // as C++ refuses an array of char that is not const
    RefuseType(key,
               "it is a buffer of characters, of which only its owner knows how much is the key; take bytes(key), "
               "or of ctypes its .value");
  }
  if (buffer.view().itemsize != 1 || buffer.view().ndim != 1 || (format != nullptr && *format != 'B')) {
    RefuseType(key, "its items are no bytes; take tobytes(), or memoryview(key).cast('B')");
  }
  return use(std::string_view(reinterpret_cast<const char*>(buffer.data()), buffer.size()));
}

}  // namespace

void FindKeyTypes() {
  const py::module_ numpy = py::module_::import("numpy");
  array_type = py::object(numpy.attr("ndarray")).release().ptr();
  generic_type = py::object(numpy.attr("generic")).release().ptr();
  bool_type = py::object(numpy.attr("bool_")).release().ptr();
}

void Hasher::RequireKeys() const {
  if (key_hash_.hashes_keys()) return;
  Check(Status::Error(StatusCode::kIncompatible,
                      "the filter is of the caller's own hashes, so keys mean nothing to it: use the ..._hash and "
                      "..._hashes calls with them"));
}

uint64_t Hasher::OfObject(py::handle key, KeyKind* kind) const {
  RequireKeys();
  return UseKey(key, [&](auto plain) {
    *kind = std::is_same_v<decltype(plain), uint64_t> ? KeyKind::kInteger : KeyKind::kText;
    uint64_t hash = 0;
    (void)key_hash_.Of(plain, &hash);
    return hash;
  });
}

// What is wrong with one of many says which it is.
uint64_t Hasher::OfItem(py::handle key, size_t index, KeyKind* kinds) const {
  try {
    KeyKind kind;
    const uint64_t hash = OfObject(key, &kind);
    *kinds = BothKinds(*kinds, kind);
    return hash;
  } catch (const py::builtin_exception& error) {
    throw py::type_error("keys[" + std::to_string(index) + "]: " + error.what());
  }
}

}  // namespace linefilter::python
