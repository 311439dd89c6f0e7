#include "options.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "credence/conformal/online.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/error.hpp"

namespace credence::python {
namespace {

namespace nb = nanobind;

// The fields of each owner, and the one of a name.

std::vector<core::Field> fields(selection::Options& options) {
  std::vector<core::Field> all = selection::fields_of(options);
  std::erase_if(all, [](const core::Field& field) { return field.name == "by_sigma"; });
  return all;
}
std::vector<core::Field> fields(auto& owner) {
  return fields_of(owner);
}
std::vector<core::Field> fields(selection::ComparisonOptions& options) {
  return core::fields_of(options);
}

const core::Field& named(const selection::Options& options, const std::vector<core::Field>& all,
                         const std::string& name) {
  return selection::field_named(options, all, name);
}
const core::Field& named(const conformal::FitOptions& options, const std::vector<core::Field>& all,
                         const std::string& name) {
  return conformal::field_named(options, all, name);
}
const core::Field& named(const selection::OneSetting& setting, const std::vector<core::Field>& all,
                         const std::string& name) {
  if (const core::Field* field = core::find_field(all, name)) return *field;
  refuse(fmt::format("{} do not use {}", setting.has_rvms() ? "relevance vector machines" : "SVMs", name));
}

const core::Field& named(const selection::ComparisonOptions&, const std::vector<core::Field>& all,
                         const std::string& name) {
  if (const core::Field* field = core::find_field(all, name)) return *field;
  refuse("a comparison does not look at " + name);
}

nb::list descriptions_of(const std::vector<core::Field>& all) {
  nb::list list;
  for (const core::Field& field : all) list.append(description_of(field));
  return list;
}

template <class Owner>
nb::list descriptions(Bound<Owner>& self) {
  return descriptions_of(fields(self.owner));
}

nb::list descriptions_in(auto options) {
  return descriptions_of(core::fields_of(options));
}

/// Options that stand apart from methods, models and measures. @throws Error invalid_argument for another word
nb::list described(const std::string& what) {
  if (what == "comparison") return descriptions_in(selection::ComparisonOptions{});
  if (what == "p_values") return descriptions_in(conformal::PValueOptions{});
  if (what == "online") return descriptions_in(conformal::PValueOptions{conformal::online_p_values});
  if (what == "intervals") return descriptions_in(conformal::RegressionOptions{});
  data::ReadOptions reading;
  if (what == "reading") return descriptions_of(fields_for_python(reading));
  refuse("there are no options of " + what);
}

/// Calls use(field) with the field of that name; a refusal begins with the name that Python knows.
template <class Owner, class Use>
auto with_field(Owner& owner, const std::string& name, const std::string& shown, const Use& use) {
  const std::vector<core::Field> all = fields(owner);
  return under_name(shown.empty() ? name : shown, [&] { return use(named(owner, all, name)); });
}

template <class Owner>
void set(Bound<Owner>& self, const std::string& name, nb::handle value, const std::string& shown) {
  with_field(self.owner, name, shown, [&](const core::Field& field) { field.set(from_python(field, value)); });
}

template <class Owner>
nb::object get(Bound<Owner>& self, const std::string& name, const std::string& shown) {
  return with_field(self.owner, name, shown, [](const core::Field& field) { return to_python(field.get()); });
}

template <class Owner>
void add_access(nb::class_<Bound<Owner>>& type) {
  type.def("fields", &descriptions<Owner>)
      .def("set", &set<Owner>, nb::arg("name"), nb::arg("value").none(), nb::arg("shown") = "")
      .def("get", &get<Owner>);
}

data::Task task_of(bool regression) {
  return regression ? data::Task::regression : data::Task::classification;
}

std::optional<selection::Learner> learner_of(const std::optional<std::string>& model) {
  if (!model) return std::nullopt;
  return core::parse_word<selection::Learner>(*model);
}

data::Missing missing_of(const std::string& word) {
  return core::parse_word<data::Missing>(word);
}

void bind_methods(nb::module_& module) {
  module.def("methods", &selection::methods);
  module.def("in_regions", &selection::in_regions);
  module.def("sentence_of_method", [](const std::string& name) { return selection::sentence_of_method(name); });
  module.def("exclusive_fields", [] {
    std::vector<std::vector<std::string>> pairs;
    for (const auto& [first, second] : selection::exclusive_fields) pairs.push_back({first, second});
    return pairs;
  });
  module.def("calibrates", [](const std::string& method) {
    return selection::Options{.method = selection::method_named(method)}.traits().calibrates;
  });
  module.def("chooses_from", [](const std::string& method, const std::string& model) {
    return selection::chooses_from(selection::method_named(method), *learner_of(model));
  });
}

}  // namespace

void bind_options(nb::module_& module) {
  auto selecting = nb::class_<SelectionOptions>(module, "SelectionOptions");
  selecting.def(
      "__init__",
      [](SelectionOptions* self, const std::string& method, const std::optional<std::string>& model, bool regression) {
        new (self) SelectionOptions();
        self->owner.method = selection::method_named(method);
        self->owner.task = task_of(regression);
        self->owner.model = learner_of(model);
      },
      nb::arg("method"), nb::arg("model") = nb::none(), nb::arg("regression") = false);
  selecting.def("set_missing", [](SelectionOptions& self, const std::string& word) {
    self.owner.preparation.missing = missing_of(word);
  });
  selecting.def("choose_one_svm", [](SelectionOptions& self) { self.owner.choose_one_svm(); });
  add_access(selecting);

  auto setting = nb::class_<TrainingOptions>(module, "TrainingOptions");
  setting.def("__init__", [](TrainingOptions* self, const std::string& model, bool regression) {
    new (self) TrainingOptions(task_of(regression), learner_of(model));
  });
  setting.def("set_missing", [](TrainingOptions& self, const std::string& word) {
    self.owner.options.preparation.missing = missing_of(word);
  });
  add_access(setting);

  auto conformal = nb::class_<ConformalOptions>(module, "ConformalOptions");
  conformal.def("__init__", [](ConformalOptions* self, const std::string& measure, const std::string& mode,
                               const std::string& model) {
    new (self) ConformalOptions();
    self->owner.measure = conformal::measure_named(measure, model);
    self->owner.mode = conformal::mode_named(mode);
  });
  conformal.def("set_missing",
                [](ConformalOptions& self, const std::string& word) { self.owner.missing = missing_of(word); });
  add_access(conformal);

  auto comparison = nb::class_<ComparisonOptions>(module, "ComparisonOptions");
  comparison.def("__init__", [](ComparisonOptions* self) { new (self) ComparisonOptions(); });
  add_access(comparison);

  module.def("described", &described);
  module.def("usual_contestants", [] {
    return std::vector<std::string>(selection::usual_contestants.begin(), selection::usual_contestants.end());
  });
  bind_methods(module);
}

}  // namespace credence::python
