#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// Conformal prediction around scores of any origin, one example at a time, and its evaluation.
void bind_conformal(nanobind::module_& module);

}  // namespace credence::python
