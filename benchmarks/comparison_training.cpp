#include <fmt/format.h>

#include "comparison.hpp"
#include "credence/core/context.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

constexpr double bytes_per_megabyte = 1024.0 * 1024.0;

std::size_t count_different(const std::vector<int>& a, const std::vector<int>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1U : 0U;
  return count;
}

nlohmann::json in_own_process(const std::string& side, const TrainingCase& task, const Settings& settings) {
  return run_for_json({own_path(), "train-alone", side, settings.data + "/" + task.file, fmt::format("{}", task.rows),
                       fmt::format("{}", task.C), fmt::format("{}", task.gamma),
                       fmt::format("{}", task.budget_megabytes)});
}

}  // namespace

std::vector<TrainingCase> training_cases() {
  constexpr std::size_t as_libsvm = static_cast<std::size_t>(libsvm_cache_megabytes);
  // Near the best cross-validation error; close to separable; and a setting with many support vectors, whose kernel
  // rows do not fit into LIBSVM's cache.
  return {{"satellite", "satellite.train.csv.gz", 0, 8, 0.0625, 0},
          {"shuttle", "shuttle.train.csv.gz", 20000, 128, 0.5, 0},
          {"shuttle", "shuttle.train.csv.gz", 20000, 32768, 0.001953125, 0},
          {"shuttle", "shuttle.train.csv.gz", 20000, 0.03125, 8, 0},
          {"shuttle", "shuttle.train.csv.gz", 20000, 0.03125, 8, as_libsvm}};
}

TrainingRow compare_training(const TrainingCase& task, const Settings& settings) {
  TrainingRow row;
  row.task = task;
  // Ours before and after theirs, so that whatever else the machine does disturbs both sides.
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const nlohmann::json before = in_own_process("credence", task, settings);
    const nlohmann::json theirs = in_own_process("libsvm", task, settings);
    const nlohmann::json ours = in_own_process("credence", task, settings);
    row.credence.push_back(before.at("seconds").get<Seconds>());
    row.credence.push_back(ours.at("seconds").get<Seconds>());
    row.libsvm.push_back(theirs.at("seconds").get<Seconds>());
    const std::size_t n = row.credence.size();
    row.ratios.push_back(row.libsvm.back().cpu / ((row.credence[n - 1].cpu + row.credence[n - 2].cpu) / 2));
    row.libsvm_objective = theirs.at("objective");
    row.credence_objective = ours.at("objective");
    row.libsvm_support = theirs.at("support");
    row.credence_support = ours.at("support");
    row.libsvm_errors = theirs.at("errors");
    row.credence_errors = ours.at("errors");
    row.libsvm_megabytes = theirs.at("megabytes");
    row.credence_megabytes = ours.at("megabytes");
    const auto predictions = ours.at("predictions").get<std::vector<int>>();
    row.rows = predictions.size();
    row.differing_predictions = count_different(predictions, theirs.at("predictions").get<std::vector<int>>());
  }
  return row;
}

nlohmann::json train_alone(const std::string& side, const std::string& file, std::size_t rows, double C, double gamma,
                           std::size_t budget_megabytes) {
  const data::Dataset dataset = standardised_file(file, rows);
  const std::size_t budget = budget_megabytes == 0
                                 ? core::default_memory_budget()
                                 : static_cast<std::size_t>(static_cast<double>(budget_megabytes) * bytes_per_megabyte);
  const TrainingRun run =
      side == "libsvm" ? libsvm_training(dataset, C, gamma) : credence_training(dataset, C, gamma, budget);
  return {{"seconds", run.seconds},     {"objective", run.objective},
          {"support", run.support},     {"errors", count_different(run.predictions, dataset.labels)},
          {"megabytes", run.megabytes}, {"predictions", run.predictions}};
}

void to_json(nlohmann::json& json, const TrainingRow& row) {
  json = {{"name", row.task.name},
          {"rows", row.rows},
          {"C", row.task.C},
          {"gamma", row.task.gamma},
          {"budget_megabytes",
           row.task.budget_megabytes == 0 ? nlohmann::json("default") : nlohmann::json(row.task.budget_megabytes)},
          {"libsvm_seconds", row.libsvm},
          {"credence_seconds", row.credence},
          {"ratio", row.ratio()},
          {"libsvm_objective", row.libsvm_objective},
          {"credence_objective", row.credence_objective},
          {"libsvm_support_vectors", row.libsvm_support},
          {"credence_support_vectors", row.credence_support},
          {"libsvm_training_errors", row.libsvm_errors},
          {"credence_training_errors", row.credence_errors},
          {"differing_predictions", row.differing_predictions},
          {"libsvm_peak_megabytes", row.libsvm_megabytes},
          {"credence_peak_megabytes", row.credence_megabytes}};
}

}  // namespace credence::bench
