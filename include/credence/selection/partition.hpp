#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/partition.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "credence/selection/options.hpp"
#include "credence/svm/partition_predictor.hpp"

/// The method Regions: each region of the feature space has a choice and SVMs of its own. A Cell is a
/// point of the hyper-parameter grid.
///
/// The work is made of steps that may run anywhere:
///
///     const FittedPartition fitted = fit_partition(dataset, options, context);          // once
///     results[p] = run_region(rows_of_region(dataset, fitted, p), p, fitted.options, context); // each p, in any order
///     const Selection selection = merge_regions(dataset, fitted, options, results, context);
///
/// The bits of the result depend neither on the order of the regions nor on the number of threads: the random choices
/// of a region depend on Options::seed and the number of the region alone. Source: Thomann, Blaschzyk, Meister,
/// Steinwart, AISTATS 2017; Blaschzyk and Steinwart, arXiv 1905.01502.
namespace credence::selection {

struct Selection;

/// A class with fewer rows in a region is not told apart there: a row that is left out leaves none of its class.
inline constexpr std::size_t least_rows_of_class = 2;

/// The partition of the training rows.
struct FittedPartition {
  data::Preprocessing preprocessing;  ///< fitted on all training rows
  model::Partition partition;
  std::vector<std::uint32_t> region_of;  ///< region of each training row
  Options options;  ///< of every region: resolved, and balanced class weights as the factors that they are on all rows

  std::size_t regions() const { return partition.regions(); }
};

/// Fits the preprocessing on all rows, which looks at no label, and splits the rows.
/// @param options  of the method Regions, resolved
/// @throws Error as Preprocessing::fit and model::fit_partition; invalid_data for folds or splits that the data bring,
/// which regions cannot follow
FittedPartition fit_partition(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// The rows of one region, preprocessed: all that `run_region` needs to know of the data. The classes are those of all
/// data.
data::Dataset rows_of_region(const data::Dataset& dataset, const FittedPartition& fitted, std::size_t region);

/// What one region found. Per-row lists are in the order of the region's rows.
struct RegionResult {
  std::size_t region = 0;
  bool complete = false;  ///< false: the monitor said stop, and nothing else of the result counts
  std::size_t rows = 0;
  std::vector<std::size_t> class_counts;  ///< of all classes of the data
  double C = 0;                           ///< chosen; 0 in a region that knows one class
  double gamma = 0;                       ///< chosen; 0 for kernels without gamma and in a region that knows one class
  double error = 0;                       ///< mean out-of-fold loss of the choice (optimistic)
  double error_se = 0;                    ///< standard error of `error`
  std::optional<HonestEstimate> honest;   ///< of the region's choice
  std::vector<float> losses;              ///< out-of-fold loss of each row; empty where nothing was judged
  model::Calibration calibration;         ///< out-of-fold scores; empty where nothing was judged
  svm::RegionMachine machine;             ///< trained on all rows of the region
  svm::RegionFolds folds;                 ///< machines that left out a fold; none where nothing was judged
  bool converged = true;                  ///< that training; if not, the machine is approximate
  std::size_t cells = 0;                  ///< of the grid
  double n_sv = 0;                        ///< support vectors, mean over the folds
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;
};

/// Chooses by cross-validation among the candidates of the options, on the rows of one region, and trains the choice.
/// Classes of fewer than least_rows_of_class rows are left out of the region's machines: their rows count as errors,
/// and a region with one other class answers with that class. Groups stay whole within the folds of the region.
/// @param rows  as rows_of_region gives them  @param options  those of the FittedPartition  @param judged
/// false: the first cell of the grid is trained, and no row left out
/// @throws Error invalid_argument, invalid_data, memory
RegionResult run_region(const data::Dataset& rows, std::size_t region, const Options& options,
                        const core::Context& context, bool judged = true);

/// Puts regions together: the pooled error, the calibration, the honest estimate, and, if all regions are complete, the
/// predictor. Regions that are not complete are not in the report.
/// @param results  in any order, at most one for each region
/// @throws Error invalid_argument for results that are not of this partition
Selection merge_regions(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                        std::vector<RegionResult> results, const core::Context& context);

/// With fewer rows the exact grid takes seconds: a selection in regions runs the grid too, and reports the difference.
inline constexpr std::size_t exact_beside_rows = 5000;

/// The three steps, with whole regions in parallel; with fewer than exact_beside_rows rows the exact grid beside.
Selection select_in_regions(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// A predictor of machines with the one cell of the options in each region.
/// @param judged  with out-of-fold scores for p-values
/// @throws Error interrupted if the monitor says stop, or the training of a region did not converge
std::shared_ptr<svm::PartitionPredictor> train_in_regions(const data::Dataset& dataset, const Options& options,
                                                          bool judged, const core::Context& context);

/// A region as the report of a selection has it.
struct RegionReport {
  std::size_t region = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> class_counts;
  std::vector<int> classes;  ///< that the region tells apart
  double C = 0;
  double gamma = 0;
  double error = 0;
  std::optional<double> honest;
  std::size_t support = 0;  ///< support vectors of the region's machines
  bool converged = true;    ///< the training of its machines
};

/// The exact grid on the same rows, preprocessed alike, with as many folds: what regions give up.
struct ExactBeside {
  double C = 0;           ///< chosen
  double gamma = 0;       ///< chosen; 0 for kernels without gamma
  double error = 0;       ///< mean out-of-fold loss of the choice (optimistic)
  double difference = 0;  ///< mean out-of-fold loss of the regions' choices minus `error`
  double seconds = 0;
};

/// A sentence that names the first region whose training did not converge, and how many there are; empty if all did.
std::string unconverged_regions(const std::vector<RegionReport>& regions);

/// What a selection in regions found beside the choices.
struct PartitionReport {
  std::size_t size = 0;                 ///< rows of a region that were asked for
  std::size_t regions = 0;              ///< of the partition
  std::size_t settings = 0;             ///< of C and gamma that were tried in each region
  std::vector<RegionReport> of_region;  ///< of the complete regions, ascending
  std::optional<ExactBeside> exact;     ///< where there are fewer than exact_beside_rows rows
};

}  // namespace credence::selection
