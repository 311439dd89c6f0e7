#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

void bind_selecting(nanobind::module_& module);
/// Regions and outer folds for other machines.
void bind_shards(nanobind::module_& module);

}  // namespace credence::python
