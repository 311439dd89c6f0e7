#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "credence/data/features.hpp"
#include "credence/rvm/sparse_bayes.hpp"

namespace credence::bench {

/// One fit that all sides are asked for: rbf kernels at the training rows, a bias.
struct RvmTask {
  std::string name;
  data::Task task = data::Task::classification;
  double sigma = 1;
  data::DenseMatrix training;
  std::vector<double> targets;  ///< 0 or 1; numbers
  data::DenseMatrix test;
  std::vector<double> test_targets;  ///< a regression's without noise, where that is known

  bool regression() const { return task == data::Task::regression; }
};

/// Eight normal features, class of 1.5 sin(1.5 x1) + x2 x3 + x4 + noise; 2,000 test rows.
/// @param draw  seed of the rows
RvmTask synthetic_classes(std::size_t rows, std::uint64_t draw = 0);
/// 141 rows in [-7, 7] of sin(x) / x with noise of sd 0.1; 281 test rows.
RvmTask sinc();
/// Friedman's first problem: ten features, five of which matter; noise of sd 1; 500 rows, 2,000 test rows.
RvmTask friedman();
/// Two thirds of a file with two classes, drawn with seed 0, features to [0, 1]; the rest to test.
RvmTask task_of_file(const std::string& path, const std::string& name, double sigma);

/// y(x) = bias + sum_i w_i (K(x, z_i) + shift), as some side has found it.
struct RvmMachine {
  std::vector<std::uint32_t> centres;    ///< training rows, ascending
  std::vector<double> weights;           ///< of each
  std::vector<double> alpha;             ///< of each; empty if the side does not tell
  std::optional<double> bias;            ///< none if there is no such column
  std::optional<double> bias_alpha;      ///< the same
  double shift = 0;                      ///< of dlib, in place of a bias
  std::optional<double> noise_variance;  ///< regression
};
void from_json(const nlohmann::json& json, RvmMachine& machine);
void to_json(nlohmann::json& json, const RvmMachine& machine);

/// What a machine is worth, by the same code for all sides.
struct RvmWorth {
  double log_evidence = 0;
  bool own_alpha = true;         ///< at the alpha that it tells; else at the best that we find for its columns
  double test_error = 0;         ///< rate of misclassified rows; root mean square error
  std::vector<double> decision;  ///< y of the test rows
};
RvmWorth worth_of(const RvmMachine& machine, const RvmTask& task);

/// A fit by Credence: kernel values, weights, covariance.
struct RvmRun {
  Seconds seconds;
  RvmMachine machine;
  rvm::Fit fit;
};
RvmRun credence_rvm(const RvmTask& task, rvm::Algorithm algorithm, int threads);

/// Fits by dlib in this process, until they took a second together or were three.
struct DlibRun {
  std::vector<Seconds> seconds;
  RvmMachine machine;
  std::vector<double> predictions;  ///< dlib's own y of the test rows
};
DlibRun dlib_rvm(const RvmTask& task);
/// The same in a process of its own, as rvm_peer.py: compare_rvm() calls it, for dlib may take very long.
nlohmann::json dlib_alone(const std::string& training, const std::string& test, std::size_t columns, double sigma,
                          const std::string& task);

/// One side on one task.
struct RvmSideRow {
  std::string name;
  std::vector<Seconds> seconds;      ///< one thread; empty if it did not end in time
  std::vector<Seconds> two_threads;  ///< Credence
  std::size_t kernels = 0;           ///< retained
  double log_evidence = 0;
  bool own_alpha = true;
  double test_error = 0;
  std::size_t differing = 0;    ///< test rows for which the side itself says something else than its weights
  std::optional<rvm::Fit> fit;  ///< Credence: iterations, Newton steps, factorisations
  std::string failure;          ///< why there is nothing

  double one() const;  ///< least processor seconds
  double two() const;  ///< least wall-clock seconds
};
void to_json(nlohmann::json& json, const RvmSideRow& side);

struct RvmFitRow {
  std::string name;
  std::string task;  ///< "classification", "regression"
  std::size_t rows = 0;
  std::size_t test_rows = 0;
  std::size_t features = 0;
  double sigma = 1;
  std::optional<double> target;   ///< seconds of a batch fit on two threads
  std::vector<RvmSideRow> sides;  ///< batch, sequential, then the others

  const RvmSideRow& batch() const { return sides[0]; }
  const RvmSideRow& sequential() const { return sides[1]; }
};
void to_json(nlohmann::json& json, const RvmFitRow& row);

/// What the peers are: dlib, and each package of rvm_peer.py.
struct RvmPeers {
  std::vector<std::string> python;  ///< names for rvm_peer.py
  bool dlib = false;
};
/// @param versions  gets the Python packages'
RvmFitRow compare_rvm(const RvmTask& task, const RvmPeers& peers, const Settings& settings, nlohmann::json& versions);

/// Choosing one of the paper's ten widths by the index of one fit each, and by 5-fold cross-validation; one thread.
struct RvmSelectionRow {
  std::string name;
  std::size_t rows = 0;
  std::vector<Seconds> index;
  std::vector<Seconds> cross_validation;
  double index_sigma = 0;  ///< chosen
  double cross_validation_sigma = 0;

  double ratio() const;
};
void to_json(nlohmann::json& json, const RvmSelectionRow& row);
RvmSelectionRow compare_rvm_selection(const data::Dataset& dataset, const std::string& name, const Settings& settings);

struct RvmResults {
  std::vector<RvmFitRow> fits;
  std::vector<RvmSelectionRow> selections;
};
void to_json(nlohmann::json& json, const RvmResults& results);

}  // namespace credence::bench
