#include "report/evaluation/evaluation_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/list.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr int json_levels = 100;
constexpr std::size_t json_most_trusted_rows = 1000;
constexpr std::size_t json_least_credible_rows = 20;
constexpr std::size_t json_most_points = 500;
constexpr std::size_t json_grid_points = 60;
constexpr double json_interval_delta = 0.05;

Json sizes_json(const model::Prediction& prediction, const std::vector<int>& labels) {
  Json sizes = Json::array();
  for (int level = 1; level < json_levels; ++level) {
    const double eps = static_cast<double>(level) / json_levels;
    const conformal::LevelCounts counts = conformal::count_regions(prediction.p_value, labels, eps);
    sizes.push_back(Json::object("eps"_key = eps, "errors"_key = counts.errors, "empty"_key = counts.empty,
                                 "single"_key = counts.single, "multiple"_key = counts.multiple));
  }
  return sizes;
}

Json rejection_json(const model::Prediction& prediction, const std::vector<int>& labels) {
  const std::size_t n = labels.size();
  std::vector<std::size_t> order = core::numbers_below(n);
  const auto& confidence = prediction.confidence;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return confidence[a] < confidence[b]; });
  std::size_t errors = 0;
  for (std::size_t i = 0; i < n; ++i) errors += prediction.label[i] != labels[i] ? 1U : 0U;
  Json points = Json::array();
  std::size_t next = 0;  // rejected rows from which the next point is due
  for (std::size_t rejected = 0; rejected < n; ++rejected) {
    // Rows of equal confidence are turned away together.
    const bool cut = rejected == 0 || confidence[order[rejected]] > confidence[order[rejected - 1]];
    if (cut && rejected >= next) {
      const std::size_t kept = n - rejected;
      const bounds::Interval interval = bounds::clopper_pearson(errors, kept, json_interval_delta);
      points.push_back(Json::object("rejected"_key = share(rejected, n), "kept"_key = kept, "errors"_key = errors,
                                    "error"_key = share(errors, kept), "lower"_key = interval.lower,
                                    "upper"_key = interval.upper,
                                    "least_confidence"_key = confidence[order[rejected]]));
      next = rejected + std::max<std::size_t>(1, n / json_levels);
    }
    errors -= prediction.label[order[rejected]] != labels[order[rejected]] ? 1U : 0U;
  }
  return points;
}

Json row_json(const model::Prediction& prediction, const data::Dataset& dataset, std::size_t row) {
  return Json::object("row"_key = row_number(dataset, row), "label"_key = prediction.label[row],
                      "truth"_key = dataset.labels[row], "confidence"_key = prediction.confidence[row],
                      "credibility"_key = prediction.credibility[row]);
}

std::vector<std::size_t> json_least_credible(const model::Prediction& prediction) {
  std::vector<std::size_t> rows = core::numbers_below(prediction.credibility.size());
  const std::size_t count = std::min(rows.size(), json_least_credible_rows);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double first = prediction.credibility[a];
                      const double second = prediction.credibility[b];
                      return first < second || (first == second && a < b);
                    });
  rows.resize(count);
  return rows;
}

/// The ends of a feature over the rows, and a twentieth beyond.
struct JsonRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  explicit JsonRange(const data::Dataset& dataset, std::size_t column) {
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
  double at(std::size_t point) const {
    return least + (most - least) * static_cast<double>(point) / static_cast<double>(json_grid_points - 1);
  }
};

Json axis_json(const data::Dataset& dataset, std::size_t column, const JsonRange& range) {
  return Json::object("name"_key = dataset.schema.columns[column].name, "least"_key = range.least,
                      "most"_key = range.most, "points"_key = json_grid_points);
}

}  // namespace

Json trust_json(const model::Prediction& prediction, const data::Dataset& dataset) {
  Json document = Json::object();
  if (prediction.confidence.empty() || dataset.labels.empty()) return document;
  if (prediction.p_value.columns > 0) document["sizes"] = sizes_json(prediction, dataset.labels);
  document["rejection"] = rejection_json(prediction, dataset.labels);
  const auto make = [&](std::size_t row) { return row_json(prediction, dataset, row); };
  document["trust"] =
      Json::object("rows"_key = Json::list(evenly(dataset.rows(), json_most_trusted_rows), make),
                   "of"_key = dataset.rows(), "least_credible"_key = Json::list(json_least_credible(prediction), make));
  return document;
}

