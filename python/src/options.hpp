#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/reader.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/one_setting.hpp"
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
using TrainingOptions = Bound<selection::OneSetting>;
using ConformalOptions = Bound<conformal::FitOptions>;
using ComparisonOptions = Bound<selection::ComparisonOptions>;

void bind_options(nanobind::module_& module);

/// The sentence with the arguments of Python where it names options of the command: `p_values="split"` for --p-values
/// split. Options that the descriptions do not have stay as they are.
std::string in_python(std::string text);
void bind_naming(nanobind::module_& module);

void bind_selecting(nanobind::module_& module);
/// Regions and outer folds for other machines.
void bind_shards(nanobind::module_& module);

namespace nb = nanobind;

/// A value of an option as Python has it: None, bool, int, float, str or a list of these.
nb::object to_python(const core::Value& value);
/// What a field gets from Python: numbers of NumPy, sequences, arrays, and for any field the text that the command
/// takes. A field of a list takes one value too; a field of class weights takes a dict from class to factor.
/// @throws Error invalid_argument for other objects
core::Value from_python(const core::Field& field, nb::handle object);

/// The field as a dict: name, sentence, kind, words, allowed, optional, default.
nb::dict description_of(const core::Field& field);

/// What Python may ask of the reader. Columns of weights, groups, folds and hints are the caller's business: in Python
/// every column has a name. Levels are unknown to a model, not to a file.
std::vector<core::Field> fields_for_python(data::ReadOptions& options);

/// Data files of text.
void bind_reading(nanobind::module_& module);

}  // namespace credence::python
