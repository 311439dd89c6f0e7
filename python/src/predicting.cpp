#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/cross_regression.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/conformal/local.hpp"
#include "credence/conformal/review.hpp"
#include "credence/io/libsvm.hpp"
#include "credence/io/model_file.hpp"
#include "credence/model/predictor.hpp"
#include "credence/model/prior.hpp"
#include "credence/model/probability.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/importance.hpp"
#include "credence/svm/model.hpp"
#include "options.hpp"
#include "report/decisions/place_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/selection/selection_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

using model::Predictor;
using Orders = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void add(nb::dict& result, const char* name, const data::DenseMatrix& matrix) {
  if (matrix.columns > 0) result[name] = array_of(matrix);
}
template <class T>
void add(nb::dict& result, const char* name, std::vector<T> values) {
  if (!values.empty()) result[name] = array_of(std::move(values));
}

/// What the prediction has, by name.
nb::dict columns_of(model::Prediction prediction) {
  nb::dict result;
  add(result, "label", std::move(prediction.label));
  add(result, "decision", prediction.decision);
  add(result, "score", prediction.score);
  add(result, "probability", prediction.probability);
  add(result, "moderated", prediction.moderated);
  add(result, "probability_lower", prediction.probability_lower);
  add(result, "probability_upper", prediction.probability_upper);
  add(result, "mean", std::move(prediction.mean));
  add(result, "sd", std::move(prediction.sd));
  add(result, "p_value", prediction.p_value);
  add(result, "confidence", std::move(prediction.confidence));
  add(result, "credibility", std::move(prediction.credibility));
  add(result, "familiarity", std::move(prediction.familiarity));
  result["solves"] = prediction.solver_cost.has_value();  // a problem for each row
  return result;
}

/// The options of p-values that were given, the others as the model makes its p-values.
conformal::PValueOptions p_value_options(const Predictor& model, const nb::dict& given) {
  conformal::PValueOptions options = conformal::p_value_options(model);
  const std::vector<core::Field> fields = core::fields_of(options);
  for (const auto& [name, value] : given) {
    const core::Field* field = core::find_field(fields, nb::cast<std::string>(name));
    if (field == nullptr) throw nb::key_error(nb::cast<std::string>(name).c_str());
    field->set(from_python(*field, value));
  }
  return options;
}

/// What regions guarantee with p-values made in this way.
std::string validity(const Predictor& self, const nb::dict& given) {
  return report::validity_sentence(self, p_value_options(self, given));
}

/// How the model makes p-values.
nb::dict p_values_of(const Predictor& self) {
  const conformal::PValueOptions options = conformal::p_value_options(self);
  return dict_of("label_conditional", options.label_conditional, "smoothed", options.smoothed, "seed", options.seed);
}

nb::object levels_of_limits(const Predictor& self, const std::vector<double>& limits, std::optional<double> certainty) {
  return array_of(conformal::levels_of_limits(self, limits, certainty));
}

/// Probabilities at the class shares of another data set, and these shares.
/// @param given  shares, NaN for classes whose share is not given; empty: estimated
nb::tuple at_shares(const Predictor& self, const Matrix& probability, const std::vector<double>& given) {
  const std::vector<double> kept = model::kept_shares(self);
  model::Prediction prediction;
  const data::DenseMatrix borrowed = matrix_of(probability);
  prediction.probability = data::DenseMatrix(borrowed.rows, borrowed.columns);
  for (std::size_t row = 0; row < borrowed.rows; ++row)
    std::ranges::copy(borrowed.row(row), prediction.probability.row(row).begin());
  std::vector<double> shares;
  if (given.empty()) {
    shares = model::estimate_shares(prediction.probability, kept);
  } else {
    std::vector<std::optional<double>> some;
    for (const double share : given) some.push_back(std::isnan(share) ? std::nullopt : std::optional(share));
    shares = model::whole_shares(some, kept);
  }
  model::reweigh(prediction, kept, shares);
  return nb::make_tuple(array_of(prediction.probability), array_of(std::move(shares)));
}

/// Puts local rows in the place of those that the predictor compares with.
nb::dict calibrate_locally(Predictor& self, const data::Dataset& rows, const Vector<int>& labels, std::uint64_t seed,
                           const RunOptions& options) {
  data::Dataset local = rows;
  local.labels = vector_of(labels);
  const conformal::LocalTest test = run(
      options, [&](const core::Context& context) { return conformal::calibrate_locally(self, local, seed, context); });
  return dict_of("statistic", test.statistic, "p_value", test.p_value, "local", test.local, "kept_before", test.kept,
                 "proved", test.proved, "warnings", report::update_warnings(self.schema.classes, test));
}

