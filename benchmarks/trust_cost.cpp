/// What fold models and the ways to p-values cost: CPU seconds of a selection with its model, CPU seconds of predicting
/// 100,000 rows, and model files, beside the same selection whose model has one machine and no p-values or intervals.
/// The tables of docs/selection.md and docs/rvm.md.  build/credence_trust_cost --help

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/familiarity.hpp"
#include "credence/core/random.hpp"
#include "credence/credence.hpp"

namespace {

using namespace credence;

constexpr std::uint64_t purpose = 77011;
constexpr std::size_t asked_rows = 100'000;
constexpr double significance = 0.1;

/// A method with what stands behind its p-values or intervals; none: one machine alone.
struct Way {
  const char* name;
  const char* method;
  std::optional<model::PValues> p_values;
};
constexpr std::array<Way, 4> ways{{{"one machine", "cv", std::nullopt},
                                   {"measured", "cv", model::PValues::cross},
                                   {"proved", "kfold-nested", model::PValues::nested},
                                   {"split", "cv", model::PValues::split}}};

struct Cost {
  std::vector<double> training;     ///< CPU seconds of each repeat
  std::vector<double> prediction;   ///< with p-values or intervals, if the model has them
  std::vector<double> familiarity;  ///< more for that column
  double bytes = 0;                 ///< of the model file
};

template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

selection::Options options_of(const Way& way, data::Task task) {
  selection::Options options;
  options.method = selection::method_named(way.method);
  options.task = task;
  options.p_values = way.p_values.value_or(model::PValues::cross);
  if (task == data::Task::classification) {
    options.costs.C = core::parse_list("2^-3:2^9:x8");
    options.kernels.gamma = kernel::parse_gammas("2^-7:2^3:x4");
  } else {
    options.choose_from(selection::Learner::rvm);
  }
  if (way.p_values != model::PValues::split) options.estimate = selection::Estimate::none;
  return options;
}

double bytes_of(const model::Predictor& model) {
  const std::string file = (std::filesystem::temp_directory_path() / "credence_trust_cost").string();
  io::save_model(model, file);
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  std::filesystem::remove(file);
  return bytes;
}

/// Of the machine alone, without what compares new rows.
double bytes_of_machine(const model::Predictor& model) {
  const auto bare = [](auto copy) {
    copy.fold_models = {};
    copy.calibration = {};
    copy.known_rows = {};
    return bytes_of(copy);
  };
  if (const auto* machine = dynamic_cast<const rvm::RvmModel*>(&model)) return bare(*machine);
  return bare(dynamic_cast<const svm::SvmModel&>(model));
}

void add_run(const Way& way, const data::Dataset& training, const data::Dataset& asked, const core::Context& context,
             Cost& cost) {
  std::shared_ptr<const model::Predictor> model;
  cost.training.push_back(cpu_seconds([&] {
    const selection::Selection found =
        selection::Selector(options_of(way, training.schema.task)).select(training, context);
    if (way.p_values)
      model = selection::fitted(training, found, context);
    else
      model = selection::model_without_folds(training, found, context);
  }));
  cost.prediction.push_back(cpu_seconds([&] {
    if (!way.p_values) {
      model->predict(asked, context);
      return;
    }
    model::Prediction said = conformal::predict_with_confidence(*model, asked, {}, context);
    if (training.schema.task == data::Task::regression) conformal::regression_of(*model).intervals(said, significance);
  }));
  cost.familiarity.push_back(cpu_seconds([&] {
    model::Prediction said;
    conformal::FamiliarityOf(*model, context).add(asked, said, context);
  }));
  cost.bytes = way.p_values ? bytes_of(*model) : bytes_of_machine(*model);
}

/// Rows of the file, drawn with replacement.
data::Dataset many_of(const data::Dataset& rows) {
  core::RandomStream random(1, purpose);
  std::vector<std::size_t> drawn(asked_rows);
  for (std::size_t& row : drawn) row = random.below(rows.rows());
  return rows.select_rows(drawn);
}

void run(const std::string& words, int repeats) {
  const std::size_t colon = words.rfind(':');
  data::ReadOptions reading;
  reading.missing = data::Missing::drop;
  if (colon != std::string::npos) {
    reading.task = data::Task::regression;
    reading.label = words.substr(colon + 1);
  }
  const data::Dataset training = data::read(words.substr(0, colon), reading);
  const data::Dataset asked = many_of(training);
  const core::Threads thread(1);
  core::Monitor monitor;
  const core::Context context{thread, monitor};
  std::array<Cost, ways.size()> costs;
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t w = 0; w < ways.size(); ++w) add_run(ways[w], training, asked, context, costs[w]);
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const Cost& cost = costs[w];
    const auto times = [&](const std::vector<double>& values, const std::vector<double>& plain) {
      return fmt::format("{:.2f} s, {:.2f} times", median(values), median(values) / median(plain));
    };
    std::cout << fmt::format("| {} | {} | {} | {} | {} | {:.2f} s | {:.0f} kB |\n", words.substr(words.rfind('/') + 1),
                             training.rows(), ways[w].name, times(cost.training, costs[0].training),
                             times(cost.prediction, costs[0].prediction), median(cost.familiarity), cost.bytes / 1000)
              << std::flush;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int repeats = 3;
  std::vector<std::string> files;
  CLI::App app("Measures what the ways to p-values cost, in CPU seconds of one thread (medians)");
  app.add_option("--repeats", repeats, "of each measurement, in turns")->check(CLI::Range(1, 100));
  app.add_option("files", files, "CSV files of classes; FILE:TARGET for a regression")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << "| set | rows | model | selection | 100,000 rows | familiarity | file |\n"
                 "| --- | ---: | --- | --- | --- | ---: | ---: |\n";
    for (const std::string& file : files) run(file, repeats);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
  return 0;
}
