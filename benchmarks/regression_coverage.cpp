/// How often the intervals of relevance vector regressions hold the targets of new rows: the tables of docs/rvm.md.
///
/// For each set and draw, `--rows` rows are drawn for training and others, at most 1,000, for testing; each method
/// chooses a width from the default grid (with further widths beyond its ends) and trains. Intervals of the residuals
/// left out by ten folds are made in two ways: absolute, as the models keep them, and divided by the predicted standard
/// deviation.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/cross_regression.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "credence/data/splits.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"

namespace {

using namespace credence;

constexpr double nominal_sd = 1.96;
constexpr double significance = 0.05;
constexpr std::size_t most_test_rows = 1000;
constexpr double sigmas[] = {10, 7, 5, 4, 3, 2, 1, 0.3, 0.1, 0.01};  // gamma ascends
constexpr int further_widths = 6;
constexpr int fold_count = 10;
/// A method and what is to stand behind its intervals.
struct Way {
  const char* name;
  const char* method;
  model::PValues p_values;
  bool divides() const { return p_values == model::PValues::cross; }  ///< residuals by standard deviations too
};
constexpr Way ways[] = {{"cv", "cv", model::PValues::cross},
                        {"kernel-validity", "kernel-validity", model::PValues::cross},
                        {"evidence", "evidence", model::PValues::cross},
                        {"kfold-nested, proved", "kfold-nested", model::PValues::nested},
                        {"cv, split", "cv", model::PValues::split}};

struct Settings {
  int draws = 20;
  std::size_t rows = 200;
  std::uint64_t seed = 1;
  bool add_further = true;
  bool simulate = true;
  std::vector<std::string> files;  ///< FILE:TARGET
};

struct Draw {
  data::Dataset training;
  data::Dataset test;
};

struct Set {
  std::string name;
  std::size_t rows = 0;  ///< for training
  std::function<Draw(std::uint64_t draw)> draw;
};

/// Sums over draws, but for the extremes.
struct Outcome {
  double share = 0;
  double rmse = 0;
  double gaussian = 0;
  double least_gaussian = 1;
  double gaussian_width = 0;
  double absolute = 0;
  double least_absolute = 1;
  double absolute_width = 0;
  double normalised = 0;
  double normalised_width = 0;
  int border = 0;  ///< draws whose best width lies on the border of the first grid, or beyond
};

/// One trained machine: effective kernels over rows, and the share of new rows within 1.96 sd.
struct Point {
  double share;
  double covered;
};

data::Dataset generated(std::size_t rows, std::size_t features, core::RandomStream& random,
                        const std::function<double(std::span<const double>)>& mean,
                        const std::function<double(std::span<const double>)>& sd) {
  data::DenseMatrix x(rows, features);
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& value : x.row(i)) value = random.uniform();
    targets.push_back(mean(x.row(i)) + sd(x.row(i)) * random.normal());
  }
  return data::make_regression_dataset(data::Features(x), targets);
}

double friedman(std::span<const double> x) {
  return 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
}

double ramp(std::span<const double> x) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += static_cast<double>(j + 1) * x[j] / 5;
  return sum;
}

double sinc(std::span<const double> x) {
  const double z = 20 * (x[0] - 0.5);
  return z == 0 ? 1 : std::sin(z) / z;
}

std::vector<Set> simulations(const Settings& settings) {
  using Function = std::function<double(std::span<const double>)>;
  const auto level = [](double value) { return [value](std::span<const double>) { return value; }; };
  std::vector<Set> sets;
  const auto add = [&](const std::string& name, std::size_t rows, std::size_t features, const Function& mean,
                       const Function& sd) {
    const auto draw = [=, seed = settings.seed](std::uint64_t number) {
      core::RandomStream random(seed, number);
      Draw both;
      both.training = generated(rows, features, random, mean, sd);
      both.test = generated(most_test_rows, features, random, mean, sd);
      return both;
    };
    sets.push_back({fmt::format("{}, {} features", name, features), rows, draw});
  };
  const std::size_t rows = settings.rows;
  add("sinc, noise 0.1", rows, 1, sinc, level(0.1));
  add(
      "surface, noise 0.05 + 0.5 x1", rows, 2, [](auto x) { return std::sin(4 * x[0]) + 0.5 * x[1]; },
      [](auto x) { return 0.05 + 0.5 * x[0]; });
  add("Friedman 1, noise 1", rows, 10, friedman, level(1));
  add("Friedman 1, noise 0.3", rows, 13, friedman, level(0.3));
  add("linear, noise 1", rows, 13, ramp, level(1));
  add("Friedman 1, noise 1", 60, 40, friedman, level(1));
  return sets;
}

