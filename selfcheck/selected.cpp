#include "selfcheck/selected.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/cross_regression.hpp"
#include "credence/core/error.hpp"
#include "credence/data/row_key.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selfcheck {
namespace {

constexpr std::uint64_t selected_purpose = 1806;
constexpr std::size_t rows_of_a_trial = 20;
constexpr std::size_t rows_that_count = 1000;
constexpr double selected_delta = 0.05;

std::shared_ptr<const model::Predictor> select_and_fit(const data::Dataset& dataset, const selection::Options& options,
                                                       selection::Selection& selection, const core::Context& context) {
  selection = selection::Selector(options).select(dataset, context);
  return selection::fitted(dataset, selection, context);
}

double error_of_choice(const model::Predictor& model, const data::Dataset& fresh, const core::Context& context) {
  const model::Prediction prediction = model.predict(fresh, context);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < fresh.rows(); ++i) errors += prediction.label[i] != fresh.labels[i] ? 1U : 0U;
  return static_cast<double>(errors) / static_cast<double>(fresh.rows());
}

/// 1 - the mean share of right labels in each class.
double balanced_error_of(const model::Predictor& model, const data::Dataset& fresh, const core::Context& context) {
  const model::Prediction prediction = model.predict(fresh, context);
  selection::LabelCounts counts(fresh.class_count());
  for (std::size_t i = 0; i < fresh.rows(); ++i)
    counts.add(static_cast<std::size_t>(fresh.labels[i]), static_cast<std::size_t>(prediction.label[i]));
  return 1 - counts.score(selection::Score::balanced_accuracy);
}

double squared_error_of(const model::Predictor& model, const data::Dataset& fresh, const core::Context& context) {
  const model::Prediction prediction = model.predict(fresh, context);
  double sum = 0;
  for (std::size_t i = 0; i < fresh.rows(); ++i) sum += std::pow(fresh.targets[i] - prediction.mean[i], 2);
  return sum / static_cast<double>(fresh.rows());
}

/// Adds delta if the interval around the honest estimate misses the truth. An estimate without an interval says
/// nothing.
void add_missed(const selection::HonestEstimate& honest, double truth, std::vector<double>& values) {
  if (!honest.lower || !honest.upper) return;
  values.push_back(*honest.lower > truth || *honest.upper < truth ? selected_delta : never);
}

Example noisy_sine(std::size_t known, std::size_t fresh, std::uint64_t seed) {
  core::RandomStream random(seed, selected_purpose);
  data::DenseMatrix x(known + fresh, 1);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.rows; ++i) {
    x.row(i)[0] = random.uniform();
    y.push_back(std::sin(8 * x.row(i)[0]) + 0.3 * random.normal());
  }
  const data::Dataset all = data::make_regression_dataset(x, y);
  std::vector<std::size_t> rows(x.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::span<const std::size_t> whole(rows);
  return {all.select_rows(whole.first(known)), all.select_rows(whole.subspan(known))};
}

selection::Options of_a_regression(std::uint64_t seed) {
  selection::Options options;
  options.task = data::Task::regression;
  options.method = selection::CrossValidation{.folds = 5};
  options.kernels.gamma = kernel::parse_gammas("0.5,8");
  options.seed = seed;
  return options;
}

/// One setting, judged on rows held out, and the very model that was judged.
selection::Options one_setting(std::uint64_t seed) {
  selection::Options options = small_grid(selection::HoldOut{});
  options.refit = selection::Refit::training_rows;
  options.costs.C = {4};
  options.kernels.gamma = kernel::parse_gammas("0.5");
  options.seed = seed;
  return options;
}

}  // namespace

selection::Options small_grid(const selection::Method& method) {
  selection::Options options;
  options.method = method;
  options.costs.C = {0.25, 8};
  options.kernels.gamma = kernel::parse_gammas("0.05,1");
  options.estimate = selection::Estimate::none;
  return options;
}

