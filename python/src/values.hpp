#pragma once

#include <nanobind/nanobind.h>

#include "credence/core/describe.hpp"

namespace credence::python {

namespace nb = nanobind;

/// A value of an option as Python has it: None, bool, int, float, str or a list of these.
nb::object to_python(const core::Value& value);
/// What a field gets from Python: numbers of NumPy, sequences, arrays, and for any field the text that the command
/// takes. A field of a list takes one value too; a field of class weights takes a dict from class to factor.
/// @throws Error invalid_argument for other objects
core::Value from_python(const core::Field& field, nb::handle object);

/// The field as a dict: name, sentence, kind, words, allowed, optional, spelling_of, default.
nb::dict description_of(const core::Field& field);

}  // namespace credence::python
