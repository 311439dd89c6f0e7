#include "credence/conformal/measures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"
#include "neighbours/search/family.hpp"

namespace credence::conformal {

std::vector<std::string> nearest_problems(const NeighbourOptions& options, bool trains, const Mode& mode,
                                          data::Scaling scaling) {
  std::vector<std::string> problems = options.validate();
  if (!is_transductive(mode) && options.metric != neighbours::Metric::euclidean) {
    problems.push_back(
        fmt::format("the {} distance is for the transductive mode; nearest neighbours as inductive classifiers are "
                    "Euclidean",
                    core::word(options.metric)));
  }
  if (!is_transductive(mode) && !trains) {
    problems.push_back(fmt::format("the measure {} is for the transductive mode; take {}", options.measure.name,
                                   NeighbourRatio::name));
  }
  if (options.metric == neighbours::Metric::precomputed && scaling != data::Scaling::none)
    problems.emplace_back("precomputed distances cannot be scaled");
  return problems;
}

void check_nearest(const NeighbourOptions& options, const data::Dataset& dataset, const Mode& mode) {
  if (!dataset.weights.empty()) refuse("nearest neighbours take no sample weights");
  if (is_transductive(mode)) check_neighbour_count(options.k, dataset.rows());
  if (options.metric != neighbours::Metric::precomputed) return;
  for (std::size_t j = 0; j < dataset.schema.columns.size(); ++j) {
    if (dataset.schema.columns[j].kind == data::ColumnKind::categorical) {
      refuse_data("precomputed distances are numbers, but this column holds names",
                  {dataset.source, 0, dataset.column_label(j)});
    }
  }
}

void check_neighbour_count(int k, std::size_t rows) {
  if (static_cast<std::size_t>(k) <= rows) return;
  refuse(fmt::format("k is {}, but there are only {} rows to learn from", k, rows));
}

std::shared_ptr<const Machine> nearest_machine(const data::Features& rows, const data::Dataset& dataset,
                                               const NeighbourOptions& options, const core::Context& context) {
  return std::make_shared<TransductiveNeighbours>(rows, dataset.labels, dataset.class_count(), options, context,
                                                  dataset.weights);
}

double neighbour_ratio(std::span<const double> own, std::span<const double> other) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (own.empty()) return infinity;
  if (other.empty()) return 0;
  double near_own = std::accumulate(own.begin(), own.end(), 0.0);
  double near_other = std::accumulate(other.begin(), other.end(), 0.0);
  // Not always: division rounds, and p-values count comparisons.
  if (own.size() != other.size()) {
    near_own /= static_cast<double>(own.size());
    near_other /= static_cast<double>(other.size());
  }
  if (near_other == 0) return near_own > 0 ? infinity : 1;
  return near_own / near_other;
}

Train NeighbourRatio::training(const Preparation& preparation) const {
  return [count = k, preparation](const data::Dataset& training, const core::Context&) {
    check_neighbour_count(count, training.rows());
    TrainedClassifier trained;
    trained.preprocessing = data::Preprocessing::fit(training, preparation.scaling);
    trained.missing = preparation.missing;
    auto family = std::make_shared<neighbours::NeighbourFamily>();
    family->rows = trained.preprocessing.apply(training);
    family->rows.own();
    family->labels = training.labels;
    family->k = {count};
    family->class_count = training.class_count();
    trained.classifier = std::move(family);
    return trained;
  };
}

double own_class_distance(std::span<const double> own, std::size_t k) {
  if (own.empty()) return std::numeric_limits<double>::infinity();
  const double sum = std::accumulate(own.begin(), own.end(), 0.0);
  return own.size() < k ? sum * static_cast<double>(k) / static_cast<double>(own.size()) : sum;
}

