#include <algorithm>
#include <cmath>

#include "credence/core/random.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "reproduce/kernel_validity.hpp"

namespace credence::reproduce::kernel_validity::sinc {
namespace {

constexpr double half_length = 7;
constexpr std::size_t training_points = 141;
constexpr std::size_t test_points = 281;
constexpr double noise = 0.1;
constexpr int folds = 5;
constexpr std::size_t units_of_sample = 2000;
constexpr std::uint64_t noise_purpose = 0x73696E63;  // "sinc"

double truth(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// Evenly spaced from -7 to 7.
data::DenseMatrix points(std::size_t count) {
  data::DenseMatrix x(count, 1);
  for (std::size_t i = 0; i < count; ++i)
    x.values[i] = half_length * (2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1);
  return x;
}

data::Dataset noisy(std::uint64_t seed) {
  core::RandomStream random(seed, noise_purpose);
  const data::DenseMatrix x = points(training_points);
  std::vector<double> targets;
  for (const double value : x.values) targets.push_back(truth(value) + noise * random.normal());
  return data::make_regression_dataset(x, targets);
}

double distance_from_truth(const data::DenseMatrix& x, const std::vector<double>& mean) {
  double squares = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double distance = mean[i] - truth(x.values[i]);
    squares += distance * distance;
  }
  return std::sqrt(squares / static_cast<double>(mean.size()));
}

selection::Options cv_options(std::uint64_t seed) {
  selection::Options options;
  options.method = selection::CrossValidation{folds};
  options.task = data::Task::regression;
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = gammas_of(widths);
  options.estimate = selection::Estimate::none;
  options.preparation.scalings = {data::Scaling::none};
  options.seed = seed;
  return options;
}

Fit fit_of(const rvm::Problem& problem, double sigma, const data::Dataset& dataset, const data::DenseMatrix& test,
           const core::Context& context) {
  const rvm::KernelFit found = fit_kernel(problem, rbf_of(sigma), {}, {}, true, context);
  check_not_stopped(found.stopped());
  const rvm::RvmModel model = rvm::model_of(problem, found, dataset);
  Fit fit;
  fit.log_validity = found.log_validity;
  fit.log_evidence = found.log_evidence;
  fit.kernels = found.validity.front().kernels;
  fit.noise_sd = std::sqrt(found.machines.front().noise_variance);
  fit.rmse = distance_from_truth(test, model.predict_preprocessed(test, context).mean);
  return fit;
}

std::vector<double> values_of(const std::vector<Fit>& fits, double Fit::*member) {
  std::vector<double> values;
  for (const Fit& fit : fits) values.push_back(fit.*member);
  return values;
}

/// The index by the library's rule: no kernel that is no better than the null model.
std::size_t chosen_by_index(const std::vector<Fit>& fits, double null_evidence) {
  std::vector<bool> allowed;
  for (const Fit& fit : fits)
    allowed.push_back(fit.log_evidence > null_evidence + selection::KernelValidity{}.null_margin);
  return largest_of(values_of(fits, &Fit::log_validity), allowed);
}

std::size_t chosen_by_truth(const std::vector<Fit>& fits) {
  const std::vector<double> errors = values_of(fits, &Fit::rmse);
  return static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
}

/// @throws Error interrupted
Sample run_sample(std::uint64_t seed, const core::Context& context) {
  const data::Dataset dataset = noisy(seed);
  const data::DenseMatrix test = points(test_points);
  const rvm::Problem problem =
      rvm::make_problem(dataset, dataset.features, kernel::KernelType::rbf, std::nullopt, seed);
  Sample sample;
  sample.seed = seed;
  for (const double sigma : widths) sample.fits.push_back(fit_of(problem, sigma, dataset, test, context));
  const selection::Selection by_cv = selection::Selector(cv_options(seed)).select(dataset, context);
  check_not_stopped(by_cv.stopped != core::StopReason::none);
  for (std::size_t w = 0; w < widths.size(); ++w) sample.fits[w].cv_error = by_cv.grid[w].error;
  sample.chosen[index] = chosen_by_index(sample.fits, rvm::null_evidence(problem, {}));
  sample.chosen[cross_validation] = by_cv.best.value();
  sample.chosen[evidence] = largest_of(values_of(sample.fits, &Fit::log_evidence), {});
  sample.chosen[best] = chosen_by_truth(sample.fits);
  return sample;
}

}  // namespace

std::size_t units_of(const Settings& settings) {
  return static_cast<std::size_t>(settings.splits) * units_of_sample;
}

Result run(const Settings& settings, const core::Context& context) {
  const double start = context.monitor.seconds();
  const auto count = static_cast<std::size_t>(settings.splits);
  Result result;
  result.samples = run_jobs<Sample>(
      count, units_of_sample, {"sinc"}, settings.seed, context,
      [&](std::size_t job, const core::Context& part) { return run_sample(settings.seed + job, part); });
  result.complete = result.samples.size() == count;
  result.seconds = context.monitor.seconds() - start;
  return result;
}

double median_of(const Result& result, std::size_t width, double Fit::*member) {
  std::vector<double> values;
  for (const Sample& sample : result.samples) values.push_back(sample.fits[width].*member);
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Figure rmse_of(const Result& result, Rule rule) {
  return figure_over(result.samples, [rule](const Sample& sample) { return sample.fits[sample.chosen[rule]].rmse; });
}

}  // namespace credence::reproduce::kernel_validity::sinc
