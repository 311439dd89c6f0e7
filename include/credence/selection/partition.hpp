#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/monitor.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/partition.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "credence/selection/options.hpp"
#include "credence/svm/region_family.hpp"

/// The method Regions: each region of the feature space has a choice and SVMs of its own, and the scores of several
/// partitions into regions are averaged. A Setting is a point of the hyper-parameter grid.
///
/// The work is made of steps that may run anywhere:
///
///     RegionCourse course(dataset, options, context);
///     while (!course.done()) {                                                      // one partition after the other
///       std::vector<RegionResult> results(course.regions());
///       results[p] = run_region(course.task(p), course.options(), context);         // each p, in any order
///       course.take(results, context);
///     }
///     const Selection selection = std::move(course).merged(context);
///
/// Each partition has one kernel function and one scaling. The first partitions, one for each kernel and scaling of the
/// options, judge the whole grid in each region. Of these, those stay whose average has the least soft loss: the best
/// one, and the others as long as they lower it. Further partitions take turns in the kernels and scalings that stayed.
/// Their regions judge only settings near the best one of the same rows, as the first partition of this kernel and
/// scaling judged them. All partitions hold out the same folds, so that out-of-fold scores of the average are known
/// after each.
///
/// The bits of the result depend neither on the order of the regions nor on the number of threads: the random choices
/// of a region depend on Options::seed, the index of the partition and that of the region alone.
/// Source: Thomann, Blaschzyk, Meister, Steinwart, AISTATS 2017; Blaschzyk and Steinwart, arXiv 1905.01502; averages of
/// random partitions: Arlot and Genuer, arXiv 1407.3939; O'Reilly and Tran, arXiv 2101.05884.
namespace credence::selection {

struct Selection;

/// A region leaves out a class of fewer rows than this (if partitions are averaged, of rows in fewer folds). Without
/// the only row or fold, no row of the class would remain.
inline constexpr std::size_t least_rows_of_class = 2;

/// Rows from which preprocessing and partitions are learnt: all training rows, or a random sample of this number.
inline constexpr std::size_t most_learnt_rows = 100'000;

/// Returns which of n training rows preprocessing and partitions are learnt from, ascending. @param seed  Options::seed
std::vector<std::size_t> learnt_rows(std::size_t rows, std::uint64_t seed);

/// Where the features of a selection's rows are stored. Labels, weights and groups of all rows are here.
struct RowSource {
  /// The data set, if all features are here; nullptr if they are elsewhere.
  const data::Dataset* whole = nullptr;
  /// Returns rows of these indices, with features. If features are elsewhere, only rows of `rows_needed` are available.
  std::function<data::Dataset(std::span<const std::size_t> rows)> select;
  /// data::smallest_keys of all rows.
  std::function<std::vector<std::uint64_t>()> keys;
  std::size_t stored = 0;  ///< number of stored values of all rows; read for sparse rows alone

  /// @param dataset  which must outlive the source
  static RowSource of(const data::Dataset& dataset);
};

/// The indices of the rows that Estimate::holdout sets aside, ascending; none with other estimates.
/// @param options  resolved
std::vector<std::size_t> rows_apart(const data::Dataset& dataset, const Options& options);

/// The indices of the rows whose features a selection in regions needs in one process, ascending: those from which
/// preprocessing and partitions are learnt, those that are set aside, and samples that the model and its warnings
/// need. They are at most about 112,000.
/// @param dataset  whose features are not read  @param options  of the method Regions, resolved
std::vector<std::size_t> rows_needed(const data::Dataset& dataset, const Options& options);

/// At most 1,000 evenly spaced rows, on which a model is checked after its training.
std::vector<std::size_t> looked_at_rows(std::size_t rows);

/// A partition of the training rows.
struct FittedPartition {
  std::size_t number = 0;                        ///< in the order of work
  data::Preprocessing preprocessing;             ///< fitted on learnt_rows, the same in all partitions
  std::optional<data::Preprocessing> scaling{};  ///< applied after `preprocessing`, if the partition has another
  std::size_t space = 0;  ///< index of its kernel function and scaling among those of the options
  model::Partition partition;
  std::vector<std::uint32_t> region_of;  ///< region of each training row
  Options options;  ///< of each region, resolved; balanced class weights are replaced by numbers from all rows

