#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "selection/choice.hpp"
#include "selection/judged_grid.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

/// Mean over rows (each as often as it was drawn) of the loss of a cell; rows without one do not count. NaN if none
/// has.
double mean_loss(const LossTable& losses, std::size_t cell, std::span<const std::uint32_t> drawn) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < losses.rows; ++i) {
    const float loss = losses.row(i)[cell];
    if (drawn[i] > 0 && !std::isnan(loss)) {
      sum += double{loss} * drawn[i];
      count += drawn[i];
    }
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double e632(double training, double out_of_bag) {
  return 0.368 * training + 0.632 * out_of_bag;
}

/// The .632+ estimator (Efron and Tibshirani, JASA 92, 1997, equation 32).
/// @param no_information  error expected if features and labels were independent
double e632_plus(double training, double out_of_bag, double no_information) {
  const double bounded = std::min(out_of_bag, no_information);
  const double overfitting =
      out_of_bag > training && no_information > training ? (bounded - training) / (no_information - training) : 0.0;
  return e632(training, out_of_bag) + (bounded - training) * 0.368 * 0.632 * overfitting / (1 - 0.368 * overfitting);
}

/// Selection by the error on the rows that bootstrap samples leave out.
class Bootstrap final : public Selector {
 public:
  explicit Bootstrap(Options options) : options_(std::move(options)) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const override {
    data::check_trainable(dataset);
    Selection selection = describe(dataset, options_, context);
    selection.score = score_name();
    selection.folds = options_.resamples;
    const JudgedGrid judged = judge_grid(dataset, options_, samples(dataset), context);
    if (std::all_of(judged.judged.begin(), judged.judged.end(), [](std::uint32_t times) { return times == 0; })) {
      throw Error(ErrorCode::invalid_data, "no bootstrap sample left a row out; there are too few rows or samples",
                  {dataset.source, 0, ""});
    }
    selection.grid = cells_of(judged, dataset, options_);
    Tables tables{judged.losses(), {}, {}};
    if (options_.bootstrap != BootstrapError::out_of_bag) {
      add_training_errors(dataset, context, selection, tables);
    }
    const std::vector<std::uint32_t> once(dataset.rows(), 1);
    for (std::size_t k = 0; k < selection.grid.size(); ++k) {
      selection.grid[k].error = score(tables, k, once);
    }
    choose(options_, selection);
    if (selection.best) {
      const std::vector<std::size_t> order = preference(selection, options_, true);
      add_bbc(
          options_, context, dataset.rows(), dataset.groups,
          [&](const core::Context& part) { return estimate(dataset, tables, order, part); }, selection);
    }
    conclude(dataset, options_, context, selection);
    calibrate(dataset, judged, "out-of-bag", selection);
    return selection;
  }

 private:
  struct Tables {
    LossTable out_of_bag;
    LossTable training;                  ///< empty unless the score needs it
    std::vector<double> no_information;  ///< per cell
  };

  std::string score_name() const {
    switch (options_.bootstrap) {
      case BootstrapError::out_of_bag:
        return "out-of-bag error";
      case BootstrapError::e632:
        return "0.632 bootstrap error";
      case BootstrapError::e632_plus:
        return "0.632+ bootstrap error";
    }
    return "";
  }

  /// Of groups, whole groups are drawn, so that no group stands on both sides.
  std::vector<Resample> samples(const data::Dataset& dataset) const {
    std::vector<Resample> resamples;
    for (int b = 0; b < options_.resamples; ++b) {
      const std::uint64_t seed =
          core::random_choice(options_.seed, bootstrap_purpose, static_cast<std::uint64_t>(b), ~std::uint64_t{0});
      if (dataset.groups.empty()) {
        resamples.push_back({data::bootstrap(dataset.rows(), seed)});
        continue;
      }
      const auto groups = static_cast<std::size_t>(*std::max_element(dataset.groups.begin(), dataset.groups.end()) + 1);
      const std::vector<std::uint32_t> drawn = data::bootstrap(groups, seed);
      Resample& resample = resamples.emplace_back();
      for (const int group : dataset.groups) {
        resample.drawn.push_back(drawn[static_cast<std::size_t>(group)]);
      }
    }
    return resamples;
  }

  /// Trains once more, on all rows, and asks what the models say of them.
  void add_training_errors(const data::Dataset& dataset, const core::Context& context, Selection& selection,
                           Tables& tables) const;

  double score(const Tables& tables, std::size_t cell, std::span<const std::uint32_t> drawn) const {
    const double out_of_bag = mean_loss(tables.out_of_bag, cell, drawn);
    if (options_.bootstrap == BootstrapError::out_of_bag) {
      return out_of_bag;
    }
    const double training = mean_loss(tables.training, cell, drawn);
    return options_.bootstrap == BootstrapError::e632 ? e632(training, out_of_bag)
                                                      : e632_plus(training, out_of_bag, tables.no_information[cell]);
  }

  HonestEstimate estimate(const data::Dataset& dataset, const Tables& tables, const std::vector<std::size_t>& order,
                          const core::Context& context) const {
    if (options_.bootstrap == BootstrapError::out_of_bag) {
      return bbc_of_smallest_loss(tables.out_of_bag, order, dataset.groups, bbc_options(options_), context);
    }
    HonestEstimate result = bootstrap_bias_corrected(
        dataset.rows(), dataset.groups,
        [&](std::span<const std::uint32_t> drawn) { return resampled_error(tables, order, drawn); },
        bbc_options(options_), context);
    result.rows = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      result.rows += std::isnan(tables.out_of_bag.row(i)[order.front()]) ? 0U : 1U;
    }
    return result;
  }

  /// The cell with the smallest score on the drawn rows, judged out of bag on the others. NaN where no row tells.
  double resampled_error(const Tables& tables, const std::vector<std::size_t>& order,
                         std::span<const std::uint32_t> drawn) const {
    std::vector<double> scores;
    for (const std::size_t cell : order) {
      scores.push_back(score(tables, cell, drawn));
    }
    if (std::isnan(scores.front())) {
      return scores.front();  // rows without a loss are the same for all cells
    }
    const std::size_t chosen =
        order[static_cast<std::size_t>(std::min_element(scores.begin(), scores.end()) - scores.begin())];
    std::vector<std::uint32_t> left_out(drawn.size());
    std::transform(drawn.begin(), drawn.end(), left_out.begin(),
                   [](std::uint32_t times) { return times == 0 ? 1U : 0U; });
    return mean_loss(tables.out_of_bag, chosen, left_out);
  }

  static constexpr std::uint64_t bootstrap_purpose = 632;
  Options options_;
};

void Bootstrap::add_training_errors(const data::Dataset& dataset, const core::Context& context, Selection& selection,
                                    Tables& tables) const {
  const TrainingLabels predicted = training_labels(dataset, options_, context);
  const std::size_t cells = selection.grid.size();
  const std::size_t classes = dataset.class_count();
  const double n = static_cast<double>(dataset.rows());
  tables.training = LossTable(dataset.rows(), cells);
  for (std::size_t k = 0; k < cells; ++k) {
    std::vector<double> share(classes, 0.0);
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      const int label = predicted.label(i, k);
      share[static_cast<std::size_t>(label)] += 1 / n;
      tables.training.row(i)[k] = label != dataset.labels[i] ? 1.0F : 0.0F;
    }
    double no_information = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      no_information += static_cast<double>(selection.class_counts[c]) / n * (1 - share[c]);
    }
    tables.no_information.push_back(no_information);
    selection.grid[k].complete = selection.grid[k].complete && predicted.complete[k];
  }
}

}  // namespace

std::unique_ptr<Selector> make_bootstrap(const Options& options) {
  return std::make_unique<Bootstrap>(options);
}

}  // namespace credence::selection
