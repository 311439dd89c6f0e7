#include "bindings.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <vector>

#include "credence/bounds/registry.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/core/error.hpp"

namespace credence::python {
namespace {

nb::list quantities() {
  nb::list list;
  for (const bounds::Quantity& quantity : bounds::quantities()) {
    nb::dict one;
    one["name"] = std::string(quantity.name);
    one["meaning"] = std::string(quantity.meaning);
    list.append(one);
  }
  return list;
}

nb::list all_bounds() {
  nb::list list;
  for (const bounds::Bound& bound : bounds::bounds()) {
    nb::dict one;
    nb::list needs;
    for (const std::string_view name : bound.needs)
      if (!name.empty()) needs.append(std::string(name));
    one["name"] = std::string(bound.name);
    one["title"] = std::string(bound.title);
    one["needs"] = needs;
    list.append(one);
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
    nb::dict entry;
    entry["lower"] = one.limits.lower ? nb::cast(*one.limits.lower) : nb::none();
    entry["upper"] = one.limits.upper ? nb::cast(*one.limits.upper) : nb::none();
    entry["vacuous"] = one.limits.vacuous();
    limits[std::string(one.bound->name).c_str()] = entry;
  }
  nb::dict result;
  result["bounds"] = limits;
  result["use"] = std::string(found.bounds[found.best].bound->name);
  return result;
}

}  // namespace

void bind_bounds(nb::module_& module) {
  module.def("quantities", &quantities);
  module.def("all_bounds", &all_bounds);
  module.def("bounds_of", &bounds_of);
  module.def("split_miss_limit", &bounds::split_miss_limit, nb::arg("m"), nb::arg("significance"), nb::arg("delta"),
             nb::arg("smoothed"));
}

}  // namespace credence::python
