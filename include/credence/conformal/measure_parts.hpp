#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// Full conformal prediction: nothing is held out.
struct Transductive {
  static constexpr const char* name = "transductive";
  static constexpr const char* sentence = "new rows are compared with all rows, which are also learnt from";

  template <class Visitor>
  static void describe(Visitor&&) {}
};

/// Split conformal prediction.
struct Inductive {
  static constexpr const char* name = "inductive";
  static constexpr const char* sentence =
      "a classifier is trained on some rows, and new rows are compared with the rest";

  double calibration = 0.3;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("calibration", &Inductive::calibration, "share of the rows that is held out from training",
          core::inside(0, 1));
  }
};

/// Inductive prediction over folds, with summed counts.
struct Cross {
  static constexpr const char* name = "cross";
  static constexpr const char* sentence = "inductive over folds, whose counts are summed";

  int folds = 5;  ///< fixed folds of the data set replace them

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("folds", &Cross::folds, "folds of the rows", core::at_least(2));
  }
};

}  // namespace mode

using Mode = std::variant<mode::Transductive, mode::Inductive, mode::Cross>;

inline bool is_transductive(const Mode& mode) {
  return std::holds_alternative<mode::Transductive>(mode);
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
