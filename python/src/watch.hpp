#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// Streams of rows that are watched for a model.
void bind_watch(nanobind::module_& module);

}  // namespace credence::python
