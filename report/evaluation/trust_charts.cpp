#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/list.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/text.hpp"

/// How far single predictions can be trusted, in pictures.
namespace credence::report {
namespace {

constexpr int levels = 100;
constexpr std::size_t most_trusted_rows = 1000;
constexpr std::size_t most_listed_rows = 20;
constexpr std::size_t most_points = 500;
constexpr std::size_t grid_points = 60;
constexpr double interval_delta = 0.05;
/// Levels that anyone would ask for.
constexpr double largest_set_level = 0.5;
/// The level up to which rows are listed as doubtful: that of a prediction set which would be empty at 5 %.
constexpr double little_credibility = 0.05;

std::size_t sum_of(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

/// How many rows the new rows are compared with; 0 where that is not known. With label-conditional p-values the classes
/// have rows of their own: the number for which a count over all classes has the variance of their sum.
std::size_t rows_compared(const Promise& promise) {
  if (promise.of_class.empty()) return sum_of(promise.compared_with);
  double spread = 0;
  for (std::size_t c = 0; c < promise.compared_with.size() && c < promise.of_class.size(); ++c) {
    const auto n = static_cast<double>(promise.of_class[c]);
    if (n > 1) spread += n * (n - 1) / (static_cast<double>(promise.compared_with[c]) + 2);
  }
  const auto n = static_cast<double>(promise.rows);
  return spread > 0 ? static_cast<std::size_t>(std::max(1.0, n * (n - 1) / spread - 2)) : sum_of(promise.compared_with);
}

/// Where the count of misses lies in 95 of 100 cases.
bounds::CountInterval band_of(std::size_t rows, std::size_t compared, double significance) {
  return compared > 0 ? bounds::split_miss_counts(rows, compared, significance, interval_delta)
                      : bounds::central_counts(rows, significance, interval_delta);
}

std::string class_of(const std::vector<std::string>& names, int label) {
  return label < 0 ? "another class" : names.at(static_cast<std::size_t>(label));
}

Chart sizes_chart(const model::Prediction& prediction, const std::vector<int>& labels) {
  Table data{{"allowed_error|allowed error|share", "kind|the set holds|text", "share|rows|share", "order|"}};
  for (int level = 1; level <= levels * largest_set_level; ++level) {
    const double significance = static_cast<double>(level) / levels;
    const conformal::LevelCounts counts = conformal::count_sets(prediction.p_value, labels, significance);
    int order = 0;
    for (const auto& [name, rows] :
         {std::pair("one class", counts.single), std::pair("several classes", counts.multiple),
          std::pair("no class", counts.empty)})
      data.add({significance, name, share(rows, labels.size()), order++});
  }
  return std::move(data).as_chart(
      "set_sizes", "How many rows get a clear answer?",
      "A prediction set of one class is a clear answer. Several classes: the model cannot tell them apart at this "
      "level. No class: none fits the row well enough, so the row is doubtful. Allow fewer errors, and "
      "more prediction sets hold several classes. Read the chart up to the share of wrong labels: beyond it, "
      "prediction sets reach their level by holding no class, and clear answers get fewer.",
      "Stacked areas: the share of rows whose prediction set holds one class, several, or none, against the "
      "allowed error.");
}

Chart rejection_chart(const model::Prediction& prediction, const std::vector<int>& labels) {
  Table data{{"rejected|rows turned away|share", "error|errors among the rest|share", "lower|from|share",
              "upper|to|share", "kept|rows kept", "least_confidence|least confidence|share"}};
  const std::size_t n = labels.size();
  const auto& confidence = prediction.confidence;
  std::vector<std::size_t> order = core::numbers_below(n);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return confidence[a] < confidence[b]; });
  std::size_t errors = 0;
  for (std::size_t i = 0; i < n; ++i) errors += prediction.label[i] != labels[i] ? 1U : 0U;
  std::size_t next = 0;  // rejected rows from which the next point is due
  for (std::size_t rejected = 0; rejected < n; ++rejected) {
    const std::size_t kept = n - rejected;
    if (10 * kept < n) break;  // of the last tenth of the rows nothing is known but that it is few
    // Rows of equal confidence are turned away together.
    const bool cut = rejected == 0 || confidence[order[rejected]] > confidence[order[rejected - 1]];
    if (cut && rejected >= next) {
      const bounds::Interval interval = bounds::clopper_pearson(errors, kept, interval_delta);
      data.add(
          {share(rejected, n), share(errors, kept), interval.lower, interval.upper, kept, confidence[order[rejected]]});
      next = rejected + std::max<std::size_t>(1, n / levels);
    }
    errors -= prediction.label[order[rejected]] != labels[order[rejected]] ? 1U : 0U;
  }
  return std::move(data).as_chart(
      "rejection", "What is gained by asking a person?",
      "Turn away the rows of the least confidence, and let a person decide them: the line shows how many "
      "of the rest get a wrong label. Grey: the exact 95 % interval of that share. A line that falls "
      "fast says that the confidence knows where the errors are.",
      "Line of the error among the rows that are kept, against the share of rows turned away.");
}

Table table_of(const model::Prediction& prediction, const data::Dataset& dataset,
               const std::vector<std::size_t>& rows) {
  const std::vector<std::string> names = shown_names(dataset.schema.classes);
  Table data{{"row|row", "label|label|text", "truth|true class|text", "confidence|confidence|share",
              "credibility|credibility|share", "kind|outcome|text", "wrong|"}};
  for (const std::size_t row : rows) {
    const bool right = prediction.label[row] == dataset.labels[row];
    data.add({row_number(dataset, row), class_of(names, prediction.label[row]), class_of(names, dataset.labels[row]),
              prediction.confidence[row], prediction.credibility[row], right ? "right label" : "wrong label",
              right ? 0 : 1});
  }
  return data;
}

Chart confidence_chart(const model::Prediction& prediction, const data::Dataset& dataset) {
  Table data = table_of(prediction, dataset, evenly(dataset.rows(), most_trusted_rows));
  const std::string sample = sample_text(data.size(), dataset.rows());
  return std::move(data).as_chart(
      "confidence", "Which rows are doubtful?",
      "Each point is one row; those with a wrong label stand in front. Confidence: how clearly the other "
      "classes are ruled out. Credibility: how well the label itself fits, as a rank among rows left out. "
      "Neither is the probability of being right: confidence is high in most rows, and wrong labels have it "
      "too; credibility lies anywhere between 0 and 100 % in rows with the right label, about 50 % on average. "
      "A small credibility is mostly that of a row near a boundary; a large one does not say that the row "
      "is like those that the model has seen." +
          sample,
      "Points of confidence against credibility, those with a wrong label in another colour.");
}

/// The rows of the least credibility, if it is little.
Table least_credible(const model::Prediction& prediction, const data::Dataset& dataset) {
  const auto& credibility = prediction.credibility;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < credibility.size(); ++i)
    if (credibility[i] <= little_credibility) rows.push_back(i);
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) { return credibility[a] < credibility[b]; });
  rows.resize(std::min(rows.size(), most_listed_rows));
  return table_of(prediction, dataset, rows)
      .captioned(fmt::format(
          "Rows where even the best class fits poorly (credibility of at most {:.0f} %), mostly near a boundary",
          100 * little_credibility));
}

