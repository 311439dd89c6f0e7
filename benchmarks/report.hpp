#pragma once

#include <string>
#include <vector>

#include "comparison_conformal.hpp"
#include "comparison_in_sample.hpp"
#include "comparison_many.hpp"
#include "comparison_rvm.hpp"
#include "comparison_selection.hpp"

namespace credence::bench {

struct Results {
  nlohmann::json machine;
  Settings settings;
  std::size_t grid_size = 0;  ///< settings
  std::vector<std::string> notes;
  std::vector<TrainingRow> training;
  std::vector<ReadingRow> reading;
  std::vector<GridRow> grids;
  std::vector<LeftOutRow> left_out;
  std::vector<PredictionRow> prediction;
  std::vector<EstimateRow> estimates;
  std::string methods_name;  ///< data set of the methods
  std::vector<MethodRow> methods;
  ManyClassResults many;
  ConformalResults conformal;
  InSampleResults in_sample;
  RvmResults rvm;
};

/// Tables of at most 100 columns.
std::string as_text(const Results& results);
/// The part of it that is about selection methods.
std::string selection_text(const Results& results);
/// The part of it that is about more than two classes.
std::string many_class_text(const Results& results);
/// The part of it that is about conformal prediction.
std::string conformal_text(const Results& results);
/// The part of it that is about methods with bounds.
std::string in_sample_text(const InSampleResults& results);
/// The part of it that is about relevance vector machines.
std::string rvm_text(const RvmResults& results);
nlohmann::json as_json(const Results& results);

/// A line for each grid, and what the columns mean.
std::string grid_table(const std::vector<GridRow>& rows);

/// Of the ratios to LIBSVM on all data sets but pima; 0 if there is none.
double geometric_mean(const std::vector<GridRow>& grids);

}  // namespace credence::bench
