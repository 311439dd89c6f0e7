#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/grouped.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/measure.hpp"
#include "credence/conformal/online.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/list.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/row_key.hpp"
#include "credence/data/splits.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using report::operator""_key;

using conformal::PValueOptions;
using RegionCodes = Vector<std::int32_t>;

/// Of rows, for smoothing (data::row_keys).
using Keys = std::optional<Vector<std::uint64_t>>;

nb::object p_values_of_rows(const conformal::Ranks& ranks, const Keys& keys, const PValueOptions& options) {
  return array_of(conformal::p_values(ranks, options, keys ? span_of(*keys) : std::span<const std::uint64_t>{}));
}

using Numbers = std::optional<Vector<double>>;

std::span<const double> numbers(const Numbers& values) {
  return values ? span_of(*values) : std::span<const double>{};
}

std::vector<int> codes_of(const std::optional<RegionCodes>& codes, std::size_t rows) {
  return codes ? vector_of(*codes) : std::vector<int>(rows, 0);
}

/// How much rows count: known weights, or the codes of groups.
class Counting {
 public:
  Counting(const Numbers& weights, const std::optional<RegionCodes>& groups)
      : values_(groups ? conformal::group_shares(span_of(*groups))
                       : std::vector<double>(numbers(weights).begin(), numbers(weights).end())),
        of_groups_(groups.has_value()) {}
  conformal::RowWeights weights() const { return {values_, of_groups_}; }

 private:
  std::vector<double> values_;
  bool of_groups_;
};

/// Scores of classes by one classifier, in categories or not.
void compare_scores(conformal::GroupedCalibration* self, const Matrix& scores, const RegionCodes& labels,
                    const std::optional<RegionCodes>& categories, const Numbers& weights,
                    const std::optional<RegionCodes>& groups) {
  new (self) conformal::GroupedCalibration(matrix_of(scores), span_of(labels), codes_of(categories, labels.size()),
                                           Counting(weights, groups).weights());
}

nb::object p_values_of_scores(const conformal::GroupedCalibration& self, const Matrix& scores,
                              const std::optional<RegionCodes>& categories, const Numbers& weights, const Keys& keys,
                              const PValueOptions& options) {
  const data::DenseMatrix rows = matrix_of(scores);
  return p_values_of_rows(
      self.ranks(rows, codes_of(categories, rows.rows), options.label_conditional, numbers(weights)), keys, options);
}

/// Rows that a learner of anyone was fitted on, each column in units of its standard deviation on these rows; a column
/// that does not vary keeps its unit.
class FamiliarRows {
 public:
  explicit FamiliarRows(const data::Dataset& rows)
      : schema_(rows.schema),
        preprocessing_(
            data::Preprocessing::fit_for_others(rows, core::numbers_below(rows.rows()), data::Scaling::none)),
        known_(preprocessing_.apply(rows)) {
    known_.own();
  }

  nb::object p_values(const data::Dataset& rows, const RunOptions& options) const {
    return array_of(run(options, [&](const core::Context& context) {
      const data::Dataset known_columns = data::rows_for(rows, schema_, data::Unseen::other, data::Missing::impute);
      return conformal::Familiarity(known_, {data::Scaling::standard, 1}, context)
          .p_values(preprocessing_.apply(known_columns, data::UnknownLevel::ignore), context);
    }));
  }
  std::size_t size() const { return known_.rows(); }

 private:
  data::Schema schema_;
  data::Preprocessing preprocessing_;
  data::Features known_;
};

/// Residuals of one regression, in categories or not.
void compare_residuals(conformal::GroupedRegression* self, const Vector<double>& targets,
                       const Vector<double>& predictions, const Numbers& difficulties,
                       const std::optional<RegionCodes>& categories, double beta, const Numbers& weights,
                       const std::optional<RegionCodes>& groups) {
  new (self) conformal::GroupedRegression(span_of(targets), span_of(predictions), codes_of(categories, targets.size()),
                                          numbers(difficulties), {.beta = beta}, Counting(weights, groups).weights());
}