/// The first rows that a review marks, with the columns that the reader asked for.
Table reviewed(const conformal::Review& review, const model::Prediction& prediction, const data::Dataset& dataset) {
  const std::vector<std::string> names = shown_names(dataset.schema.classes);
  const std::size_t listed = std::min(review.rows.size(), most_listed_rows);
  Table table{{"|row"}};
  for (const data::TextColumn& column : dataset.texts) table.columns.emplace_back(shown_name(column.name));
  table.add_columns({"label", "|probability|share", "true class", "review"});
  for (std::size_t k = 0; k < listed; ++k) {
    const std::size_t row = review.rows[k];
    std::vector<Json> cells{row_number(dataset, row)};
    for (const data::TextColumn& column : dataset.texts) cells.emplace_back(shown_name(column.cells[row]));
    cells.emplace_back(class_of(names, prediction.label[row]));
    cells.emplace_back(review.probability[k]);
    cells.emplace_back(class_of(names, dataset.labels[row]));
    cells.emplace_back(core::word(review.reasons[row]));
    table.add(std::move(cells));
  }
  return table.captioned(fmt::format("The {}{} most worth a look: their labels are least probable",
                                     listed < review.rows.size() ? fmt::format("first {} of ", listed) : "",
                                     count_of(review.rows.size(), "row")));
}

