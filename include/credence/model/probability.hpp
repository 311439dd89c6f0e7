#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/model/predictor.hpp"
#include "credence/model/sigmoid.hpp"

/// ```cpp
/// using namespace credence;
/// const std::vector<double> margins{-2, -1, -0.5, 0.5, 1, 2};
/// const std::vector<int> labels{0, 0, 1, 0, 1, 1};
/// const model::Isotonic isotonic(margins, labels);
/// std::cout << isotonic(0) << '\n';  // prints 0.5
/// const model::VennAbers venn_abers(margins, labels);
/// const model::ProbabilityInterval between = venn_abers(0);
/// std::cout << between.lower << " to " << between.upper << '\n';  // prints 0.333333 to 0.666667
/// std::vector<double> probability{0.4, 0.6};
/// model::agree_with_label(probability, 0);  // the model itself says the first class
/// std::cout << (probability[0] > probability[1]) << '\n';  // prints 1
/// ```

/// Probabilities of classes for models that give scores, from the scores that rows got from models which had not seen
/// them (Calibration).
namespace credence::model {

/// The floor of probabilities in log losses: a row costs at most 34.5. Without a floor, a single wrong row costs 700
/// with a steep sigmoid and infinitely much with an isotonic step, and decides the mean.
inline constexpr double least_probability = 1e-15;

/// -log of the probability of the true class. Every log loss of the library, of reports and of honest estimates is
/// computed by it.
inline double log_loss(double probability) {
  return -std::log(std::max(probability, least_probability));
}

/// The kind of function that maps scores to probabilities.
enum class CalibrationMap {
  sigmoid,     ///< Sigmoid: two parameters
  isotonic,    ///< Isotonic: any nondecreasing function
  venn_abers,  ///< VennAbers: the merged probability, and the interval that it comes from
};
constexpr auto words_of(CalibrationMap) {
  return std::array{core::Word{"sigmoid", CalibrationMap::sigmoid}, core::Word{"isotonic", CalibrationMap::isotonic},
                    core::Word{"venn_abers", CalibrationMap::venn_abers}};
}

struct ProbabilityOptions {
  /// None: the model's own probabilities where it has them, else sigmoid.
  std::optional<CalibrationMap> calibration{};

  static void describe(auto&& field) {
    field("calibration", &ProbabilityOptions::calibration,
          "how scores become probabilities; by default those of a relevance vector machine are its own, and those of "
          "other models come from a sigmoid");
  }
};

/// The fitted maps from the scores of a row to the probabilities of its classes.
///
/// Two classes have one map, from the score of the second class. More classes have one map each, from the score of the
/// class, fitted to whether a row is of this class. Their values are divided by their sum (equal if the sum is 0), as
/// in scikit-learn's CalibratedClassifierCV.
///
/// A model with an SVM for each region of the feature space has maps for each region, fitted to the rows of the
/// region (Calibration::region_of).
class ProbabilityMaps {
 public:
  /// Cost: for each map, sorting the rows of the calibration, or about ten passes over them for a sigmoid.
  /// @throws Error invalid_argument with the sentence of `missing_for_probabilities`, if there is one
  ProbabilityMaps(const Predictor& model, CalibrationMap map);

  std::size_t classes() const { return classes_; }
  bool has_intervals() const { return map_ == CalibrationMap::venn_abers; }
  /// @param scores       of the classes, for one row
  /// @param probability  of the classes: in [0, 1], with sum 1
  /// @param intervals    of the classes, if there are intervals; otherwise unchanged. Of more than two classes each is
  ///                     that of the class against the rest, before the division by the sum. May be empty.
  /// @param region         of the row, where the model has regions (Prediction::region_of)
  void apply(std::span<const double> scores, std::span<double> probability,
             std::span<ProbabilityInterval> intervals = {}, std::size_t region = 0) const;
  bool has_regions() const { return maps_.size() > 1; }
  /// Whether labels are meant to be the likeliest classes: no class weighed more than others in the training.
  bool agree_with_labels() const { return agree_with_labels_; }

 private:
  struct Value {
    double probability;
    ProbabilityInterval interval;
  };
  using Map = std::function<Value(double score)>;
  static Map fitted(CalibrationMap map, std::span<const double> scores, std::span<const int> labels);

  CalibrationMap map_;
  bool agree_with_labels_;
  std::size_t classes_;
  std::vector<std::vector<Map>> maps_;  ///< of each region: of the second of two classes, or of each class
};

/// One sentence that says why the model has no scores to fit maps to, and how to get a model that has them; empty if it
/// has them.
std::string missing_for_probabilities(const Predictor& model);

/// The smallest difference between the probability of a label and that of every other class.
inline constexpr double tie_margin = 1e-9;

/// Changes probabilities in which the model's label is not the single most probable class. The result is the mixture
/// (1 - t) p + t [label] with the smallest t that makes the label more probable than every other class by `tie_margin`.
/// Probabilities that agree with the label stay as they are.
void agree_with_label(std::span<double> probability, int label);

/// Fills Prediction::probability, and with VennAbers probability_lower and probability_upper. The labels stay the
/// model's own. The most probable class of each row is its label (agree_with_label), except for models that weigh
/// classes (TrainingRecord::weighs_classes): there a rare class is named even if it is not the most probable. Intervals
/// stay as they are. Probabilities that the model gave itself are replaced if a map is asked for; otherwise they stay.
/// Cost: that of ProbabilityMaps, and for each row and class at most two binary searches.
/// @param prediction  what the model predicted for the rows
/// @throws Error invalid_argument for a regression, and for a model without the scores that are needed
void add_probabilities(const Predictor& model, const ProbabilityOptions& options, Prediction& prediction);

/// The same by maps that were fitted before, for predictions in blocks. Probabilities that the model gave itself are
/// replaced. Cost: for each row and class at most two binary searches.
/// @throws Error invalid_argument if the prediction has no scores for each class
void add_probabilities(const ProbabilityMaps& maps, Prediction& prediction);

}  // namespace credence::model
