#pragma once

#include "comparison.hpp"

namespace credence::bench {

/// Every step-th value from the first on.
template <class T>
std::vector<T> thinned(const std::vector<T>& values, std::size_t step) {
  std::vector<T> some;
  for (std::size_t i = 0; i < values.size(); i += step) some.push_back(values[i]);
  return some;
}

/// Leave-one-out of a grid on one data set.
struct LeftOutCase {
  Recipe recipe;
  std::size_t gamma_step = 1;  ///< every so many-th gamma and C of the default grid
  std::size_t cost_step = 1;
  std::size_t sample = 0;  ///< rows that LIBSVM leaves out, evenly spaced, its seconds and steps scaled up; 0: all
};
/// @param quick  fewer settings and rows
std::vector<LeftOutCase> left_out_cases(bool quick);

struct LeftOutRow {
  std::string name;
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t settings = 0;
  std::size_t libsvm_rows = 0;     ///< left out by LIBSVM
  std::vector<Seconds> libsvm;     ///< as measured, for `libsvm_rows` rows
  std::vector<Seconds> credence;   ///< one thread, standardised numbers
  std::vector<Seconds> refits;     ///< Credence, each row a fold of cross-validation
  std::vector<Seconds> full_grid;  ///< Credence, all settings of the default grid; empty if `settings` are all
  std::vector<double> ratios;      ///< processor seconds, LIBSVM (scaled up) over Credence, one for each repeat
  std::uint64_t libsvm_steps = 0;  ///< as measured
  std::uint64_t credence_steps = 0;
  std::uint64_t refit_steps = 0;
  std::optional<std::size_t> largest_difference;  ///< of errors between LIBSVM and Credence; none for a sample
  std::size_t refit_difference = 0;               ///< of errors between the two ways of Credence

  double scale() const { return static_cast<double>(rows) / static_cast<double>(libsvm_rows); }
  bool extrapolated() const { return libsvm_rows < rows; }
  double ratio() const { return median(ratios); }
};
void to_json(nlohmann::json& json, const LeftOutRow& row);
LeftOutRow compare_left_out(const LeftOutCase& task, const std::string& folder, const Settings& settings);

/// Prediction with all models of a grid: random rows, two classes, the nonconformity method's predictor.
struct PredictionRow {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t training_rows = 0;
  std::size_t models = 0;
  std::size_t support = 0;  ///< support vectors of any model
  double mean_support = 0;  ///< of a model
  std::vector<Seconds> one_thread;
  std::vector<Seconds> two_threads;
  std::vector<Seconds> kernel_alone;  ///< kernel::kernel_block of every gamma, one thread
  std::size_t libsvm_rows = 0;        ///< predicted by LIBSVM; its seconds are scaled up
  std::vector<Seconds> libsvm;        ///< as measured, for `libsvm_rows` rows; the same models one after another
  double largest_difference = 0;      ///< of decision values between LIBSVM and Credence, relative to 1 + |value|

  double scale() const { return static_cast<double>(rows) / static_cast<double>(libsvm_rows); }
  double rows_per_second() const { return static_cast<double>(rows) / median(one_thread).cpu; }
  double over_kernel() const { return median(one_thread).cpu / median(kernel_alone).cpu; }
  double ratio() const { return libsvm.empty() ? 0 : median(libsvm).cpu * scale() / median(one_thread).cpu; }
  double speed_up() const;  ///< wall clock, median of neighbouring pairs
};
void to_json(nlohmann::json& json, const PredictionRow& row);
/// Its name for --only.
inline constexpr const char* prediction_name = "random20";
PredictionRow compare_prediction(const Grid& grid, const Settings& settings);

/// What the honest estimate costs beside the cross-validation that it is made from; one thread.
struct EstimateRow {
  std::string name;
  std::vector<Seconds> none;
  std::vector<Seconds> bbc;
  std::vector<Seconds> nested;
  std::vector<double> shares;  ///< of a run with bbc: what it says the estimate took, over the whole; wall clock

  double share() const { return median(shares); }
  double nested_over_bbc() const { return median(nested).cpu / median(bbc).cpu; }
};
void to_json(nlohmann::json& json, const EstimateRow& row);
EstimateRow compare_estimates(const Problem& problem, const Grid& grid, const Settings& settings);

/// One selection method: the selection, and the training that it leads to.
struct MethodRow {
  std::string method;
  std::vector<Seconds> one_thread;  ///< without an honest estimate
  std::vector<Seconds> two_threads;
  std::vector<Seconds> with_bbc;  ///< one thread
  std::uint64_t steps = 0;
  std::optional<double> error;  ///< the method's own score of what it chose
};
void to_json(nlohmann::json& json, const MethodRow& row);
std::vector<MethodRow> compare_methods(const Problem& problem, const Grid& grid, const Settings& settings);

}  // namespace credence::bench