nb::dict predict(const Predictor& self, const data::Dataset& rows, const RunOptions& options) {
  return columns_of(run(options, [&](const core::Context& context) { return self.predict(rows, context); }));
}

/// Predictions with all that the model says of single rows.
model::Prediction trusted(const Predictor& self, const data::Dataset& rows, const conformal::PValueOptions& p_values,
                          const core::Context& context) {
  model::Prediction prediction = conformal::predict_with_confidence(self, rows, p_values, context);
  conformal::FamiliarityOf(self, context).add(rows, prediction, context);
  return prediction;
}

nb::object familiarity(const Predictor& self, const data::Dataset& rows, const RunOptions& options) {
  return array_of(run(options, [&](const core::Context& context) {
    model::Prediction prediction;
    conformal::FamiliarityOf(self, context).add(rows, prediction, context);
    return prediction.familiarity;
  }));
}

nb::dict predict_with_confidence(const Predictor& self, const data::Dataset& rows, const nb::dict& given,
                                 const RunOptions& options) {
  const conformal::PValueOptions p_values = p_value_options(self, given);
  report::RowWarnings warnings(self, p_values, {});
  nb::dict columns = columns_of(run(options, [&](const core::Context& context) {
    model::Prediction prediction = trusted(self, rows, p_values, context);
    warnings.add(rows, prediction);
    return prediction;
  }));
  columns["warnings"] = warnings.sentences();
  return columns;
}

/// As predict_with_confidence, for rows whose classes are known: with the warnings that regions at these levels need,
/// and what to say if the rows trained the model.
nb::dict judge(const Predictor& self, const data::Dataset& rows, const nb::dict& given, const Vector<double>& levels,
               const RunOptions& options) {
  const conformal::PValueOptions p_values = p_value_options(self, given);
  report::RowWarnings warnings(self, p_values, vector_of(levels));
  std::string trained_on;
  std::optional<conformal::Review> review;
  nb::dict columns = columns_of(run(options, [&](const core::Context& context) {
    model::Prediction prediction = trusted(self, rows, p_values, context);
    review = conformal::usual_review(self, prediction);
    warnings.add(rows, prediction);
    trained_on = report::seen_rows_sentence(self, rows);
    return prediction;
  }));
  columns["warnings"] = warnings.sentences_of_evaluation();
  columns["trained_on"] = trained_on;
  columns["review"] = nb::none();
  if (review) {
    const auto number = [](conformal::ReviewReason reason) { return static_cast<int>(reason); };
    columns["review"] = std::tuple(core::mapped(review->reasons, number), review->rows, review->probability);
  }
  columns["outside"] = core::mapped(warnings.familiarity().outside(), [](const report::OutsideRange& one) {
    return std::tuple(one.column, one.rows, one.side, one.end, one.text);
  });
  return columns;
}

/// Where the two features of labelled rows lead (report::decision_chart), as JSON; "null" for other rows.
/// @param labels  -1 for classes that the model does not know
std::string decision(const Predictor& self, const data::Dataset& rows, const Vector<std::int32_t>& labels,
                     const RunOptions& options) {
  if (!report::has_decision(rows)) return "null";
  data::Dataset labelled = rows;
  labelled.labels = vector_of(labels);
  const auto chart =
      run(options, [&](const core::Context& context) { return report::decision_chart(self, labelled, context); });
  return chart ? report::json_line(report::block_json(*chart)) : "null";
}

nb::dict predict_with_probability(const Predictor& self, const data::Dataset& rows,
                                  const std::optional<std::string>& calibration, const RunOptions& options) {
  model::ProbabilityOptions probability;
  if (calibration) probability.calibration = core::parse_word<model::CalibrationMap>(*calibration);
  return columns_of(run(options, [&](const core::Context& context) {
    model::Prediction prediction = self.predict(rows, context);
    model::add_probabilities(self, probability, prediction);
    return prediction;
  }));
}