/// The ends of a feature over the rows, and a twentieth beyond.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  explicit Range(const data::Dataset& dataset, std::size_t column) {
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      const double value = dataset.features.dense().row(i)[column];
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    const double margin = most > least ? (most - least) / 20 : 0.5;
    least -= margin;
    most += margin;
  }
  double step() const { return (most - least) / static_cast<double>(grid_points - 1); }
  double at(std::size_t point) const { return least + step() * static_cast<double>(point); }
};

/// The label at each point of a grid over the two features.
std::vector<int> labels_of_plane(const model::Predictor& predictor, const Range& x, const Range& y,
                                 const core::Context& context) {
  data::DenseMatrix points(grid_points * grid_points, 2);
  for (std::size_t row = 0; row < points.rows; ++row) {
    points.row(row)[0] = x.at(row % grid_points);
    points.row(row)[1] = y.at(row / grid_points);
  }
  data::Dataset grid;
  grid.features = data::Features(std::move(points));
  grid.schema = predictor.schema;
  return predictor.predict(grid, context).label;
}

/// Points of one class that follow each other in a line of the grid are one field.
Json fields_of(const std::vector<int>& labels, const Range& x, const Range& y, const std::vector<std::string>& names) {
  Json fields = Json::array();
  for (std::size_t first = 0, end = 0; first < labels.size(); first = end) {
    const std::size_t line = first / grid_points;
    while (end < labels.size() && end / grid_points == line && labels[end] == labels[first]) ++end;
    const double left = x.at(first % grid_points) - x.step() / 2;
    const double below = y.at(line) - y.step() / 2;
    fields.push_back(Json::object("x"_key = left, "x2"_key = left + x.step() * static_cast<double>(end - first),
                                  "y"_key = below, "y2"_key = below + y.step(),
                                  "class"_key = class_of(names, labels[first])));
  }
  return fields;
}

}  // namespace

Chart level_error_chart(const std::vector<conformal::CalibrationPoint>& points, const Promise& promise,
                        std::string_view claim, std::string_view missed) {
  Table data{
      {"allowed_error|allowed error|share", "error|missed|share", "lower|band from|share", "upper|band to|share"}};
  const auto n = static_cast<double>(promise.rows);
  const std::size_t compared = rows_compared(promise);
  std::size_t above = 0;
  for (const conformal::CalibrationPoint& point : points) {
    if (!(point.significance > 0) || point.significance > largest_set_level) continue;
    const bounds::CountInterval band = band_of(promise.rows, compared, point.significance);
    const double upper = static_cast<double>(band.upper) / n;
    above += point.error > upper ? 1U : 0U;
    data.add({point.significance, point.error, static_cast<double>(band.lower) / n, upper});
  }
  const std::string verdict =
      above == 0 ? "At no level are there more misses than chance explains."
                 : fmt::format("At {} of {} levels there are more misses than chance explains.", above, data.size());
  const std::string with =
      compared > 0 ? fmt::format(" and {} rows that they are compared with", compared) : std::string();
  return std::move(data).as_chart(
      "level_error", "Is the promise kept?",
      fmt::format(
          "{} is meant to miss {} with the allowed error as its probability: 1 - confidence level. The line counts "
          "the misses on these rows; it should follow the dashed line or lie below. Grey: where that count lies in "
          "95 of 100 cases, for {} independent new rows{}. {}{}",
          claim, missed, promise.rows, with, verdict,
          promise.smoothed ? "" : " P-values that are not smoothed may miss less than promised."),
      "Line of the share of misses against the allowed error. " + verdict);
}

Chart coverage_chart(const std::vector<IntervalCoverage>& coverage) {
  Table data{{"name|promised|text", "promise|promised|share", "value|inside the interval|share", "lower|from|share",
              "upper|to|share", "width|mean width"}};
  for (const IntervalCoverage& level : coverage) {
    const bounds::Interval exact = bounds::clopper_pearson(level.covered, level.rows, interval_delta);
    data.add({percent(core::confidence_level_of(level.significance)), core::confidence_level_of(level.significance),
              share(level.covered, level.rows), exact.lower, exact.upper,
              std::isfinite(level.mean_width) ? Json(level.mean_width) : Json(nullptr)});
  }
  return std::move(data).as_chart(
      "coverage", "Are the intervals wide enough?",
      "For each level: the share of rows whose target lies inside the interval (circle, with its exact 95 % "
      "interval), beside what is promised (bar). A circle far left of the bar: intervals that are too narrow.",
      "Points of the share of targets inside their intervals, beside what is promised.");
}

