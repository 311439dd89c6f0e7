#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "credence/selection/options.hpp"
#include "sides.hpp"

namespace credence::bench {

struct Settings {
  std::string data;               ///< folder of the data sets
  std::string work;               ///< folder for temporary files
  std::string json;               ///< where the results go
  std::string python;             ///< interpreter with scikit-learn; empty: left out
  std::vector<std::string> only;  ///< names of data sets; empty: all
  std::vector<std::string> parts{"train",   "csv",  "grid",      "loo",       "predict", "estimate",
                                 "methods", "many", "conformal", "in-sample", "rvm"};
  bool quick = false;  ///< every third gamma, less of everything
  bool alone = false;  ///< Credence only
  int repeats = 1;     ///< of LIBSVM and scikit-learn
  int runs = 5;        ///< of Credence for each repeat

  bool wants(const std::string& name) const;
  bool has_part(const std::string& part) const;
};

/// Largest |a_i - b_i| of two lists of the same length.
std::size_t largest_distance(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

/// A grid on one data set.
struct GridRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<Seconds> libsvm;
  std::vector<Seconds> scikit_learn;
  std::vector<Seconds> credence;     ///< one thread, standardised numbers
  std::vector<Seconds> per_fold;     ///< one thread, raw numbers, scaling fitted in each fold
  std::vector<Seconds> two_threads;  ///< standardised numbers
  std::vector<double> ratios;        ///< processor seconds, LIBSVM over Credence, one for each repeat
  std::vector<double> wall_ratios;
  double scikit_learn_ratio = 0;
  double speed_up = 0;                 ///< wall clock, one thread over two, median of neighbouring pairs
  std::size_t largest_difference = 0;  ///< of misclassified rows between LIBSVM and Credence over the settings
  std::size_t differing_settings = 0;
  std::optional<std::size_t> scikit_learn_difference;  ///< LIBSVM and scikit-learn
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;

  double ratio() const { return median(ratios); }  ///< 0 without LIBSVM
};
void to_json(nlohmann::json& json, const GridRow& row);

/// @param versions  gets scikit-learn's
GridRow compare_grid(const Problem& problem, const Grid& grid, const Settings& settings, nlohmann::json& versions);

/// One training on one data set.
struct TrainingCase {
  std::string name;
  std::string file;
  std::size_t rows;  ///< 0 is all
  double C;
  double gamma;
  std::size_t budget_megabytes;  ///< of Credence; 0 is the default
};
std::vector<TrainingCase> training_cases();

struct TrainingRow {
  TrainingCase task;
  std::size_t rows = 0;
  std::vector<Seconds> libsvm;
  std::vector<Seconds> credence;
  std::vector<double> ratios;
  double libsvm_objective = 0;
  double credence_objective = 0;
  std::size_t libsvm_support = 0;
  std::size_t credence_support = 0;
  std::size_t libsvm_errors = 0;  ///< training rows
  std::size_t credence_errors = 0;
  std::size_t differing_predictions = 0;
  double libsvm_megabytes = 0;  ///< peak above what was resident before the training
  double credence_megabytes = 0;

  double ratio() const { return median(ratios); }
};
void to_json(nlohmann::json& json, const TrainingRow& row);

/// Each side in a process of its own, so that its memory can be told.
TrainingRow compare_training(const TrainingCase& task, const Settings& settings);
/// What such a process does: one side, its outcome as JSON.
nlohmann::json train_alone(const std::string& side, const std::string& file, std::size_t rows, double C, double gamma,
                           std::size_t budget_megabytes);

/// Reading CSV: cells a second and core.
struct ReadingRow {
  std::string name;
  std::size_t cells = 0;
  std::vector<Seconds> seconds;
  double megabytes = 0;  ///< by which the memory rises at its peak; of the large table

  double cells_per_second() const { return static_cast<double>(cells) / median(seconds).cpu; }
};
void to_json(nlohmann::json& json, const ReadingRow& row);
std::vector<ReadingRow> compare_reading(const Settings& settings);

}  // namespace credence::bench
