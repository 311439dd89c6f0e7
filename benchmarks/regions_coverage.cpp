/// Regions of the feature space by simulation: how often the interval of the honest estimate covers the error, and what
/// regions miss where the noise differs from place to place. The tables of docs/methods/regions.md.
/// build/credence_regions_coverage --help

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/core/random.hpp"
#include "credence/credence.hpp"
#include "credence/model/probability.hpp"

namespace {

using namespace credence;

constexpr std::uint64_t purpose = 77301;
constexpr std::size_t fresh_rows = 20000;
constexpr std::array levels{0.05, 0.1, 0.2};

/// One row: fills the features and says whether it is of the second class.
using RowMaker = std::function<bool(core::RandomStream& random, std::span<double> x)>;

bool coin(core::RandomStream& random, std::span<double> x) {
  for (double& value : x) value = random.normal();
  return random.uniform() < 0.5;
}

/// A curved boundary; one label in five is turned.
bool curved(core::RandomStream& random, std::span<double> x) {
  for (double& value : x) value = random.normal();
  return (std::sin(2 * x[0]) + x[1] > 0) != (random.uniform() < 0.2);
}

/// Two halves of a plane with a gap between them: the left one has no noise, the right one 35 % turned labels.
bool half_noisy(core::RandomStream& random, std::span<double> x) {
  for (double& value : x) value = 2 * random.uniform() - 1;
  const bool second = x[1] > 0.3 * std::sin(5 * x[0]);
  const bool turned = random.uniform() < 0.35 && x[0] > 0;
  x[0] += x[0] > 0 ? 1 : -1;
  return second != turned;
}

data::Dataset made(std::size_t n, std::size_t features, const RowMaker& make, std::uint64_t seed, std::uint64_t use) {
  core::RandomStream random(seed, purpose + use);
  data::DenseMatrix x(n, features);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) labels.emplace_back(make(random, x.row(i)) ? "b" : "a");
  return data::make_dataset(x, labels);
}

selection::Options in_regions(std::optional<std::size_t> rows_of_region, std::uint64_t seed, int partitions = 1) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 5};
  if (rows_of_region) options.method = selection::Regions{.region_size = *rows_of_region, .partitions = partitions};
  options.costs.C = {0.125, 2, 32};
  options.kernels.gamma = kernel::parse_gammas("0.03125,0.25,2");
  options.seed = seed;
  return options;
}

struct CoverageDesign {
  std::string name;
  std::size_t rows;
  std::size_t region;
  RowMaker make;
  bool known = true;      ///< the error is 50 % whatever the model says
  std::size_t share = 1;  ///< of the sets, one in so many is drawn
};

struct CoverageSums {
  double sets = 0, truth = 0, honest = 0, squares = 0, covered = 0, width = 0;
};

CoverageSums coverage_trial(const CoverageDesign& design, selection::Estimate estimate, std::uint64_t seed) {
  const core::Threads one(1);
  core::Monitor monitor;
  const core::Context context{one, monitor};
  const data::Dataset training = made(design.rows, 3, design.make, seed, 1);
  selection::Options options = in_regions(design.region, seed);
  options.estimate = estimate;
  const selection::Selection found = selection::Selector(options).select(training, context);
  double truth = 0.5;
  if (!design.known) {
    const data::Dataset fresh = made(fresh_rows, 3, design.make, seed, 2);
    const model::Prediction said = found.predictor->predict(fresh, context);
    truth = 0;
    for (std::size_t i = 0; i < fresh_rows; ++i) truth += said.label[i] != fresh.labels[i] ? 1.0 / fresh_rows : 0;
  }
  const selection::HonestEstimate& honest = found.honest.value();
  const bool covers = honest.lower.value() <= truth && truth <= honest.upper.value();
  const double off = honest.error - truth;
  return {1, truth, honest.error, off * off, covers ? 1.0 : 0.0, *honest.upper - *honest.lower};
}

void print_coverage(std::size_t trials, const std::string& only, const core::Threads& threads) {
  const std::vector<CoverageDesign> designs{{"coins", 2000, 100, coin},
                                            {"coins", 2000, 400, coin},
                                            {"coins", 10000, 400, coin, true, 4},
                                            {"coins", 20000, 2000, coin, true, 10},
                                            {"a curve, 20 % turned", 2000, 100, curved, false}};
  std::cout
      << "| labels | rows | rows of a region | sets | estimate | error, % | estimated, % | standard error | covered, % "
         "| width, points |\n| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const CoverageDesign& design : designs) {
    if (!fmt::format("{} {} {}", design.name, design.rows, design.region).starts_with(only)) continue;
    for (const auto estimate : {selection::Estimate::bbc, selection::Estimate::holdout}) {
      std::vector<CoverageSums> each(std::max<std::size_t>(1, trials / design.share));
      threads.for_each(each.size(), [&](std::size_t t) { each[t] = coverage_trial(design, estimate, t); });
      CoverageSums sums;
      for (const CoverageSums& one : each) {
        sums.sets += one.sets;
        sums.truth += one.truth;
        sums.honest += one.honest;
        sums.squares += one.squares;
        sums.covered += one.covered;
        sums.width += one.width;
      }
      const double bias = (sums.honest - sums.truth) / sums.sets;
      const double spread = std::sqrt(std::max(0.0, sums.squares / sums.sets - bias * bias) / sums.sets);
      std::cout << fmt::format("| {} | {:L} | {:L} | {:.0f} | {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:.1f} |\n",
                               design.name, design.rows, design.region, sums.sets, core::word(estimate),
                               100 * sums.truth / sums.sets, 100 * sums.honest / sums.sets, 100 * spread,
                               100 * sums.covered / sums.sets, 100 * sums.width / sums.sets)
                << std::flush;
    }
  }
}

