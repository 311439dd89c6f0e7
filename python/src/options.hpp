#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/core/describe.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/one_cell.hpp"
#include "credence/selection/options.hpp"

namespace credence::python {

/// Options that describe their fields, behind one face for Python.
template <class Owner>
struct Bound {
  Owner owner;

  template <class... Arguments>
  explicit Bound(Arguments&&... arguments) : owner(std::forward<Arguments>(arguments)...) {}
};

using SelectionOptions = Bound<selection::Options>;
using TrainingOptions = Bound<selection::OneCell>;
using ConformalOptions = Bound<conformal::FitOptions>;
using ComparisonOptions = Bound<selection::ComparisonOptions>;

void bind_options(nanobind::module_& module);

}  // namespace credence::python