void add_trust_charts(const model::Prediction& prediction, const data::Dataset& dataset, Section& section,
                      const std::optional<conformal::Review>& review) {
  if (prediction.confidence.empty() || dataset.labels.empty()) return;
  if (prediction.p_value.columns > 0) section.add(sizes_chart(prediction, dataset.labels));
  section.add(rejection_chart(prediction, dataset.labels));
  section.add(confidence_chart(prediction, dataset));
  Table listed = review ? reviewed(*review, prediction, dataset) : least_credible(prediction, dataset);
  if (!listed.empty()) section.add(std::move(listed));
}

std::optional<model::Prediction> prediction_of(const model::Calibration& calibration, const data::Dataset& dataset) {
  const std::size_t classes = dataset.class_count();
  const data::DenseMatrix tried = nonconformity_of(calibration, classes);
  if (tried.rows == 0 || calibration.labels != dataset.labels) return std::nullopt;
  std::vector<std::vector<double>> sorted;
  for (model::Calibration& region : model::by_region(calibration)) {
    std::ranges::sort(region.nonconformity_scores);
    sorted.push_back(std::move(region.nonconformity_scores));
  }
  model::Prediction prediction;
  prediction.label = labels_of(calibration, classes);
  prediction.p_value = data::DenseMatrix(tried.rows, classes);
  for (std::size_t i = 0; i < tried.rows; ++i) {
    const auto& compared =
        sorted[calibration.region_of.empty() ? 0 : static_cast<std::size_t>(calibration.region_of[i])];
    for (std::size_t c = 0; c < classes; ++c) {
      const auto as_strange = compared.end() - std::ranges::lower_bound(compared, tried.row(i)[c]);
      // The row itself counts once, as the row that is tried.
      const bool itself = calibration.nonconformity_scores[i] >= tried.row(i)[c];
      const auto others = static_cast<std::size_t>(as_strange) - (itself ? 1U : 0U);
      prediction.p_value.row(i)[c] = static_cast<double>(others + 1) / static_cast<double>(compared.size());
    }
  }
  conformal::conclude(prediction, true);
  return prediction;
}

bool has_decision(const data::Dataset& dataset) {
  const auto& columns = dataset.schema.columns;
  return columns.size() == 2 && dataset.features.columns() == 2 && !dataset.features.is_sparse() &&
         !dataset.is_regression() && dataset.rows() > 0 && dataset.hint.empty() &&
         std::ranges::all_of(columns,
                             [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; });
}

std::optional<Chart> decision_chart(const model::Predictor& predictor, const data::Dataset& dataset,
                                    const core::Context& context) {
  if (!has_decision(dataset) || predictor.capabilities().precomputed) return std::nullopt;
  const Range x(dataset, 0);
  const Range y(dataset, 1);
  if (!std::isfinite(x.most - x.least) || !std::isfinite(y.most - y.least)) return std::nullopt;
  const std::vector<std::string> names = shown_names(predictor.schema.classes);
  const std::string x_name = shown_name(dataset.schema.columns[0].name);
  const std::string y_name = shown_name(dataset.schema.columns[1].name);
  Table data{{Column("x", x_name), Column("y", y_name), "class|true class|text"}};
  for (const std::size_t row : evenly(dataset.rows(), most_points)) {
    const auto values = dataset.features.dense().row(row);
    data.add({values[0], values[1], dataset.labels.empty() ? "?" : class_of(names, dataset.labels[row])});
  }
  constexpr std::size_t colours = 8;  // of chart_config.json
  const std::string repeated =
      names.size() > colours ? fmt::format("; {} colours repeat among the {} classes", colours, names.size()) : "";
  const std::string alternative =
      fmt::format("Map of the predicted class over {} and {}, with {} rows.", x_name, y_name, data.size());
  return std::move(data).as_chart(
      "decision#decision-regions", "The class at every place of the two features",
      fmt::format("Fields: the class that the model names there. Points: rows of the data, in the colour of "
                  "their true class; up to 500 are shown{}.",
                  repeated),
      alternative, Json::object("$x"_key = x_name, "$y"_key = y_name),
      Json::object("fields"_key = fields_of(labels_of_plane(predictor, x, y, context), x, y, names)));
}

}  // namespace credence::report