namespace {

svm::TrainOptions training_options(const SvmMargin& margin, const Preparation& preparation) {
  svm::TrainOptions training;
  training.C = margin.C;
  training.kernel = margin.kernel.shape;
  training.gamma = margin.kernel.gamma;
  training.scaling = preparation.scaling;
  training.missing = preparation.missing;
  training.class_weights = margin.class_weights;
  training.solver = margin.solver;
  training.seed = preparation.seed;
  return training;
}

rvm::TrainOptions training_options(const RvmMargin& margin, const Preparation& preparation) {
  rvm::TrainOptions training;
  training.kernel = margin.kernel.shape;
  training.gamma = margin.kernel.gamma;
  training.fit = margin.fit;
  training.index = false;
  training.centres = margin.centres;
  training.scaling = preparation.scaling;
  training.missing = preparation.missing;
  training.seed = preparation.seed;
  return training;
}

Preparation prepared(data::Scaling scaling) {
  return {scaling, data::Missing::error, 0};
}

TrainedClassifier train_svm(const data::Dataset& training, const svm::TrainOptions& options,
                            const core::Context& context) {
  const svm::TrainResult result = svm::train(training, options, context);
  if (result.statistics.status != qp::Status::converged) {
    throw Error(ErrorCode::interrupted,
                fmt::format("training the SVM did not finish ({})", qp::name(result.statistics.status)));
  }
  return classifier_of(result.model);
}

}  // namespace

void MarginKernel::add_problems(std::vector<std::string>& problems) const {
  if (shape.type == kernel::KernelType::precomputed)
    problems.emplace_back("a precomputed kernel cannot follow rows that are held out or new");
  if (by_sigma && shape.type != kernel::KernelType::rbf) {
    problems.push_back(fmt::format("sigma is the width of the rbf kernel; the {} kernel has {}",
                                   kernel::name(shape.type), shape.uses_gamma() ? "a gamma" : "no width"));
  }
}

bool MarginKernel::looks_at_rows() const {
  return shape.uses_gamma() && gamma.kind != kernel::GammaRule::Kind::value &&
         gamma.kind != kernel::GammaRule::Kind::automatic;
}

void MarginKernel::set_sigma(double sigma) {
  const double value = sigma > 0 ? rvm::gamma_of_sigma(sigma) : 0;
  if (!(value > 0 && std::isfinite(value)))
    refuse(fmt::format("{} is not a width above 0 that a kernel can have", sigma));
  gamma = {kernel::GammaRule::Kind::value, value};
  by_sigma = true;
}

std::vector<std::string> SvmMargin::problems(const Mode& mode, data::Scaling scaling) const {
  std::vector<std::string> problems = training_options(*this, prepared(scaling)).validate();
  if (is_transductive(mode) && class_weights.any())
    problems.emplace_back("the transductive SVM takes no class weights; the inductive and cross modes do");
  kernel.add_problems(problems);
  return problems;
}

void SvmMargin::check(const data::Dataset& dataset, const Mode& mode) const {
  if (!dataset.weights.empty() && is_transductive(mode)) refuse("the transductive SVM takes no sample weights");
}

std::shared_ptr<const Machine> SvmMargin::machine(const data::Features& rows, const data::Dataset& dataset,
                                                  model::TrainingRecord& record, const core::Context& context) const {
  TransductiveSvmOptions svm{C, kernel.shape.with(), solver};
  if (svm.kernel.uses_gamma()) svm.kernel.gamma = kernel::resolve_gamma(kernel.gamma, svm.kernel.type, rows);
  auto machine =
      std::make_shared<TransductiveSvm>(rows, dataset.labels, dataset.class_count(), svm, context, dataset.weights);
  if (!machine->converged())
    throw Error(ErrorCode::interrupted, "training ended before the tolerance, at the step limit or in rounding errors");
  record.C = C;
  record.tolerance = solver.tolerance;
  return machine;
}

Train SvmMargin::training(const Preparation& preparation) const {
  return [training = training_options(*this, preparation)](const data::Dataset& rows, const core::Context& context) {
    return train_svm(rows, training, context);
  };
}

std::vector<std::string> RvmMargin::problems(const Mode& mode, data::Scaling scaling) const {
  std::vector<std::string> problems = training_options(*this, prepared(scaling)).validate();
  if (is_transductive(mode)) {
    problems.emplace_back(
        "relevance vector machines would have to be trained anew for every row and class in the transductive mode; "
        "take the inductive or the cross mode");
  }
  kernel.add_problems(problems);
  return problems;
}

void RvmMargin::check(const data::Dataset& dataset, const Mode&) const {
  if (!dataset.weights.empty()) refuse("relevance vector machines take no sample weights");
}

Train RvmMargin::training(const Preparation& preparation) const {
  return [training = training_options(*this, preparation)](const data::Dataset& rows, const core::Context& context) {
    return classifier_of(rvm::train(rows, training, context).model);
  };
}

}  // namespace credence::conformal
