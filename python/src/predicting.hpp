#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

void bind_predicting(nanobind::module_& module);

}  // namespace credence::python
