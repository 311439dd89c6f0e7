#pragma once

/// ```cpp
/// using namespace credence;
/// const std::vector<double> scores{0.1, 0.4, 0.4, 0.9};
/// const std::vector<int> labels{0, 0, 1, 1};
/// const conformal::NonconformityTable table(scores, labels, 2);
/// std::cout << conformal::p_value(table.rank(0.4)) << '\n';                // prints 0.8
/// std::cout << conformal::p_value(table.rank(0.4, 0)) << '\n';             // prints 0.666667
/// std::cout << conformal::smoothed_p_value(table.rank(0.4), 0.5) << '\n';  // prints 0.5
/// ```

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"
#include "credence/model/predictor.hpp"

/// The one engine behind all p-values. The engine compares nonconformity scores and uses them in no other way.
namespace credence::conformal {

/// The rank of a new example's nonconformity score among those of other examples, as sums of weights. An example weighs
/// 1 unless RowWeights say otherwise; a rank then holds counts, which are exact.
struct Rank {
  double greater = 0;  ///< examples that are stranger
  double equal = 0;    ///< examples that are exactly as strange
  double of = 0;       ///< all other examples
  double own = 1;      ///< the new example
  bool whole = false;  ///< the new example counts in full where ties are broken at random: it stands for its group,
                       ///< whose other rows may be stranger

  friend bool operator==(const Rank&, const Rank&) = default;
};
/// Adds the weights of further examples. The new example stays the same.
Rank& operator+=(Rank& sum, const Rank& part);

/// Returns (greater + equal + own) / (of + own), in (0, 1]. The new example counts as itself.
/// Source: Proedrou, Nouretdinov, Vovk, Gammerman, ECML 2002, equation (3); with weights Tibshirani, Barber, Candes,
/// Ramdas, NeurIPS 2019.
double p_value(const Rank& rank);
/// Returns (greater + tau (equal + own)) / (of + own). It is exactly uniform if examples are exchangeable but for their
/// weights, and tau is uniform on [0, 1]. If own counts whole, tau does not multiply it, and the p-value may be larger
/// than uniform. Source: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World (2005), equation (2.20).
double smoothed_p_value(const Rank& rank, double tau);

/// Whether a class with this p-value belongs to the prediction set at a level; every count of prediction sets uses it.
using model::in_set;
/// Returns rows x classes x levels, the level varying fastest: 1 where the prediction set of a row at a level holds the
/// class.
/// @param p_values  rows x classes  @param levels  each in [0, 1)
/// @throws Error invalid_argument for a level outside [0, 1)
std::vector<std::uint8_t> prediction_sets(const data::DenseMatrix& p_values, std::span<const double> levels);
/// @throws Error invalid_argument for a level outside [0, 1)
void check_level(double significance);

/// The rank of every (row, class); the class varies fastest.
struct Ranks {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::vector<Rank> values;

  Ranks() = default;
  Ranks(std::size_t row_count, std::size_t class_count)
      : rows(row_count), classes(class_count), values(row_count * class_count) {}
  Rank& at(std::size_t row, std::size_t label) { return values[row * classes + label]; }
  const Rank& at(std::size_t row, std::size_t label) const { return values[row * classes + label]; }
};

struct PValueOptions {
  bool smoothed = false;
  bool label_conditional =
      false;               ///< compare with examples of the assumed class alone; `fit` then stratifies its draws
  std::uint64_t seed = 0;  ///< seed of the smoothing; `fit` also draws hold-outs and folds with it

