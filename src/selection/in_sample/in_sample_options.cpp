#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selection/methods.hpp"

namespace credence::selection {
namespace {

constexpr std::size_t most_trials = 100'000;

}  // namespace

std::size_t default_trials(std::size_t n) {
  return std::max<std::size_t>(30, n == 0 ? 0 : (4000 + n - 1) / n);
}

std::vector<std::string> InSampleOptions::validate() const {
  std::vector<std::string> problems = ivanov.validate();
  if (hint && !(*hint > 0 && *hint < 1))
    problems.push_back(fmt::format("the share of rows for the hint must lie between 0 and 1, not {}", *hint));
  if (!(hint_C > 0 && std::isfinite(hint_C)))
    problems.push_back(fmt::format("the C of the hint must be a finite number above 0, not {}", hint_C));
  if (trials && (*trials < 2 || *trials > most_trials)) {
    problems.push_back(
        fmt::format("the number of label vectors must lie between 2 and {}, not {}", most_trials, *trials));
  }
  if (exact.value_or(false) && ivanov.peel) problems.emplace_back("exact minima and peeling exclude each other");
  return problems;
}

std::vector<std::string> in_sample_problems(const Options& options) {
  std::vector<std::string> problems;
  const auto refuse_if = [&](bool refused, const char* what) {
    if (refused) problems.push_back(fmt::format("{} {}", options.method, what));
  };
  refuse_if(options.resolved_learner() == Learner::knn,
            "bounds the norm of SVMs and has nothing to say of nearest neighbours");
  refuse_if(options.resolved_learner() == Learner::rvm,
            "bounds the norm of SVMs and has nothing to say of relevance vector machines");
  refuse_if(!options.grid.nu.empty(), "chooses the norm of the SVM, rho; it takes no nu");
  refuse_if(options.class_weights.balanced || !options.class_weights.named.empty(),
            "bounds the error of rows that count alike; it takes no class weights");
  refuse_if(options.kernel.type == kernel::KernelType::precomputed && options.in_sample.hint.has_value(),
            "cannot train a linear hint on a precomputed kernel, which has no features; give the hint as a column");
  refuse_if(options.in_sample.term == ComplexityTerm::trials && !options.in_sample.ivanov.bias &&
                options.in_sample.hint.has_value(),
            "has no confidence term of the trials around a hint without a bias, where their values leave [0, 1]");
  refuse_if(options.method != "rademacher" && options.in_sample.term == ComplexityTerm::trials,
            "has the same confidence term for any number of label vectors; only rademacher has one of the trials");
  return problems;
}

}  // namespace credence::selection
