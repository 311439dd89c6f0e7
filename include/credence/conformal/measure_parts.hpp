#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"

/// What strangeness measures have in common: the modes in which `fit` uses them, and the classifiers that they train.
namespace credence::conformal {

class Machine;

namespace mode {

/// The share of rows that scaling and medians are fitted on, and that nothing is compared with: the other rows and new
/// rows are then treated alike, and validity stays exact. No row is set apart where there is nothing to fit, or there
/// are fewer than four rows.
inline constexpr double usual_share_apart = 0.1;
inline constexpr const char* apart_sentence =
    "share of the rows that scaling and medians are fitted on, and that nothing is compared with; 0 fits them on all "
    "rows, and nothing is proved";

inline constexpr const char* by_sentence =
    "a column of categories: rows are compared with those of their own category alone, and what is promised of regions "
    "holds in each";

inline constexpr const char* weight_sentence =
    "a column of known weights, of new rows too: how much likelier a row is among new rows than among these; p-values "
    "weigh rows by it, and training does not";

/// Full conformal prediction: nothing is held out.
struct Transductive {
  static constexpr const char* name = "transductive";
  static constexpr const char* sentence = "new rows are compared with all rows, which are also learnt from";

  double apart = usual_share_apart;
  std::string weight_column{};  ///< what the column of Dataset::weights is called, if these weigh rows in p-values, and
                                ///< not in training

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

/// How the rows come to a classifier.
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

}  // namespace credence::conformal