nb::object intervals_of(const conformal::GroupedRegression& self, const Vector<double>& predictions,
                        const Numbers& difficulties, const std::optional<RegionCodes>& categories,
                        const Numbers& weights, double significance) {
  std::vector<double> ends;
  for (const conformal::PredictionInterval& one :
       self.intervals(span_of(predictions), codes_of(categories, predictions.size()), numbers(difficulties),
                      significance, numbers(weights)))
    ends.insert(ends.end(), {one.lower, one.upper});
  return array_of(std::move(ends), {predictions.size(), 2});
}

nb::object p_values_of_targets(const conformal::GroupedRegression& self, const Vector<double>& targets,
                               const Vector<double>& predictions, const Numbers& difficulties,
                               const std::optional<RegionCodes>& categories, const Numbers& weights, const Keys& keys,
                               const PValueOptions& options) {
  const conformal::Ranks ranks =
      self.ranks(span_of(targets), span_of(predictions), codes_of(categories, targets.size()), numbers(difficulties),
                 numbers(weights));
  return p_values_of_rows(ranks, keys, options).attr("reshape")(-1);
}

/// (sum w)^2 / sum w^2
double effective_rows(const Vector<double>& weights) {
  return conformal::NonconformityScores(vector_of(weights), {span_of(weights)}).effective();
}

/// A fold for each group, drawn without a look at their sizes.
nb::object folds_of_groups(const RegionCodes& groups, std::size_t count, int folds, std::uint64_t seed) {
  const std::vector<int> fold_of = data::k_fold(count, folds, seed);
  std::vector<int> of_rows;
  for (const int group : span_of(groups)) of_rows.push_back(fold_of[static_cast<std::size_t>(group)]);
  return array_of(std::move(of_rows));
}

/// @param folds  scores, labels and perhaps groups and weights of each
conformal::CrossCalibration cross_calibration(const nb::list& folds) {
  std::vector<conformal::ScoreCalibration> parts;
  for (const nb::handle fold : folds) {
    const auto groups = nb::cast<std::optional<RegionCodes>>(fold[2]);
    parts.emplace_back(matrix_of(nb::cast<Matrix>(fold[0])), span_of(nb::cast<RegionCodes>(fold[1])),
                       Counting(nb::cast<Numbers>(fold[3]), groups).weights());
  }
  return conformal::CrossCalibration(std::move(parts));
}

nb::object cross_p_values(const conformal::CrossCalibration& self, const nb::list& scores, const Numbers& weights,
                          const Keys& keys, const PValueOptions& options) {
  std::vector<data::DenseMatrix> parts;
  for (const nb::handle one : scores) parts.push_back(matrix_of(nb::cast<Matrix>(one)));
  return p_values_of_rows(self.ranks(parts, options.label_conditional, numbers(weights)), keys, options);
}

nb::object prediction_sets_of(const Matrix& p_values, const Vector<double>& levels) {
  const data::DenseMatrix matrix = matrix_of(p_values);
  return array_of(conformal::prediction_sets(matrix, span_of(levels)), {matrix.rows, matrix.columns, levels.size()});
}

nb::object decisions_of(const Matrix& p_values, const Vector<double>& levels) {
  return array_of(conformal::decide(matrix_of(p_values), span_of(levels)));
}

/// Errors, and misses of sets, for each value of columns: the JSON of report::parts_report. Levels: of each class, or
/// none.
std::string errors_by(const std::string& ways,
                      const std::vector<std::pair<std::string, std::vector<std::string>>>& columns,
                      const std::vector<std::string>& classes, const Matrix& p_values, const RegionCodes& given,
                      const RegionCodes& labels, double significance, const std::vector<double>& levels) {
  data::Dataset dataset;
  for (const auto& [name, cells] : columns) dataset.texts.push_back({name, cells});
  dataset.labels = vector_of(labels);
  dataset.features = data::DenseMatrix(dataset.labels.size(), 0);
  model::Prediction prediction;
  prediction.p_value = matrix_of(p_values);
  prediction.label = vector_of(given);
  return report::json_text(
      report::parts_json(report::parts_report(report::DividedBy::parse(ways), dataset, classes, prediction,
                                              significance, {.limits = levels, .certainty = {}, .levels = levels})));
}

