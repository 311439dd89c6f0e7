#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/options.hpp"
#include "credence/svm/train.hpp"

/// One model with given parameters, described as a selection with a single setting.
namespace credence::selection {

/// The solver's tolerance for a single SVM. A grid of many settings asks for less; one model this precise costs at
/// most a third more, and the model of weighted rows agrees with that of repeated rows to nine digits.
inline constexpr double tolerance_of_one = 1e-9;

/// The options of training a single model.
struct OneSetting {
  Options options;             ///< cross-validation of a grid of one setting
  rvm::ValidityOptions index;  ///< of the validity index of relevance vector machines
  /// For SVMs, the rows in a region of the feature space; each region has models with this C and gamma.
  std::optional<std::size_t> region_size{};

  /// Sets C = 1, the gamma `scale` and `tolerance_of_one`, for SVMs or relevance vector machines. Without `model`, the
  /// task decides which.
  /// @throws Error invalid_argument for nearest neighbours, which are not trained, and for SVMs of a regression
  explicit OneSetting(data::Task task, std::optional<Learner> model = {});

  bool has_rvms() const { return options.has_rvms(); }  ///< relevance vector machines
  bool has_regions() const { return region_size.has_value(); }
  /// The options of training in regions; those of the setting where there are none. @param folds  0: the usual ones
  Options in_regions(int folds) const;
  /// All problems at once, a list of several values among them; empty if there are none.
  std::vector<std::string> validate() const;
};

/// The fields that training uses. The setting must outlive the fields.
std::vector<core::Field> fields_of(OneSetting& setting);

/// Cross-validation of the one setting: a Selection with its calibration, the margins (or residuals) of rows left out.
/// @param folds  at least 2  @throws Error as Selector
Selection cross_validate(const data::Dataset& dataset, const OneSetting& one, int folds, const core::Context& context);

/// The result of training a setting.
struct TrainedSetting {
  std::shared_ptr<model::Predictor> model;
  std::shared_ptr<const svm::TrainResult> svm;  ///< of an SVM, the model included
  std::shared_ptr<const rvm::TrainResult> rvm;  ///< of relevance vector machines
  std::vector<std::string> warnings;            ///< of too large a C, of the cross-validation, and trained_warnings
  std::string lacking;                          ///< what a time limit left out (no_p_values_text); empty: nothing
};

/// Trains the setting. With folds the model keeps the scores of rows left out (model::Predictor::calibration).
/// @param folds  0, or at least 2
/// @throws Error as svm::train, rvm::train and Selector; interrupted if the monitor says stop before there is a model
TrainedSetting train(const data::Dataset& dataset, const OneSetting& setting, int folds, const core::Context& context);

}  // namespace credence::selection
