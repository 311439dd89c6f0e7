#include "options.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/core/list.hpp"
#include "credence/model/costs.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/run.hpp"
#include "report/course/training_text.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using data::Dataset;
using selection::Selection;
using selection::Setting;

template <class Value>
nb::object column(const std::vector<Setting>& settings, Value Setting::*member) {
  std::vector<Value> values = core::mapped(settings, [&](const Setting& setting) { return setting.*member; });
  return array_of(std::move(values));
}

/// True where the value is not zero.
template <class Value>
nb::object flags(const std::vector<Setting>& settings, Value Setting::*member) {
  std::vector<std::uint8_t> values;
  for (const Setting& setting : settings) values.push_back(setting.*member == Value{} ? 0 : 1);
  return array_of(std::move(values)).attr("astype")("bool");
}
nb::object column(const std::vector<Setting>& settings, bool Setting::*member) {
  return flags(settings, member);
}
nb::object column(const std::vector<Setting>& settings, selection::GivenUp Setting::*member) {
  return flags(settings, member);
}

/// The words; None where a setting has none.
template <class Enum>
nb::object column(const std::vector<Setting>& settings, std::optional<Enum> Setting::*member) {
  nb::list words;
  for (const Setting& setting : settings)
    words.append(setting.*member ? nb::cast(core::word(*(setting.*member))) : nb::none());
  return words;
}

/// Settings x resamples; NaN where a setting has none. Empty if no setting has any.
nb::object column(const std::vector<Setting>& settings, std::vector<double> Setting::*member) {
  std::size_t count = 0;
  for (const Setting& setting : settings) count = std::max(count, (setting.*member).size());
  std::vector<double> table(settings.size() * count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < settings.size(); ++k) std::ranges::copy(settings[k].*member, table.data() + k * count);
  return array_of(std::move(table), {settings.size(), count});
}

/// The grid by columns; scores are large where a setting is good.
nb::dict settings_of(const Selection& selection) {
  const std::vector<Setting>& settings = selection.grid;
  nb::dict columns;
  Setting::describe([&](const char* name, auto member) { columns[name] = column(settings, member); });
  const bool turned = is_one_minus_score(selection.score_kind());
  std::vector<double> scores;
  for (const Setting& setting : settings) scores.push_back(turned ? 1 - setting.error : -setting.error);
  columns["test_score"] = array_of(std::move(scores));
  if (!turned) columns["split_scores"] = -columns["split_scores"];
  return columns;
}

/// Names of the parameters that some setting has.
std::vector<std::string> parameters_of(const Selection& selection) {
  std::vector<std::string> names;
  if (std::ranges::any_of(selection.grid, [](const Setting& setting) { return setting.kernel.has_value(); }))
    names = {"kernel", "scale"};
  Setting::parameters([&](const char* name, auto member) {
    const auto has = [&](const Setting& setting) { return setting.*member > 0; };
    if (std::ranges::any_of(selection.grid, has)) names.emplace_back(name);
  });
  return names;
}

/// A forecast in words, and the warning where they are not shown. @param shorter  what takes less time
nb::dict forecast_dict(double seconds, std::string text, const std::string& shorter = "") {
  const std::string warning =
      fmt::format("this will take about {}; {}verbose=1 shows the forecast and the progress, time_limit ends the run",
                  report::rough_duration_text(seconds), shorter);
  return dict_of("text", in_python(std::move(text)), "warning",
                 seconds <= report::long_wait_seconds ? std::string() : warning);
}

nb::dict told(const selection::Forecast& forecast, std::optional<double> seconds_left) {
  const double regions =
      forecast.in_regions ? forecast.seconds() : forecast.regions_seconds.value_or(forecast.seconds());
  const std::string shorter =
      regions >= forecast.seconds() / 2
          ? ""
          : fmt::format("region_size={} takes about {}; ", forecast.region_size, report::rough_duration_text(regions));
  nb::dict result = forecast_dict(forecast.seconds(), report::forecast_text(forecast, seconds_left), shorter);
  if (forecast.races) result["warning"] = "";  // no number is told
  if (forecast.by_default) result["warning"] = in_python(report::regions_by_default_text());
  return result;
}

/// What a run leaves, and the document that the command writes of it.
struct FoundRun {
  selection::Run run;
  std::string document;
};

FoundRun with_document(selection::Run run, const Dataset& dataset, const core::Context& context) {
  if (run.failure) std::rethrow_exception(run.failure);
  std::string document =
      report::json_text(report::selection_document(run.selection, dataset, {}, "", run.model.get(), context));
  return {std::move(run), std::move(document)};
}

/// Runs work with a forecast.
/// @param foretell  gets the forecast from the calling thread
/// @param work  gets what takes the forecast: a function that makes the dictionary
auto run_foretold(const RunOptions& running, const nb::object& foretell, const auto& work) {
  std::mutex mutex;
  std::function<nb::dict()> made;
  const auto tell = [&](std::function<nb::dict()> forecast) {
    const std::lock_guard lock(mutex);
    made = std::move(forecast);
  };
  return run(
      running, [&](const core::Context& context) { return work(context, tell); },
      [&] {
        const std::lock_guard lock(mutex);
        if (made) foretell(std::exchange(made, nullptr)());
      });
}

