#include "credence/conformal/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformal/fit_parts.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/data/splits.hpp"

namespace credence::conformal {
namespace {

void check_fits(const data::Dataset& dataset, const FitOptions& options) {
  data::check_trainable(dataset);
  const bool neighbours = options.measure != margin;
  if (!dataset.weights.empty() && (neighbours || options.mode == Mode::transductive)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} no sample weights", neighbours ? "nearest neighbours take" : "the transductive SVM takes"));
  }
  if (!dataset.weights.empty() && options.relevance_vectors)
    throw Error(ErrorCode::invalid_argument, "relevance vector machines take no sample weights");
  if (neighbours && options.mode == Mode::transductive) check_neighbour_count(options.k, dataset.rows());
  if (!neighbours || options.metric != neighbours::Metric::precomputed) return;
  for (std::size_t j = 0; j < dataset.schema.columns.size(); ++j) {
    if (dataset.schema.columns[j].kind == data::ColumnKind::categorical) {
      throw Error(ErrorCode::invalid_data, "precomputed distances are numbers, but this column holds names",
                  {dataset.source, 0, dataset.column_label(j)});
    }
  }
}

bool fills_cells(const data::Dataset& dataset, const FitOptions& options) {
  const data::Features& features = dataset.features;
  const std::vector<double>& values = features.is_sparse() ? features.sparse().values : features.dense().values;
  return options.missing == data::Missing::impute &&
         std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

std::shared_ptr<ConformalPredictor> predictor_for(const data::Dataset& dataset, const FitOptions& options) {
  auto predictor = std::make_shared<ConformalPredictor>();
  predictor->schema = dataset.schema_without_hint();
  predictor->missing = options.missing;
  predictor->record.method = "conformal";
  predictor->record.rows = dataset.rows();
  predictor->record.seed = options.seed;
  predictor->record.version = version();
  predictor->options = {options.smoothed, options.label_conditional, options.seed};
  return predictor;
}

std::shared_ptr<const Machine> transductive_machine(const data::Features& rows, const data::Dataset& dataset,
                                                    const FitOptions& options, const core::Context& context) {
  if (options.measure == margin) {
    TransductiveSvmOptions svm{options.C, options.kernel.with(), options.solver};
    if (svm.kernel.uses_gamma()) svm.kernel.gamma = kernel::resolve_gamma(options.gamma, svm.kernel.type, rows);
    auto machine = std::make_shared<TransductiveSvm>(rows, dataset.labels, dataset.class_count(), svm, context);
    if (!machine->converged()) throw Error(ErrorCode::interrupted, "training met the step limit before the tolerance");
    return machine;
  }
  const NeighbourOptions neighbours{options.measure == nn_own ? NeighbourMeasure::own_class : NeighbourMeasure::ratio,
                                    options.k, options.metric};
  return std::make_shared<TransductiveNeighbours>(rows, dataset.labels, dataset.class_count(), neighbours, context);
}

/// Whether scaling, medians or gamma depend on the rows.
bool looks_at_rows(const data::Dataset& dataset, const FitOptions& options) {
  const bool gamma = options.measure == margin && options.kernel.uses_gamma() &&
                     options.gamma.kind != kernel::GammaRule::Kind::value &&
                     options.gamma.kind != kernel::GammaRule::Kind::automatic;
  return options.resolved_scaling() != data::Scaling::none || gamma || fills_cells(dataset, options);
}

std::shared_ptr<ConformalPredictor> fit_transductive(const data::Dataset& dataset, const FitOptions& options,
                                                     const core::Context& context) {
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, options);
  predictor->preprocessing = data::Preprocessing::fit(dataset, options.resolved_scaling());
  predictor->machine = transductive_machine(predictor->preprocessing.apply(dataset), dataset, options, context);
  predictor->fitted_on_compared = looks_at_rows(dataset, options);
  if (options.measure == margin) {
    predictor->record.C = options.C;
    predictor->record.tolerance = options.solver.tolerance;
  }
  return predictor;
}

/// Every class of the data set must be learnt from wherever something is trained.
void check_part(const data::Dataset& training, const data::Dataset& whole, const char* advice) {
  std::vector<bool> present(whole.class_count(), false);
  std::vector<bool> occurs(whole.class_count(), false);
  for (const int label : training.labels) present[static_cast<std::size_t>(label)] = true;
  for (const int label : whole.labels) occurs[static_cast<std::size_t>(label)] = true;
  for (std::size_t c = 0; c < present.size(); ++c) {
    if (!occurs[c] || present[c]) continue;
    throw Error(ErrorCode::invalid_data,
                fmt::format("no row of the class '{}' is left to train on once others are held out; {}",
                            whole.schema.classes[c], advice),
                {whole.source, 0, {}});
  }
}

/// What to do where a class has too few rows for random hold-outs.
const char* advice(const data::Dataset& dataset, const FitOptions& options) {
  if (!dataset.clusters().empty()) return "other groups, folds or another seed are needed";
  return options.label_conditional ? "the class has too few rows"
                                   : "take label-conditional p-values, whose hold-outs are stratified, or another seed";
}

/// Label-conditional p-values of a class that nothing can be compared with would always be 1.
void check_kept(const Machine& machine, const data::Dataset& dataset, const FitOptions& options) {
  const std::vector<std::size_t> counts = machine.class_counts();
  for (std::size_t c = 0; options.label_conditional && c < counts.size(); ++c) {
    if (counts[c] == 0) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("no row of the class '{}' is held out, and label-conditional p-values need one of each "
                              "class; hold out a larger share, or leave the class out",
                              dataset.schema.classes[c]),
                  {dataset.source, 0, {}});
    }
  }
}

