#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"
#include "credence/model/predictor.hpp"

/// The one engine behind all p-values: strangeness values are compared, never used otherwise.
namespace credence::conformal {

/// Where the strangeness of a new example stands among that of the others.
struct Rank {
  std::size_t greater = 0;  ///< others that are stranger
  std::size_t equal = 0;    ///< others that are exactly as strange
  std::size_t of = 0;       ///< others

  friend bool operator==(const Rank&, const Rank&) = default;
};

/// (greater + equal + 1) / (of + 1): the new example counts itself. In (0, 1].
/// Source: Proedrou, Nouretdinov, Vovk, Gammerman, ECML 2002, equation (3).
double p_value(const Rank& rank);
/// (greater + tau (equal + 1)) / (of + 1): exactly uniform if examples are exchangeable and tau is uniform on [0, 1].
/// Source: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World (2005), equation (2.20).
double smoothed_p_value(const Rank& rank, double tau);

/// The rank of every (row, class), class fastest.
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
  bool label_conditional = false;  ///< compare with examples of the assumed class only (Mondrian)
  std::uint64_t seed = 0;          ///< of the smoothing; `fit` draws hold-outs and folds by the seed too

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("label_conditional", &PValueOptions::label_conditional,
          "compare with rows of the assumed class only, so that errors are below eps in each class; hold-outs and "
          "folds are then stratified");
    field("smoothed", &PValueOptions::smoothed, "settle ties at random: errors are exactly eps");
    field("seed", &PValueOptions::seed, "of all random choices");
  }
};

/// The tau of a row, in [0, 1): one for all its classes; depends on the seed and the row's number alone.
double smoothing_tau(std::uint64_t seed, std::size_t row);

/// rows x classes. Smoothed or not as the options say; label_conditional is not looked at (it is a matter of the
/// ranks).
data::DenseMatrix p_values(const Ranks& ranks, const PValueOptions& options);

/// From prediction.p_value (rows x classes): label = the class with the largest; ties go to the lowest class.
/// Credibility = the p-value of the label; confidence = 1 - the largest p-value of the other classes (1 with a single
/// class), hence 1 - the second largest.
/// @param keep_labels  leaves prediction.label as it is: confidence and credibility then speak of that label, whose
///                     p-value need not be the largest
void conclude(model::Prediction& prediction, bool keep_labels = false);

/// Strangeness values of labelled examples, sorted, over all and per class, with insertion and removal.
/// Infinity is a strangeness like any other; NaN is none.
class StrangenessTable {
 public:
  /// @throws Error invalid_argument for a NaN, a label out of range, or sizes that differ
  StrangenessTable(std::span<const double> strangeness, std::span<const int> labels, std::size_t classes);

  std::size_t size() const { return all_.size(); }
  std::size_t classes() const { return by_class_.size(); }
  std::size_t size_of(int label) const { return by_class_[static_cast<std::size_t>(label)].size(); }
  /// Cost: two binary searches. @throws Error invalid_argument for a NaN
  Rank rank(double strangeness) const;
  /// Among the examples of one class. @throws Error invalid_argument for a NaN, or a label out of range
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
