#include "credence/rvm/train.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"

namespace credence::rvm {
namespace {

data::Scaling scaling_of(const TrainOptions& options) {
  return options.kernel.type == kernel::KernelType::precomputed ? data::Scaling::none : options.scaling;
}

kernel::Kernel resolved_kernel(const TrainOptions& options, const data::Features& rows) {
  kernel::Kernel kernel = options.kernel.with();
  if (kernel.uses_gamma()) {
    kernel.gamma = kernel::resolve_gamma(options.gamma, kernel.type, rows);
    throw_if_any(kernel.validate());
  }
  return kernel;
}

void check_sigma(double value, const char* name) {
  if (!(value > 0 && std::isfinite(value)))
    refuse(fmt::format("{} must be a finite number above 0, not {}", name, value));
}

}  // namespace

double gamma_of_sigma(double sigma) {
  check_sigma(sigma, "sigma");
  return 1 / (2 * sigma * sigma);
}

double sigma_of_gamma(double gamma) {
  check_sigma(gamma, "gamma");
  return 1 / std::sqrt(2 * gamma);
}

std::vector<std::string> TrainOptions::validate() const {
  const kernel::Kernel with_gamma = kernel.with(gamma.kind == kernel::GammaRule::Kind::value ? gamma.value : 1);
  std::vector<std::string> problems = with_gamma.validate();
  core::append(problems, fit.validate());
  if (centres && *centres == 0) problems.emplace_back("the number of candidate centres must be at least 1");
  return problems;
}

TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context) {
  throw_if_any(options.validate());
  data::Preprocessing preprocessing = data::Preprocessing::fit(dataset, scaling_of(options));
  const Problem problem =
      make_problem(dataset, preprocessing.apply(dataset), options.kernel.type, options.centres, options.seed);
  context.monitor.expect(1);
  TrainResult result;
  result.candidates = problem.centre_rows.size();
  const kernel::Kernel kernel = resolved_kernel(options, problem.rows);
  result.fit = options.index ? fit_kernel(problem, kernel, options.fit, options.validity, true, context)
                             : fit_machines(problem, kernel, options.fit, true, context);
  if (result.fit.stopped())
    throw Error(ErrorCode::interrupted, "training was stopped before the relevance vector machine was fitted");
  context.monitor.advance();
  result.model = model_of(problem, result.fit, dataset);
  result.model.missing = options.missing;
  result.model.preprocessing = std::move(preprocessing);
  model::TrainingRecord& record = result.model.record;
  record.note_rows(dataset);
  record.seed = options.seed;
  if (!problem.precomputed) result.model.keep_known_rows(dataset);
  record.C = 0;  // there is none
  record.tolerance = options.fit.evidence_tolerance;
  record.version = version();
  return result;
}

}  // namespace credence::rvm
