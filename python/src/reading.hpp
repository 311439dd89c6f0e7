#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// Data files of text.
void bind_reading(nanobind::module_& module);

}  // namespace credence::python
