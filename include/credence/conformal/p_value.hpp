#pragma once

/// ```cpp
/// using namespace credence;
/// const std::vector<double> strangeness{0.1, 0.4, 0.4, 0.9};
/// const std::vector<int> labels{0, 0, 1, 1};
/// const conformal::StrangenessTable table(strangeness, labels, 2);
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

/// The one engine behind all p-values. The engine compares strangeness values and uses them in no other way.
namespace credence::conformal {

/// The place of a new example's strangeness among the strangeness values of other examples.
struct Rank {
  std::size_t greater = 0;  ///< examples that are stranger
  std::size_t equal = 0;    ///< examples that are exactly as strange
  std::size_t of = 0;       ///< all other examples

  friend bool operator==(const Rank&, const Rank&) = default;
};
/// Adds the counts among further examples.
Rank& operator+=(Rank& sum, const Rank& part);

/// Returns (greater + equal + 1) / (of + 1), in (0, 1]. The new example counts as one.
/// Source: Proedrou, Nouretdinov, Vovk, Gammerman, ECML 2002, equation (3).
double p_value(const Rank& rank);
/// Returns (greater + tau (equal + 1)) / (of + 1), exactly uniform if examples are exchangeable and tau is uniform on
/// [0, 1]. Source: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World (2005), equation (2.20).
double smoothed_p_value(const Rank& rank, double tau);

/// Whether a class with this p-value belongs to the region at a level, as every count of regions asks.
using model::in_region;
/// Returns rows x classes x levels, the level varying fastest: 1 where the region of a row at a level holds the class.
/// @param p_values  rows x classes  @param levels  each in [0, 1)
/// @throws Error invalid_argument for a level outside [0, 1)
std::vector<std::uint8_t> regions(const data::DenseMatrix& p_values, std::span<const double> levels);
/// @throws Error invalid_argument for a level outside [0, 1)
void check_level(double eps);

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
  bool label_conditional = false;  ///< compare with examples of the assumed class alone (Mondrian)
  std::uint64_t seed = 0;          ///< seed of the smoothing; `fit` also draws hold-outs and folds with it

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("label_conditional", &PValueOptions::label_conditional,
          "compare with rows of the assumed class only, so that errors are below eps in each class");
    field("smoothed", &PValueOptions::smoothed, "settle ties at random: errors are exactly eps");
    field("seed", &PValueOptions::seed, "of all random choices");
  }
};

/// Returns the tau of a row, in [0, 1), for all its classes. It depends on the seed and the row's key alone. The key is
/// that of the row's content (data::row_key), so that a row has the same tau in whatever call and place it comes; equal
/// rows have equal tau. On-line, the key is the number of the step (online.hpp).
double smoothing_tau(std::uint64_t seed, std::uint64_t key);

/// Returns rows x classes p-values, smoothed if the options say so. The field label_conditional has no effect here,
/// because the ranks already decide about it.
/// @param keys  key of each row (data::row_keys); not looked at without smoothing
/// @throws Error invalid_argument for smoothing without a key for each row
data::DenseMatrix p_values(const Ranks& ranks, const PValueOptions& options, std::span<const std::uint64_t> keys = {});

/// Fills label, credibility and confidence from prediction.p_value (rows x classes). The label is the class with the
/// largest p-value; ties go to the lowest class. Credibility is the p-value of the label. Confidence is 1 - the largest
/// p-value of the other classes (1 with a single class), hence 1 - the second largest.
/// @param keep_labels  true: prediction.label stays as it is, confidence and credibility are those of this label, and
/// the p-value of the label need not be the largest
void conclude(model::Prediction& prediction, bool keep_labels = false);

/// Strangeness values of labelled examples, sorted over all examples and for each class, with insertion and removal.
/// Infinity is a valid strangeness; NaN is not.
class StrangenessTable {
 public:
  /// @throws Error invalid_argument for a NaN, a label out of range, or sizes that differ
  StrangenessTable(std::span<const double> strangeness, std::span<const int> labels, std::size_t classes);

  std::size_t size() const { return all_.size(); }
  std::size_t classes() const { return by_class_.size(); }
  std::size_t size_of(int label) const { return by_class_[static_cast<std::size_t>(label)].size(); }
  /// Cost: two binary searches. @throws Error invalid_argument for a NaN
  Rank rank(double strangeness) const;
  /// Ranks among the examples of one class. @throws Error invalid_argument for a NaN, or a label out of range
  Rank rank(double strangeness, int label) const;
  /// Cost: O(size) moves of 8 bytes. @throws Error invalid_argument for a NaN, or a label out of range
  void insert(double strangeness, int label);
  /// @throws Error invalid_argument if there is no such example
  void erase(double strangeness, int label);

  friend bool operator==(const StrangenessTable&, const StrangenessTable&) = default;

 private:
  std::vector<double> all_;                    ///< ascending
  std::vector<std::vector<double>> by_class_;  ///< ascending
};

}  // namespace credence::conformal