nb::tuple conclusions_of(const Matrix& p_values) {
  model::Prediction prediction;
  prediction.p_value = matrix_of(p_values);
  conformal::conclude(prediction);
  return nb::make_tuple(array_of(std::move(prediction.label)), array_of(std::move(prediction.confidence)),
                        array_of(std::move(prediction.credibility)));
}

std::string evaluation_of(const Matrix& p_values, const RegionCodes& labels, const Vector<double>& levels,
                          bool smoothed) {
  const conformal::Evaluation evaluation =
      conformal::evaluate(matrix_of(p_values), span_of(labels), span_of(levels), smoothed);
  report::Json document = report::validity_json(evaluation);
  document.add("prediction_sets"_key = report::sets_json(evaluation.levels), "rows"_key = evaluation.rows);
  return report::json_text(document);
}

conformal::NeighbourOptions neighbours_of(const std::string& measure, int k, const std::string& metric) {
  return {conformal::neighbour_measure(measure), k, core::parse_word<neighbours::Metric>(metric)};
}

/// What makes the learner again: rows, labels, distances to the own class and to others.
nb::tuple state_of(const conformal::OnlineNeighbours& self) {
  const conformal::TransductiveNeighbours::State state = self.machine().state();
  return nb::make_tuple(array_of(state.rows.to_dense()), array_of(state.labels), array_of(state.own),
                        array_of(state.other));
}

conformal::OnlineNeighbours restored(const nb::tuple& state, std::size_t classes,
                                     const conformal::NeighbourOptions& neighbours, const PValueOptions& options) {
  conformal::TransductiveNeighbours::State parts{
      matrix_of(nb::cast<Matrix>(state[0])), vector_of(nb::cast<RegionCodes>(state[1])),
      matrix_of(nb::cast<Matrix>(state[2])), matrix_of(nb::cast<Matrix>(state[3]))};
  return {conformal::TransductiveNeighbours(std::move(parts), classes, neighbours), options};
}

nb::object held_out(const RegionCodes& labels, double share, bool stratified, std::uint64_t seed) {
  const std::size_t n = labels.size();
  const auto count = static_cast<std::size_t>(share * static_cast<double>(n) + 0.5);
  const std::vector<bool> held =
      stratified ? data::hold_out(span_of(labels), share, seed) : data::random_hold_out(n, count, {}, seed);
  return array_of(std::vector<std::uint8_t>(held.begin(), held.end())).attr("astype")("bool");
}

void bind_calibrations(nb::module_& module) {
  nb::class_<PValueOptions>(module, "PValueOptions")
      .def(
          "__init__",
          [](PValueOptions* self, bool label_conditional, bool smoothed, std::uint64_t seed) {
            new (self) PValueOptions{.smoothed = smoothed, .label_conditional = label_conditional, .seed = seed};
          },
          nb::arg("label_conditional") = false, nb::arg("smoothed") = false, nb::arg("seed") = 0);
  nb::class_<conformal::GroupedCalibration>(module, "ScoreConformal")
      .def("__init__", &compare_scores)
      .def("p_values", &p_values_of_scores);
  nb::class_<conformal::GroupedRegression>(module, "ResidualConformal")
      .def("__init__", &compare_residuals)
      .def("intervals", &intervals_of)
      .def("p_values", &p_values_of_targets);
  nb::class_<conformal::CrossCalibration>(module, "CrossConformal")
      .def("__init__", [](conformal::CrossCalibration* self,
                          const nb::list& folds) { new (self) conformal::CrossCalibration(cross_calibration(folds)); })
      .def("p_values", &cross_p_values);
}