/// Rows of a file, shuffled anew for each draw.
Set set_of_file(const std::string& words, const Settings& settings) {
  const std::size_t colon = words.rfind(':');
  data::ReadOptions reading;
  reading.task = data::Task::regression;
  reading.label = words.substr(colon + 1);
  reading.missing = data::Missing::drop;
  const data::Dataset whole = data::read(words.substr(0, colon), reading);
  const std::size_t rows = std::min(settings.rows, 2 * whole.rows() / 3);
  const auto draw = [=, seed = settings.seed](std::uint64_t number) {
    std::vector<std::size_t> order(whole.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    core::RandomStream random(seed, number);
    random.shuffle(order);
    const auto part = [&](std::size_t first, std::size_t last) {
      const auto start = order.begin();
      return whole.select_rows(std::vector<std::size_t>(start + static_cast<std::ptrdiff_t>(first),
                                                        start + static_cast<std::ptrdiff_t>(last)));
    };
    return Draw{part(0, rows), part(rows, std::min(whole.rows(), rows + most_test_rows))};
  };
  const std::size_t slash = words.rfind('/');
  return {fmt::format("{}, {} features", words.substr(slash == std::string::npos ? 0 : slash + 1),
                      whole.features.columns()),
          rows, draw};
}

selection::Options options_of(const Way& way, const Settings& settings) {
  selection::Options options;
  options.method = selection::method_named(way.method);
  options.p_values = way.p_values;
  options.task = data::Task::regression;
  if (way.p_values != model::PValues::split) options.estimate = selection::Estimate::none;
  options.kernels.gamma.clear();
  for (const double sigma : sigmas)
    options.kernels.gamma.push_back({kernel::GammaRule::Kind::value, rvm::gamma_of_sigma(sigma)});
  options.rvms.further = settings.add_further ? further_widths : 0;
  if (auto* evidence = std::get_if<selection::Evidence>(&options.method)) evidence->folds = fold_count;
  if (auto* validity = std::get_if<selection::KernelValidity>(&options.method)) validity->folds = fold_count;
  options.seed = settings.seed;
  return options;
}

/// Means and standard deviations of rows left out by the folds, at one width.
model::Prediction left_out(const data::Dataset& training, const selection::Options& options, double gamma,
                           const core::Context& context) {
  const std::vector<int> folds = data::k_fold(training.rows(), fold_count, options.seed);
  model::Prediction all;
  all.mean.resize(training.rows());
  all.sd.resize(training.rows());
  for (int fold = 0; fold < fold_count; ++fold) {
    std::vector<std::size_t> inside;
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < folds.size(); ++i) (folds[i] == fold ? outside : inside).push_back(i);
    rvm::TrainOptions train;
    train.gamma = {kernel::GammaRule::Kind::value, gamma};
    train.index = false;
    train.seed = options.seed;
    const rvm::TrainResult result = rvm::train(training.select_rows(inside), train, context);
    const model::Prediction said = result.model.predict(training.select_rows(outside), context);
    for (std::size_t h = 0; h < outside.size(); ++h) {
      all.mean[outside[h]] = said.mean[h];
      all.sd[outside[h]] = said.sd[h];
    }
  }
  return all;
}

double mean_width(const std::vector<conformal::PredictionInterval>& intervals) {
  double sum = 0;
  for (const auto& interval : intervals) sum += interval.upper - interval.lower;
  return sum / static_cast<double>(intervals.size());
}

double share_above(const std::vector<double>& p) {
  const auto covered =
      std::count_if(p.begin(), p.end(), [](double value) { return conformal::in_set(value, significance); });
  return static_cast<double>(covered) / static_cast<double>(p.size());
}

void add_gaussian(const data::Dataset& test, const model::Prediction& said, Outcome& outcome, double share,
                  std::vector<Point>& points) {
  double squares = 0;
  double covered = 0;
  double sds = 0;
  const auto n = static_cast<double>(test.rows());
  for (std::size_t i = 0; i < test.rows(); ++i) {
    const double error = test.targets[i] - said.mean[i];
    squares += error * error;
    covered += std::abs(error) <= nominal_sd * said.sd[i] ? 1 : 0;
    sds += said.sd[i];
  }
  outcome.rmse += std::sqrt(squares / n);
  outcome.gaussian += covered / n;
  outcome.least_gaussian = std::min(outcome.least_gaussian, covered / n);
  outcome.gaussian_width += 2 * nominal_sd * sds / n;
  outcome.share += share;
  points.push_back({share, covered / n});
}

