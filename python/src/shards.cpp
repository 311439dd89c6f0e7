#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "distributed/outer_shards.hpp"
#include "distributed/region_shards.hpp"
#include "options.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using distributed::OuterShards;
using distributed::RegionRoutes;
using distributed::RegionShards;

std::vector<std::string> texts_of(const nb::list& results) {
  std::vector<std::string> texts;
  for (const nb::handle result : results) {
    const auto bytes = nb::cast<nb::bytes>(result);
    texts.emplace_back(bytes.c_str(), bytes.size());
  }
  return texts;
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

void bind_outer(nb::module_& module) {
  nb::class_<OuterShards>(module, "OuterShards")
      .def(
          "__init__",
          [](OuterShards* self, const data::Dataset& dataset, const SelectionOptions& options) {
            new (self) OuterShards(dataset, options.owner);
          },
          nb::keep_alive<1, 2>())
      .def("__len__", &OuterShards::size)
      .def("run",
           [](const OuterShards& shards, std::size_t number, const RunOptions& running) {
             return bytes_of(run(running, [&](const core::Context& context) { return shards.run(number, context); }));
           })
      .def("merged", [](const OuterShards& shards, const nb::list& results, const RunOptions& running) {
        const std::vector<std::string> texts = texts_of(results);
        return run(running, [&](const core::Context& context) { return shards.merged(texts, context); });
      });
}

void bind_regions(nb::module_& module) {
  nb::class_<RegionShards>(module, "RegionShards")
      .def(
          "__init__",
          [](RegionShards* self, const data::Dataset& dataset, const SelectionOptions& options,
             const RunOptions& running) {
            run_apart(running,
                      [&](const core::Context& context) { new (self) RegionShards(dataset, options.owner, context); });
          },
          nb::keep_alive<1, 2>())
      .def_static("elsewhere", &regions_elsewhere)
      .def("__len__", &RegionShards::size)
      .def("rows_in", &RegionShards::rows_in)
      .def("routes", [](const RegionShards& shards) { return bytes_of(shards.routes()); })
      .def("route",
           [](RegionShards& shards, const Vector<std::uint32_t>& region_of) { shards.route(vector_of(region_of)); })
      .def("task_of", [](const RegionShards& shards, std::size_t number) { return bytes_of(shards.task_of(number)); })
      .def("rows_of", [](const RegionShards& shards, std::size_t number) { return bytes_of(shards.rows_of(number)); })
      .def("add", [](RegionShards& shards, std::size_t number,
                     const nb::bytes& result) { shards.add(number, {result.c_str(), result.size()}); })
      .def("take",
           [](RegionShards& shards, const RunOptions& running) {
             run_apart(running, [&](const core::Context& context) { shards.take(context); });
           })
      .def("done", &RegionShards::done)
      .def("merged", [](RegionShards& shards, const RunOptions& running) {
        return run(running, [&](const core::Context& context) { return shards.merged(context); });
      });
  module.def("run_region", [](const nb::bytes& rows, const SelectionOptions& options, const RunOptions& running) {
    const std::string text(rows.c_str(), rows.size());
    return bytes_of(
        run(running, [&](const core::Context& context) { return RegionShards::run(text, options.owner, context); }));
  });
}

void bind_routes(nb::module_& module) {
  nb::class_<RegionRoutes>(module, "RegionRoutes")
      .def("__init__",
           [](RegionRoutes* self, const nb::bytes& bytes) {
             new (self) RegionRoutes(RegionRoutes::from_bytes({bytes.c_str(), bytes.size()}));
           })
      .def("regions_of",
           [](const RegionRoutes& routes, const data::Dataset& rows, const RunOptions& running) {
             return array_of(
                 run(running, [&](const core::Context& context) { return routes.regions_of(rows, context); }));
           })
      .def("run", [](const RegionRoutes& routes, const nb::bytes& task, const data::Dataset& rows,
                     const SelectionOptions& options, const RunOptions& running) {
        const std::string text(task.c_str(), task.size());
        return bytes_of(run(running, [&](const core::Context& context) {
          return RegionShards::run(text, options.owner, context, &routes, &rows);
        }));
      });
}

}  // namespace

void bind_shards(nb::module_& module) {
  bind_outer(module);
  bind_regions(module);
  bind_routes(module);
  module.def("rows_needed", [](const data::Dataset& labels, const SelectionOptions& options) {
    return numbers_of(selection::rows_needed(labels, options.owner.resolved()));
  });
  module.def("rows_apart", [](const data::Dataset& labels, const SelectionOptions& options) {
    return numbers_of(selection::rows_apart(labels, options.owner.resolved()));
  });
  module.def("rows_looked_at", [](std::size_t rows) { return numbers_of(selection::looked_at_rows(rows)); });
}

}  // namespace credence::python
