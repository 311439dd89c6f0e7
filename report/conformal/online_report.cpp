#include "report/conformal/online_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "credence/bounds/binomial.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "credence/data/reader.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr double online_delta = 0.05;

/// Names of classes and levels go into the header, values below them.
std::string csv_header(const data::Dataset& dataset, const OnlineRun& run, bool familiarity) {
  std::string text = "t,row,label,truth";
  if (run.limits.any()) text += ",decision";
  if (familiarity) text += ",familiarity";
  for (const std::string& name : dataset.schema.classes) text += ',' + data::csv_cell("p_" + name);
  for (const double significance : run.levels)
    text += fmt::format(",error_{0},errors_{0},line_{0}", core::confidence_level_of(significance));
  return text + '\n';
}

/// Errors, classes and prediction sets of the first t steps at one level.
struct LevelAt {
  std::size_t t;
  double significance;
  const RunningCounts& counts;

  bounds::CountInterval band() const { return bounds::central_counts(t, significance, online_delta); }
  double line() const { return significance * static_cast<double>(t); }
  double mean_size() const { return static_cast<double>(counts.classes) / static_cast<double>(t); }
};

Json checkpoint_json(const LevelAt& at) {
  return Json::object("t"_key = at.t, "errors"_key = at.counts.errors, "line"_key = at.line(),
                      "lower"_key = at.band().lower, "upper"_key = at.band().upper, "mean_size"_key = at.mean_size(),
                      "empty"_key = at.counts.empty, "multiple"_key = at.counts.multiple);
}

Table level_table(const OnlineCourse& course, const std::vector<double>& levels, std::size_t e) {
  Table table{{"|rows so far", "|missed", "|promised", "|95 % band", "|mean size", "|no class", "|several"},
              fmt::format("confidence level {}", level_text(levels[e])),
              Where::terminal};
  for (const OnlineMark& checkpoint : course.checkpoints) {
    const LevelAt at{checkpoint.t, levels[e], checkpoint.levels[e]};
    table.add({at.t, at.counts.errors, fmt::format("{:.2f}", at.line()),
               fmt::format("{} - {}", at.band().lower, at.band().upper), fmt::format("{:.3f}", at.mean_size()),
               at.counts.empty, at.counts.multiple});
  }
  return table;
}

std::string final_text(const OnlineCourse& course, const std::vector<double>& levels, std::size_t e) {
  const OnlineMark& last = course.checkpoints.back();
  const bounds::CountInterval band = bounds::central_counts(last.t, levels[e], online_delta);
  const std::size_t errors = last.levels[e].errors;
  const char* where = errors < band.lower ? "below" : errors > band.upper ? "above" : "within";
  return fmt::format("{} = {} at confidence level {}: {} the 95 % band around the promised {}", errors,
                     percent(*share(errors, last.t)), level_text(levels[e]), where, percent(levels[e]));
}

/// A row of a table for each level and checkpoint.
Table checkpoints_of(const OnlineCourse& course, const std::vector<double>& levels, const std::vector<Column>& columns,
                     const auto& values_of) {
  Table data{{"level|confidence level|text", "t|rows so far"}};
  data.add_columns(columns);
  for (std::size_t e = 0; e < levels.size(); ++e) {
    for (const OnlineMark& checkpoint : course.checkpoints) {
      std::vector<Json> row{level_text(levels[e]), checkpoint.t};
      for (Json& value : values_of(LevelAt{checkpoint.t, levels[e], checkpoint.levels[e]})) row.push_back(value);
      data.add(std::move(row));
    }
  }
  return data;
}

