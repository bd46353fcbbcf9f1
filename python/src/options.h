// What a filter should be, as Python says it.
#ifndef LINEFILTER_PYTHON_SRC_OPTIONS_H_
#define LINEFILTER_PYTHON_SRC_OPTIONS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

#include "linefilter/layout.h"
#include "linefilter/options.h"

namespace linefilter::python {

// Throws for a name that is no layout.
Layout LayoutOf(const std::string& name);

// 16 bytes, or None. Throws for anything else, and for 16 zeros, which are "no secret".
std::optional<HashSecret> SecretOf(const pybind11::object& secret);

inline const HashSecret* OrNull(const std::optional<HashSecret>& secret) { return secret ? &*secret : nullptr; }

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_OPTIONS_H_
