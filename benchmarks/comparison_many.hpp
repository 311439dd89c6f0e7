#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comparison.hpp"

namespace credence::bench {

/// What is done with a data set of many classes, by both sides. One thread, standardised numbers.
enum class ManyClassWork {
  leave_one_out,   ///< of the grid
  bootstrap,       ///< of the grid, 100 resamples
  nested,          ///< ten-fold cross-validation of the grid in each of ten outer folds, and over all rows
  nonconformity,   ///< all models of the grid on all rows but 50, and their labels of the 50
  predict_one,     ///< labels of new rows by the model of the grid's middle setting
  predict_family,  ///< labels of new rows by all models of the grid
};

struct ManyClassCase {
  Recipe recipe;
  ManyClassWork work;
  /// Resamples, or new rows, that LIBSVM goes through, evenly spaced, its seconds scaled up; 0: all.
  std::size_t sample;
};
std::vector<ManyClassCase> many_class_cases(bool quick);
std::string name_of(ManyClassWork work);

struct ManyClassRow {
  std::string name;
  ManyClassWork work{};
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t models = 0;        ///< settings of the grid, or models that predict
  std::size_t parts = 0;         ///< resamples, or new rows
  std::size_t libsvm_parts = 0;  ///< of them, gone through by LIBSVM
  std::vector<Seconds> credence;
  std::vector<Seconds> libsvm;            ///< as measured
  std::vector<double> ratios;             ///< processor seconds, LIBSVM (scaled up) over Credence
  std::optional<std::size_t> difference;  ///< largest over models, of errors or labels; none for a sample

  double scale() const { return static_cast<double>(parts) / static_cast<double>(libsvm_parts); }
  bool extrapolated() const { return libsvm_parts < parts; }
  double ratio() const { return median(ratios); }
};
void to_json(nlohmann::json& json, const ManyClassRow& row);
ManyClassRow compare_many_class_work(const ManyClassCase& task, const Settings& settings);

struct ManyClassResults {
  std::vector<GridRow> grids;
  std::vector<ManyClassRow> work;
};
void to_json(nlohmann::json& json, const ManyClassResults& results);

}  // namespace credence::bench
