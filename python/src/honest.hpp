#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// What a choice among candidates of any program is worth.
void bind_honest(nanobind::module_& module);

}  // namespace credence::python
