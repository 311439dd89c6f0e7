#include "selecting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "credence/selection/unfinished.hpp"
#include "options.hpp"
#include "report/comparison_report.hpp"
#include "report/heat_map.hpp"
#include "report/race_text.hpp"
#include "report/selection_report.hpp"
#include "report/trained_warnings.hpp"
#include "report/warnings.hpp"
#include "run.hpp"
#include "tasks.hpp"

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

nb::object flags(const std::vector<Cell>& cells, bool Cell::*member) {
  std::vector<std::uint8_t> values;
  for (const Cell& cell : cells) values.push_back(cell.*member ? 1 : 0);
  return array_of(std::move(values)).attr("astype")("bool");
}

/// Whether what is to be small is 1 minus what is to be large, and not a loss.
bool is_share(const Selection& selection) {
  const selection::Options& options = selection.options;
  return selection.task == data::Task::classification && !selection.evidence() && !selection.in_sample() &&
         options.loss() == selection::Loss::hard && options.score() != selection::Score::log_loss;
}

/// Cells x resamples; NaN where a cell has none. Empty if no cell has any.
nb::object per_resample(const std::vector<Cell>& cells, std::vector<double> Cell::*member, double sign = 1) {
  std::size_t count = 0;
  for (const Cell& cell : cells) count = std::max(count, (cell.*member).size());
  std::vector<double> table(cells.size() * count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (std::size_t r = 0; r < (cells[k].*member).size(); ++r) table[k * count + r] = sign * (cells[k].*member)[r];
  return array_of(std::move(table), {cells.size(), count});
}

/// The grid by columns; scores are large where a cell is good.
nb::dict cells_of(const Selection& selection) {
  const std::vector<Cell>& cells = selection.grid;
  nb::dict columns;
  columns["C"] = column(cells, &Cell::C);
  columns["nu"] = column(cells, &Cell::nu);
  columns["rho"] = column(cells, &Cell::rho);
  columns["gamma"] = column(cells, &Cell::gamma);
  columns["k"] = column(cells, &Cell::k);
  const bool share = is_share(selection);
  std::vector<double> scores;
  for (const Cell& cell : cells) scores.push_back(share ? 1 - cell.error : -cell.error);
  columns["test_score"] = array_of(std::move(scores));
  columns["split_scores"] = per_resample(cells, &Cell::split_scores, share ? 1 : -1);
  columns["fit_seconds"] = per_resample(cells, &Cell::fit_seconds);
  columns["score_seconds"] = per_resample(cells, &Cell::score_seconds);
  columns["error_se"] = column(cells, &Cell::error_se);
  columns["error"] = column(cells, &Cell::error);
  columns["error_std"] = column(cells, &Cell::error_std);
  columns["n_sv"] = column(cells, &Cell::n_sv);
  columns["steps"] = column(cells, &Cell::steps);
  columns["factorisations"] = column(cells, &Cell::factorisations);
  columns["unconverged"] = column(cells, &Cell::unconverged);
  columns["complete"] = flags(cells, &Cell::complete);
  columns["infeasible"] = flags(cells, &Cell::infeasible);
  std::vector<std::uint8_t> given_up;
  for (const Cell& cell : cells) given_up.push_back(cell.given_up != selection::GivenUp::no ? 1 : 0);
  columns["given_up"] = array_of(std::move(given_up)).attr("astype")("bool");
  return columns;
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

std::string comparison_of(const Dataset& dataset, const NamedMethods& methods, int outer_folds, int repeats,
                          std::uint64_t seed, const RunOptions& options) {
  const std::vector<selection::Contestant> contestants = contestants_of(methods);
  const selection::Comparison comparison = run(options, [&](const core::Context& context) {
    return selection::compare(dataset, contestants, {.outer_folds = outer_folds, .seed = seed, .repeats = repeats},
                              context);
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

/// None for selections that have no forecast. The selection by these options makes use of the forecast.
nb::object forecast_of(const Dataset& dataset, SelectionOptions& options, const RunOptions& running) {
  const selection::Selector checks_the_options(options.owner);
  options.owner.forecast = run(running, [&](const core::Context& context) {
    return selection::forecast(dataset, options.owner.resolved(), context);
  });
  const auto& found = options.owner.forecast;
  if (!found || !found->finished) return nb::none();
  nb::object result = forecast_dict(found->seconds(), report::forecast_text(*found, running.time_limit));
  if (found->cells_seconds && !found->in_cells) {
    result["cell_rows"] = found->cell_rows;
    result["cells_seconds"] = *found->cells_seconds;
  }
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

nb::object comparison_forecast_of(const Dataset& dataset, const NamedMethods& methods, int outer_folds, int repeats,
                                  const RunOptions& running) {
  const std::vector<selection::Contestant> contestants = contestants_of(methods);
  const selection::ComparisonForecast found = run(running, [&](const core::Context& context) {
    return selection::forecast(dataset, contestants, {.outer_folds = outer_folds, .repeats = repeats}, context);
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
          [](Selection& selection, const model::Predictor& trained, const Dataset& dataset, const RunOptions& options) {
            for (std::string& warning : run(options, [&](const core::Context& context) {
                   return report::trained_warnings(trained, dataset, context);
                 }))
              selection.later_warnings.push_back(std::move(warning));
          },
          nb::arg("trained"), nb::arg("dataset"), nb::arg("run"))
      .def(
          "warn",
          [](Selection& selection, std::string sentence) { selection.later_warnings.push_back(std::move(sentence)); },
          nb::arg("sentence"))
      .def_prop_ro("cells", &cells_of)
      .def_prop_ro("best", [](const Selection& selection) { return selection.best; })
      .def_prop_ro("score", [](const Selection& selection) { return selection.score; })
      .def_prop_ro("error_bound", [](const Selection& selection) { return selection.error_bound(); })
      .def_prop_ro("folds", [](const Selection& selection) { return selection.folds; })
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
  module.def(
      "select",
      [](const Dataset& dataset, const SelectionOptions& options, const RunOptions& running) {
        const selection::Selector selector(options.owner);
        return run(running, [&](const core::Context& context) { return selector.select(dataset, context); });
      },
      nb::arg("dataset"), nb::arg("options"), nb::arg("run"));
  module.def(
      "seconds_kept_to_train",
      [](const SelectionOptions& options, double seconds_left) {
        return selection::seconds_kept_to_train(seconds_left, options.owner.resolved(), options.owner.forecast.get());
      },
      nb::arg("options"), nb::arg("seconds_left"));
  module.def("forecast", &forecast_of, nb::arg("dataset"), nb::arg("options"), nb::arg("run"));
  module.def("comparison_forecast", &comparison_forecast_of, nb::arg("dataset"), nb::arg("methods"),
             nb::arg("outer_folds"), nb::arg("repeats"), nb::arg("run"));
  module.def(
      "train",
      [](const Dataset& dataset, const CellOptions& cell, int folds, const RunOptions& running) {
        return run(running,
                   [&](const core::Context& context) { return selection::train(dataset, cell.owner, folds, context); });
      },
      nb::arg("dataset"), nb::arg("cell"), nb::arg("folds"), nb::arg("run"));
  module.def("compare", &comparison_of, nb::arg("dataset"), nb::arg("methods"), nb::arg("outer_folds"),
             nb::arg("repeats"), nb::arg("seed"), nb::arg("run"));
}

}  // namespace credence::python