/// Why each row is marked (conformal::review). @param text  as ReviewOptions::review  @param levels  of each class
std::vector<std::string> review(const Predictor& self, const data::Dataset& rows, const std::string& text,
                                const std::vector<double>& levels, const RunOptions& options) {
  const conformal::ReviewRule rule = conformal::ReviewRule::of(self, text, levels);
  conformal::PValueOptions p_values = conformal::p_value_options(self);
  p_values.label_conditional = p_values.label_conditional || !rule.share;
  return run(options, [&](const core::Context& context) {
    model::Prediction prediction = trusted(self, rows, p_values, context);
    model::add_probabilities(self, {}, prediction);
    return core::mapped(conformal::review(prediction, rule).reasons,
                        [](conformal::ReviewReason reason) { return std::string(core::word(reason)); });
  });
}

nb::object intervals(const Predictor& self, const data::Dataset& rows, double significance, const RunOptions& options) {
  const std::size_t count = rows.rows();
  std::vector<double> ends = run(options, [&](const core::Context& context) {
    std::vector<double> both;
    const model::Prediction prediction = conformal::predict_with_confidence(self, rows, {}, context);
    for (const conformal::PredictionInterval& one : conformal::regression_of(self).intervals(prediction, significance))
      both.insert(both.end(), {one.lower, one.upper});
    return both;
  });
  return array_of(std::move(ends), {count, 2});
}

/// @param orders  of the rows, repeats x rows; without rows: drawn by the seed  @param weights  empty: all alike
nb::dict importance(const Predictor& self, const data::Dataset& rows, const Orders& orders, std::size_t repeats,
                    std::uint64_t seed, double correlated, bool left_out, const std::string& score,
                    const std::string& cost, const Vector<double>& weights, const RunOptions& running) {
  selection::ImportanceOptions options{
      .correlated = correlated, .repeats = repeats, .seed = seed, .left_out = left_out, .screen = false};
  options.score = core::parse_word<selection::Score>(score);
  if (options.score == selection::Score::cost) options.costs = model::DecisionCosts::parse(cost, self.schema.classes);
  options.weights = vector_of(weights);
  for (std::size_t r = 0; r < orders.shape(0); ++r)
    options.permutations.emplace_back(orders.data() + r * orders.shape(1), orders.data() + (r + 1) * orders.shape(1));
  const selection::Importance found = run(running, [&](const core::Context& context) {
    return selection::permutation_importance(self, rows, options, context);
  });
  if (found.columns.size() < found.asked)
    throw Error(ErrorCode::interrupted, "the time was over before all columns were shuffled");
  std::vector<double> rises;
  for (const selection::ColumnImportance& one : found.columns)
    rises.insert(rises.end(), one.rises.begin(), one.rises.end());
  return dict_of("names", core::mapped(found.columns, &selection::ColumnImportance::name), "rises",
                 array_of(std::move(rises), {found.columns.size(), found.repeats}), "standard_error",
                 array_of(core::mapped(found.columns, &selection::ColumnImportance::standard_error)));
}

nb::dict dependence(const Predictor& self, const data::Dataset& rows,
                    const std::variant<std::size_t, std::string>& column, const RunOptions& running) {
  const auto* name = std::get_if<std::string>(&column);
  const std::size_t place = name ? selection::column_named(self.schema, *name) : std::get<std::size_t>(column);
  const selection::Dependence found = run(
      running, [&](const core::Context& context) { return selection::partial_dependence(self, rows, place, context); });
  return dict_of("values", array_of(found.values), "levels", found.levels, "response", found.response, "average",
                 array_of(found.average));
}

nb::dict capabilities(const Predictor& self) {
  static constexpr const char* sources[] = {"none", "calibration", "conformal", "nonconformity"};
  const model::Capabilities able = self.capabilities();
  return dict_of("p_values", sources[static_cast<int>(able.p_values)], "intervals", able.intervals, "models",
                 able.models);
}