  std::size_t regions() const { return partition.regions(); }
};

/// All that `run_region` needs to know.
struct RegionTask {
  std::size_t partition = 0;
  std::size_t region = 0;
  std::size_t space = 0;       ///< FittedPartition::space
  data::Dataset rows;          ///< of the region, preprocessed; the classes are those of all data
  std::vector<int> fold_of{};  ///< of each row, the same in all partitions; empty: the region deals folds of its own
  std::vector<std::uint8_t> wanted{};  ///< for each setting, gamma-major, whether it is judged; empty: all are
  /// With Score::balanced_accuracy, how much an error on a row of each class counts: n / (k n_c), from all rows. So the
  /// score of all rows is a sum over regions. Empty with other scores.
  std::vector<double> balance{};
};

/// What was chosen in a region.
struct RegionChoice {
  std::size_t region = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> class_counts;  ///< of all classes of the data
  double weight = 0;                      ///< sum of the weights of its rows; their number if errors count alike
  double C = 0;                           ///< 0 in a region that knows one class
  double gamma = 0;                       ///< 0 for kernels without gamma and in a region that knows one class
  double error = 0;                       ///< weighted mean of RegionResult::losses, of the choice (optimistic)
  bool converged = true;                  ///< its models were trained to the tolerance
};

/// What one region found. Per-row lists are in the order of the region's rows.
struct RegionResult : RegionChoice {
  bool complete = false;                 ///< false: the monitor said stop, and nothing else of the result counts
  double error_se = 0;                   ///< standard error of `error`; 0 where another score chose
  std::optional<HonestEstimate> honest;  ///< of the error of the choice
  /// Out-of-fold loss of each row, unweighted. With another score than the accuracy it is 1 for a wrong label, else 0.
  /// Empty where nothing was judged.
  std::vector<float> losses;
  std::vector<int> labels;  ///< out-of-fold label of each row; empty where nothing was judged
  /// What each setting is chosen by, the smaller the better: its mean out-of-fold loss, or its score (loss_of) on the
  /// rows of the region; NaN for a setting that was not judged. Empty in a region that knows one class.
  std::vector<double> setting_losses;
  model::Calibration calibration;     ///< out-of-fold scores; empty where nothing was judged
  svm::Region machine;                ///< trained on all rows of the region
  svm::Region folds;                  ///< models that left out a fold; none where nothing was judged
  std::optional<double> violation{};  ///< of the training of `machine` (model::TrainingRecord)
  std::size_t setting_count = 0;      ///< of the grid
  double n_sv = 0;                    ///< support vectors, mean over the folds
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;
};

/// Chooses by cross-validation among the candidates of the options, on the rows of one region, and trains the choice.
/// If the score is undefined for every setting, as an AUC is where no fold holds rows of both classes, the error
/// chooses. Classes of fewer than least_rows_of_class rows are left out of the region's models: their rows count as
/// errors, and a region with one other class answers with that class. Groups stay whole within the folds of the region.
/// @param options  of the course  @param judged  false: the first setting of the grid is trained, and no row left out
/// @throws Error invalid_argument, invalid_data, memory
RegionResult run_region(const RegionTask& task, const Options& options, const core::Context& context,
                        bool judged = true);

/// A partition with the results of all its regions.
struct JudgedPartition {
  FittedPartition fitted;
  std::vector<RegionResult> results;  ///< region after region
};

/// The out-of-fold scores of an average of partitions.
class MeanOfPartitions {
 public:
  /// @param weights  of errors on each row, with mean 1; empty: they count alike
  explicit MeanOfPartitions(std::vector<double> weights = {});

  /// Adds a partition whose regions are all complete, and moves their calibrations out of the results. Reads only the
  /// labels of the data set.
  void add(JudgedPartition& judged, const data::Dataset& dataset);
  /// The loss of each row, times the weight of errors on the row.
  /// @throws Error invalid_argument before the first partition
  std::vector<double> losses(Loss loss) const;
  /// Nonconformity scores and class scores of the rows, as means over partitions; region_of is the first partition's.
  model::Calibration calibration() const;
  /// The label of each row: with one partition its region's; with several the class of the largest mean score.
  std::vector<int> labels() const;

 private:
  std::vector<double> weights_;
  std::size_t partitions_ = 0;
  model::Calibration sum_;     ///< of nonconformity scores and class scores
  std::vector<int> of_first_;  ///< labels of the first partition
};

/// A selection in regions, one partition after the other.
class RegionCourse {
 public:
  /// Fits the preprocessing on learnt_rows, without labels, and splits the rows for the first time. Without
  /// Regions::region_size, the region size is chosen first, by courses on a tenth of the rows.
  /// @param dataset  which must outlive the object  @param options  of the method Regions, resolved
  /// @throws Error as Preprocessing::fit and model::fit_partition; invalid_data for folds or splits that the data
  /// bring, which regions cannot follow
  RegionCourse(const data::Dataset& dataset, const Options& options, const core::Context& context);
  /// The same for rows whose features may be elsewhere: each partition then waits for `route`.
  /// @param dataset  without the features that are elsewhere
  RegionCourse(const data::Dataset& dataset, RowSource source, const Options& options, const core::Context& context);

  /// Stores the region in which each row lies. The caller, who has the rows, computes these regions with the partition.
  /// @throws Error invalid_argument for a wrong number of rows, or a region that is not there
  void route(std::vector<std::uint32_t> region_of);

