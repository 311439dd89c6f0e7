#include "rvm_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "credence/selection/grid.hpp"

namespace credence::cli {

void add_rvm_options(CLI::App& app, RvmOptions& options, RvmPart part) {
  const std::string group = "Relevance vector machines";
  app.add_option("--algorithm", options.algorithm,
                 "batch (default), or sequential: fewer kernels, but\n"
                 "it may end in the null model")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--starts", options.starts,
                 "1 (default) to 3 starts of batch; the fit with the\n"
                 "largest evidence is kept")
      ->type_name("INT")
      ->group(group);
  app.add_option("--centres", options.centres,
                 "rows that may become kernels, drawn at random\n"
                 "(default: all up to 2000 rows, else 1000)")
      ->type_name("INT")
      ->group(group);
  if (part == RvmPart::fit) return;
  app.add_option("--noise", options.noise, "regression: fixed standard deviation of the noise")
      ->type_name("SD")
      ->group(group);
  app.add_flag("--literal", options.literal, "the index as it is printed in the paper")->group(group);
  app.add_flag("--no-cap", options.no_cap, "the index without the limit by the features' ranges")->group(group);
  if (part == RvmPart::training) return;
  app.add_option("--null-margin", options.null_margin,
                 "a kernel may win only if its log evidence is above\n"
                 "that of the bias alone by this (default: 0.5)")
      ->type_name("NUMBER")
      ->group(group);
  app.add_flag("--no-guard", options.no_guard, "any kernel may win")->group(group);
}

std::vector<std::string> given_rvm_options(const RvmOptions& options) {
  std::vector<std::string> given;
  const auto look = [&](const char* option, bool is_given) {
    if (is_given) given.emplace_back(option);
  };
  look("--algorithm", !options.algorithm.empty());
  look("--starts", options.starts.has_value());
  look("--centres", options.centres.has_value());
  look("--noise", options.noise.has_value());
  look("--literal", options.literal);
  look("--no-cap", options.no_cap);
  look("--null-margin", options.null_margin.has_value());
  look("--no-guard", options.no_guard);
  return given;
}

std::vector<kernel::GammaRule> gammas_of_sigmas(const std::string& text) {
  std::vector<double> gammas;
  for (const double sigma : selection::parse_list(text)) {
    const double gamma = sigma > 0 ? rvm::gamma_of_sigma(sigma) : 0;
    if (!(gamma > 0 && std::isfinite(gamma)))
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is not a width above 0 that a kernel can have", sigma));
    gammas.push_back(gamma);
  }
  std::sort(gammas.begin(), gammas.end());
  gammas.erase(std::unique(gammas.begin(), gammas.end()), gammas.end());
  std::vector<kernel::GammaRule> rules;
  for (const double gamma : gammas) rules.push_back({kernel::GammaRule::Kind::value, gamma});
  return rules;
}

void check_sigma(const std::string& sigma, const std::string& gamma, const kernel::Shape& kernel, Problems& problems) {
  if (sigma.empty()) return;
  if (!gamma.empty()) problems.add("--sigma and --gamma name the same axis; give one of them");
  if (kernel.type == kernel::KernelType::rbf) return;
  problems.add(fmt::format("--sigma is the width of the rbf kernel; the {} kernel has {}", kernel::name(kernel.type),
                           kernel.uses_gamma() ? "--gamma" : "no width"));
}

void set_rvm(const RvmOptions& options, data::Task task, rvm::FitOptions& fit, rvm::ValidityOptions& validity,
             std::optional<std::size_t>& centres, Problems& problems) {
  problems.set(fit.algorithm, "--algorithm", options.algorithm);
  fit.starts = options.starts.value_or(fit.starts);
  if (options.centres && *options.centres < 1)
    problems.add(fmt::format("--centres: {} is not at least 1", *options.centres));
  else if (options.centres)
    centres = static_cast<std::size_t>(*options.centres);
  if (options.noise && task != data::Task::regression) {
    problems.add("--noise is for regressions (--task regression)");
  } else if (options.noise) {
    fit.noise_variance = *options.noise * *options.noise;
    if (!(*options.noise > 0 && *fit.noise_variance > 0 && std::isfinite(*fit.noise_variance))) {
      problems.add(fmt::format("--noise: {} is not a standard deviation above 0", *options.noise));
      fit.noise_variance.reset();
    }
  }
  validity.literal = options.literal;
  validity.cap = !options.no_cap;
}

}  // namespace credence::cli