std::vector<Setting> of_selected(const std::vector<Place>& places, const selection::Options& options,
                                 bool label_conditional) {
  std::vector<Setting> settings;
  for (const Place& place : places) {
    const Problem& law = problem(place.problem);
    const auto trial = [=, &law](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      core::RandomStream random(seed, selected_purpose);
      const Example example = draw_example(law, {place.n, rows_of_a_trial, {}, rows_of_a_trial + 5}, random);
      selection::Options own = options;
      own.seed = seed;
      selection::Selection selection;
      const auto model = select_and_fit(example.known, own, selection, context);
      const model::Prediction prediction =
          conformal::predict_with_confidence(*model, example.fresh, {true, label_conditional, seed}, context);
      for (std::size_t i = 0; i < rows_of_a_trial; ++i) values.push_back(prediction.p_value.row(i)[example.truth(i)]);
    };
    settings.push_back({law.name, place.n, trial});
  }
  return settings;
}

TrueClass proved_grade(int folds) {
  selection::Options options = small_grid(selection::KFoldNested{.folds = folds});
  options.p_values = model::PValues::nested;
  return [options](const Example& example, const conformal::PValueOptions& p_values, const core::Context& context) {
    selection::Options own = options;
    own.seed = p_values.seed;
    selection::Selection selection;
    const auto model = select_and_fit(example.known, own, selection, context);
    if (model->calibration.p_values != model::PValues::nested)
      throw Error(ErrorCode::invalid_argument, "a model of the grade proved does not call its p-values proved");
    const model::Prediction prediction = conformal::predict_with_confidence(*model, example.fresh, p_values, context);
    return prediction.p_value.row(0)[example.truth()];
  };
}

TrueClass held_out_model() {
  return [](const Example& example, const conformal::PValueOptions& p_values, const core::Context& context) {
    selection::Selection selection;
    selection::Options options = one_setting(p_values.seed);
    options.estimate = selection::Estimate::none;
    const auto model = select_and_fit(example.known, options, selection, context);
    if (!model->calibration.exact())
      throw Error(ErrorCode::invalid_argument, "a model judged on rows held out does not call its p-values exact");
    const model::Prediction prediction = conformal::predict_with_confidence(*model, example.fresh, p_values, context);
    return prediction.p_value.row(0)[example.truth()];
  };
}

TrueClass around_cells() {
  selection::Options options = small_grid(selection::Regions{.region_size = 30, .folds = 3});
  options.costs.C = {1, 64};
  options.kernels.gamma = kernel::parse_gammas("0.5,4");
  return [options](const Example& example, const conformal::PValueOptions& p_values, const core::Context& context) {
    const conformal::Train train = [&](const data::Dataset& rows, const core::Context& own) {
      const selection::Selection chosen = selection::Selector(options).select(rows, own);
      if (chosen.partition()->regions < 2)
        throw Error(ErrorCode::invalid_argument, "a selection in regions has one region");
      return conformal::classifier_of(*chosen.predictor);
    };
    const auto predictor = conformal::fit_inductive(example.known, {}, p_values, train, context);
    return predictor->predict(example.fresh, context).p_value.row(0)[example.truth()];
  };
}

std::vector<Setting> of_honest_intervals(const std::vector<Place>& places, const selection::Options& options) {
  std::vector<Setting> settings;
  for (const Place& place : places) {
    const Problem& law = problem(place.problem);
    const auto trial = [=, &law](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      core::RandomStream random(seed, selected_purpose);
      const Example example = draw_example(law, {place.n, rows_that_count, {}, 30}, random);
      selection::Options own = options;
      own.seed = seed;
      own.estimate_samples = 300;
      selection::Selection selection;
      const auto model = select_and_fit(example.known, own, selection, context);
      const bool balanced = options.score == selection::Score::balanced_accuracy;
      const double truth = (balanced ? balanced_error_of : error_of_choice)(*model, example.fresh, context);
      add_missed(selection.honest.value(), truth, values);
    };
    settings.push_back({law.name, place.n, trial});
  }
  return settings;
}

