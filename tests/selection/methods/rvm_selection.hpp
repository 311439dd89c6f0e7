#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"

namespace credence::test {

/// Columns of different sizes, so that scaling matters.
inline data::Dataset uneven_rows(std::size_t n, int classes, std::uint64_t seed) {
  Clouds clouds = random_clouds(n, 3, classes, 0.8, seed);
  for (std::size_t i = 0; i < n; ++i) clouds.x.row(i)[1] = 100 * clouds.x.row(i)[1] + 7;
  return clouds.dataset();
}

/// sin(4 u) + 0.5 v with normal noise, on random points of the unit square.
inline data::Dataset noisy_surface(std::size_t n, double noise, std::uint64_t seed) {
  core::RandomStream random(seed, 77);
  data::DenseMatrix x(n, 2);
  std::vector<double> targets;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : x.row(i)) value = random.uniform();
    targets.push_back(std::sin(4 * x.row(i)[0]) + 0.5 * x.row(i)[1] + noise * random.normal());
  }
  return data::make_regression_dataset(data::Features(x), targets);
}

inline selection::Options rvm_options(const std::string& method, const char* gamma = "0.5,5,50") {
  selection::Options options;
  options.method = selection::method_named(method);
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  if (auto* cv = std::get_if<selection::CrossValidation>(&options.method)) cv->folds = 4;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  return options;
}

inline rvm::TrainOptions rvm_train_options(const selection::Options& options, double gamma) {
  rvm::TrainOptions train;
  train.kernel = options.kernels.shape();
  train.gamma = {kernel::GammaRule::Kind::value, gamma};
  train.fit = options.rvms.fit;
  if (const auto* method = std::get_if<selection::KernelValidity>(&options.method)) train.validity = method->index;
  train.centres = options.rvms.centres;
  train.scaling = options.resolved().preparation.scaling();
  train.seed = options.seed;
  return train;
}

}  // namespace credence::test
