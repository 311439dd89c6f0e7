#pragma once

#include <nanobind/nanobind.h>

#include "credence/data/dataset.hpp"

namespace credence::python {

void bind_dataset(nanobind::module_& module);

}  // namespace credence::python
