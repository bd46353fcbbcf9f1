// What a filter should be, as Python says it.
#ifndef LINEFILTER_PYTHON_SRC_OPTIONS_H_
#define LINEFILTER_PYTHON_SRC_OPTIONS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

#include "linefilter/filter_base.h"
#include "linefilter/layout.h"
#include "linefilter/options.h"

namespace linefilter::python {

// What can be chosen, for messages: `first`, if it is not empty, and all layouts that are built: "auto, blocked or
// ...".
std::string LayoutChoices(const std::string& first);

// Throws for what is not the name of a layout. It takes any object, as each function of this module does that takes a
// secret: pybind11's own TypeError, of an argument that it cannot convert, shows all arguments.
Layout LayoutOf(const pybind11::object& name);

// 16 bytes, or None. Throws for anything else, and for 16 zeros, which are "no secret".
std::optional<HashSecret> SecretOf(const pybind11::object& secret);

// What opens an image again to go on with it: its secret (SecretOf), or none, and the limit.
FilterOptions OptionsToOpen(const std::optional<HashSecret>& secret, uint64_t memory_limit);

inline const HashSecret* OrNull(const std::optional<HashSecret>& secret) { return secret ? &*secret : nullptr; }

}  // namespace linefilter::python

#endif  // LINEFILTER_PYTHON_SRC_OPTIONS_H_