bool is_stratified(const data::Dataset& dataset, const FitOptions& options) {
  return options.label_conditional && dataset.clusters().empty();
}

/// Fixed folds or groups are held out as wholes if there are any.
std::vector<bool> held_out(const data::Dataset& dataset, const FitOptions& options) {
  const std::size_t n = dataset.rows();
  if (is_stratified(dataset, options)) return data::hold_out(dataset.labels, options.calibration, options.seed);
  const auto count = static_cast<std::size_t>(std::llround(options.calibration * static_cast<double>(n)));
  return data::random_hold_out(n, std::clamp<std::size_t>(count, 1, n - 1), dataset.clusters(), options.seed);
}

std::vector<int> folds_of(const data::Dataset& dataset, const FitOptions& options) {
  if (!dataset.folds.empty()) return dataset.folds;
  if (!dataset.groups.empty()) return data::grouped_k_fold(dataset.groups, options.folds, options.seed);
  return options.label_conditional ? data::stratified_k_fold(dataset.labels, options.folds, options.seed)
                                   : data::k_fold(dataset.rows(), options.folds, options.seed);
}

struct Parts {
  std::vector<std::size_t> training;
  std::vector<std::size_t> kept;
};

template <class IsKept>
Parts parts_of(std::size_t rows, IsKept is_kept) {
  Parts parts;
  for (std::size_t i = 0; i < rows; ++i) (is_kept(i) ? parts.kept : parts.training).push_back(i);
  return parts;
}

/// The preprocessed rows as a data set of their own.
data::Dataset preprocessed(const data::Dataset& dataset, const data::Preprocessing& preprocessing) {
  data::Dataset result = dataset;
  result.features = preprocessing.apply(dataset);
  result.schema.columns.clear();
  for (const std::string& name : preprocessing.names) result.schema.columns.push_back({name, {}, {}});
  return result;
}

std::shared_ptr<ConformalPredictor> fit_cross(const data::Dataset& dataset, const FitOptions& options,
                                              const core::Context& context) {
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, options);
  predictor->preprocessing = data::Preprocessing::fit(dataset, options.resolved_scaling());
  const data::Dataset rows = preprocessed(dataset, predictor->preprocessing);
  const std::vector<int> folds = folds_of(dataset, options);
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  const Train train = trainer(options, data::Scaling::none);
  std::vector<CalibratedClassifier> calibrated;
  for (int fold = 0; fold < count; ++fold) {
    const Parts parts = parts_of(rows.rows(), [&](std::size_t i) { return folds[i] == fold; });
    if (parts.kept.empty()) continue;
    const data::Dataset training = rows.select_rows(parts.training);
    check_part(training, dataset, advice(dataset, options));
    const TrainedClassifier trained = train(training, context);
    const data::Dataset kept = rows.select_rows(parts.kept);
    // The rows are preprocessed already, and the training fitted nothing further.
    calibrated.push_back(calibrate(trained.classifier, kept.features, kept.labels, context));
    predictor->record.C = trained.record.C;
    predictor->record.tolerance = trained.record.tolerance;
  }
  predictor->record.folds = static_cast<int>(calibrated.size());
  predictor->machine = std::make_shared<Inductive>(std::move(calibrated));
  predictor->fitted_on_compared = options.resolved_scaling() != data::Scaling::none || fills_cells(dataset, options);
  predictor->stratified = is_stratified(dataset, options);
  return predictor;
}

}  // namespace

std::shared_ptr<ConformalPredictor> fit_inductive(const data::Dataset& dataset, const FitOptions& options,
                                                  const Train& train, const core::Context& context) {
  throw_if_any(split_problems(options));
  data::check_trainable(dataset);
  const std::vector<bool> is_kept = held_out(dataset, options);
  const Parts parts = parts_of(dataset.rows(), [&](std::size_t i) { return is_kept[i]; });
  const data::Dataset training = dataset.select_rows(parts.training);
  check_part(training, dataset, advice(dataset, options));
  const TrainedClassifier trained = train(training, context);
  const data::Dataset kept = dataset.select_rows(parts.kept);
  // New rows are read the same way: see Predictor::predict.
  const data::Features features = trained.preprocessing.apply(kept, data::UnknownLevel::ignore);
  std::shared_ptr<ConformalPredictor> predictor = predictor_for(dataset, options);
  predictor->preprocessing = trained.preprocessing;
  model::TrainingRecord& record = predictor->record;
  record.C = trained.record.C;
  record.nu = trained.record.nu;
  record.tolerance = trained.record.tolerance;
  record.selected_error = trained.record.selected_error;
  predictor->machine = std::make_shared<Inductive>(
      std::vector<CalibratedClassifier>{calibrate(trained.classifier, features, kept.labels, context)});
  predictor->stratified = is_stratified(dataset, options);
  check_kept(*predictor->machine, dataset, options);
  return predictor;
}

std::shared_ptr<ConformalPredictor> fit(const data::Dataset& dataset, const FitOptions& options,
                                        const core::Context& context) {
  throw_if_any(options.validate());
  check_fits(dataset, options);
  switch (options.mode) {
    case Mode::inductive:
      return fit_inductive(dataset, options, trainer(options, options.resolved_scaling()), context);
    case Mode::cross:
      return fit_cross(dataset, options, context);
    case Mode::transductive:
      break;
  }
  return fit_transductive(dataset, options, context);
}

}  // namespace credence::conformal
