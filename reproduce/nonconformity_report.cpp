#include "reproduce/nonconformity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/selection/selection_report.hpp"

namespace credence::reproduce {
namespace {

constexpr const char* paper =
    "Hardoon, Hussain, Shawe-Taylor: A Nonconformity Approach to Model Selection for SVMs (2009)";
constexpr std::array<const char*, 6> headings{"nonconformity", "10-fold CV", "SVM-Linf",
                                              "nonconf. (ve)", "hold-out",   "hold-out vote"};

bool differs_in_rows(const SetResult& result) {
  return result.rows != result.set->rows;
}

/// The rows "Overall": the mean over those data sets that `counts` accepts, of ours and of the paper's figures alike.
struct Overall {
  const char* name;
  std::function<bool(const SetResult&)> counts;
};

const std::vector<Overall>& overall_rows() {
  static const std::vector<Overall> rows{
      {"Overall", [](const SetResult& r) { return r.set->stands_in == nullptr; }},
      {"Overall ex. Haberman",
       [](const SetResult& r) { return r.set->stands_in == nullptr && std::string(r.set->key) != "haberman"; }},
      {"Overall, same rows", [](const SetResult& r) { return r.set->stands_in == nullptr && !differs_in_rows(r); }},
  };
  return rows;
}

/// Data sets with at least one complete shuffle that an overall row counts.
std::vector<const SetResult*> counted(const NonconformityReport& report, const Overall& overall) {
  std::vector<const SetResult*> sets;
  for (const SetResult& result : report.sets)
    if (overall.counts(result) && column_result(result, 0)) sets.push_back(&result);
  return sets;
}

/// The mean of what `figure_of` gives for each set.
template <class FigureOf>
ColumnResult mean_over(const std::vector<const SetResult*>& sets, const FigureOf& figure_of) {
  ColumnResult mean;
  const auto count = static_cast<double>(sets.size());
  for (const SetResult* result : sets) {
    const ColumnResult one = figure_of(*result);
    mean.error += one.error / count;
    mean.deviation += one.deviation / count;
    mean.seconds += one.seconds / count;
  }
  return mean;
}

ColumnResult our_mean(const std::vector<const SetResult*>& sets, std::size_t column) {
  return mean_over(sets, [column](const SetResult& result) { return *column_result(result, column); });
}

ColumnResult paper_mean(const std::vector<const SetResult*>& sets, std::size_t column) {
  return mean_over(sets, [column](const SetResult& result) { return result.set->figures[column]; });
}

/// A line with a name and a cell for each of three columns from `first` on.
template <class CellOf>
std::string line_of(const std::string& name, std::size_t first, CellOf cell_of) {
  std::string line = fmt::format("{:<20}", name);
  for (std::size_t c = first; c < first + paper_columns; ++c) line += fmt::format("{:>18}", cell_of(c));
  return line + '\n';
}

/// The mean of each column over some sets, or one, and below what the paper has; nothing of our own columns.
std::string error_lines(const std::string& name, std::size_t first, const std::vector<const SetResult*>& sets,
                        const std::string& between = {}) {
  const auto line = [&](const std::string& start, const auto& mean) {
    return line_of(start, first, [&](std::size_t column) {
      const ColumnResult one = mean(sets, column);
      return fmt::format("  {:.4f} +- {:.4f}", one.error, one.deviation);
    });
  };
  return line(name, our_mean) + between + (first > 0 ? "" : line("  paper", paper_mean));
}

std::vector<std::string> remarks(const SetResult& result) {
  std::vector<std::string> all = result.mismatches;
  if (result.set->stands_in != nullptr) all.insert(all.begin(), result.set->stands_in);
  return all;
}

std::string mark_of(const SetResult& result) {
  return reproduce::mark_of(remarks(result));
}

std::string set_lines(const SetResult& result, std::size_t first) {
  const std::string name = result.set->name + mark_of(result);
  if (!column_result(result, 0)) return fmt::format("{:<20}  not done\n", name);
  std::string standard_errors;
  if (column_result(result, 0)->standard_error) {
    standard_errors = line_of("  standard error", first, [&](std::size_t column) {
      return fmt::format("  {:.4f}          ", *column_result(result, column)->standard_error);
    });
  }
  return error_lines(name, first, {&result}, standard_errors);
}

std::string error_table(const NonconformityReport& report, std::size_t first) {
  std::string text = line_of("", first, [](std::size_t column) { return fmt::format("{:<16}", headings[column]); });
  for (const SetResult& result : report.sets) text += set_lines(result, first);
  for (const Overall& overall : overall_rows())
    if (const auto sets = counted(report, overall); sets.size() > 1) text += error_lines(overall.name, first, sets);
  return text;
}

double cv_ratio(double cv_seconds, double nonconformity_seconds) {
  return nonconformity_seconds > 0 ? cv_seconds / nonconformity_seconds : 0;
}

std::string time_line(const std::string& name, const std::vector<const SetResult*>& sets) {
  const auto times = [&](const auto& mean) {
    const std::array<double, 3> seconds{mean(sets, 0).seconds, mean(sets, 1).seconds, mean(sets, 2).seconds};
    return fmt::format("{:>8.2f} {:>6.1f}", fmt::join(seconds, " "), cv_ratio(seconds[1], seconds[0]));
  };
  return fmt::format("{:<16}{}   {}\n", name, times(our_mean), times(paper_mean));
}

std::string time_table(const NonconformityReport& report) {
  std::string text = fmt::format("{:<16}{:^33}   {:^33}\n", "seconds", "ours", "paper");
  text += fmt::format("{:<16}{:>8} {:>8} {:>8} {:>6}   {:>8} {:>8} {:>8} {:>6}\n", "", "nonconf.", "CV", "SVM-Linf",
                      "ratio", "nonconf.", "CV", "SVM-Linf", "ratio");
  for (const SetResult& result : report.sets) {
    if (!column_result(result, 0)) continue;
    text += time_line(result.set->name + mark_of(result), {&result});
  }
  if (const auto sets = counted(report, overall_rows().front()); !sets.empty()) text += time_line("Overall", sets);
  return text + "ratio: CV to nonconformity; in the row Overall of the mean times, which is the paper's 7.3\n";
}

std::string footnotes(const NonconformityReport& report) {
  std::string text;
  for (const SetResult& result : report.sets) text += footnote(result.set->name, remarks(result));
  return text;
}

std::string figure_2_text(const Figure2& figure) {
  std::string text = "Figure 2: error against what the paper calls its bound, Bupa, the first of the ten splits\n";
  text += fmt::format("{:>9} {:>9} {:>9} {:>6} {:>7}\n", "eps_crit", "VC", "DKW", "rows", "error");
  for (const selection::BoundPoint& point : figure.points) {
    const auto stars = static_cast<std::size_t>(std::max(0.0, 80 * point.error() + 0.5));
    text += fmt::format("{:>9.3f} {:>9.3f} {:>9.3f} {:>6} {:>7.3f}  {}\n", point.eps_crit, point.bound_vc,
                        point.bound_dkw, point.rows, point.error(), std::string(std::min<std::size_t>(stars, 36), '#'));
  }
  text +=
      "rows, error: of the test rows decided at this eps_crit or below\n"
      "VC (Prop. 4.2), DKW: what is proved is that at most so large a share of new rows is as strange under their\n"
      "true class in the eyes of one model. That is no bound on the error beside it (docs/selection.md).\n";
  const auto vacuous = std::all_of(figure.points.begin(), figure.points.end(),
                                   [](const selection::BoundPoint& point) { return point.bound_vc >= 1; });
  if (vacuous) {
    text += fmt::format(
        "VC is vacuous, above 1 everywhere, with {} validation rows, {} models\n"
        "and delta = {}; its order alone says something.\n",
        figure.validation_rows, figure.models, figure.delta);
  }
  return text;
}

Json ours_json(const ColumnResult& result) {
  return Json::object("error"_key = result.error, "error_std"_key = result.deviation,
                      "standard_error"_key = result.standard_error, "seconds"_key = result.seconds);
}

Json paper_json(const ColumnResult& figure) {
  return Json::object("error"_key = figure.error, "error_std"_key = figure.deviation, "seconds"_key = figure.seconds);
}

/// What is known of each column, and what the paper has of its own ones.
template <class Ours, class Paper>
Json methods_json(const Ours& ours, const Paper& printed) {
  Json methods = Json::object();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::optional<ColumnResult> result = ours(c);
    methods[columns[c]] = Json::object("ours"_key = result ? ours_json(*result) : Json(nullptr),
                                       "paper"_key = c < paper_columns ? paper_json(printed(c)) : Json(nullptr));
  }
  return methods;
}

/// The same for the page.
template <class Ours, class Paper>
void add_figures(const char* table, const Ours& ours, const Paper& printed, report::Reproduction& found) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    report::PaperFigure figure{table, columns[c]};
    if (const std::optional<ColumnResult> result = ours(c)) {
      figure.ours = result->error;
      figure.ours_spread = result->deviation;
    }
    if (c < paper_columns) {
      figure.paper = printed(c).error;
      figure.paper_spread = printed(c).deviation;
    }
    if (figure.ours || figure.paper) found.figures.push_back(std::move(figure));
  }
}