void bind_familiarity(nb::module_& module) {
  nb::class_<FamiliarRows>(module, "FamiliarRows")
      .def(nb::init<const data::Dataset&>())
      .def("p_values", &FamiliarRows::p_values)
      .def_prop_ro("size", &FamiliarRows::size);
  module.def("known_row_numbers", [](std::size_t rows, double numbers_of_a_row, std::uint64_t seed) {
    return numbers_of(model::known_row_numbers(rows, numbers_of_a_row, seed));
  });
  module.attr("familiar_neighbours") = conformal::Familiarity::neighbours;
  module.def("row_keys", [](const data::Dataset& rows) { return array_of(data::row_keys(rows.features)); });
  module.def("smallest_keys",
             [](const Vector<std::uint64_t>& keys) { return array_of(data::smallest_keys(vector_of(keys))); });
}

void bind_online(nb::module_& module) {
  nb::class_<conformal::OnlineNeighbours>(module, "OnlineNeighbours")
      .def("__init__",
           [](conformal::OnlineNeighbours* self, std::size_t columns, std::size_t classes, const std::string& measure,
              int k, const std::string& metric, const PValueOptions& options) {
             new (self) conformal::OnlineNeighbours(columns, classes, neighbours_of(measure, k, metric), options);
           })
      .def_static("restored",
                  [](const nb::tuple& state, std::size_t classes, const std::string& measure, int k,
                     const std::string& metric, const PValueOptions& options) {
                    return restored(state, classes, neighbours_of(measure, k, metric), options);
                  })
      .def_prop_ro("state", &state_of)
      .def_prop_ro("size", &conformal::OnlineNeighbours::size)
      .def("p_values",
           [](const conformal::OnlineNeighbours& self, const data::Dataset& rows) {
             std::vector<double> all;
             for (std::size_t i = 0; i < rows.rows(); ++i) {
               const model::Prediction one = self.predict(rows.features, i);
               all.insert(all.end(), one.p_value.values.begin(), one.p_value.values.end());
             }
             const std::size_t classes = rows.rows() == 0 ? 0 : all.size() / rows.rows();
             return array_of(std::move(all), {rows.rows(), classes});
           })
      .def("learn", [](conformal::OnlineNeighbours& self, const data::Dataset& rows, const RegionCodes& labels) {
        for (std::size_t i = 0; i < rows.rows(); ++i) self.learn(rows.features, i, labels.data()[i]);
      });
  module.attr("online_groups_sentence") = conformal::online_groups_sentence;
  module.attr("online_weights_sentence") = conformal::online_weights_sentence;
}

}  // namespace

void bind_conformal(nb::module_& module) {
  bind_calibrations(module);
  bind_familiarity(module);
  bind_online(module);
  module.def("uniformity", [](const Vector<double>& p_values, bool smoothed) {
    return (smoothed ? conformal::test_uniform(span_of(p_values))
                     : conformal::test_dominates_uniform(span_of(p_values)))
        .p_value;
  });
  module.def("neighbour_measures", [] {
    std::vector<std::string> names;
    for (const conformal::Measure& measure : conformal::measures())
      if (conformal::neighbour_options(measure)) names.emplace_back(conformal::name_of(measure));
    return names;
  });
  module.def("significance_levels", [](const Vector<double>& levels) {
    return array_of(core::mapped(span_of(levels), core::significance_of));
  });
  module.def("prediction_sets", &prediction_sets_of);
  module.def("decide", &decisions_of);
  module.def("errors_by", &errors_by);
  module.def("conclusions", &conclusions_of);
  module.def("evaluate_p_values", &evaluation_of);
  module.def("effective_rows", &effective_rows);
  module.def("folds_of_groups", &folds_of_groups);
  module.def("held_out", &held_out);
}

}  // namespace credence::python