  static void describe(auto&& field) {
    field("label_conditional", &PValueOptions::label_conditional,
          "compare with rows of the assumed class only, so that the promise of prediction sets holds for each class");
    field("smoothed", &PValueOptions::smoothed,
          "break ties at random; prediction sets (transductive, inductive, split) then miss with the probability 1 - "
          "confidence level, if rows are exchangeable");
    field("seed", &PValueOptions::seed, "seed of all random choices");
  }
};

/// Returns the tau of a row, in [0, 1), for all its classes. It depends on the seed and the row's key alone. The key is
/// that of the row's content (data::row_key), so that a row has the same tau in whatever call and place it comes; equal
/// rows have equal tau. On-line, the key is the number of the step (online.hpp).
double smoothing_tau(std::uint64_t seed, std::uint64_t key);

/// Returns rows x classes p-values, smoothed if the options say so. The field label_conditional has no effect here,
/// because it is already in the ranks.
/// @param keys  key of each row (data::row_keys); not used without smoothing
/// @throws Error invalid_argument for smoothing without a key for each row
data::DenseMatrix p_values(const Ranks& ranks, const PValueOptions& options, std::span<const std::uint64_t> keys = {});

/// Fills label, credibility and confidence from prediction.p_value (rows x classes). The label is the class with the
/// largest p-value; ties go to the lowest class. Credibility is the p-value of the label. Confidence is 1 - the largest
/// p-value of the other classes (1 with a single class), hence 1 - the second largest.
/// @param keep_labels  true: prediction.label stays as it is, confidence and credibility are those of this label, and
/// the p-value of the label need not be the largest
void conclude(model::Prediction& prediction, bool keep_labels = false);

/// How much each example weighs when new examples are compared with it.
///
/// Known weights: the chance of a row among new rows over its chance among the examples, times any constant. P-values
/// are then valid for new rows whose own weight is given, if rows are exchangeable but for these chances. Source:
/// Tibshirani, Barber, Candes, Ramdas, NeurIPS 2019.
///
/// Shares of groups (group_shares): the examples of a group weigh 1 together, so that K groups and the new row are
/// compared. P-values are then valid for a row of a new group, and for each class and category of it, if groups are
/// exchangeable. Source: Dunn, Wasserman, Ramdas, JASA 118 (2022); Lee, Barber, Willett (2023), arXiv 2306.06342.
struct RowWeights {
  std::span<const double> values{};  ///< above 0, one for each example; empty: each weighs 1
  bool of_groups = false;            ///< whether they are shares of groups
};

/// Returns 1 / size of the group of each example. @param groups  any code of each example
std::vector<double> group_shares(std::span<const int> groups);

/// Checks the weights of new rows. @throws Error invalid_argument for one that is no finite number above 0
void check_own_weights(std::span<const double> weights);

/// Nonconformity scores in ascending order, and what they weigh. Infinity is a valid nonconformity score; NaN is not.
class NonconformityScores {
 public:
  NonconformityScores() = default;
  /// @param weights  of the values in their order
  explicit NonconformityScores(std::vector<double> values, const RowWeights& weights = {});

  std::size_t size() const { return values_.size(); }
  /// Returns the sum of the weights: the number of values where each weighs 1.
  double weight() const { return from_.empty() ? static_cast<double>(size()) : from_.front(); }
  /// Returns (sum w)^2 / sum w^2, the effective number of rows; size() where each value weighs 1.
  double effective() const { return from_.empty() ? static_cast<double>(size()) : weight() * weight() / squares_; }
  /// Cost: two binary searches. @param own  weight of the new example  @throws Error invalid_argument for a NaN
  Rank rank(double nonconformity, double own = 1) const;
  /// Adds the ranks of several new examples of weight 1, as `rank` gives them one by one, at a fraction of its cost.
  /// @param sums  of example i: sums[i * stride]  @throws Error invalid_argument for a NaN
  void add_ranks(std::span<const double> nonconformity, Rank* sums, std::size_t stride) const;
  /// Returns the largest of the values whose p-value is above eps (in_set); infinity if every nonconformity score has
  /// such a p-value, and 0 if none of the values has. Cost: one binary search.
  double largest_in_set(double significance, double own = 1) const;
  /// Cost: O(size) moves of 8 bytes. @throws Error invalid_argument for a NaN; where values have weights
  void insert(double nonconformity);
  /// @return whether there was such a value
  bool erase(double nonconformity);

  friend bool operator==(const NonconformityScores&, const NonconformityScores&) = default;

 private:
  double from(std::size_t place) const;

  std::vector<double> values_;  ///< ascending
  std::vector<double> from_;    ///< what the values from each place on weigh; empty where each weighs 1
  double squares_ = 0;          ///< of the weights
  bool of_groups_ = false;
};

/// Nonconformity scores of labelled examples, sorted over all examples and for each class, with insertion and removal.
class NonconformityTable {
 public:
  /// @param weights  of the examples
  /// @throws Error invalid_argument for a NaN, a label out of range, sizes that differ, or weights that are no numbers
  /// above 0
  NonconformityTable(std::span<const double> nonconformity, std::span<const int> labels, std::size_t classes,
                     const RowWeights& weights = {});

  std::size_t size() const { return all_.size(); }
  std::size_t classes() const { return by_class_.size(); }
  std::size_t size_of(int label) const { return of(label).size(); }
  const NonconformityScores& all() const { return all_; }
  const NonconformityScores& of(int label) const { return by_class_[static_cast<std::size_t>(label)]; }
  /// Cost: two binary searches. @throws Error invalid_argument for a NaN
  Rank rank(double nonconformity) const { return all_.rank(nonconformity); }
  /// Ranks among the examples of one class. @throws Error invalid_argument for a NaN, or a label out of range
  Rank rank(double nonconformity, int label) const;
  /// Cost: O(size) moves of 8 bytes. @throws Error invalid_argument for a NaN, a label out of range, or a table with
  /// weights
  void insert(double nonconformity, int label);
  /// @throws Error invalid_argument if there is no such example, or for a table with weights
  void erase(double nonconformity, int label);

  friend bool operator==(const NonconformityTable&, const NonconformityTable&) = default;

 private:
  NonconformityScores all_;
  std::vector<NonconformityScores> by_class_;
};

}  // namespace credence::conformal