void add_draw(const Draw& draw, const Way& way, const selection::Options& options, const core::Context& context,
              Outcome& outcome, std::vector<Point>& points) {
  const selection::Selection found = selection::Selector(options).select(draw.training, context);
  const auto model = selection::fitted(draw.training, found, context);
  const model::Prediction said = conformal::predict_with_confidence(*model, draw.test, {}, context);
  add_gaussian(draw.test, said, outcome, *found.effective / static_cast<double>(draw.training.rows()), points);
  const selection::Setting& best = found.grid[*found.best];
  const double sigma = rvm::sigma_of_gamma(best.gamma);
  outcome.border += best.added || sigma > 0.99 * sigmas[0] || best.gamma == found.grid.back().gamma ? 1 : 0;
  const conformal::CrossRegression absolute = conformal::regression_of(*model);
  const double covered = share_above(absolute.p_values(said, draw.test.targets));
  outcome.absolute += covered;
  outcome.least_absolute = std::min(outcome.least_absolute, covered);
  outcome.absolute_width += mean_width(absolute.intervals(said, significance));
  if (!way.divides()) return;
  const model::Prediction out = left_out(draw.training, options, best.gamma, context);
  const conformal::InductiveRegression normalised(draw.training.targets, out.mean, out.sd);
  outcome.normalised += share_above(normalised.p_values(draw.test.targets, said.mean, said.sd));
  outcome.normalised_width += mean_width(normalised.intervals(said.mean, said.sd, significance));
}

void print_row(const Set& set, const Way& way, const Outcome& sum, int draws) {
  const auto mean = [&](double value) { return value / draws; };
  const std::string divided =
      way.divides() ? fmt::format("{:.1f} | {:.4g}", 100 * mean(sum.normalised), mean(sum.normalised_width)) : " | ";
  std::cout << fmt::format(
      "| {} | {} | {} | {:.0f} % | {:.4g} | {:.1f} ({:.1f}) | {:.4g} | {:.1f} ({:.1f}) | {:.4g} | {} | {} |\n",
      set.name, set.rows, way.name, 100 * mean(sum.share), mean(sum.rmse), 100 * mean(sum.gaussian),
      100 * sum.least_gaussian, mean(sum.gaussian_width), 100 * mean(sum.absolute), 100 * sum.least_absolute,
      mean(sum.absolute_width), divided, sum.border);
  std::cout.flush();
}

/// Coverage by the share of effective kernels, whatever set and method.
void print_shares(const std::vector<Point>& points) {
  constexpr double limits[] = {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 2};
  std::cout << "\n| effective kernels / rows | machines | mean coverage | least | largest | below 90 % |\n"
               "| --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t b = 0; b + 1 < std::size(limits); ++b) {
    std::vector<double> covered;
    for (const Point& point : points)
      if (point.share >= limits[b] && point.share < limits[b + 1]) covered.push_back(point.covered);
    if (covered.empty()) continue;
    const auto [least, largest] = std::minmax_element(covered.begin(), covered.end());
    const auto low = std::count_if(covered.begin(), covered.end(), [](double value) { return value < 0.9; });
    std::cout << fmt::format(
        "| {:.0f} to {:.0f} % | {} | {:.1f} | {:.1f} | {:.1f} | {} |\n", 100 * limits[b],
        100 * std::min(limits[b + 1], 1.0), covered.size(),
        100 * std::accumulate(covered.begin(), covered.end(), 0.0) / static_cast<double>(covered.size()), 100 * *least,
        100 * *largest, low);
  }
}

void run(const Settings& settings) {
  std::vector<Set> sets = settings.simulate ? simulations(settings) : std::vector<Set>{};
  for (const std::string& file : settings.files) sets.push_back(set_of_file(file, settings));
  core::Monitor monitor;
  const core::Threads threads(0);
  const core::Context context{threads, monitor, std::size_t{1} << 30};
  std::cout << fmt::format("{} draws, seed {}; in % of the test rows; widths are means\n\n", settings.draws,
                           settings.seed)
            << "| set | rows | method | effective / rows | rmse | mean +- 1.96 sd (least) | width | CV+ or split, 95 % "
               "(least) | "
               "width | residuals / sd, 95 % | width | best on or beyond the border |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::vector<Point> points;
  for (const Set& set : sets) {
    std::map<std::string, Outcome> outcomes;
    for (int d = 0; d < settings.draws; ++d) {
      const Draw draw = set.draw(static_cast<std::uint64_t>(d));
      std::vector<Point> others;
      for (const Way& way : ways)
        add_draw(draw, way, options_of(way, settings), context, outcomes[way.name], way.divides() ? points : others);
    }
    for (const Way& way : ways) print_row(set, way, outcomes[way.name], settings.draws);
  }
  print_shares(points);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Measured coverage of relevance vector regressions");
  app.add_option("--draws", settings.draws, "training sets of each set (default: 20)");
  app.add_option("--rows", settings.rows, "of each training set (default: 200; at most two thirds of a file)");
  app.add_option("--seed", settings.seed, "of draws and folds (default: 1)");
  app.add_flag("!--given-grid", settings.add_further, "no widths beyond the ends of the default grid");
  app.add_flag("!--files-only", settings.simulate, "no simulations");
  app.add_option("files", settings.files, "FILE:TARGET, real sets beside the simulations");
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
  return 0;
}
