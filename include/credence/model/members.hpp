#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/classifier_family.hpp"

namespace credence::model {

/// Scores beyond +-3 count as +-3 in an average. With the limit 1 (the margin), rows far on the wrong side would tie,
/// and no p-value would be small (docs/average.md).
inline constexpr double most_of_a_score = 3;

/// The value of a score in an average.
inline double clipped(double score) {
  return std::clamp(score, -most_of_a_score, most_of_a_score);
}

/// The mean of the clipped scores of some models for one row. @param mean  of each class  @return the class with the
/// largest mean; ties go to the lowest class
int mean_of_clipped(const Scores& scores, std::size_t row, std::span<const std::uint32_t> models,
                    std::span<double> mean);

/// Models of the same classes: those of an ensemble, or the fold models of a predictor. They come in parts, each with a
/// scaling and a kernel of its own. A member is a model, or the average of some models.
///
/// A fold model has the chosen hyper-parameters (with nested p-values: those chosen without its fold), and is trained
/// without one fold of the rows. It scores a new row and the rows of that fold, and these scores are compared.
/// Source: Vovk, Cross-conformal predictors, Annals of Mathematics and Artificial Intelligence 74 (2015).
struct Members {
  /// Gets the first row of a block, the index of the first member of a part, and the scores of the block by the members
  /// of the part. Calls for different rows come from several threads.
  using Visit = std::function<void(std::size_t first, std::size_t member, const Scores& block)>;
  struct Part {
    std::optional<data::Preprocessing> preprocessing{};  ///< none: that of the model
    std::shared_ptr<const ClassifierFamily> family{};
  };
  std::vector<Part> parts{};
  /// The models of each member, numbered through all parts; their mean clipped score is its score. Empty: each model is
  /// a member.
  std::vector<std::vector<std::uint32_t>> averages{};

  bool empty() const { return parts.empty(); }
  std::size_t models() const;  ///< of all parts
  std::size_t count() const { return averages.empty() ? models() : averages.size(); }
  /// The family of the only part, if its rows are preprocessed as those of the model; else nullptr.
  const ClassifierFamily* alone() const;
  /// Scores raw rows.
  /// @param preprocessing  of the model
  /// @throws Error as ClassifierFamily::score
  void score(const data::Dataset& rows, const data::Preprocessing& preprocessing, const core::Context& context,
             const Visit& visit) const;
  /// The same at once: rows x members x classes numbers.
  Scores score_all(const data::Dataset& rows, const data::Preprocessing& preprocessing,
                   const core::Context& context) const;
  /// The same for other averages than those of the members.
  void score_means(const std::vector<std::vector<std::uint32_t>>& means, const data::Dataset& rows,
                   const data::Preprocessing& preprocessing, const core::Context& context, const Visit& visit) const;
};

}  // namespace credence::model