  /// The current partition.
  const FittedPartition& fitted() const { return fitted_; }
  std::size_t regions() const { return fitted_.regions(); }
  std::size_t rows_in(std::size_t region) const { return rows_[region].size(); }
  /// The indices of the rows of a region, ascending.
  const std::vector<std::size_t>& rows_of(std::size_t region) const { return rows_[region]; }
  RegionTask task(std::size_t region) const;
  /// The same without the rows.
  RegionTask task_without_rows(std::size_t region) const;
  const Options& options() const { return fitted_.options; }
  /// The average of the partitions so far.
  const MeanOfPartitions& average() const { return average_; }

  /// Stores the results of the partition's regions, and splits the rows anew if a further partition follows. One
  /// follows if Regions::partitions asks for it, or else if the last two lowered the soft loss by more than a standard
  /// error of the difference. If less than twice the time of the last partition is left, no further partition begins. A
  /// partition with a region that is not complete ends the course. The partitions before it are the model. Without them
  /// there is no model, and its complete regions are reported.
  /// @param results  in any order, at most one for each region
  /// @throws Error invalid_argument for results that are not of this partition; as fit_partition
  void take(std::vector<RegionResult> results, const core::Context& context);
  bool done() const { return done_; }

  /// Puts the partitions together: the error, the calibration, the honest estimate, and the predictor. Without a
  /// complete partition there is no predictor, and only complete regions are in the report.
  Selection merged(const core::Context& context) &&;

 private:
  bool wants_more() const;
  bool lacks_time(const core::Context& context) const;
  std::size_t most_partitions() const {
    return static_cast<std::size_t>(partitions_.value_or(Regions::most_partitions));
  }
  bool tries_kernels() const { return fitted_.number + 1 < spaces_; }
  /// Adds to the average those of the first partitions that together have the least soft loss.
  void settle(const core::Context& context);
  void add(JudgedPartition judged, const core::Context& context);
  void split_again(const core::Context& context);
  void route_if_here(const core::Context& context);

  const data::Dataset& dataset_;
  RowSource source_;
  Options options_;
  FittedPartition fitted_;
  std::vector<std::vector<std::size_t>> rows_;  ///< of each region
  std::vector<int> folds_;                      ///< of each row; empty if there is only one partition
  std::vector<double> balance_;                 ///< as RegionTask has it
  std::optional<int> partitions_;               ///< Regions::partitions
  std::size_t spaces_ = 1;                      ///< kernel functions and scalings of the options
  std::vector<JudgedPartition> tried_;          ///< the first partitions, one for each of these, until `settle`
  std::size_t kept_ = 1;                        ///< how many of these stayed
  std::size_t left_ = 0;                        ///< how many did not
  std::vector<JudgedPartition> judged_;
  MeanOfPartitions average_;
  std::vector<bool> unknown_;                ///< rows whose class none of their regions distinguishes from others
  std::vector<double> curve_;                ///< loss or score (loss_of) of the average after each partition
  std::vector<std::vector<double>> losses_;  ///< soft, of the rows, by the average after each of the last three
  core::Stopwatch of_partition_;             ///< since the partition was begun; each step may have a monitor of its own
  bool cut_short_ = false;                   ///< by the time limit
  bool done_ = false;
};

/// All steps of a course, with whole regions in parallel.
Selection select_in_regions(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// Returns a predictor of one partition, with models of the options' one setting in each region.
/// @param judged  with out-of-fold scores for p-values
/// @throws Error interrupted if the monitor says stop
std::shared_ptr<Ensemble> train_in_regions(const data::Dataset& dataset, const Options& options, bool judged,
                                           const core::Context& context);

/// A region as the report of a selection has it.
struct RegionReport : RegionChoice {
  std::size_t partition = 0;  ///< among those of the average
  std::vector<int> classes;   ///< that the region distinguishes
  kernel::KernelType kernel = kernel::KernelType::rbf;
  data::Scaling scale = data::Scaling::standard;
  std::optional<double> honest;
  std::size_t support = 0;  ///< support vectors of the region's models
};

/// What a selection in regions found beside the choices.
struct PartitionReport {
  std::size_t size = 0;                 ///< Regions::size()
  std::size_t regions = 0;              ///< of all partitions
  std::size_t partitions = 0;           ///< that are complete
  std::vector<std::size_t> judged_as;   ///< FittedPartition::number of each partition of the average
  std::vector<double> curve;            ///< out-of-fold loss or score (loss_of) of the average after each partition
  std::size_t settings = 0;             ///< tried in a region, summed over kernel functions and scalings
  std::vector<RegionReport> of_region;  ///< of the complete regions, ascending, one partition after the other
  bool by_default = false;              ///< Regions::by_default
};

}  // namespace credence::selection
