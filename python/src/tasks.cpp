#include "tasks.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "credence/selection/tasks.hpp"
#include "options.hpp"
#include "report/comparison_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using selection::ComparisonTasks;
using selection::SelectionTasks;

template <class Tasks>
nb::list run_tasks(const Tasks& tasks, const std::vector<std::size_t>& numbers, const RunOptions& options) {
  const std::vector<std::string> results = run(options, [&](const core::Context& context) {
    std::vector<std::string> made;
    for (const std::size_t number : numbers) made.push_back(tasks.run(number, context));
    return made;
  });
  nb::list list;
  for (const std::string& result : results) list.append(nb::bytes(result.data(), result.size()));
  return list;
}

std::vector<std::string> texts_of(const nb::list& results) {
  std::vector<std::string> texts;
  for (const nb::handle result : results) {
    const auto bytes = nb::cast<nb::bytes>(result);
    texts.emplace_back(bytes.c_str(), bytes.size());
  }
  return texts;
}

template <class Tasks>
void add_tasks(nb::class_<Tasks>& type) {
  type.def("__len__", &Tasks::size)
      .def(
          "groups", [](const Tasks& tasks, double seconds) { return selection::grouped(tasks, seconds); },
          nb::arg("least_seconds"))
      .def("run", &run_tasks<Tasks>, nb::arg("numbers"), nb::arg("run"));
}

}  // namespace

std::vector<selection::Contestant> contestants_of(const NamedMethods& methods) {
  std::vector<selection::Contestant> contestants;
  for (const auto& [name, method] : methods) contestants.push_back({name, method->owner, {}});
  return contestants;
}

void bind_tasks(nb::module_& module) {
  auto selecting = nb::class_<SelectionTasks>(module, "SelectionTasks");
  selecting.def(
      "__init__",
      [](SelectionTasks* self, const data::Dataset& dataset, const SelectionOptions& options) {
        new (self) SelectionTasks(dataset, options.owner);
      },
      nb::arg("dataset"), nb::arg("options"), nb::keep_alive<1, 2>());
  add_tasks(selecting);
  selecting.def(
      "merged",
      [](const SelectionTasks& tasks, const nb::list& results, const RunOptions& options) {
        const std::vector<std::string> texts = texts_of(results);
        return run(options, [&](const core::Context& context) { return tasks.merged(texts, context); });
      },
      nb::arg("results"), nb::arg("run"));

  auto comparing = nb::class_<ComparisonTasks>(module, "ComparisonTasks");
  comparing.def(
      "__init__",
      [](ComparisonTasks* self, const data::Dataset& dataset, const NamedMethods& methods, int outer_folds,
         std::uint64_t seed) { new (self) ComparisonTasks(dataset, contestants_of(methods), {outer_folds, seed}); },
      nb::arg("dataset"), nb::arg("methods"), nb::arg("outer_folds"), nb::arg("seed"), nb::keep_alive<1, 2>());
  add_tasks(comparing);
  comparing.def(
      "merged",
      [](const ComparisonTasks& tasks, const nb::list& results, const RunOptions& options) {
        const std::vector<std::string> texts = texts_of(results);
        return report::json_text(report::comparison_json(
            run(options, [&](const core::Context& context) { return tasks.merged(texts, context); })));
      },
      nb::arg("results"), nb::arg("run"));
}

}  // namespace credence::python
