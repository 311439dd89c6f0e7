#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"
#include "credence/neighbours/metric.hpp"
#include "credence/qp/solver.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/svm/train.hpp"

/// Nonconformity measures, each with its formula and options; the modes in which `fit` uses them, and the classifiers
/// that they train.
namespace credence::conformal {

class Machine;

namespace mode {

/// The share of rows for fitting scaling and medians. No row is compared with these rows, so that the other rows and
/// new rows are treated alike, and validity stays exact. No row is set aside where there is nothing to fit, or there
/// are fewer than four rows.
inline constexpr double usual_share_apart = 0.1;
inline constexpr const char* apart_sentence =
    "share of the rows that only fit scaling and medians, and with which no row is compared; 0 fits these on all rows, "
    "and then nothing is proved";

inline constexpr const char* by_sentence =
    "a column of categories: rows are compared with those of their own category alone, and the promise of prediction "
    "sets holds in each category";

inline constexpr const char* weight_sentence =
    "a column of known weights, which new rows need too: how much likelier a row is among new rows than among these; "
    "p-values weigh rows by it, and training does not";

/// Full conformal prediction: nothing is held out.
struct Transductive {
  static constexpr const char* name = "transductive";
  static constexpr const char* sentence = "new rows are compared with the rows that the predictor learns from";

  double apart = usual_share_apart;
  std::string weight_column{};  ///< name of the column of Dataset::weights, if they weigh p-values and not training

  static void describe(auto&& field) {
    field("apart", &Transductive::apart, apart_sentence, core::from_to(0, 0.9));
    field("weight_column", &Transductive::weight_column, {weight_sentence, "COL"});
  }
};

/// Split conformal prediction.
struct Inductive {
  static constexpr const char* name = "inductive";
  static constexpr const char* sentence =
      "a classifier is trained on some rows, and new rows are compared with the rest";

  double calibration = 0.3;
  std::string by{};             ///< name of a raw column; empty: all rows are of one category
  std::string weight_column{};  ///< as Transductive::weight_column

  static void describe(auto&& field) {
    field("calibration", &Inductive::calibration, "share of the rows, or of the groups, that is held out from training",
          core::inside(0, 1));
    field("by", &Inductive::by, {by_sentence, "COL"});
    field("weight_column", &Inductive::weight_column, {weight_sentence, "COL"});
  }
};

/// Inductive prediction over folds, with summed counts. Scaling and medians are fitted in each fold, on the rows that
/// train its classifier.
struct Cross {
  static constexpr const char* name = "cross";
  static constexpr const char* sentence = "inductive over folds, whose counts are summed";

  int folds = 5;                ///< fixed folds of the data set replace them
  std::string by{};             ///< as Inductive::by
  std::string weight_column{};  ///< as Transductive::weight_column

  static void describe(auto&& field) {
    field("folds", &Cross::folds, "folds of the rows", core::at_least(2));
    field("by", &Cross::by, {by_sentence, "COL"});
    field("weight_column", &Cross::weight_column, {weight_sentence, "COL"});
  }
};

}  // namespace mode

using Mode = std::variant<mode::Transductive, mode::Inductive, mode::Cross>;

inline bool is_transductive(const Mode& mode) {
  return std::holds_alternative<mode::Transductive>(mode);
}

/// The column of weights by which p-values weigh rows; empty: none do.
inline std::string weight_column_of(const Mode& mode) {
  return std::visit([](const auto& chosen) { return chosen.weight_column; }, mode);
}

/// How rows are prepared for a classifier.
struct Preparation {
  data::Scaling scaling;
  data::Missing missing;  ///< recorded
  std::uint64_t seed;
};

/// A classifier with its preprocessing, for inductive conformal prediction.
struct TrainedClassifier {
  data::Preprocessing preprocessing;
  std::shared_ptr<const model::ClassifierFamily> classifier;  ///< a family of one model
  model::TrainingRecord record;
  data::Missing missing = data::Missing::error;
};
using Train = std::function<TrainedClassifier(const data::Dataset& training, const core::Context& context)>;

/// How distances to other classes enter a nonconformity score. It decides which examples a new row can affect.
enum class Others {
  ignored,  ///< they do not enter
  divide,   ///< the nonconformity score is the sum of own distances over that of others, as in neighbour_ratio
  enter,    ///< in any other way; a ranking then scores every example that the new row is near to
};

/// A nonconformity score as a function of the k nearest distances.
struct NeighbourMeasure {
  /// @param own  ascending distances to the nearest examples of the own class, at most k
  /// @param other  ascending distances to the nearest examples of all other classes, at most k
  using Formula = double (*)(std::span<const double> own, std::span<const double> other, std::size_t k);