report::Reproduction beside(const NonconformityReport& report) {
  report::Reproduction found;
  for (const SetResult& result : report.sets) {
    add_figures(
        result.set->name, [&](std::size_t c) { return column_result(result, c); },
        [&](std::size_t c) { return result.set->figures[c]; }, found);
  }
  for (const Overall& overall : overall_rows()) {
    const auto sets = counted(report, overall);
    if (sets.empty()) continue;
    add_figures(
        overall.name, [&](std::size_t c) { return std::optional(our_mean(sets, c)); },
        [&](std::size_t c) { return paper_mean(sets, c); }, found);
  }
  return found;
}

Json ratio_json(const std::vector<const SetResult*>& sets) {
  return cv_ratio(our_mean(sets, cross_validation).seconds, our_mean(sets, nonconformity).seconds);
}

Json set_json(const SetResult& result) {
  const PaperSet& set = *result.set;
  return Json::object(
      "key"_key = set.key, "name"_key = set.name, "file"_key = set.file, "rows"_key = result.rows,
      "rows_in_paper"_key = set.rows, "remarks"_key = remarks(result),
      "methods"_key = methods_json([&](std::size_t c) { return column_result(result, c); },
                                   [&](std::size_t c) { return set.figures[c]; }),
      "seconds_cv_to_nonconformity"_key = column_result(result, 0) ? ratio_json({&result}) : Json(nullptr),
      "shuffles"_key = Json::list(result.shuffles, report::comparison_json));
}