Chart online_chart(const OnlineCourse& course, const std::vector<double>& levels) {
  return checkpoints_of(course, levels,
                        {{"errors", "missed"}, {"line", "promised"}, {"lower", "band from"}, {"upper", "band to"}},
                        [](const LevelAt& at) {
                          return std::vector<Json>{at.counts.errors, at.line(), at.band().lower, at.band().upper};
                        })
      .as_chart("online", "Is the promise kept, row after row?",
                "Points and lines: the rows missed so far at each level. Dashed: the promise, the allowed error "
                "times the rows so far. Shaded: where that count lies in 95 of 100 cases.",
                "Lines of the rows missed so far against the rows, beside the promised lines.");
}

Chart online_sizes_chart(const OnlineCourse& course, const std::vector<double>& levels) {
  return checkpoints_of(course, levels, {{"size", "classes in a set, mean"}},
                        [](const LevelAt& at) { return std::vector<Json>{at.mean_size()}; })
      .as_chart("online_sizes", "Do the answers get clearer?",
                "The mean number of classes in a prediction set, over the rows so far. One is a clear answer; more "
                "classes say that the model cannot tell them apart at that level.",
                "Lines of the mean size of prediction sets against the rows so far.");
}

LimitReport limits_met(const OnlineCourse& course, const data::Dataset& dataset, const OnlineRun& run) {
  model::Prediction prediction;
  prediction.p_value = course.p_values;
  return limit_report(online_compared(dataset), run.limits, prediction, dataset.labels);
}

}  // namespace

ComparedRows online_compared(const data::Dataset& dataset) {
  ComparedRows compared{dataset.schema.classes, std::vector<std::size_t>(dataset.class_count(), 0)};
  for (const int label : dataset.labels) compared.rows[static_cast<std::size_t>(label)] += 1;
  if (!dataset.labels.empty()) compared.rows[static_cast<std::size_t>(dataset.labels.back())] -= 1;
  return compared;
}

OnlineRecorder::OnlineRecorder(const data::Dataset& dataset, const OnlineRun& run, bool with_csv)
    : dataset_(dataset), run_(run), with_csv_(with_csv), counts_(run.levels.size()) {
  if (run.limits.any()) course_.p_values = data::DenseMatrix(dataset.rows(), dataset.class_count());
  for (const std::string& name : dataset.schema.classes) spellings_.push_back(data::csv_cell(name));
}

void OnlineRecorder::add(const conformal::OnlineStep& step) {
  if (t_ == 0 && with_csv_) course_.csv = csv_header(dataset_, run_, step.familiarity.has_value());
  ++t_;
  if (step.familiarity) {
    if (!course_.familiarity) course_.familiarity.emplace(0);
    course_.familiarity->add({&*step.familiarity, 1});
  }
  course_.label_errors += step.label != step.truth ? 1U : 0U;
  for (std::size_t e = 0; e < run_.levels.size(); ++e) counts_[e].add(step, run_.levels[e]);
  if (run_.limits.any()) std::ranges::copy(step.p_value, course_.p_values.row(t_ - 1).begin());
  if (with_csv_) append_csv(step);
  constexpr std::size_t parts = 10;
  const std::size_t n = dataset_.rows();
  if (t_ * parts / n != (t_ - 1) * parts / n) course_.checkpoints.push_back({t_, counts_});
}

void OnlineRecorder::append_csv(const conformal::OnlineStep& step) {
  auto out = std::back_inserter(course_.csv);
  fmt::format_to(out, "{},{},{},{}", t_, dataset_.file_rows.empty() ? t_ : dataset_.file_rows[t_ - 1],
                 spellings_[static_cast<std::size_t>(step.label)], spellings_[static_cast<std::size_t>(step.truth)]);
  if (run_.limits.any()) {
    data::DenseMatrix row(1, step.p_value.size());
    row.values = step.p_value;
    const int decided = conformal::decide(row, run_.limits.levels).front();
    fmt::format_to(out, ",{}", decided == conformal::ask ? "ask" : spellings_[static_cast<std::size_t>(decided)]);
  }
  if (step.familiarity) fmt::format_to(out, ",{}", *step.familiarity);
  for (const double p : step.p_value) fmt::format_to(out, ",{}", p);
  for (std::size_t e = 0; e < run_.levels.size(); ++e) {
    fmt::format_to(out, ",{},{},{:.10g}", RunningCounts::is_error(step, run_.levels[e]) ? 1 : 0, counts_[e].errors,
                   run_.levels[e] * static_cast<double>(t_));
  }
  course_.csv += '\n';
}

