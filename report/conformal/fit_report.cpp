#include "report/conformal/fit_report.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "credence/conformal/inductive.hpp"
#include "credence/core/version.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/selection/selection_report.hpp"

namespace credence::report {

namespace {

std::size_t compared_rows(const conformal::ConformalPredictor& predictor) {
  const std::vector<std::size_t> counts = predictor.machine->class_counts();
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

double smallest_p_value(const conformal::ConformalPredictor& predictor) {
  const bool classes = predictor.options.label_conditional;
  return conformal::smallest_p_value(predictor.machine->units(classes), classes);
}

std::size_t count_of_groups(const conformal::ConformalPredictor& predictor) {
  if (predictor.one_of_each_group) return compared_rows(predictor);
  const auto& machine = dynamic_cast<const conformal::Inductive&>(*predictor.machine);
  std::size_t groups = 0;
  for (const conformal::CalibratedClassifier& part : machine.parts())
    groups += std::set<int>(part.groups.begin(), part.groups.end()).size();
  return groups;
}

const std::string& category_name(const conformal::ConformalPredictor& predictor) {
  return predictor.schema.columns[predictor.by->column].name;
}

/// "114 rows of 23 groups, in 3 categories of 'sex'"
std::string compared_text(const conformal::ConformalPredictor& predictor) {
  std::string text = count_of(compared_rows(predictor), "row");
  if (predictor.is_of_new_groups()) text += " of " + count_of(count_of_groups(predictor), "group");
  if (const auto effective = predictor.effective_rows())
    text += fmt::format(", weighed by '{}' as {:.1f}", predictor.weight_column, *effective);
  if (predictor.by)
    text += fmt::format(", in {} of '{}'", count_of(predictor.by->values.size(), "level"), category_name(predictor));
  return text;
}

Json effective_rows_json(const conformal::ConformalPredictor& predictor) {
  const std::optional<double> effective = predictor.effective_rows();
  return effective ? Json(*effective) : Json(nullptr);
}

}  // namespace

std::string fit_table(const FittedConformal& run) {
  const conformal::ConformalPredictor& predictor = run.predictor;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += named_line(name, value); };
  text += data_lines(run.dataset, run.source);
  line("measure", predictor.description());
  if (predictor.record.selected_error) {
    line("chosen",
         fmt::format("CV error {} on the rows that were not held out", percent(*predictor.record.selected_error)));
  }
  if (run.selected && predictor.machine->folds() > 1)
    line("chosen", "in each fold anew, on its training rows");
  else if (run.selected && !predictor.record.selected_error)
    line("chosen", "by kernel validity on the rows that were not held out");
  const std::size_t apart = predictor.rows_apart;
  line("scaling",
       fmt::format(
           "{}{}", core::word(predictor.preprocessing.scaling),
           apart == 0 ? "" : fmt::format(", fitted on {} that nothing is compared with", count_of(apart, "row"))));
  line("p-values",
       fmt::format(
           "{}, {}; compared with {}{}", predictor.options.smoothed ? "smoothed" : "plain",
           predictor.options.label_conditional ? "label-conditional" : "over all classes", compared_text(predictor),
           predictor.options.smoothed ? "" : fmt::format(", the smallest is {:.4g}", smallest_p_value(predictor))));
  std::string_view name = "may miss";
  for (const std::string& limit : miss_limit_lines(run.limits)) line(std::exchange(name, ""), limit);
  line("time", fmt::format("{:.2f} s", run.seconds));
  line("model", run.output);
  return text;
}

Json fit_json(const FittedConformal& run) {
  const conformal::ConformalPredictor& predictor = run.predictor;
  const model::TrainingRecord& record = predictor.record;
  return {{"kind", "conformal fit"},
          {"source", run.source},
          {"rows", run.dataset.rows()},
          {"features", run.dataset.schema.columns.size()},
          {"classes", run.dataset.schema.classes},
          {"class_counts", class_counts(run.dataset)},
          {"measure", std::string(conformal::name_of(run.options.measure))},
          {"mode", std::string(conformal::name_of(run.options.mode))},
          {"description", predictor.description()},
          {"scaling", core::word(predictor.preprocessing.scaling)},
          {"apart", predictor.rows_apart},
          {"selected_error", record.selected_error ? Json(*record.selected_error) : Json(nullptr)},
          {"label_conditional", predictor.options.label_conditional},
          {"smoothed", predictor.options.smoothed},
          {"seed", predictor.options.seed},
          {"compared_with", predictor.machine->class_counts()},
          {"smallest_p_value", predictor.options.smoothed ? Json(0.0) : Json(smallest_p_value(predictor))},
          {"groups", predictor.is_of_new_groups() ? Json(count_of_groups(predictor)) : Json(nullptr)},
          {"by", predictor.by ? Json(category_name(predictor)) : Json(nullptr)},
          {"categories", predictor.by ? Json(predictor.by->values.size()) : Json(nullptr)},
          {"weight_column", predictor.weight_column.empty() ? Json(nullptr) : Json(predictor.weight_column)},
          {"effective_rows", effective_rows_json(predictor)},
          {"guarantee", validity_sentence(predictor)},
          {"may_miss", miss_limits_json(run.limits)},
          {"model", run.output},
          {"seconds", run.seconds},
          {"version", version()}};
}

MissLimits miss_limits_of(const OutsideIntervals& found) {
  return found.alike ? miss_limits({}, {found.compared}, {}, found.levels) : MissLimits{};
}

std::vector<std::string> warnings_of(const OutsideIntervals& found) {
  return interval_warnings(found.units, found.levels);
}

std::string outside_intervals_table(const OutsideIntervals& found) {
  return named_line(
             "rows",
             fmt::format("{}; compared with {}{}", found.p.size(), found.compared,
                         found.units == found.compared ? "" : fmt::format(" of {}", count_of(found.units, "group")))) +
         interval_table(interval_coverage(found.p, found.intervals, found.levels));
}

Json outside_intervals_json(const OutsideIntervals& found, const data::Dataset& dataset,
                            const std::vector<double>& targets, const std::vector<double>& predictions) {
  return Json::object("kind"_key = "conformal intervals", "n"_key = dataset.rows(),
                      "compared_with"_key = found.compared,
                      "smallest_p_value"_key = 1 / static_cast<double>(found.units + 1), "target"_key = found.target,
                      "prediction"_key = found.prediction, "difficulty"_key = found.difficulty, "beta"_key = found.beta,
                      "guarantee"_key = found.guarantee, "may_miss"_key = miss_limits_json(miss_limits_of(found)),
                      "levels"_key = interval_levels_json(found.p, found.intervals, found.levels),
                      "calibration"_key = found.p.empty() ? Json(nullptr) : interval_calibration_json(found.p),
                      "sample"_key = interval_sample_json(dataset, targets, predictions, found.intervals),
                      "warnings"_key = warnings_of(found));
}

}  // namespace credence::report
