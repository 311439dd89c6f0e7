#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <tuple>
#include <vector>

#include "credence/selection/comparison.hpp"
#include "options.hpp"

namespace credence::python {

/// The contestants of a comparison as Python gives them.
using NamedMethods = std::vector<std::tuple<std::string, const SelectionOptions*>>;
std::vector<selection::Contestant> contestants_of(const NamedMethods& methods);

void bind_shards(nanobind::module_& module);

}  // namespace credence::python
