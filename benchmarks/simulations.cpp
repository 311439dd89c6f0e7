/// How often the intervals of honest estimates cover the true error: the tables of docs/selection.md.
/// build/credence_simulations --help

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/credence.hpp"

namespace {

using namespace credence;

constexpr std::size_t fresh_rows = 2000;
constexpr std::uint64_t purpose = 77001;

/// A sample to select on, new rows to judge what was selected, and the error where it is known.
struct Draw {
  data::Dataset training;
  data::Dataset fresh;
  std::optional<double> true_error;
};

struct Design {
  std::string name;
  std::function<Draw(std::uint64_t seed)> draw;
};

/// One row: fills the features and says whether it is of the second class.
using RowMaker = std::function<bool(core::RandomStream& random, std::span<double> x)>;

bool cloud(core::RandomStream& random, std::span<double> x, double share, double distance) {
  const bool second = random.uniform() < share;
  for (double& value : x) value = random.normal() + (second ? distance : 0);
  return second;
}

bool in_circle(core::RandomStream& random, std::span<double> x) {
  double square = 0;
  for (double& value : x) {
    value = 2 * random.uniform() - 1;
    square += value * value;
  }
  return square < 0.6;
}

std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

Draw generated(std::size_t n, std::size_t features, const RowMaker& make, std::optional<double> true_error,
               std::uint64_t seed) {
  core::RandomStream random(seed, purpose);
  data::DenseMatrix x(n + fresh_rows, features);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) labels.emplace_back(make(random, x.row(i)) ? "b" : "a");
  const data::Dataset all = data::make_dataset(x, labels);
  return {all.select_rows(range(0, n)), all.select_rows(range(n, x.rows)), true_error};
}

/// Each row of the sample five times, with all its copies in one of ten fixed folds.
Draw copied(Draw draw) {
  constexpr std::size_t copies = 5;
  constexpr std::size_t folds = 10;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < draw.training.rows(); ++i) rows.insert(rows.end(), copies, i);
  draw.training = draw.training.select_rows(rows);
  for (const std::size_t row : rows) draw.training.folds.push_back(static_cast<int>(row % folds));
  return draw;
}

Draw of_file(const data::Dataset& dataset, std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> rows = range(0, dataset.rows());
  core::RandomStream(seed, purpose).shuffle(rows);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(n);
  const std::vector<std::size_t> first(rows.begin(), middle);
  const std::vector<std::size_t> rest(middle, rows.end());
  return {dataset.select_rows(first), dataset.select_rows(rest), {}};
}

/// @param rows  of each sample; none: as many as the tables of the docs have
std::vector<Design> designs(const std::vector<std::string>& files, std::optional<std::size_t> rows) {
  const auto clouds = [](double share, double distance) {
    return [=](core::RandomStream& random, std::span<double> x) { return cloud(random, x, share, distance); };
  };
  const auto coin = clouds(0.5, 0);
  const std::size_t few = rows.value_or(60);
  const std::size_t usual = rows.value_or(100);
  std::vector<Design> list{
      {fmt::format("coins, {} rows", few), [=](auto seed) { return generated(few, 4, coin, 0.5, seed); }},
      {fmt::format("weak, {} rows", usual), [=](auto seed) { return generated(usual, 4, clouds(0.5, 0.5), {}, seed); }},
      {fmt::format("circle, {} rows", usual), [=](auto seed) { return generated(usual, 2, in_circle, {}, seed); }},
      {fmt::format("easy, {} rows", usual), [=](auto seed) { return generated(usual, 4, clouds(0.5, 1.6), {}, seed); }},
      {fmt::format("rare, {} rows", usual),
       [=](auto seed) { return generated(usual, 4, clouds(0.15, 0.8), {}, seed); }},
      {fmt::format("copies, {} rows x 5", few),
       [=](auto seed) { return copied(generated(few, 4, clouds(0.5, 0.5), {}, seed)); }},
  };
  for (const std::string& file : files) {
    const auto dataset = std::make_shared<data::Dataset>(data::read(file));
    const std::string name = file.substr(file.find_last_of('/') + 1);
    list.push_back(
        {fmt::format("{}, {} rows", name, usual), [=](auto seed) { return of_file(*dataset, usual, seed); }});
  }
  return list;
}