struct HalfSums {
  double rows = 0, wrong = 0, confidence = 0, log_loss = 0;
  std::array<double, levels.size()> missed{};
};

/// A model, and the rows that it compares with: those of the region of a row, or all.
struct Way {
  std::string name;
  int partitions;  ///< 0: one machine on all rows
  bool pooled;
};

std::array<HalfSums, 2> half_trial(const Way& way, const RowMaker& make, std::size_t rows, std::uint64_t seed) {
  const core::Threads one(1);
  core::Monitor monitor;
  const core::Context context{one, monitor};
  const data::Dataset training = made(rows, 2, make, seed, 3);
  const data::Dataset fresh = made(2000, 2, make, seed, 4);
  std::optional<std::size_t> region;
  if (way.partitions != 0) region = rows / 8;
  selection::Options options = in_regions(region, seed, way.partitions);
  options.estimate = selection::Estimate::none;
  const selection::Selection found = selection::Selector(options).select(training, context);
  const auto model = selection::fitted(training, found, context);
  if (way.pooled) std::const_pointer_cast<model::Predictor>(model)->calibration.region_of.clear();
  model::Prediction said = conformal::predict_with_confidence(*model, fresh, {}, context);
  model::add_probabilities(*model, {}, said);
  std::array<HalfSums, 2> halves;
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    HalfSums& half = halves[fresh.features.dense().row(i)[0] > 0 ? 1 : 0];
    const auto label = static_cast<std::size_t>(fresh.labels[i]);
    ++half.rows;
    half.wrong += said.label[i] != fresh.labels[i] ? 1 : 0;
    half.confidence += said.confidence[i];
    half.log_loss -= std::log(std::max(said.probability.row(i)[label], 1e-15));
    for (std::size_t l = 0; l < levels.size(); ++l)
      half.missed[l] += model::in_set(said.p_value.row(i)[label], levels[l]) ? 0 : 1;
  }
  return halves;
}

void print_halves(std::size_t trials, std::size_t rows, const RowMaker& make, const std::vector<Way>& ways,
                  const core::Threads& threads) {
  std::cout
      << "\n| half of the plane | model | errors, % | mean confidence, % | missed at 5, 10, 20 %, % | log loss |\n"
         "| --- | --- | ---: | ---: | ---: | ---: |\n";
  for (const Way& way : ways) {
    std::vector<std::array<HalfSums, 2>> each(trials);
    threads.for_each(trials, [&](std::size_t t) { each[t] = half_trial(way, make, rows, t); });
    for (std::size_t h = 0; h < 2; ++h) {
      HalfSums sums;
      for (const auto& halves : each) {
        sums.rows += halves[h].rows;
        sums.wrong += halves[h].wrong;
        sums.confidence += halves[h].confidence;
        sums.log_loss += halves[h].log_loss;
        for (std::size_t l = 0; l < levels.size(); ++l) sums.missed[l] += halves[h].missed[l];
      }
      std::cout << fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f}, {:.1f}, {:.1f} | {:.3f} |\n",
                               h == 0 ? "no noise" : "35 % turned", way.name, 100 * sums.wrong / sums.rows,
                               100 * sums.confidence / sums.rows, 100 * sums.missed[0] / sums.rows,
                               100 * sums.missed[1] / sums.rows, 100 * sums.missed[2] / sums.rows,
                               sums.log_loss / sums.rows)
                << std::flush;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t trials = 60;
  std::string only;
  CLI::App app("Simulates honest estimates of regions of the feature space, and regions where noise differs by place");
  app.add_option("--trials", trials, "samples of a design; a quarter and a tenth of the two large ones");
  app.add_option("--only", only, "designs whose name starts so (\"coins 2000 100\"), or \"halves\"");
  CLI11_PARSE(app, argc, argv);
  try {
    const core::Threads threads;
    if (only != "halves") print_coverage(trials, only, threads);
    const std::vector<Way> small{{"one machine", 0, false},
                                 {"regions, all rows compared", 1, true},
                                 {"regions, own region compared", 1, false},
                                 {"average of 4 partitions, own region", 4, false}};
    const std::vector<Way> large{{"average of 4 partitions, own region", 4, false}};
    const std::size_t sets = std::max<std::size_t>(1, trials / 3);
    if (only.empty() || only == "halves") print_halves(sets, 2000, half_noisy, small, threads);
    if (only.empty() || only == "halves") print_halves(sets, 20000, half_noisy, large, threads);
    if (only.empty() || only == "halves") print_halves(sets, 20000, coin, large, threads);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