Story online_story(const OnlineCourse& course, const data::Dataset& dataset, const OnlineRun& run) {
  Story story{"Prediction row after row", shown_source(run.source)};
  Section& section = story.section("chosen", "How good the predictions are");
  section.headline(fmt::format("{} of {} got a wrong label: {}. Each was predicted from the rows before it.",
                               course.label_errors, count_of(dataset.rows(), "row"),
                               shown(share(course.label_errors, dataset.rows()))));
  section.fact("data",
               fmt::format("{}: {}, {}, {}", run.source == "-" ? "standard input" : run.source,
                           count_of(dataset.rows(), "row"), count_of(dataset.class_count(), "class"),
                           run.shuffled ? fmt::format("shuffled by seed {}", run.p_values.seed) : "in file order"));
  section.fact("measure",
               fmt::format("{}, k = {}, {} distance; {}{} p-values", run.neighbours.measure.name, run.neighbours.k,
                           core::word(run.neighbours.metric), run.p_values.smoothed ? "smoothed" : "unsmoothed",
                           run.p_values.label_conditional ? ", label-conditional" : ""));
  section.fact("labels", fmt::format("{} of {} predicted labels are wrong", course.label_errors, dataset.rows()));
  if (!run.shuffled)
    section.warn(
        "The rows came in the order of the file. The promise holds if that order means nothing; --shuffle makes that "
        "so.");
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  for (std::size_t e = 0; e < run.levels.size(); ++e) trust.add(level_table(course, run.levels, e));
  for (std::size_t e = 0; e < run.levels.size(); ++e)
    trust.fact(e == 0 ? "missed" : "", final_text(course, run.levels, e));
  if (course.familiarity) trust.fact("familiarity", familiarity_text(*course.familiarity, "the rows before them"));
  trust.add(online_chart(course, run.levels));
  trust.add(online_sizes_chart(course, run.levels));
  if (run.limits.any())
    add_limits(limits_met(course, dataset, run), story.section("limits", "Decisions with a limit for each class"));
  add_cost(run.cost, story);
  return story;
}

Json online_json(const OnlineCourse& course, const data::Dataset& dataset, const OnlineRun& run) {
  const auto level_json = [&](std::size_t e) {
    Json points = Json::list(course.checkpoints, [&](const OnlineMark& mark) {
      return checkpoint_json({mark.t, run.levels[e], mark.levels[e]});
    });
    return Json::object("confidence_level"_key = core::confidence_level_of(run.levels[e]),
                        "checkpoints"_key = std::move(points));
  };
  Json document = Json::object(
      "kind"_key = "conformal online", "source"_key = run.source, "rows"_key = dataset.rows(),
      "classes"_key = dataset.schema.classes, "measure"_key = run.neighbours.measure.name, "k"_key = run.neighbours.k,
      "metric"_key = core::word(run.neighbours.metric), "smoothed"_key = run.p_values.smoothed,
      "label_conditional"_key = run.p_values.label_conditional, "shuffled"_key = run.shuffled,
      "seed"_key = run.p_values.seed,
      "band"_key = Json::object("confidence"_key = 1 - online_delta, "method"_key = "binomial"),
      "label_errors"_key = course.label_errors,
      "familiarity"_key = course.familiarity ? familiarity_levels_json(*course.familiarity) : Json(nullptr),
      "levels"_key = Json::list(run.levels.size(), level_json), "version"_key = version());
  if (run.limits.any()) document["limits"] = limit_json(limits_met(course, dataset, run));
  return document;
}

}  // namespace credence::report
