#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"

namespace credence::model {

/// The scores of several classifiers on some rows. A score tells how well a class fits a row according to a model;
/// larger scores are better. A binary SVM with decision value f gives class 1 the score f and class 0 the score -f.
struct Scores {
  std::size_t rows = 0;
  std::size_t models = 0;
  std::size_t classes = 0;
  std::vector<double> values;  ///< (row, model, class), class fastest
  std::vector<int> labels;     ///< (row, model): the class that the model itself predicts
  std::vector<int> region_of;  ///< region of the feature space of each row, where the model has an SVM for each region

  Scores() = default;
  Scores(std::size_t row_count, std::size_t model_count, std::size_t class_count)
      : rows(row_count),
        models(model_count),
        classes(class_count),
        values(row_count * model_count * class_count),
        labels(row_count * model_count) {}

  double* at(std::size_t row, std::size_t model) { return values.data() + (row * models + model) * classes; }
  const double* at(std::size_t row, std::size_t model) const {
    return values.data() + (row * models + model) * classes;
  }
  int label(std::size_t row, std::size_t model) const { return labels[row * models + model]; }
  /// Sets every label to the class with the largest score; ties go to the lowest class.
  void label_by_score();
};

/// Several classifiers of the same classes over the same preprocessed features: the SVMs of a grid, or nearest
/// neighbours for several k.
class ClassifierFamily {
 public:
  virtual ~ClassifierFamily() = default;
  virtual std::size_t models() const = 0;
  virtual std::size_t classes() const = 0;
  /// Scores rows in blocks: calls visit(first row, scores of the block) once for each block, from several threads. The
  /// scores of a row depend on that row alone, to the last bit. Memory: the scores of one block for each thread.
  /// @throws Error invalid_data for a column count that differs; interrupted if the monitor says stop
  virtual void score(const data::Features& rows, const core::Context& context,
                     const std::function<void(std::size_t first, const Scores& block)>& visit) const = 0;
  /// What the classifiers share: "38 support vectors"; empty if there is nothing to count.
  virtual std::string shared_parts() const { return {}; }
  virtual std::size_t support_count() const { return 0; }  ///< support vectors; 0 if not counted
  /// Regions of the feature space, each with models of its own: Scores::region_of is below this number. 0: none.
  virtual std::size_t region_count() const { return 0; }
  /// Whether rows are kernel values instead of features.
  virtual bool is_precomputed() const { return false; }
  /// Scores all rows at once: rows x models x classes numbers.
  Scores score_all(const data::Features& rows, const core::Context& context) const;
};

}  // namespace credence::model