/// The machines of a single SVM, as arrays: one row of coefficients for each machine over all support vectors.
nb::object svm_parts(const Predictor& self) {
  const auto* svm = dynamic_cast<const svm::SvmModel*>(&self);
  if (svm == nullptr) return nb::none();
  const std::size_t count = svm->support_count();
  std::vector<double> coefficients(svm->machines.size() * count, 0.0);
  std::vector<std::int32_t> classes(count);
  std::vector<double> bias;
  for (std::size_t m = 0; m < svm->machines.size(); ++m) {
    const svm::BinaryMachine& machine = svm->machines[m];
    for (std::size_t s = 0; s < machine.support.size(); ++s) {
      coefficients[m * count + machine.support[s]] = machine.coefficients[s];
      classes[machine.support[s]] = machine.coefficients[s] > 0 ? machine.positive : machine.negative;
    }
    bias.push_back(machine.bias);
  }
  const std::size_t machines = bias.size();
  nb::dict parts =
      dict_of("coefficients", array_of(std::move(coefficients), {machines, count}), "bias", array_of(std::move(bias)),
              "support_rows", numbers_of(svm->support_rows), "support_classes", array_of(std::move(classes)));
  if (svm->kernel.type != kernel::KernelType::precomputed)
    parts["support_vectors"] = array_of(svm->support_vectors.to_dense());
  if (svm->kernel.type == kernel::KernelType::linear) parts["weights"] = array_of(svm->linear_weights());
  return parts;
}

/// The machines of a relevance vector machine.
nb::object rvm_parts(const Predictor& self) {
  const auto* rvm = dynamic_cast<const rvm::RvmModel*>(&self);
  if (rvm == nullptr) return nb::none();
  nb::list machines;
  for (const rvm::Machine& machine : rvm->machines)
    machines.append(dict_of("bias", machine.bias, "centres", numbers_of(machine.centres), "weights",
                            array_of(machine.weights), "noise_variance", machine.noise_variance, "log_evidence",
                            machine.log_evidence, "status", std::string(rvm::name(machine.status)), "null_model",
                            machine.null_model, "iterations", machine.iterations));
  nb::dict parts = dict_of("rvms", machines, "centre_rows", numbers_of(rvm->centre_rows));
  if (rvm->kernel.type != kernel::KernelType::precomputed) parts["centres"] = array_of(rvm->centres.to_dense());
  return parts;
}

}  // namespace

void bind_predicting(nb::module_& module) {
  nb::class_<Predictor>(module, "Predictor")
      .def("predict", &predict)
      .def("predict_with_confidence", &predict_with_confidence)
      .def("judge", &judge)
      .def("familiarity", &familiarity)
      .def_prop_ro("known_rows", [](const Predictor& self) { return self.known_rows.rows(); })
      .def("predict_with_probability", &predict_with_probability)
      .def("review", &review)
      .def("decision", &decision)
      .def_prop_ro("missing_for_probabilities",
                   [](const Predictor& self) {
                     return self.capabilities().probabilities ? std::string() : model::missing_for_probabilities(self);
                   })
      .def("permutation_importance", &importance)
      .def("partial_dependence", &dependence)
      .def_prop_ro("p_value_options", &p_values_of)
      .def("validity", &validity)
      .def_prop_ro("compared_with", &conformal::compared_with)
      .def_prop_ro("residuals", [](const Predictor& self) { return self.calibration.nonconformity_scores.size(); })
      .def("levels_of_limits", &levels_of_limits)
      .def("at_shares", &at_shares)
      .def("calibrate_locally", &calibrate_locally)
      .def("intervals", &intervals)
      .def_prop_ro("schema", [](const Predictor& self) { return self.schema; })
      .def_prop_ro("missing", [](const Predictor& self) { return core::word(self.missing); })
      .def_prop_ro("capabilities", &capabilities)
      .def_prop_ro("decision_names", &Predictor::decision_names)
      .def_prop_ro("svm", &svm_parts)
      .def_prop_ro("rvm", &rvm_parts)
      .def("save", [](const Predictor& self, const std::string& path) { io::save_model(self, path); })
      .def_prop_ro("about", [](const Predictor& self) { return report::json_text(report::model_json(self, "")); })
      .def("to_bytes", [](const Predictor& self) { return bytes_of(io::model_bytes(self)); });
  module.def("load", [](const std::string& path) { return std::shared_ptr<Predictor>(io::load_any_model(path)); });
  module.def("from_bytes", [](const nb::bytes& bytes) {
    return std::shared_ptr<Predictor>(io::model_of_bytes({bytes.c_str(), bytes.size()}, "a pickled model"));
  });
  module.def("fit_conformal",
             [](const data::Dataset& dataset, const ConformalOptions& options, const RunOptions& running) {
               return run(running, [&](const core::Context& context) -> std::shared_ptr<Predictor> {
                 return conformal::fit(dataset, options.owner, context);
               });
             });
}

}  // namespace credence::python
