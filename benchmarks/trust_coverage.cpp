/// How often prediction sets of selected models miss the true class, for each word of --p-values, method and size of
/// the sample, on real labels and on coins: the table of docs/confidence.md.  build/credence_trust_coverage --help

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/core/random.hpp"
#include "credence/credence.hpp"

namespace {

using namespace credence;

constexpr std::array levels{0.05, 0.1, 0.2};
constexpr std::size_t level_of_sizes = 1;
constexpr double far_too_often = 0.2;  ///< at that level
constexpr std::size_t most_fresh = 2000;
constexpr std::size_t least_fresh = 350;  ///< so that the chance of the rows that judge is small beside that of a model
constexpr std::uint64_t purpose = 77003;

struct Draw {
  data::Dataset training;
  data::Dataset fresh;
};

/// A random sample of a file, and other rows of the file; with coins, labels that say nothing.
Draw draw_of(const data::Dataset& file, std::size_t n, bool coins, std::uint64_t seed) {
  core::RandomStream random(seed, purpose);
  std::vector<std::size_t> rows(file.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  random.shuffle(rows);
  data::Dataset all = file.select_rows(rows);
  if (coins)
    for (int& label : all.labels) label = static_cast<int>(random.below(all.class_count()));
  std::vector<std::size_t> places(all.rows());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::span<const std::size_t> whole(places);
  return {all.select_rows(whole.first(n)), all.select_rows(whole.subspan(n, std::min(most_fresh, all.rows() - n)))};
}

/// What the prediction sets of one model did on new rows.
struct Outcome {
  bool made = false;
  std::array<double, levels.size()> missed{};  ///< shares of rows
  double size = 0;                             ///< mean, at 0.1
  double single = 0;                           ///< share of prediction sets with one class, at 0.1
};

Outcome outcome_of(const data::Dataset& file, const selection::Options& asked, std::size_t n, bool coins,
                   bool label_conditional, std::uint64_t seed) {
  const core::Threads thread(1);
  core::Monitor monitor;
  const core::Context context{thread, monitor};
  const Draw draw = draw_of(file, n, coins, seed);
  selection::Options options = asked;
  options.costs.C = core::parse_list("2^-3:2^9:x8");
  options.kernels.gamma = kernel::parse_gammas("2^-7:2^3:x4");
  options.estimate =
      options.p_values == model::PValues::split ? selection::Estimate::holdout : selection::Estimate::none;
  options.seed = seed;
  Outcome outcome;
  try {
    const selection::Selection selection = selection::Selector(options).select(draw.training, context);
    const auto model = selection::fitted(draw.training, selection, context);
    const model::Prediction said = conformal::predict_with_confidence(
        *model, draw.fresh, {.label_conditional = label_conditional, .seed = seed}, context);
    const auto rows = static_cast<double>(draw.fresh.rows());
    for (std::size_t e = 0; e < levels.size(); ++e) {
      for (std::size_t i = 0; i < draw.fresh.rows(); ++i) {
        const std::vector<int> set = said.prediction_set(i, levels[e]);
        const auto named = static_cast<double>(set.size());
        // A coin is missed with the chance of the classes that a prediction set does not name.
        if (coins)
          outcome.missed[e] += (1 - named / static_cast<double>(draw.fresh.class_count())) / rows;
        else
          outcome.missed[e] += std::ranges::find(set, draw.fresh.labels[i]) == set.end() ? 1 / rows : 0;
        if (e != level_of_sizes) continue;
        outcome.size += static_cast<double>(set.size()) / rows;
        outcome.single += set.size() == 1 ? 1 / rows : 0;
      }
    }
    outcome.made = true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_data) throw;  // a small draw may lack rows of a class
  }
  return outcome;
}

std::string line_of(const std::string& name, const std::vector<Outcome>& all) {
  double models = 0;
  Outcome mean;
  double often = 0;
  double worst = 0;
  for (const Outcome& one : all) {
    if (!one.made) continue;
    ++models;
    for (std::size_t e = 0; e < levels.size(); ++e) mean.missed[e] += one.missed[e];
    mean.size += one.size;
    mean.single += one.single;
    often += one.missed[level_of_sizes] > far_too_often ? 1 : 0;
    worst = std::max(worst, one.missed[level_of_sizes]);
  }
  if (models == 0) return fmt::format("| {} | 0 | | | | | |\n", name);
  return fmt::format("| {} | {:.0f} | {:.3f}, {:.3f}, {:.3f} | {:.2f} | {:.0f} % | {:.1f} % | {:.2f} |\n", name, models,
                     mean.missed[0] / models, mean.missed[1] / models, mean.missed[2] / models, mean.size / models,
                     100 * mean.single / models, 100 * often / models, worst);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t draws = 30;
  std::vector<std::string> files;
  std::vector<std::size_t> sizes{60, 150, 300};
  std::vector<std::string> methods{"cv", "loo", "bootstrap", "kfold-nested", "holdout"};
  std::string p_values = "cross";
  std::string rule = "best";
  bool label_conditional = false;
  bool by_file = false;
  CLI::App app("Counts how often prediction sets of selected models miss the true class, on samples of real data sets");
  app.add_option("--draws", draws, "samples of each file")->check(CLI::Range(1, 1'000'000));
  app.add_option("--rows", sizes, "rows of the samples")->delimiter(',');
  app.add_option("--methods", methods, "methods of select")->delimiter(',');
  app.add_option("--p-values", p_values, "cross, nested or split");
  app.add_option("--rule", rule, "rule of the methods that have one: best, one_se or average");
  app.add_flag("--label-conditional", label_conditional, "compare with rows of the assumed class alone");
  app.add_flag("--by-file", by_file, "a line for each file");
  app.add_option("files", files, "CSV files")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    const core::Threads threads;
    std::vector<data::Dataset> sets;
    data::ReadOptions reading;
    reading.missing = data::Missing::drop;
    for (const std::string& file : files) sets.push_back(data::read(file, reading));
    std::cout << "| labels, rows, method | models | missed at 0.05, 0.1, 0.2 | size | single | > 20 % | worst |\n"
                 "| --- | ---: | --- | ---: | ---: | ---: | ---: |\n";
    for (const bool coins : {false, true}) {
      for (const std::size_t n : sizes) {
        for (const std::string& method : methods) {
          selection::Options options;
          options.method = selection::method_named(method);
          if (rule != "best") core::find_field(selection::method_fields(options), "rule")->set_text(rule);
          options.p_values = core::parse_word<model::PValues>(p_values);
          const std::string name = fmt::format("{}, {}, {}", coins ? "coins" : "real", n, method);
          std::vector<Outcome> all;
          for (std::size_t f = 0; f < sets.size(); ++f) {
            if (sets[f].rows() < n + least_fresh) continue;
            std::vector<Outcome> own(draws);
            threads.for_each(draws, [&](std::size_t t) {
              own[t] = outcome_of(sets[f], options, n, coins, label_conditional, 1000 * f + t);
            });
            if (by_file) std::cout << line_of(name + ", " + files[f].substr(files[f].find_last_of('/') + 1), own);
            all.insert(all.end(), own.begin(), own.end());
          }
          std::cout << line_of(name, all) << std::flush;
        }
      }
    }
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
