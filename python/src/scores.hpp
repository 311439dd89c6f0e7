#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// Conformal prediction around scores of any origin, its evaluation, and bounds.
void bind_scores(nanobind::module_& module);

}  // namespace credence::python