Json trust_json(const model::Calibration& calibration, const data::Dataset& dataset) {
  const std::size_t n = dataset.rows();
  const std::size_t classes = dataset.class_count();
  const bool two = calibration.scores.columns == 0 && classes == 2;
  const bool all = calibration.scores.columns == classes && calibration.scores.rows == n;
  if (n == 0 || calibration.strangeness.size() != n || calibration.labels != dataset.labels || !(two || all))
    return Json::object();
  std::vector<std::vector<double>> sorted;
  for (model::Calibration& region : model::by_region(calibration)) {
    std::ranges::sort(region.strangeness);
    sorted.push_back(std::move(region.strangeness));
  }
  model::Prediction prediction;
  prediction.label.assign(n, 0);
  prediction.p_value = data::DenseMatrix(n, classes);
  for (std::size_t i = 0; i < n; ++i) {
    const double own = calibration.strangeness[i];
    const auto& compared =
        sorted[calibration.region_of.empty() ? 0 : static_cast<std::size_t>(calibration.region_of[i])];
    const auto strangeness = [&](std::size_t c) {
      if (static_cast<int>(c) == dataset.labels[i]) return own;
      return two ? -own : -calibration.scores.row(i)[c];
    };
    for (std::size_t c = 0; c < classes; ++c) {
      const double tried = strangeness(c);
      if (tried < strangeness(static_cast<std::size_t>(prediction.label[i]))) prediction.label[i] = static_cast<int>(c);
      const auto as_strange = compared.end() - std::ranges::lower_bound(compared, tried);
      // The row itself counts once, as the row that is tried.
      const auto others = static_cast<std::size_t>(as_strange) - (own >= tried ? 1U : 0U);
      prediction.p_value.row(i)[c] = static_cast<double>(others + 1) / static_cast<double>(compared.size());
    }
  }
  conformal::conclude(prediction, true);
  return trust_json(prediction, dataset);
}

bool has_decision(const data::Dataset& dataset) {
  const auto& columns = dataset.schema.columns;
  return columns.size() == 2 && dataset.features.columns() == 2 && !dataset.features.is_sparse() &&
         !dataset.is_regression() && dataset.rows() > 0 && dataset.hint.empty() &&
         std::ranges::all_of(columns,
                             [](const data::Column& column) { return column.kind == data::ColumnKind::numeric; });
}

Json decision_json(const model::Predictor& predictor, const data::Dataset& dataset, const core::Context& context) {
  if (!has_decision(dataset) || predictor.capabilities().precomputed) return nullptr;
  const JsonRange x(dataset, 0);
  const JsonRange y(dataset, 1);
  if (!std::isfinite(x.most - x.least) || !std::isfinite(y.most - y.least)) return nullptr;
  data::DenseMatrix points(json_grid_points * json_grid_points, 2);
  for (std::size_t row = 0; row < points.rows; ++row) {
    points.row(row)[0] = x.at(row % json_grid_points);
    points.row(row)[1] = y.at(row / json_grid_points);
  }
  data::Dataset grid;
  grid.features = data::Features(std::move(points));
  grid.schema = predictor.schema;
  const model::Prediction prediction = predictor.predict(grid, context);
  const Json rows = Json::list(evenly(dataset.rows(), json_most_points), [&](std::size_t row) {
    const auto values = dataset.features.dense().row(row);
    const bool labelled = !dataset.labels.empty();
    return Json::object("x"_key = values[0], "y"_key = values[1],
                        "truth"_key = labelled ? Json(dataset.labels[row]) : Json(nullptr));
  });
  return Json::object("x"_key = axis_json(dataset, 0, x), "y"_key = axis_json(dataset, 1, y),
                      "classes"_key = predictor.schema.classes, "label"_key = prediction.label, "rows"_key = rows);
}

}  // namespace credence::report