struct Way {
  std::string name;
  std::function<void(selection::Options& options)> set;
};

std::vector<Way> ways() {
  const auto method = [](const char* name, selection::Estimate estimate = selection::Estimate::bbc) {
    return [=](selection::Options& options) {
      options.method = selection::method_named(name);
      options.estimate = estimate;
    };
  };
  const auto average = [=](const char* name) {
    return [=](selection::Options& options) {
      method(name)(options);
      core::find_field(selection::fields_of(options), "rule")->set_text("average");
    };
  };
  return {{"cv, bbc", method("cv")},
          {"cv average, bbc", average("cv")},
          {"cv, nested", method("cv", selection::Estimate::nested)},
          {"loo, bbc", method("loo")},
          {"loo average, bbc", average("loo")},
          {"bootstrap, bbc", method("bootstrap")},
          {"bootstrap average, bbc", average("bootstrap")},
          {"bootstrap 0.632+, bbc",
           [=](selection::Options& options) {
             method("bootstrap")(options);
             options.as<selection::Bootstrap>().error = selection::BootstrapError::e632_plus;
           }},
          {"holdout, bbc", method("holdout")},
          {"holdout average, bbc", average("holdout")},
          {"holdout not retrained, bbc",
           [=](selection::Options& options) {
             method("holdout")(options);
             options.refit = selection::Refit::training_rows;
           }},
          {"kfold-nested", method("kfold-nested")}};
}

/// Sums over trials.
struct Sums {
  double trials = 0, truth = 0, selected = 0;
  double estimated = 0, honest = 0, covered = 0, width = 0;  ///< of the trials that have an honest estimate

  void add(const Sums& other) {
    trials += other.trials;
    truth += other.truth;
    selected += other.selected;
    estimated += other.estimated;
    honest += other.honest;
    covered += other.covered;
    width += other.width;
  }
};

double error_of(const model::Prediction& prediction, const data::Dataset& truth) {
  std::size_t errors = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) errors += prediction.label[i] != truth.labels[i] ? 1U : 0U;
  return static_cast<double>(errors) / static_cast<double>(truth.rows());
}

Sums trial(const Design& design, const Way& way, std::uint64_t seed) {
  const core::Threads thread(1);
  core::Monitor monitor;
  const core::Context context{thread, monitor};
  const Draw draw = design.draw(seed);
  selection::Options options;
  options.costs.C = core::parse_list("2^-3:2^9:x8");
  options.kernels.gamma = kernel::parse_gammas("2^-7:2^1:x4");
  options.estimate_samples = 500;
  options.seed = seed;
  way.set(options);
  const selection::Selection selection = selection::Selector(options).select(draw.training, context);
  const auto predictor = selection::model_without_folds(draw.training, selection, context);
  const model::Prediction prediction = predictor->predict(draw.fresh, context);

  Sums sums;
  sums.trials = 1;
  sums.truth = draw.true_error.value_or(error_of(prediction, draw.fresh));
  sums.selected = selection.chosen_error().value();
  if (const auto& honest = selection.honest) {  // none where a single fold was held out
    sums.estimated = 1;
    sums.honest = honest->error;
    sums.covered = honest->lower.value() <= sums.truth && sums.truth <= honest->upper.value() ? 1 : 0;
    sums.width = *honest->upper - *honest->lower;
  }
  return sums;
}

Sums simulate(const Design& design, const Way& way, std::size_t trials, const core::Threads& threads) {
  std::vector<Sums> each(trials);
  threads.for_each(trials, [&](std::size_t t) { each[t] = trial(design, way, t); });
  Sums sums;
  for (const Sums& one : each) sums.add(one);
  return sums;
}

std::string line_of(const Design& design, const Way& way, const Sums& sums) {
  const auto mean = [](double sum, double count) {
    return count > 0 ? fmt::format("{:.1f}", 100 * sum / count) : std::string("-");
  };
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", design.name, way.name, mean(sums.truth, sums.trials),
                     mean(sums.selected, sums.trials), mean(sums.honest, sums.estimated),
                     mean(sums.covered, sums.estimated), mean(sums.width, sums.estimated));
}