  const char* name;
  Formula formula;
  Others others;

  friend bool operator==(const NeighbourMeasure& a, const NeighbourMeasure& b) { return a.formula == b.formula; }
};

/// Checks that k is at most the number of rows to learn from: tables are k wide. @throws Error invalid_argument
void check_neighbour_count(int k, std::size_t rows);

struct NeighbourOptions;

std::vector<std::string> nearest_problems(const NeighbourOptions& options, bool trains, const Mode& mode,
                                          data::Scaling scaling);
void check_nearest(const NeighbourOptions& options, const data::Dataset& dataset, const Mode& mode);
std::shared_ptr<const Machine> nearest_machine(const data::Features& rows, const data::Dataset& dataset,
                                               const NeighbourOptions& options, const core::Context& context);

/// The base of a measure of nearest distances. The measure brings `name`, `sentence`, `others` and `nonconformity`. A
/// measure with a member `training` also has the inductive and the cross mode.
template <class Measure>
struct Nearest {
  int k = 1;
  neighbours::Metric metric = neighbours::Metric::euclidean;

  static void describe(auto&& field) {
    field("k", &Nearest::k, "nearest neighbours that are looked at", core::at_least(1));
    field("metric", &Nearest::metric, "the distance between two rows");
  }

  static constexpr NeighbourMeasure measure() { return {Measure::name, &Measure::nonconformity, Measure::others}; }
  operator NeighbourOptions() const;

  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const {
    return nearest_problems(*this, requires(const Measure& m, const Preparation& p) { m.training(p); }, mode, scaling);
  }
  void check(const data::Dataset& dataset, const Mode& mode) const { check_nearest(*this, dataset, mode); }
  bool looks_at_rows() const { return false; }
  /// Distances along axes need comparable units; angles and given distances are taken as they are.
  data::Scaling default_scaling() const {
    return metric == neighbours::Metric::euclidean || metric == neighbours::Metric::manhattan ? data::Scaling::standard
                                                                                              : data::Scaling::none;
  }
  std::shared_ptr<const Machine> machine(const data::Features& rows, const data::Dataset& dataset,
                                         model::TrainingRecord&, const core::Context& context) const {
    return nearest_machine(rows, dataset, *this, context);
  }
};

/// Returns the nearest-neighbour ratio: the sum of the k smallest distances to the own class over the sum of the k
/// smallest distances to all other classes. The ratio is large for an example that is far from its own class or near
/// another.
///
/// If a side has fewer than k examples, all of them count, and the ratio is that of the means. 0 / 0 is 1; a positive
/// number over 0 is +infinity. Without an example of the own class the ratio is +infinity; with examples of the own
/// class and none of the others the ratio is 0.
/// @param own    ascending distances to the nearest examples of the own class, at most k
/// @param other  ascending distances to the nearest examples of the other classes, at most k
/// Sums run in ascending order.  Source: Proedrou et al., ECML 2002, equation (2). own_class_distance is the simplified
/// form without the denominator.
double neighbour_ratio(std::span<const double> own, std::span<const double> other);

/// The measure of that ratio.
struct NeighbourRatio : Nearest<NeighbourRatio> {
  static constexpr const char* name = "nn-ratio";
  static constexpr const char* sentence =
      "distances to the k nearest of the own class over those to the k nearest others";
  static constexpr Others others = Others::divide;

  static double nonconformity(std::span<const double> own, std::span<const double> other, std::size_t) {
    return neighbour_ratio(own, other);
  }
  /// Scores are minus the ratio (neighbours::NeighbourFamily). @throws Error invalid_argument for more neighbours than
  /// rows
  Train training(const Preparation& preparation) const;
};

/// Returns the sum of the k smallest distances to the own class: the nearest-neighbour ratio without its denominator.
/// If there are fewer than k distances, the result is k times the mean of all; without a distance the result is
/// +infinity.
/// @param own  ascending distances to the nearest examples of the own class, at most k
double own_class_distance(std::span<const double> own, std::size_t k);

/// The measure of that sum.
struct OwnClassDistance : Nearest<OwnClassDistance> {
  static constexpr const char* name = "nn-own";
  static constexpr const char* sentence = "distances to the k nearest of the own class";
  static constexpr Others others = Others::ignored;