Json overall_json(const NonconformityReport& report) {
  Json rows = Json::array();
  for (const Overall& overall : overall_rows()) {
    const auto sets = counted(report, overall);
    if (sets.empty()) continue;
    rows.push_back(Json::object("name"_key = overall.name,
                                "sets"_key = Json::list(sets, [](const SetResult* result) { return result->set->key; }),
                                "methods"_key = methods_json([&](std::size_t c) { return our_mean(sets, c); },
                                                             [&](std::size_t c) { return paper_mean(sets, c); }),
                                "seconds_cv_to_nonconformity"_key = ratio_json(sets)));
  }
  return rows;
}

Json figure_2_json(const std::optional<Figure2>& figure) {
  if (!figure) return nullptr;
  return Json::object("set"_key = "bupa", "fold"_key = 0, "validation_rows"_key = figure->validation_rows,
                      "models"_key = figure->models, "delta"_key = figure->delta,
                      "points"_key = Json::list(figure->points, [&](const selection::BoundPoint& point) {
                        return Json::object("eps_crit"_key = point.eps_crit,
                                            "as_strange_at_most_vc"_key = point.bound_vc,
                                            "as_strange_at_most_dkw"_key = point.bound_dkw, "rows"_key = point.rows,
                                            "errors"_key = point.errors, "error"_key = point.error());
                      }));
}

}  // namespace

std::string report_text(const NonconformityReport& report) {
  std::string text =
      fmt::format("{}\nTable 3: error +- standard deviation over ten folds, features not scaled; {}, seed {}\n\n",
                  paper, report::count_of(static_cast<std::size_t>(report.repeats), "shuffle"), report.seed);
  text += error_table(report, 0);
  text += "\nNot in the paper: ties by validation error, and plain hold-out on the same split\n";
  text += error_table(report, paper_columns);
  text += footnotes(report);
  text += "\n" + time_table(report);
  if (report.figure) text += "\n" + figure_2_text(*report.figure);
  return text + closing_line(report);
}

Json report_json(const NonconformityReport& report) {
  return report_document(
      "nonconformity", paper, report,
      Json::object("scale"_key = "none", "columns"_key = columns, "sets"_key = Json::list(report.sets, set_json),
                   "overall"_key = overall_json(report), "figure_2"_key = figure_2_json(report.figure),
                   "repeats"_key = report.repeats, "seed"_key = report.seed),
      beside(report));
}

}  // namespace credence::reproduce