FoundRun run_of(const Dataset& dataset, const SelectionOptions& options, const RunOptions& running,
                const nb::object& foretell) {
  return run_foretold(running, foretell, [&](const core::Context& context, const auto& tell) {
    const auto begins = [&](const selection::Forecast* made) {
      if (made != nullptr) tell([made = *made, left = context.monitor.seconds_left()] { return told(made, left); });
    };
    return with_document(selection::run(dataset, options.owner, {.forecast = true, .begins = begins}, context), dataset,
                         context);
  });
}

/// The contestants of a comparison as Python gives them.
using NamedMethods = std::vector<std::tuple<std::string, const SelectionOptions*>>;

std::vector<selection::Contestant> contestants_of(const NamedMethods& methods) {
  std::vector<selection::Contestant> contestants;
  for (const auto& [name, method] : methods) contestants.push_back({name, method->owner, {}});
  return contestants;
}

/// The document, as JSON, and what the command prints.
std::pair<std::string, std::string> comparison_of(const Dataset& dataset, const NamedMethods& methods,
                                                  const ComparisonOptions& outer, const RunOptions& running,
                                                  const nb::object& foretell) {
  const std::vector<selection::Contestant> contestants = contestants_of(methods);
  return run_foretold(running, foretell, [&](const core::Context& context, const auto& tell) {
    const selection::ComparisonForecast made = selection::forecast(dataset, contestants, outer.owner, context);
    if (!made.methods.empty())
      tell([=] { return forecast_dict(made.seconds, report::forecast_text(made, contestants)); });
    const selection::Comparison found = selection::compare(dataset, contestants, outer.owner, context);
    const report::Story story = report::comparison_story(found, dataset, "");
    report::Json document = report::comparison_json(found);
    document["report"] = report::story_json(story);
    return std::pair(report::json_text(document), in_python(report::terminal_text(story, report::Detail::usual)));
  });
}

}  // namespace

void bind_selecting(nb::module_& module) {
  nb::class_<Selection>(module, "Selection")
      .def_prop_ro("settings", &settings_of)
      .def_prop_ro("parameters", &parameters_of)
      .def_prop_ro("best", [](const Selection& selection) { return selection.best; })
      .def_prop_ro("error_bound", [](const Selection& selection) { return selection.error_bound(); })
      .def_prop_ro("notes", [](const Selection& selection) { return selection.notes; })
      .def_prop_ro(
          "warnings",
          [](const Selection& selection) { return core::mapped(report::selection_warnings(selection), &in_python); })
      .def_prop_ro("stopped", [](const Selection& selection) { return selection.stopped != core::StopReason::none; })
      .def("text", [](const Selection& selection) {
        return in_python(report::terminal_text(report::selection_story(selection, ""), report::Detail::usual));
      });
  nb::class_<FoundRun>(module, "Run")
      .def_prop_ro("selection", [](FoundRun& found) -> Selection& { return found.run.selection; })
      .def_prop_ro("model",
                   [](const FoundRun& found) {
                     // Python has no constant objects: what it does with a predictor changes nothing.
                     return std::const_pointer_cast<model::Predictor>(found.run.model);
                   })
      .def_prop_ro("unfinished", [](const FoundRun& found) { return found.run.unfinished; })
      .def_prop_ro("training_seconds", [](const FoundRun& found) { return found.run.training_seconds; })
      .def_ro("document", &FoundRun::document);
  module.def("run", &run_of);
  module.def(
      "finished",
      [](const Selection& selection, const Dataset& dataset, const RunOptions& running, const Dataset* looked_at) {
        return run(running, [&](const core::Context& context) {
          return with_document(selection::finished(selection, dataset, {.looked_at = looked_at}, context), dataset,
                               context);
        });
      },
      nb::arg("selection"), nb::arg("dataset"), nb::arg("run"), nb::arg("looked_at") = nb::none());
  module.def("leaving_time_to_train", [](RunOptions running, const SelectionOptions& options) {
    if (const auto left = running.seconds_left())
      *running.time_limit -= selection::seconds_kept_to_train(std::max(0.0, *left), options.owner.resolved(), nullptr);
    return running;
  });
  module.def("label_costs", [](const std::string& text, const std::vector<std::string>& classes) {
    return array_of(model::DecisionCosts::parse(text, classes).of);
  });
  module.def("train", [](const Dataset& dataset, const TrainingOptions& setting, int folds, const RunOptions& running) {
    selection::TrainedSetting trained = run(running, [&](const core::Context& context) {
      return selection::train(dataset, setting.owner, folds, context);
    });
    if (!trained.lacking.empty()) trained.warnings.push_back(trained.lacking);
    return std::pair(trained.model, trained.warnings);
  });
  module.def("compare", &comparison_of);
}

}  // namespace credence::python
