#include "selection/methods/cross_validation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "selection/choice.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/methods.hpp"

namespace credence::selection {

std::vector<int> folds_of(const data::Dataset& dataset, const Options& options, int least) {
  if (!dataset.folds.empty()) {
    const int count = *std::max_element(dataset.folds.begin(), dataset.folds.end()) + 1;
    if (count < least) {
      throw Error(
          ErrorCode::invalid_data,
          count < 2 ? "the fold column holds one fold only; cross-validation needs at least two"
                    : fmt::format("the fold column holds {} folds; {} needs at least {}", count, options.method, least),
          {dataset.source, 0, ""});
    }
    return dataset.folds;
  }
  if (!dataset.groups.empty()) return data::grouped_k_fold(dataset.groups, options.folds, options.seed);
  return dataset.is_regression() ? data::k_fold(dataset.rows(), options.folds, options.seed)
                                 : data::stratified_k_fold(dataset.labels, options.folds, options.seed);
}

namespace {

class CrossValidation final : public Selector {
 public:
  explicit CrossValidation(Options options) : options_(std::move(options)) {}
  Selection select(const data::Dataset& dataset, const core::Context& context) const override {
    check_data(dataset, options_);
    return select_by_left_out_losses(dataset, options_, resamples_of_folds(folds_of(dataset, options_, 2)),
                                     score_name("CV", options_), context);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Selector> make_cross_validation(const Options& options) {
  return std::make_unique<CrossValidation>(options);
}

}  // namespace credence::selection
