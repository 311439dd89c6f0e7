#include "selecting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/model/costs.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "credence/selection/unfinished.hpp"
#include "options.hpp"
#include "report/course/race_text.hpp"
#include "report/course/unfinished_text.hpp"
#include "report/evaluation/trained_warnings.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/comparison_report.hpp"
#include "report/selection/heat_map.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"
#include "shards.hpp"

namespace credence::python {
namespace {

using data::Dataset;
using selection::Cell;
using selection::Selection;

template <class Value>
nb::object column(const std::vector<Cell>& cells, Value Cell::*member) {
  std::vector<Value> values;
  values.reserve(cells.size());
  for (const Cell& cell : cells) values.push_back(cell.*member);
  return array_of(std::move(values));
}

/// True where the value is not zero.
template <class Value>
nb::object flags(const std::vector<Cell>& cells, Value Cell::*member) {
  std::vector<std::uint8_t> values;
  for (const Cell& cell : cells) values.push_back(cell.*member == Value{} ? 0 : 1);
  return array_of(std::move(values)).attr("astype")("bool");
}
nb::object column(const std::vector<Cell>& cells, bool Cell::*member) {
  return flags(cells, member);
}
nb::object column(const std::vector<Cell>& cells, selection::GivenUp Cell::*member) {
  return flags(cells, member);
}

/// Cells x resamples; NaN where a cell has none. Empty if no cell has any.
nb::object column(const std::vector<Cell>& cells, std::vector<double> Cell::*member) {
  std::size_t count = 0;
  for (const Cell& cell : cells) count = std::max(count, (cell.*member).size());
  std::vector<double> table(cells.size() * count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < cells.size(); ++k) std::ranges::copy(cells[k].*member, table.data() + k * count);
  return array_of(std::move(table), {cells.size(), count});
}

/// The grid by columns; scores are large where a cell is good.
nb::dict cells_of(const Selection& selection) {
  const std::vector<Cell>& cells = selection.grid;
  nb::dict columns;
  Cell::describe([&](const char* name, auto member) { columns[name] = column(cells, member); });
  const bool turned = is_one_minus_score(selection.score_kind());
  std::vector<double> scores;
  for (const Cell& cell : cells) scores.push_back(turned ? 1 - cell.error : -cell.error);
  columns["test_score"] = array_of(std::move(scores));
  if (!turned) columns["split_scores"] = -columns["split_scores"];
  return columns;
}

/// Names of the parameters that some cell has.
std::vector<std::string> parameters_of(const Selection& selection) {
  std::vector<std::string> names;
  Cell::parameters([&](const char* name, auto member) {
    const auto has = [&](const Cell& cell) { return cell.*member > 0; };
    if (std::ranges::any_of(selection.grid, has)) names.emplace_back(name);
  });
  return names;
}

std::string document_of(const Selection& selection) {
  return report::json_text(report::selection_json(selection, {selection.options, {}}, ""));
}

/// The document that the command writes, of the rows of the selection and the model that was trained on all of them.
std::string whole_document_of(const Selection& selection, const Dataset& dataset, const model::Predictor& trained,
                              const RunOptions& options) {
  return run(options, [&](const core::Context& context) {
    return report::json_text(
        report::selection_document(selection, dataset, {selection.options, {}}, "", &trained, context));
  });
}

std::string comparison_of(const Dataset& dataset, const NamedMethods& methods, const ComparisonOptions& outer,
                          const RunOptions& options) {
  const std::vector<selection::Contestant> contestants = contestants_of(methods);
  const selection::Comparison comparison = run(options, [&](const core::Context& context) {
    return selection::compare(dataset, contestants, outer.owner, context);
  });
  return report::json_text(report::comparison_json(comparison));
}

/// A forecast in words, and what a caller may want to warn of.
nb::object forecast_dict(double seconds, std::string text) {
  nb::dict result;
  result["seconds"] = seconds;
  result["long"] = seconds > report::long_wait_seconds;
  result["text"] = std::move(text);
  return result;
}

/// The way that a selection of the same data by the same options takes, with what it will cost.
struct Forecast {
  selection::Way way;
  std::optional<double> time_limit;
};

Forecast forecast_of(const Dataset& dataset, const SelectionOptions& options, const RunOptions& running) {
  const selection::Selector checks_the_options(options.owner);
  return {run(running,
              [&](const core::Context& context) { return selection::way_of(dataset, options.owner, context, true); }),
          running.time_limit};
}

/// None for selections that have no forecast.
nb::object told(const Forecast& forecast) {
  const auto& found = forecast.way.forecast;
  if (!found || !found->finished) return nb::none();
  nb::object result = forecast_dict(found->seconds(), report::forecast_text(*found, forecast.time_limit));
  if (found->regions_seconds && !found->in_regions) {
    result["region_rows"] = found->region_rows;
    result["regions_seconds"] = *found->regions_seconds;
  }
  if (found->by_default) result["by_default"] = report::regions_by_default_text();
  if (found->races) result["long"] = false;  // no number is told
  return result;
}

/// How far a stopped selection came, and what training its best cell takes; None of others.
nb::object reached_by(const Selection& selection) {
  const auto found = selection::reached(selection);
  if (!found) return nb::none();
  nb::dict result;
  result["settings"] = found->settings;
  result["of_settings"] = found->of_settings;
  result["rows"] = found->rows;
  result["of_rows"] = found->of_rows;
  result["trains"] = selection::trains_best_cell(selection.options);
  result["seconds_to_train"] = selection::seconds_to_train(selection);
  return result;
}

nb::object comparison_forecast_of(const Dataset& dataset, const NamedMethods& methods, const ComparisonOptions& outer,
                                  const RunOptions& running) {
  const std::vector<selection::Contestant> contestants = contestants_of(methods);
  const selection::ComparisonForecast found = run(running, [&](const core::Context& context) {
    return selection::forecast(dataset, contestants, outer.owner, context);
  });
  if (found.methods.empty()) return nb::none();
  return forecast_dict(found.seconds, report::forecast_text(found, contestants));
}

}  // namespace

void bind_selecting(nb::module_& module) {
  nb::class_<Selection>(module, "Selection")
      .def_prop_ro("document", &document_of)
      .def("whole_document", &whole_document_of, nb::arg("dataset"), nb::arg("trained"), nb::arg("run"))
      .def(
          "look_at",
          [](Selection& selection, const model::Predictor& trained, const Dataset& dataset, const RunOptions& options,
             std::optional<std::size_t> of) {
            for (std::string& warning : run(options, [&](const core::Context& context) {
                   return of ? report::trained_warnings(trained, dataset, *of, context)
                             : report::trained_warnings(trained, dataset, context);
                 }))
              selection.later_warnings.push_back(std::move(warning));
            if (std::string lacks = report::no_p_values_text(selection, trained); !lacks.empty())
              selection.later_warnings.push_back(std::move(lacks));
          },
          nb::arg("trained"), nb::arg("dataset"), nb::arg("run"), nb::arg("of") = nb::none())
      .def(
          "warn",
          [](Selection& selection, std::string sentence) { selection.later_warnings.push_back(std::move(sentence)); },
          nb::arg("sentence"))
      .def_prop_ro("cells", &cells_of)
      .def_prop_ro("parameters", &parameters_of)
      .def_prop_ro("best", [](const Selection& selection) { return selection.best; })
      .def_prop_ro("score", [](const Selection& selection) { return selection.score; })
      .def_prop_ro("error_bound", [](const Selection& selection) { return selection.error_bound(); })
      .def_prop_ro("resamples", [](const Selection& selection) { return selection.resamples; })
      .def_prop_ro("notes", [](const Selection& selection) { return selection.notes; })
      .def_prop_ro("warnings", [](const Selection& selection) { return report::selection_warnings(selection); })
      .def_prop_ro("stopped", [](const Selection& selection) { return selection.stopped != core::StopReason::none; })
      .def_prop_ro("reached", &reached_by)
      .def("text", [](const Selection& selection) { return report::selection_table(selection, "arrays"); })
      .def(
          "fitted",
          [](const Selection& selection, const Dataset& dataset, const RunOptions& options) {
            return run(options, [&](const core::Context& context) {
              // Python has no constant objects: what it does with a predictor changes nothing.
              return std::const_pointer_cast<model::Predictor>(selection::fitted(dataset, selection, context));
            });
          },
          nb::arg("dataset"), nb::arg("run"));
  nb::class_<Forecast>(module, "Forecast").def_prop_ro("told", &told);
  module.def(
      "select",
      [](const Dataset& dataset, const SelectionOptions& options, const RunOptions& running, const Forecast* forecast) {
        const selection::Selector selector(forecast != nullptr ? forecast->way.options : options.owner);
        const selection::Forecast* const made = forecast != nullptr ? forecast->way.forecast.get() : nullptr;
        return run(running, [&](const core::Context& context) { return selector.select(dataset, context, made); });
      },
      nb::arg("dataset"), nb::arg("options"), nb::arg("run"), nb::arg("forecast") = nb::none());
  module.def(
      "seconds_kept_to_train",
      [](const SelectionOptions& options, double seconds_left, const Forecast* forecast) {
        const selection::Options& taken = forecast != nullptr ? forecast->way.options : options.owner;
        return selection::seconds_kept_to_train(seconds_left, taken.resolved(),
                                                forecast != nullptr ? forecast->way.forecast.get() : nullptr);
      },
      nb::arg("options"), nb::arg("seconds_left"), nb::arg("forecast") = nb::none());
  module.def(
      "label_costs",
      [](const std::string& text, const std::vector<std::string>& classes) {
        return array_of(model::DecisionCosts::parse(text, classes).of);
      },
      nb::arg("text"), nb::arg("classes"));
  module.def("forecast", &forecast_of, nb::arg("dataset"), nb::arg("options"), nb::arg("run"));
  module.def("comparison_forecast", &comparison_forecast_of, nb::arg("dataset"), nb::arg("methods"), nb::arg("outer"),
             nb::arg("run"));
  module.def(
      "train",
      [](const Dataset& dataset, const TrainingOptions& cell, int folds, const RunOptions& running) {
        return run(running,
                   [&](const core::Context& context) { return selection::train(dataset, cell.owner, folds, context); });
      },
      nb::arg("dataset"), nb::arg("cell"), nb::arg("folds"), nb::arg("run"));
  module.def(
      "trained_warnings",
      [](const model::Predictor& trained, const Dataset& dataset, const RunOptions& running) {
        return run(running,
                   [&](const core::Context& context) { return report::trained_warnings(trained, dataset, context); });
      },
      nb::arg("trained"), nb::arg("dataset"), nb::arg("run"));
  module.def(
      "beyond_floats",
      [](const Dataset& dataset, const TrainingOptions& cell) {
        const selection::Options options = cell.owner.options.resolved();
        if (!options.has_costs() || !options.costs.nu.empty() || cell.owner.has_regions()) return std::string();
        return selection::beyond_floats(dataset, options, options.costs.C.front(), options.kernels.gamma.front());
      },
      nb::arg("dataset"), nb::arg("cell"));
  module.def("compare", &comparison_of, nb::arg("dataset"), nb::arg("methods"), nb::arg("outer"), nb::arg("run"));
}

}  // namespace credence::python