std::vector<Setting> of_held_out_intervals(const std::vector<std::size_t>& sizes) {
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    const auto trial = [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      core::RandomStream random(seed, selected_purpose);
      const Example example = draw_example(problem("noise"), {n, 1, {}, 0}, random);
      const selection::Selection selection = selection::Selector(one_setting(seed)).select(example.known, context);
      const std::vector<bool> held_out = selection::validation_split(example.known, selection.options);
      const auto m = static_cast<std::size_t>(std::ranges::count(held_out, true));
      const double share = selection.grid[selection.best.value()].error;
      const auto errors = static_cast<std::size_t>(std::lround(share * static_cast<double>(m)));
      values.push_back(breaking_level([&](double level) {
        const bounds::Interval limits = bounds::clopper_pearson(errors, m, level);
        return limits.lower > 0.5 || limits.upper < 0.5;
      }));
    };
    settings.push_back({"noise", n, trial});
  }
  return settings;
}

std::vector<Setting> of_error_bounds(const std::vector<std::size_t>& sizes, const selection::Options& options,
                                     bool proved) {
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    const auto trial = [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      core::RandomStream random(seed, selected_purpose);
      Example example = draw_example(problem("noise"), {n, 1, {}, 4}, random);
      if (proved && options.traits().folds) {
        // Folds that look at no label: rows come in no order.
        for (std::size_t i = 0; i < n; ++i)
          example.known.folds.push_back(static_cast<int>(i % options.resample_count(n)));
      }
      values.push_back(breaking_level([&](double level) {
        selection::Options own = options;
        own.seed = seed;
        own.delta = level;
        const selection::Selection selection = selection::Selector(own).select(example.known, context);
        const selection::InSample* found = selection.in_sample();
        const std::vector<std::string>& gaps = found != nullptr ? found->gaps : selection.estimation()->gaps;
        if (proved && !gaps.empty()) throw Error(ErrorCode::invalid_argument, "not proved: " + gaps.front());
        return (found != nullptr ? found->error_bound_upper : selection.error_bound().value()) < 0.5;
      }));
    };
    settings.push_back({"noise", n, trial});
  }
  return settings;
}

selection::Options in_sample(const selection::Method& method) {
  selection::Options options;
  options.method = method;
  options.in_sample.united = true;
  if (options.looks_at("term")) options.in_sample.term = selection::ComplexityTerm::trials;
  options.kernels.types = {kernel::KernelType::linear};
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.costs.rho = {0.01, 1, 100};
  return options;
}

selection::Options nested_estimation(bool united) {
  selection::Options options = small_grid(selection::KFoldNested{.folds = 3});
  options.united = united;
  options.final_classifier = selection::FinalClassifier::random;
  return options;
}

std::vector<Setting> of_selected_regressions(const std::vector<std::size_t>& sizes) {
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    const auto trial = [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      const Example example = noisy_sine(n, rows_of_a_trial, seed);
      selection::Options options = of_a_regression(seed);
      options.estimate = selection::Estimate::none;
      selection::Selection selection;
      const auto model = select_and_fit(example.known, options, selection, context);
      const model::Prediction said = conformal::predict_with_confidence(*model, example.fresh, {}, context);
      const conformal::Ranks ranks = conformal::regression_of(*model).ranks(said, example.fresh.targets);
      const data::DenseMatrix p =
          conformal::p_values(ranks, {.smoothed = true, .seed = seed}, data::row_keys(example.fresh.features));
      for (std::size_t i = 0; i < rows_of_a_trial; ++i) values.push_back(p.row(i)[0]);
    };
    settings.push_back({"a noisy sine", n, trial});
  }
  return settings;
}

std::vector<Setting> of_squared_errors(const std::vector<std::size_t>& sizes) {
  std::vector<Setting> settings;
  for (const std::size_t n : sizes) {
    const auto trial = [=](std::uint64_t seed, const core::Context& context, std::vector<double>& values) {
      const Example example = noisy_sine(n, rows_that_count, seed);
      selection::Options options = of_a_regression(seed);
      options.estimate = selection::Estimate::bbc;
      options.estimate_samples = 300;
      selection::Selection selection;
      const auto model = select_and_fit(example.known, options, selection, context);
      add_missed(selection.honest.value(), squared_error_of(*model, example.fresh, context), values);
    };
    settings.push_back({"a noisy sine", n, trial});
  }
  return settings;
}

}  // namespace credence::selfcheck