  static double nonconformity(std::span<const double> own, std::span<const double>, std::size_t k) {
    return own_class_distance(own, k);
  }
};

/// Nonconformity score of a class under a classifier's score for that class: minus the score. With an SVM's decision
/// value f, class 1 has the score f and class 0 the score -f. So the nonconformity score is -y f(x), the signed
/// distance to the hyperplane in units of the margin. With more classes the score is the smallest of the class's pairs
/// (svm::class_scores). Source: Proedrou et al., ECML 2002, section 5; Hardoon, Hussain, Shawe-Taylor (2009), section
/// 2.
inline double margin_nonconformity(double score) {
  return -score;
}

/// The kernel of a model whose margins are compared.
struct MarginKernel {
  kernel::Shape shape;                                         ///< not precomputed
  kernel::GammaRule gamma{kernel::GammaRule::Kind::scale, 0};  ///< resolved on the preprocessed training rows
  bool by_sigma = false;                                       ///< gamma was given by the width of an rbf kernel

  void add_problems(std::vector<std::string>& problems) const;
  /// Whether gamma depends on the values of the rows.
  bool looks_at_rows() const;
  void set_sigma(double sigma);

  static void describe(auto&& field) {
    field.part(&MarginKernel::shape);
    field("gamma", &MarginKernel::gamma,
          "gamma of the kernel: a number, or the word scale = 1/(d var), auto = 1/d, median = 1/(median distance)^2, "
          "median*0.5; of laplacian scale = 1/(d sd) and median = 1/(median distance)");
    field.spelling("sigma", "gamma", core::Kind::number, "width of the rbf kernel: gamma = 1/(2 sigma^2)",
                   [](MarginKernel& kernel, const core::Value& value) { kernel.set_sigma(core::number_of(value)); });
  }
};

/// Margins of support vector machines.
struct SvmMargin {
  static constexpr const char* name = "margin";
  static constexpr const char* model = "svm";
  static constexpr const char* sentence =
      "minus the decision value of an SVM or RVM for the class; of SVMs of pairs with the class the smallest value";
  static data::Scaling default_scaling() { return data::Scaling::standard; }

  double C = 1;
  MarginKernel kernel;
  svm::ClassWeights class_weights;  ///< not in the transductive mode
  qp::Options solver;

  static void describe(auto&& field) {
    field("C", &SvmMargin::C, "cost of errors", core::above(0));
    field.part(&SvmMargin::kernel);
    field("class_weight", &SvmMargin::class_weights, "balanced, or factors on C: name:w,name:w");
    field.part(&SvmMargin::solver);
  }
  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const;
  void check(const data::Dataset& dataset, const Mode& mode) const;
  bool looks_at_rows() const { return kernel.looks_at_rows(); }
  std::shared_ptr<const Machine> machine(const data::Features& rows, const data::Dataset& dataset,
                                         model::TrainingRecord& record, const core::Context& context) const;
  Train training(const Preparation& preparation) const;
};

/// Margins of relevance vector machines. They have no transductive mode, which would train them anew for every row and
/// class.
struct RvmMargin {
  static constexpr const char* name = SvmMargin::name;
  static constexpr const char* model = "rvm";
  static constexpr const char* sentence = SvmMargin::sentence;
  static data::Scaling default_scaling() { return data::Scaling::minmax; }

  MarginKernel kernel;
  rvm::ClassifierFit fit;
  std::optional<std::size_t> centres;  ///< candidates; default: rvm::default_centres of the training rows

  static void describe(auto&& field) {
    field.part(&RvmMargin::kernel);
    field.part(&RvmMargin::fit);
    field("centres", &RvmMargin::centres,
          "how many randomly drawn rows may become kernels (by default all of up to 2000 rows, else 1000)",
          core::at_least(1));
  }
  std::vector<std::string> problems(const Mode& mode, data::Scaling scaling) const;
  void check(const data::Dataset& dataset, const Mode& mode) const;
  bool looks_at_rows() const { return kernel.looks_at_rows(); }
  Train training(const Preparation& preparation) const;
};

/// Nonconformity score of a target under a regression: |y - prediction|. Source: Papadopoulos, Proedrou, Vovk,
/// Gammerman, ECML 2002.
inline double absolute_residual(double target, double prediction) {
  return std::abs(target - prediction);
}

/// |y - prediction| / (difficulty + beta). Intervals by this measure are wide where the target is hard to predict.
/// @param difficulty  >= 0, e.g. the predicted deviation, or the mean distance to the nearest training rows
/// @param beta        > 0; limits the influence of small difficulties
/// Source: Papadopoulos, Gammerman, Vovk, AIA 2008, equation (8).
inline double normalised_residual(double target, double prediction, double difficulty, double beta) {
  return std::abs(target - prediction) / (difficulty + beta);
}

}  // namespace credence::conformal
