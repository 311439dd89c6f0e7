#pragma once

#include <nanobind/nanobind.h>

#include "credence/data/dataset.hpp"

namespace credence::python {

namespace nb = nanobind;

/// Bounds by name, from the registry.
void bind_bounds(nanobind::module_& module);

/// Conformal prediction around scores of any origin, one example at a time, and its evaluation.
void bind_conformal(nanobind::module_& module);

void bind_dataset(nanobind::module_& module);

/// What a choice among candidates of any program is worth.
void bind_honest(nanobind::module_& module);

void bind_predicting(nanobind::module_& module);

/// Documents of evaluations, and the page and the charts that are made of documents.
void bind_reporting(nanobind::module_& module);

/// Streams of rows that are watched for a model.
void bind_watch(nanobind::module_& module);

}  // namespace credence::python
