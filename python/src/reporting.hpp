#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

/// Documents of evaluations, and the page and the charts that are made of documents.
void bind_reporting(nanobind::module_& module);

}  // namespace credence::python