// ---- Mean squared errors of regressions, whose intervals are percentiles.

struct Curve {
  std::string name;
  std::size_t features;
  double noise;
  std::function<double(std::span<const double> x)> value;
};

std::vector<Curve> curves() {
  constexpr double pi = 3.141592653589793;
  return {{"sine, 100 rows", 1, 0.3, [](auto x) { return std::sin(8 * x[0]); }},
          {"Friedman 1, 100 rows", 5, 1, [](auto x) {
             return 10 * std::sin(pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
           }}};
}

Sums regression_trial(const Curve& curve, std::uint64_t seed) {
  constexpr std::size_t n = 100;
  const core::Threads thread(1);
  core::Monitor monitor;
  const core::Context context{thread, monitor};
  core::RandomStream random(seed, purpose);
  data::DenseMatrix x(n + fresh_rows, curve.features);
  std::vector<double> targets;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (double& value : x.row(i)) value = random.uniform();
    targets.push_back(curve.value(x.row(i)) + curve.noise * random.normal());
  }
  const data::Dataset all = data::make_regression_dataset(x, targets);
  const data::Dataset training = all.select_rows(range(0, n));
  const data::Dataset fresh = all.select_rows(range(n, x.rows));
  selection::Options options;
  options.task = data::Task::regression;
  options.method = selection::CrossValidation{.folds = 5};
  options.kernels.gamma = kernel::parse_gammas("0.125,0.5,2,8,32");
  options.estimate_samples = 500;
  options.seed = seed;
  const selection::Selection selection = selection::Selector(options).select(training, context);
  const auto predictor = selection::fitted(training, selection, context);
  const model::Prediction prediction = predictor->predict(fresh, context);
  Sums sums;
  sums.trials = sums.estimated = 1;
  for (std::size_t i = 0; i < fresh_rows; ++i) {
    const double residual = fresh.targets[i] - prediction.mean[i];
    sums.truth += residual * residual / fresh_rows;
  }
  sums.selected = selection.grid[selection.best.value()].error;
  const selection::HonestEstimate& honest = selection.honest.value();
  sums.honest = honest.error;
  sums.covered = honest.lower.value() <= sums.truth && sums.truth <= honest.upper.value() ? 1 : 0;
  return sums;
}

void print_regressions(std::size_t trials, const core::Threads& threads) {
  std::cout << "\n| regression, cv of RVMs | true squared error | selected | honest | covered, % |\n"
               "| --- | ---: | ---: | ---: | ---: |\n";
  for (const Curve& curve : curves()) {
    std::vector<Sums> each(trials);
    threads.for_each(trials, [&](std::size_t t) { each[t] = regression_trial(curve, t); });
    Sums sums;
    for (const Sums& one : each) sums.add(one);
    std::cout << fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.1f} |\n", curve.name, sums.truth / sums.trials,
                             sums.selected / sums.trials, sums.honest / sums.trials, 100 * sums.covered / sums.trials);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t trials = 400;
  std::vector<std::string> files;
  std::optional<std::size_t> rows;
  std::string only;
  std::string method;
  CLI::App app("Simulates honest estimates and their intervals; percentages");
  app.add_option("--trials", trials, "samples of each design")->check(CLI::Range(1, 1'000'000));
  app.add_option("--rows", rows, "rows of each sample, instead of those of each design");
  app.add_option("--only", only, "designs whose name starts so");
  app.add_option("--method", method, "methods whose name starts so");
  app.add_option("files", files, "CSV files of which 100 rows are drawn; the others judge");
  CLI11_PARSE(app, argc, argv);
  try {
    const core::Threads threads;
    std::cout << "| design | method | true error | selected | honest | covered | width |\n"
                 "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (const Design& design : designs(files, rows)) {
      if (!design.name.starts_with(only)) continue;
      for (const Way& way : ways()) {
        if (!way.name.starts_with(method)) continue;
        std::cout << line_of(design, way, simulate(design, way, trials, threads)) << std::flush;
      }
    }
    if (only.empty() || only == "regression") print_regressions(trials, threads);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
