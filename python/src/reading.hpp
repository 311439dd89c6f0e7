#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "credence/data/reader.hpp"

namespace credence::python {

/// What Python may ask of the reader. Columns of weights, groups, folds and hints are the caller's business: in Python
/// every column has a name. Levels are unknown to a model, not to a file.
std::vector<core::Field> fields_for_python(data::ReadOptions& options);

/// Data files of text.
void bind_reading(nanobind::module_& module);

}  // namespace credence::python
