#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// What is proved of the regions, if examples are exchangeable.
enum class Validity {
  exact,        ///< the true class is left out with probability <= eps
  twice,        ///< ... <= 2 eps + 2 (1 - eps) (K - 1) / (n + K), K folds (cross-conformal)
  approximate,  ///< nothing for finite n
};

/// Anything that ranks new examples, under every class they might have, among the examples it knows: nearest
/// neighbours or an SVM over all examples (transductive), or a classifier with held-out scores (inductive).
class Machine {
 public:
  virtual ~Machine() = default;
  /// Examples that new ones are compared with, per class.
  virtual std::vector<std::size_t> class_counts() const = 0;
  /// Of rows that come as the machine's own rows came; ConformalPredictor::validity knows whether they do.
  virtual Validity validity() const = 0;
  /// Classifiers whose counts are summed: the folds of cross-conformal prediction, otherwise 1.
  virtual std::size_t folds() const { return 1; }
  /// For people: "nn-ratio, k = 1, euclidean distance; transductive".
  virtual std::string description(const model::TrainingRecord& record) const;
  /// Of preprocessed rows. A row's ranks depend on that row alone.
  /// @throws Error invalid_data for a column count that differs; interrupted if the monitor says stop
  virtual Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const = 0;
};

/// A machine with the way rows are read and preprocessed. Fills label, p_value, confidence, credibility, and
/// solver_cost with a TransductiveSvm.
struct ConformalPredictor final : model::Predictor {
  std::shared_ptr<const Machine> machine;
  PValueOptions options;
  /// Something that looks at rows (scaling, medians, a gamma by rule) was fitted on the very rows that new ones are
  /// compared with, but not on the new one. A row that stretches its own scale is then less strange than a new row like
  /// it, and errors can exceed eps.
  bool fitted_on_compared = false;
  /// The rows compared with were held out class by class, so only label-conditional p-values are exact.
  bool stratified = false;

  /// What holds of regions made with these options. @throws Error invalid_argument without a machine
  Validity validity() const;
  /// @throws Error as the machine; invalid_argument without a machine, or if it knows another number of classes than
  ///         the schema
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
};

/// The smallest p-value that can occur: 1 / (m + 1), m the number of examples compared with; label-conditional, that of
/// the smallest class. A region at a level below it holds every class.
double smallest_p_value(std::span<const std::size_t> class_counts, bool label_conditional);

}  // namespace credence::conformal
