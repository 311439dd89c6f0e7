#include "shards.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "distributed/neighbour_shards.hpp"
#include "distributed/region_shards.hpp"
#include "distributed/shards.hpp"
#include "options.hpp"
#include "report/selection/comparison_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using distributed::ComparisonShards;
using distributed::NeighbourShards;
using distributed::RegionRoutes;
using distributed::RegionShards;
using distributed::SelectionShards;

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

nb::list list_of(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(bytes_of(text));
  return list;
}

template <class Shards>
nb::list run_shards(const Shards& shards, const std::vector<std::size_t>& numbers, const RunOptions& options) {
  const std::vector<std::string> results = run(options, [&](const core::Context& context) {
    std::vector<std::string> made;
    for (const std::size_t number : numbers) made.push_back(shards.run(number, context));
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

template <class Shards>
std::vector<std::vector<std::size_t>> groups_of(const Shards& shards, std::size_t least_rows) {
  return distributed::grouped(shards, least_rows);
}

template <class Shards>
selection::Selection merged_selection(const Shards& shards, const nb::list& results, const RunOptions& options) {
  const std::vector<std::string> texts = texts_of(results);
  return run(options, [&](const core::Context& context) { return shards.merged(texts, context); });
}

template <class Shards>
void add_shards(nb::class_<Shards>& type) {
  type.def("__len__", &Shards::size)
      .def("groups", &groups_of<Shards>, nb::arg("least_rows"))
      .def("run", &run_shards<Shards>, nb::arg("numbers"), nb::arg("run"));
}

nb::object numbers_of(const std::vector<std::size_t>& rows) {
  return array_of(std::vector<std::int64_t>(rows.begin(), rows.end()));
}

/// @param rows  those of rows_needed
std::shared_ptr<RegionShards> regions_elsewhere(const data::Dataset& labels, const data::Dataset& rows,
                                                const Vector<std::uint64_t>& training_keys,
                                                const Vector<std::uint64_t>& keys, const SelectionOptions& options,
                                                const RunOptions& running) {
  distributed::RowsElsewhere elsewhere{selection::rows_needed(labels, options.owner.resolved()), rows,
                                       vector_of(training_keys), vector_of(keys)};
  return run(running, [&](const core::Context& context) {
    return std::make_shared<RegionShards>(labels, std::move(elsewhere), options.owner, context);
  });
}

}  // namespace

std::vector<selection::Contestant> contestants_of(const NamedMethods& methods) {
  std::vector<selection::Contestant> contestants;
  for (const auto& [name, method] : methods) contestants.push_back({name, method->owner, {}});
  return contestants;
}

void bind_shards(nb::module_& module) {
  auto selecting = nb::class_<SelectionShards>(module, "SelectionShards");
  selecting.def(
      "__init__",
      [](SelectionShards* self, const data::Dataset& dataset, const SelectionOptions& options) {
        new (self) SelectionShards(dataset, options.owner);
      },
      nb::arg("dataset"), nb::arg("options"), nb::keep_alive<1, 2>());
  add_shards(selecting);
  selecting.def("merged", &merged_selection<SelectionShards>, nb::arg("results"), nb::arg("run"));

  nb::class_<RegionShards>(module, "RegionShards")
      .def(
          "__init__",
          [](RegionShards* self, const data::Dataset& dataset, const SelectionOptions& options,
             const RunOptions& running) {
            run_apart(running,
                      [&](const core::Context& context) { new (self) RegionShards(dataset, options.owner, context); });
          },
          nb::arg("dataset"), nb::arg("options"), nb::arg("run"), nb::keep_alive<1, 2>())
      .def_static("elsewhere", &regions_elsewhere, nb::arg("labels"), nb::arg("rows"), nb::arg("training_keys"),
                  nb::arg("keys"), nb::arg("options"), nb::arg("run"))
      .def("__len__", &RegionShards::size)
      .def("groups", &groups_of<RegionShards>, nb::arg("least_rows"))
      .def("rows_in", &RegionShards::rows_in, nb::arg("number"))
      .def("routes", [](const RegionShards& shards) { return bytes_of(shards.routes()); })
      .def(
          "route",
          [](RegionShards& shards, const Vector<std::uint32_t>& region_of) { shards.route(vector_of(region_of)); },
          nb::arg("region_of"))
      .def(
          "task_of", [](const RegionShards& shards, std::size_t number) { return bytes_of(shards.task_of(number)); },
          nb::arg("number"))
      .def(
          "rows_of", [](const RegionShards& shards, std::size_t number) { return bytes_of(shards.rows_of(number)); },
          nb::arg("number"))
      .def(
          "take",
          [](RegionShards& shards, const nb::list& results, const RunOptions& running) {
            const std::vector<std::string> texts = texts_of(results);
            run_apart(running, [&](const core::Context& context) { shards.take(texts, context); });
          },
          nb::arg("results"), nb::arg("run"))
      .def(
          "add",
          [](RegionShards& shards, std::size_t number, const nb::bytes& result) {
            shards.add(number, {result.c_str(), result.size()});
          },
          nb::arg("number"), nb::arg("result"))
      .def(
          "take_added",
          [](RegionShards& shards, const RunOptions& running) {
            run_apart(running, [&](const core::Context& context) { shards.take_added(context); });
          },
          nb::arg("run"))
      .def("done", &RegionShards::done)
      .def(
          "merged",
          [](RegionShards& shards, const RunOptions& running) {
            return run(running, [&](const core::Context& context) { return shards.merged(context); });
          },
          nb::arg("run"));
  module.def(
      "run_regions",
      [](const nb::list& rows, const SelectionOptions& options, const RunOptions& running) {
        const std::vector<std::string> texts = texts_of(rows);
        return list_of(run(running, [&](const core::Context& context) {
          std::vector<std::string> made;
          for (const std::string& text : texts) made.push_back(RegionShards::run(text, options.owner, context));
          return made;
        }));
      },
      nb::arg("rows"), nb::arg("options"), nb::arg("run"));

  nb::class_<RegionRoutes>(module, "RegionRoutes")
      .def(
          "__init__",
          [](RegionRoutes* self, const nb::bytes& bytes) {
            new (self) RegionRoutes(RegionRoutes::from_bytes({bytes.c_str(), bytes.size()}));
          },
          nb::arg("bytes"))
      .def(
          "regions_of",
          [](const RegionRoutes& routes, const data::Dataset& rows, const RunOptions& running) {
            return array_of(
                run(running, [&](const core::Context& context) { return routes.regions_of(rows, context); }));
          },
          nb::arg("rows"), nb::arg("run"))
      .def(
          "run",
          [](const RegionRoutes& routes, const nb::bytes& task, const data::Dataset& rows,
             const SelectionOptions& options, const RunOptions& running) {
            const std::string text(task.c_str(), task.size());
            return bytes_of(run(running, [&](const core::Context& context) {
              return RegionShards::run(text, options.owner, context, &routes, &rows);
            }));
          },
          nb::arg("task"), nb::arg("rows"), nb::arg("options"), nb::arg("run"));
  module.def(
      "rows_needed",
      [](const data::Dataset& labels, const SelectionOptions& options) {
        return numbers_of(selection::rows_needed(labels, options.owner.resolved()));
      },
      nb::arg("labels"), nb::arg("options"));
  module.def(
      "rows_apart",
      [](const data::Dataset& labels, const SelectionOptions& options) {
        return numbers_of(selection::rows_apart(labels, options.owner.resolved()));
      },
      nb::arg("labels"), nb::arg("options"));
  module.def(
      "rows_looked_at", [](std::size_t rows) { return numbers_of(selection::looked_at_rows(rows)); }, nb::arg("rows"));

  auto neighbours = nb::class_<NeighbourShards>(module, "NeighbourShards");
  neighbours.def(
      "__init__",
      [](NeighbourShards* self, const data::Dataset& dataset, const ConformalOptions& options, std::size_t block_rows,
         std::size_t query_rows) { new (self) NeighbourShards(dataset, options.owner, block_rows, query_rows); },
      nb::arg("dataset"), nb::arg("options"), nb::arg("block_rows") = NeighbourShards::usual_block_rows,
      nb::arg("query_rows") = NeighbourShards::usual_query_rows, nb::keep_alive<1, 2>());
  add_shards(neighbours);
  neighbours.def(
      "merged",
      [](const NeighbourShards& shards, const nb::list& results, const RunOptions& options) {
        const std::vector<std::string> texts = texts_of(results);
        return run(options, [&](const core::Context& context) -> std::shared_ptr<model::Predictor> {
          return shards.merged(texts, context);
        });
      },
      nb::arg("results"), nb::arg("run"));

  auto comparing = nb::class_<ComparisonShards>(module, "ComparisonShards");
  comparing.def(
      "__init__",
      [](ComparisonShards* self, const data::Dataset& dataset, const NamedMethods& methods,
         const ComparisonOptions& outer) {
        new (self) ComparisonShards(dataset, contestants_of(methods), outer.owner);
      },
      nb::arg("dataset"), nb::arg("methods"), nb::arg("outer"), nb::keep_alive<1, 2>());
  add_shards(comparing);
  comparing.def(
      "merged",
      [](const ComparisonShards& shards, const nb::list& results, const RunOptions& options) {
        const std::vector<std::string> texts = texts_of(results);
        return report::json_text(report::comparison_json(
            run(options, [&](const core::Context& context) { return shards.merged(texts, context); })));
      },
      nb::arg("results"), nb::arg("run"));
}

}  // namespace credence::python
