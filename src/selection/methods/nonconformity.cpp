#include "selection/methods/nonconformity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "credence/bounds/uniform.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/nonconformity.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/methods/hold_out.hpp"
#include "selection/methods/methods.hpp"

namespace credence::selection {

namespace {

/// Of core::random_choice.
constexpr std::uint64_t tie_purpose = 0x6e6f6e636f6e66;  // "nonconf"

/// The largest and the second largest of at least two counts.
std::pair<Count, Count> two_largest(const Count* counts, std::size_t classes) {
  Count first = std::max(counts[0], counts[1]);
  Count second = std::min(counts[0], counts[1]);
  for (std::size_t y = 2; y < classes; ++y) {
    second = std::max(second, std::min(first, counts[y]));
    first = std::max(first, counts[y]);
  }
  return {first, second};
}

}  // namespace

void NonconformityDecision::start(const double* scores) {
  scores_ = scores;
  critical_ = std::numeric_limits<Count>::max();
  candidates_.clear();
}

void NonconformityDecision::show(std::size_t k, const Count* counts) {
  const auto [largest, eps] = two_largest(counts, classes_);
  if (eps > critical_) return;
  if (eps < critical_) candidates_.clear();
  critical_ = eps;
  for (std::size_t y = 0; y < classes_; ++y)
    if (counts[y] == largest) candidates_.push_back({k, y});
}

NonconformityDecision::Candidate NonconformityDecision::choose(const NonconformityOptions& options,
                                                               std::uint64_t row) const {
  if (options.tie == Tie::random)
    return candidates_[core::random_choice(options.seed, tie_purpose, row, candidates_.size())];
  if (options.tie == Tie::validation_error) return first_in_order(candidates_);
  return first_in_order(with_most_votes());
}

NonconformityDecision::Candidate NonconformityDecision::first_in_order(const std::vector<Candidate>& candidates) const {
  const auto key = [this](const Candidate& c) {
    return std::tuple(errors_[c.model], c.model, -scores_[c.model * classes_ + c.label], c.label);
  };
  return *std::ranges::min_element(candidates, [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
}

std::vector<NonconformityDecision::Candidate> NonconformityDecision::with_most_votes() const {
  std::vector<std::size_t> votes(classes_, 0);
  for (const Candidate& c : candidates_) ++votes[c.label];
  const std::size_t most = *std::ranges::max_element(votes);
  std::vector<Candidate> best;
  std::ranges::copy_if(candidates_, std::back_inserter(best),
                       [&](const Candidate& c) { return votes[c.label] == most; });
  return best;
}

namespace {

void check_finite_scores(const model::Scores& scores, const char* what) {
  if (scores.values.size() != scores.rows * scores.models * scores.classes ||
      scores.labels.size() != scores.rows * scores.models) {
    refuse(fmt::format("the scores of the {} are not rows x models x classes numbers with rows x models labels", what));
  }
  for (const double score : scores.values)
    if (std::isnan(score)) refuse(fmt::format("a score of the {} is not a number", what));
}

void check_labels(std::span<const int> labels, std::size_t rows, std::size_t classes) {
  if (labels.size() != rows)
    refuse(fmt::format("{} validation rows have scores, but {} have labels", rows, labels.size()));
  for (const int label : labels)
    if (label < 0 || static_cast<std::size_t>(label) >= classes)
      refuse(fmt::format("a validation row has class {}, but the classes are 0 to {}", label, classes - 1));
}

/// m_kj = s_k(x_j, y_j), each row sorted.
data::DenseMatrix sorted_margins(const model::Scores& validation, std::span<const int> labels) {
  data::DenseMatrix margins(validation.models, validation.rows);
  for (std::size_t k = 0; k < validation.models; ++k) {
    const auto row = margins.row(k);
    for (std::size_t j = 0; j < validation.rows; ++j) row[j] = validation.at(j, k)[labels[j]];
    std::ranges::sort(row);
  }
  return margins;
}

std::vector<std::size_t> errors_of(const model::Scores& validation, std::span<const int> labels) {
  std::vector<std::size_t> errors(validation.models, 0);
  for (std::size_t j = 0; j < validation.rows; ++j)
    for (std::size_t k = 0; k < validation.models; ++k)
      errors[k] += static_cast<std::size_t>(validation.label(j, k) != labels[j]);
  return errors;
}

/// #{ j : margins[j] <= score } of n >= 1 ascending margins. Without a branch on data, so that the searches of a row
/// overlap in the processor.
Count count_at_most(const double* margins, std::size_t n, double score) {
  const double* base = margins;
  for (std::size_t length = n; length > 1;) {
    const std::size_t half = length / 2;
    base += half & (0 - static_cast<std::size_t>(base[half - 1] <= score));
    length -= half;
  }
  return static_cast<Count>(base - margins) + static_cast<Count>(*base <= score);
}

double p_value(Count count, std::size_t n, PValue kind) {
  return kind == PValue::paper ? static_cast<double>(count) / static_cast<double>(n)
                               : static_cast<double>(count + std::uint64_t{1}) / static_cast<double>(n + 1);
}

void check_sizes(std::size_t models, std::size_t validation_rows, std::size_t classes) {
  if (models < 1 || validation_rows < 1) refuse("nonconformity needs at least one classifier and one validation row");
  if (std::max(models, validation_rows) >= std::numeric_limits<Count>::max())
    refuse("nonconformity takes fewer than 2^32 - 1 classifiers and validation rows");
  if (classes < 2) refuse(fmt::format("nonconformity needs at least 2 classes, not {}", classes));
}

void check_margins(const data::DenseMatrix& margins, const std::vector<std::size_t>& errors) {
  const std::size_t n = margins.columns;
  if (margins.values.size() / n != margins.rows || margins.values.size() % n != 0)
    refuse("the validation margins are not a row for each classifier");
  if (errors.size() != margins.rows) refuse("the validation errors are not one number for each classifier");
  if (std::ranges::any_of(errors, [n](std::size_t count) { return count > n; }))
    refuse("a classifier has more validation errors than there are validation rows");
  for (std::size_t k = 0; k < margins.rows; ++k) {
    const auto row = margins.row(k);
    if (std::ranges::any_of(row, [](double m) { return std::isnan(m); })) refuse("a validation margin is not a number");
    if (!std::ranges::is_sorted(row)) refuse("the validation margins of a classifier do not ascend");
  }
}

}  // namespace

std::vector<std::string> NonconformityOptions::validate() const {
  if (delta > 0 && delta < 1) return {};
  return {fmt::format("delta must be greater than 0 and less than 1, not {}", delta)};
}

NonconformityRule::NonconformityRule(const model::Scores& validation, std::span<const int> labels,
                                     const NonconformityOptions& options)
    : classes_(validation.classes), options_(options) {
  throw_if_any(options_.validate());
  check_sizes(validation.models, validation.rows, classes_);
  check_finite_scores(validation, "validation rows");
  check_labels(labels, validation.rows, validation.classes);
  margins_ = sorted_margins(validation, labels);
  validation_errors_ = errors_of(validation, labels);
}

NonconformityRule::NonconformityRule(data::DenseMatrix margins, std::vector<std::size_t> validation_errors,
                                     std::size_t classes, const NonconformityOptions& options)
    : margins_(std::move(margins)),
      validation_errors_(std::move(validation_errors)),
      classes_(classes),
      options_(options) {
  throw_if_any(options_.validate());
  check_sizes(margins_.rows, margins_.columns, classes_);
  check_margins(margins_, validation_errors_);
}

void NonconformityRule::predict(const model::Scores& block, std::size_t first, model::Prediction& prediction) const {
  if (block.models != models() || block.classes != classes_) {
    refuse(fmt::format("the rule is for {} classifiers of {} classes, but the scores are of {} and {}", models(),
                       classes_, block.models, block.classes));
  }
  check_finite_scores(block, "rows");
  const std::size_t n = validation_rows();
  const double share = options_.delta / static_cast<double>(models());
  const double vc = bounds::vc_deviation(n, 1, share);
  const double dkw = bounds::dkw_deviation(n, share);
  NonconformityDecision decision(validation_errors_, classes_);
  std::vector<Count> counts(models() * classes_);
  for (std::size_t r = 0; r < block.rows; ++r) {
    const std::size_t row = first + r;
    const double* const scores = block.at(r, 0);
    decision.start(scores);
    for (std::size_t k = 0; k < models(); ++k) {
      for (std::size_t y = 0; y < classes_; ++y)
        counts[k * classes_ + y] = count_at_most(margins_.row(k).data(), n, scores[k * classes_ + y]);
      decision.show(k, counts.data() + k * classes_);
    }
    const NonconformityDecision::Candidate chosen = decision.choose(options_, row);
    const double frequency = p_value(decision.critical(), n, PValue::paper);
    prediction.label[row] = static_cast<int>(chosen.label);
    prediction.chosen[row] = static_cast<std::uint32_t>(chosen.model);
    prediction.eps_crit[row] = p_value(decision.critical(), n, options_.p_value);
    prediction.bound_vc[row] = frequency + vc;
    prediction.bound_dkw[row] = frequency + dkw;
    const auto p = prediction.p_value.row(row);
    for (std::size_t y = 0; y < classes_; ++y) p[y] = p_value(counts[chosen.model * classes_ + y], n, options_.p_value);
  }
}

std::size_t NonconformityRule::rank(std::size_t model, double score) const {
  return count_at_most(margins_.row(model).data(), validation_rows(), score);
}

model::Prediction NonconformityRule::prepare(std::size_t rows) const {
  model::Prediction prediction;
  prediction.label.resize(rows);
  prediction.p_value = data::DenseMatrix(rows, classes_);
  prediction.chosen.resize(rows);
  prediction.eps_crit.resize(rows);
  prediction.bound_vc.resize(rows);
  prediction.bound_dkw.resize(rows);
  return prediction;
}

model::Prediction nonconformity(const model::Scores& validation, std::span<const int> labels, const model::Scores& rows,
                                const NonconformityOptions& options) {
  const NonconformityRule rule(validation, labels, options);
  model::Prediction prediction = rule.prepare(rows.rows);
  rule.predict(rows, 0, prediction);
  return prediction;
}

namespace {

/// Algorithm 1 with some of the validation rows, judged on the others. Where each score stands among the margins of all
/// validation rows is found once; a sample then only counts how many of the margins before it were drawn.
class ResampledNonconformity {
 public:
  ResampledNonconformity(const HeldOutRun& run, const NonconformityOptions& options)
      : run_(run), options_(options), position_(run.scores.values.size()) {
    const std::size_t n = run.labels.size();
    const auto margin = [&](std::size_t row, std::size_t k) { return scores().at(row, k)[run_.labels[row]]; };
    for (std::size_t k = 0; k < scores().models; ++k) {
      std::vector<std::size_t> rows = core::numbers_below(n);
      std::ranges::sort(rows, {}, [&](std::size_t row) { return margin(row, k); });
      core::append(order_, rows);
      const auto margins = core::mapped(rows, [&](std::size_t row) { return margin(row, k); });
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t y = 0; y < scores().classes; ++y) {
          position_[(i * scores().models + k) * scores().classes + y] =
              static_cast<std::uint32_t>(std::ranges::upper_bound(margins, scores().at(i, k)[y]) - margins.begin());
        }
      }
    }
  }

  double operator()(std::span<const std::uint32_t> drawn) const {
    const std::size_t n = drawn.size();
    const std::size_t models = scores().models;
    const std::size_t classes = scores().classes;
    std::vector<Count> drawn_before(models * (n + 1), 0);  // (model, rank): drawn among the first `rank` margins
    std::vector<std::size_t> errors(models, 0);
    for (std::size_t k = 0; k < models; ++k) {
      Count* const counts = drawn_before.data() + k * (n + 1);
      for (std::size_t rank = 0; rank < n; ++rank) {
        const std::size_t row = order_[k * n + rank];
        counts[rank + 1] = counts[rank] + drawn[row];
        errors[k] += scores().label(row, k) != run_.labels[row] ? drawn[row] : 0U;
      }
    }
    NonconformityDecision decision(errors, classes);
    std::vector<Count> counts(classes);
    std::size_t wrong = 0;
    std::size_t judged = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (drawn[i] > 0) continue;
      decision.start(scores().at(i, 0));
      for (std::size_t k = 0; k < models; ++k) {
        for (std::size_t y = 0; y < classes; ++y)
          counts[y] = drawn_before[k * (n + 1) + position_[(i * models + k) * classes + y]];
        decision.show(k, counts.data());
      }
      wrong += decision.choose(options_, judged).label != static_cast<std::size_t>(run_.labels[i]) ? 1U : 0U;
      ++judged;
    }
    return static_cast<double>(wrong) / static_cast<double>(judged);
  }

 private:
  const model::Scores& scores() const { return run_.scores; }

  const HeldOutRun& run_;
  NonconformityOptions options_;
  std::vector<std::size_t> order_;       ///< (model, rank): validation rows by ascending margin
  std::vector<std::uint32_t> position_;  ///< (row, model, class): margins of the model that are <= the score
};

}  // namespace

/// Nonconformity model selection: no setting is chosen, each row gets the model that is surest of it.
Selection select_by(const Nonconformity& method, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  const NonconformityOptions rule{method.tie, method.p_value, options.delta, options.seed};
  HeldOutRun run = hold_out(dataset, options, context);
  if (!run.members.empty()) {
    auto predictor = std::make_shared<Ensemble>(run.predictor(dataset));
    predictor->rule = NonconformityRule(run.scores, run.labels, rule);
    run.selection.predictor = std::move(predictor);
    add_bbc(
        options, context, run.labels.size(), run.clusters,
        [&](const core::Context& part) {
          return bootstrap_bias_corrected(run.labels.size(), run.clusters, ResampledNonconformity(run, rule),
                                          bbc_options(options), part);
        },
        run.selection);
  }
  conclude(dataset, context, run.selection);
  return std::move(run.selection);
}

}  // namespace credence::selection
