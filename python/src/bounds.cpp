#include "bindings.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "credence/bounds/registry.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/core/error.hpp"

namespace credence::python {
namespace {

nb::list quantities() {
  nb::list list;
  for (const bounds::Quantity& one : bounds::quantities())
    list.append(dict_of("name", std::string(one.name), "meaning", std::string(one.meaning)));
  return list;
}

nb::list all_bounds() {
  nb::list list;
  for (const bounds::Bound& bound : bounds::bounds()) {
    nb::list needs;
    for (const std::string_view name : bound.needs)
      if (!name.empty()) needs.append(std::string(name));
    list.append(dict_of("name", std::string(bound.name), "title", std::string(bound.title), "needs", needs));
  }
  return list;
}

nb::dict bounds_of(const std::map<std::string, double>& given) {
  bounds::Sample sample;
  std::vector<std::string> problems;
  const std::vector<core::Field> fields = bounds::fields_of(sample);
  for (const auto& [name, value] : given) {
    try {
      if (const core::Field* field = core::find_field(fields, name))
        field->set({value});
      else
        sample[name] = value;
    } catch (const Error& error) {
      problems.push_back(name + ": " + error.sentence());
    }
    if (const std::string_view missing = bounds::missing_for(name, sample);
        !missing.empty() && !given.contains(std::string(missing)))
      problems.push_back(name + ": there is no " + std::string(missing) + " that needs it");
  }
  throw_if_any(problems);
  const bounds::Findings found = bounds::evaluate(sample);
  nb::dict limits;
  for (const bounds::Finding& one : found.bounds) {
    limits[std::string(one.bound->name).c_str()] =
        dict_of("lower", one.limits.lower, "upper", one.limits.upper, "vacuous", one.limits.vacuous());
  }
  return dict_of("bounds", limits, "use", std::string(found.bounds[found.best].bound->name));
}

}  // namespace

void bind_bounds(nb::module_& module) {
  module.def("quantities", &quantities);
  module.def("all_bounds", &all_bounds);
  module.def("bounds_of", &bounds_of);
  module.def("split_miss_limit", &bounds::split_miss_limit);
}

}  // namespace credence::python
