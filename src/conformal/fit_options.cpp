#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "conformal/fit_parts.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

struct Measure {
  std::string_view name;
  std::string_view description;
};

/// Every strangeness measure of labelled rows; those of regressions are in measures/ too.
constexpr std::array<Measure, 3> registry{{
    {nn_ratio, "distances to the k nearest of the own class over those to the k nearest others"},
    {nn_own, "distances to the k nearest of the own class"},
    {margin, "minus the signed decision value of an SVM or RVM, the worst of the class's duels"},
}};

const Measure* find_measure(std::string_view name) {
  const auto* found =
      std::find_if(registry.begin(), registry.end(), [&](const Measure& measure) { return measure.name == name; });
  return found == registry.end() ? nullptr : found;
}

std::string unknown_measure(std::string_view name) {
  return fmt::format("unknown measure '{}'; allowed are {}", name, fmt::join(measures(), ", "));
}

void append(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

bool has_class_weights(const FitOptions& options) {
  return options.class_weights.balanced || !options.class_weights.named.empty();
}

std::vector<std::string> neighbour_problems(const FitOptions& options) {
  std::vector<std::string> problems;
  const bool transductive = options.mode == Mode::transductive;
  if (options.k < 1) problems.push_back(fmt::format("k must be at least 1, not {}", options.k));
  if (!transductive && options.metric != neighbours::Metric::euclidean) {
    problems.push_back(
        fmt::format("the {} distance is for the transductive mode; nearest neighbours as inductive classifiers are "
                    "Euclidean",
                    neighbours::name(options.metric)));
  }
  if (!transductive && options.measure == nn_own)
    problems.push_back(fmt::format("the measure {} is for the transductive mode; take {}", nn_own, nn_ratio));
  if (options.metric == neighbours::Metric::precomputed && options.resolved_scaling() != data::Scaling::none)
    problems.emplace_back("precomputed distances cannot be scaled");
  if (has_class_weights(options)) problems.emplace_back("nearest neighbours take no class weights");
  if (options.relevance_vectors) {
    problems.push_back(
        fmt::format("relevance vector machines are for the measure {}, not {}", margin, options.measure));
  }
  return problems;
}

std::vector<std::string> svm_problems(const FitOptions& options) {
  std::vector<std::string> problems = svm_options(options, options.resolved_scaling()).validate();
  if (options.mode == Mode::transductive && has_class_weights(options))
    problems.emplace_back("the transductive SVM takes no class weights; the inductive and cross modes do");
  return problems;
}

std::vector<std::string> rvm_problems(const FitOptions& options) {
  std::vector<std::string> problems = rvm_options(options, options.resolved_scaling()).validate();
  if (options.mode == Mode::transductive) {
    problems.emplace_back(
        "relevance vector machines would have to be trained anew for every row and class in the transductive mode; "
        "take the inductive or the cross mode");
  }
  if (has_class_weights(options)) problems.emplace_back("relevance vector machines take no class weights");
  return problems;
}

std::vector<std::string> margin_problems(const FitOptions& options) {
  std::vector<std::string> problems = options.relevance_vectors ? rvm_problems(options) : svm_problems(options);
  if (options.kernel.type == kernel::KernelType::precomputed)
    problems.emplace_back("a precomputed kernel cannot follow rows that are held out or new");
  return problems;
}

}  // namespace

std::vector<std::string> measures() {
  std::vector<std::string> names;
  for (const Measure& measure : registry) names.emplace_back(measure.name);
  return names;
}

std::string describe_measure(const std::string& name) {
  const Measure* measure = find_measure(name);
  if (measure == nullptr) throw Error(ErrorCode::invalid_argument, unknown_measure(name));
  return std::string(measure->description);
}

data::Scaling FitOptions::resolved_scaling() const {
  if (scaling) return *scaling;
  if (measure != margin) return data::Scaling::none;
  return relevance_vectors ? data::Scaling::minmax : data::Scaling::standard;
}

std::vector<std::string> FitOptions::validate() const {
  std::vector<std::string> problems;
  if (find_measure(measure) == nullptr) problems.push_back(unknown_measure(measure));
  append(problems, measure == margin ? margin_problems(*this) : neighbour_problems(*this));
  append(problems, split_problems(*this));
  return problems;
}

std::vector<std::string> split_problems(const FitOptions& options) {
  std::vector<std::string> problems;
  if (!(options.calibration > 0 && options.calibration < 1)) {
    problems.push_back(
        fmt::format("the share of rows for calibration must lie between 0 and 1, not {}", options.calibration));
  }
  if (options.folds < 2)
    problems.push_back(fmt::format("the number of folds must be at least 2, not {}", options.folds));
  return problems;
}

void check_neighbour_count(int k, std::size_t rows) {
  if (static_cast<std::size_t>(k) <= rows) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("k is {}, but there are only {} rows to learn from", k, rows));
}

svm::TrainOptions svm_options(const FitOptions& options, data::Scaling scaling) {
  svm::TrainOptions training;
  training.C = options.C;
  training.kernel = options.kernel;
  training.gamma = options.gamma;
  training.scaling = scaling;
  training.missing = options.missing;
  training.class_weights = options.class_weights;
  training.solver = options.solver;
  training.seed = options.seed;
  return training;
}

rvm::TrainOptions rvm_options(const FitOptions& options, data::Scaling scaling) {
  rvm::TrainOptions training = options.relevance_vectors.value();
  training.kernel = options.kernel;
  training.gamma = options.gamma;
  training.scaling = scaling;
  training.missing = options.missing;
  training.seed = options.seed;
  return training;
}

}  // namespace credence::conformal
