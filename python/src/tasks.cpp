#include "tasks.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "distributed/neighbour_tasks.hpp"
#include "distributed/tasks.hpp"
#include "options.hpp"
#include "report/selection/comparison_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using distributed::CellTasks;
using distributed::ComparisonTasks;
using distributed::NeighbourTasks;
using distributed::SelectionTasks;

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

nb::list list_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(bytes_of(text));
  return list;
}

template <class Tasks>
nb::list run_tasks(const Tasks& tasks, const std::vector<std::size_t>& numbers, const RunOptions& options) {
  const std::vector<std::string> results = run(options, [&](const core::Context& context) {
    std::vector<std::string> made;
    for (const std::size_t number : numbers) made.push_back(tasks.run(number, context));
    return made;
  });
  return list_of(results);
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
std::vector<std::vector<std::size_t>> groups_of(const Tasks& tasks, std::size_t least_rows) {
  return distributed::grouped(tasks, least_rows);
}

template <class Tasks>
selection::Selection merged_selection(const Tasks& tasks, const nb::list& results, const RunOptions& options) {
  const std::vector<std::string> texts = texts_of(results);
  return run(options, [&](const core::Context& context) { return tasks.merged(texts, context); });
}

template <class Tasks>
void add_tasks(nb::class_<Tasks>& type) {
  type.def("__len__", &Tasks::size)
      .def("groups", &groups_of<Tasks>, nb::arg("least_rows"))
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
  selecting.def("merged", &merged_selection<SelectionTasks>, nb::arg("results"), nb::arg("run"));

  nb::class_<CellTasks>(module, "CellTasks")
      .def(
          "__init__",
          [](CellTasks* self, const data::Dataset& dataset, const SelectionOptions& options,
             const RunOptions& running) {
            run_apart(running,
                      [&](const core::Context& context) { new (self) CellTasks(dataset, options.owner, context); });
          },
          nb::arg("dataset"), nb::arg("options"), nb::arg("run"), nb::keep_alive<1, 2>())
      .def("__len__", &CellTasks::size)
      .def("groups", &groups_of<CellTasks>, nb::arg("least_rows"))
      .def(
          "rows_of", [](const CellTasks& tasks, std::size_t number) { return bytes_of(tasks.rows_of(number)); },
          nb::arg("number"))
      .def("merged", &merged_selection<CellTasks>, nb::arg("results"), nb::arg("run"));
  module.def(
      "run_cells",
      [](const nb::list& rows, const SelectionOptions& options, const RunOptions& running) {
        const std::vector<std::string> texts = texts_of(rows);
        return list_of(run(running, [&](const core::Context& context) {
          std::vector<std::string> made;
          for (const std::string& text : texts) made.push_back(CellTasks::run(text, options.owner, context));
          return made;
        }));
      },
      nb::arg("rows"), nb::arg("options"), nb::arg("run"));

  auto neighbours = nb::class_<NeighbourTasks>(module, "NeighbourTasks");
  neighbours.def(
      "__init__",
      [](NeighbourTasks* self, const data::Dataset& dataset, const ConformalOptions& options, std::size_t block_rows,
         std::size_t query_rows) { new (self) NeighbourTasks(dataset, options.owner, block_rows, query_rows); },
      nb::arg("dataset"), nb::arg("options"), nb::arg("block_rows") = NeighbourTasks::usual_block_rows,
      nb::arg("query_rows") = NeighbourTasks::usual_query_rows, nb::keep_alive<1, 2>());
  add_tasks(neighbours);
  neighbours.def(
      "merged",
      [](const NeighbourTasks& tasks, const nb::list& results, const RunOptions& options) {
        const std::vector<std::string> texts = texts_of(results);
        return run(options, [&](const core::Context& context) -> std::shared_ptr<model::Predictor> {
          return tasks.merged(texts, context);
        });
      },
      nb::arg("results"), nb::arg("run"));

  auto comparing = nb::class_<ComparisonTasks>(module, "ComparisonTasks");
  comparing.def(
      "__init__",
      [](ComparisonTasks* self, const data::Dataset& dataset, const NamedMethods& methods,
         const ComparisonOptions& outer) { new (self) ComparisonTasks(dataset, contestants_of(methods), outer.owner); },
      nb::arg("dataset"), nb::arg("methods"), nb::arg("outer"), nb::keep_alive<1, 2>());
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
