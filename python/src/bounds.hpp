#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

namespace nb = nanobind;

/// Bounds by name, from the registry.
void bind_bounds(nanobind::module_& module);

}  // namespace credence::python
