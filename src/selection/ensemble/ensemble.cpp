#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/model/members.hpp"
#include "credence/selection/ensemble.hpp"

namespace credence::selection {

namespace {

constexpr std::uint64_t drawing_purpose = 0x5241'4E44'4F4D'0001;

/// What a rule fills in.
struct Filled {
  bool score = false;
  bool chosen = false;
  bool region = false;
  std::size_t decisions = 0;  ///< for each row
};

Filled filled_by(const FirstRule&, std::size_t classes) {
  return {.score = true, .region = true, .decisions = classes == 2 ? 1u : 0u};
}
Filled filled_by(const VoteRule& rule, std::size_t) {
  return {.score = rule.members.size() == 1};
}
Filled filled_by(const AverageRule&, std::size_t classes) {
  return {.score = true, .decisions = classes == 2 ? 1 : classes};
}
Filled filled_by(const auto&, std::size_t) {
  return {.chosen = true};
}

model::Prediction prepare(const NonconformityRule& rule, std::size_t rows, std::size_t) {
  return rule.prepare(rows);
}

model::Prediction prepare(const auto& rule, std::size_t rows, std::size_t classes) {
  const Filled filled = filled_by(rule, classes);
  model::Prediction prediction;
  prediction.label.resize(rows);
  if (filled.score) prediction.score = data::DenseMatrix(rows, classes);
  if (filled.chosen) prediction.chosen.resize(rows);
  if (filled.region) prediction.region_of.resize(rows);
  if (filled.decisions > 0) prediction.decision = data::DenseMatrix(rows, filled.decisions);
  return prediction;
}

void decide(const FirstRule&, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    prediction.label[first + r] = block.label(r, 0);
    prediction.region_of[first + r] = block.region_of[r];
    std::copy_n(block.at(r, 0), block.classes, prediction.score.row(first + r).begin());
    if (block.classes == 2) prediction.decision.row(first + r)[0] = block.at(r, 0)[1];
  }
}

void decide(const NonconformityRule& rule, const model::Scores& block, std::size_t first,
            model::Prediction& prediction) {
  rule.predict(block, first, prediction);
}

void decide(const MaxMarginRule&, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    const LargestMargin largest = largest_margin(block, r);
    prediction.chosen[first + r] = static_cast<std::uint32_t>(largest.model);
    prediction.label[first + r] = largest.label;
  }
}

void decide(const VoteRule& rule, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    prediction.label[first + r] = majority(rule, block, r);
    if (rule.members.size() == 1)
      std::copy_n(block.at(r, rule.members.front()), block.classes, prediction.score.row(first + r).begin());
  }
}

/// Makes the scores of a row its decision values.
void take_scores(std::size_t row, model::Prediction& prediction) {
  const std::span<const double> scores = prediction.score.row(row);
  const std::span<double> decisions = prediction.decision.row(row);
  std::ranges::copy(scores.last(decisions.size()), decisions.begin());
}

void decide(const AverageRule& rule, const model::Scores& block, std::size_t first, model::Prediction& prediction) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    prediction.label[first + r] = average(rule, block, r, prediction.score.row(first + r));
    take_scores(first + r, prediction);
  }
}

/// Draws are decided before any score is computed.
void decide(const DrawRule&, const model::Scores&, std::size_t, model::Prediction&) {}

void check(const Ensemble& ensemble) {
  if (ensemble.members.empty()) refuse("the ensemble has no members");
  const std::vector<std::uint32_t>* const members = taking_part(ensemble);
  if (members == nullptr) return;
  const std::size_t models = ensemble.members.count();
  if (members->empty() || std::ranges::any_of(*members, [&](std::uint32_t k) { return k >= models; }))
    refuse("the models that take part are none, or not all of the ensemble");
}

/// Rows go to the members that are drawn for them.
model::Prediction predict_drawn(const Ensemble& ensemble, const data::Dataset& rows, const core::Context& context) {
  model::Prediction prediction = prepare(DrawRule(), rows.rows(), ensemble.schema.classes.size());
  std::vector<std::vector<std::size_t>> rows_of(ensemble.members.count());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t member = ensemble.drawn(rows.features, i);
    prediction.chosen[i] = static_cast<std::uint32_t>(member);
    rows_of[member].push_back(i);
  }
  std::size_t first = 0;
  for (const model::Members::Part& part : ensemble.members.parts) {
    for (std::size_t k = 0; k < part.family->models(); ++k) {
      const std::vector<std::size_t>& own = rows_of[first + k];
      if (own.empty()) continue;
      const data::Features features =
          part.preprocessing.value_or(ensemble.preprocessing).apply(rows.select_rows(own), data::UnknownLevel::ignore);
      const model::Scores scores = part.family->score_all(features, context);
      for (std::size_t a = 0; a < own.size(); ++a) prediction.label[own[a]] = scores.label(a, k);
    }
    first += part.family->models();
  }
  return prediction;
}

/// The mean of members in several parts.
model::Prediction predict_mean(const Ensemble& ensemble, const AverageRule& rule, const data::Dataset& rows,
                               const core::Context& context) {
  model::Prediction prediction = prepare(rule, rows.rows(), ensemble.schema.classes.size());
  ensemble.members.score_means({rule.members}, rows, ensemble.preprocessing, context,
                               [&](std::size_t first, std::size_t, const model::Scores& mean) {
                                 for (std::size_t r = 0; r < mean.rows; ++r) {
                                   prediction.label[first + r] = mean.label(r, 0);
                                   std::copy_n(mean.at(r, 0), mean.classes, prediction.score.row(first + r).begin());
                                   take_scores(first + r, prediction);
                                 }
                               });
  return prediction;
}

/// Rows that a rule compares among members in several parts.
model::Prediction predict_together(const Ensemble& ensemble, const data::Dataset& rows, const core::Context& context) {
  constexpr std::size_t at_once = 4096;
  return std::visit(
      [&](const auto& own) {
        model::Prediction prediction = prepare(own, rows.rows(), ensemble.schema.classes.size());
        for (std::size_t first = 0; first < rows.rows(); first += at_once) {
          const auto some = core::numbers_from(first, std::min(at_once, rows.rows() - first));
          decide(own, ensemble.members.score_all(rows.select_rows(some), ensemble.preprocessing, context), first,
                 prediction);
        }
        return prediction;
      },
      ensemble.rule);
}

}  // namespace

void Ensemble::set_family(std::shared_ptr<const model::ClassifierFamily> own) {
  members.parts = {{.family = std::move(own)}};
}

const model::ClassifierFamily& Ensemble::family() const {
  if (const model::ClassifierFamily* const own = members.alone()) return *own;
  refuse("members in several parts, or with a preprocessing of their own, predict from raw rows");
}

std::size_t Ensemble::drawn(const data::Features& rows, std::size_t row) const {
  const auto* const draw = std::get_if<DrawRule>(&rule);
  if (draw == nullptr || members.empty()) refuse("there is no classifier to draw");
  return static_cast<std::size_t>(
      core::random_choice(draw->seed, drawing_purpose, data::row_key(rows, row), members.count()));
}

model::Prediction Ensemble::predict(const data::Dataset& rows, const core::Context& context) const {
  check(*this);
  check_columns(rows);
  if (std::get_if<DrawRule>(&rule) != nullptr) return predict_drawn(*this, rows, context);
  if (const auto* const average = std::get_if<AverageRule>(&rule)) return predict_mean(*this, *average, rows, context);
  const bool together = members.alone() == nullptr && std::get_if<FirstRule>(&rule) == nullptr;
  return together ? predict_together(*this, rows, context) : predict_preprocessed(preprocessed(rows), context);
}

model::Prediction Ensemble::predict_preprocessed(const data::Features& rows, const core::Context& context) const {
  check(*this);
  if (std::get_if<DrawRule>(&rule) != nullptr) refuse("classifiers are drawn by raw rows, which these are not");
  return std::visit(
      [&](const auto& own) {
        model::Prediction prediction = prepare(own, rows.rows(), family().classes());
        family().score(rows, context,
                       [&](std::size_t first, const model::Scores& block) { decide(own, block, first, prediction); });
        return prediction;
      },
      rule);
}

std::shared_ptr<const model::ClassifierFamily> Ensemble::classifiers() const {
  const bool one = std::get_if<FirstRule>(&rule) != nullptr && members.alone() != nullptr;
  return one ? members.parts.front().family : nullptr;
}

model::Capabilities Ensemble::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.models = members.count();
  std::visit(core::Overload{[&](const FirstRule&) { able.models.reset(); },
                            [&](const NonconformityRule&) { able.p_values = model::PValueSource::nonconformity; },
                            [&](const VoteRule& vote) { able.voting = vote.members.size(); },
                            [&](const AverageRule& average) { able.models = average.members.size(); },
                            [&](const DrawRule& draw) { able.drawing_seed = draw.seed; }, [](const auto&) {}},
             rule);
  if (!names.empty()) able.chosen = names.size() > 1;
  able.precomputed = !members.empty() && members.parts.front().family->is_precomputed();
  return able;
}

namespace {

/// "812 support vectors"; empty where nobody counts.
std::string parts_text(const model::Members& members) {
  std::size_t support = 0;
  for (const model::Members::Part& part : members.parts) support += part.family->support_count();
  return support == 0 ? "" : core::count_of(support, "support vector");
}

}  // namespace

std::string Ensemble::description() const {
  const bool averages = std::get_if<AverageRule>(&rule) != nullptr;
  const std::string shared = members.alone() != nullptr ? members.alone()->shared_parts()
                             : averages                 ? parts_text(members)
                                                        : "";
  const std::string all = core::count_of(members.count(), "model");
  std::string text = std::visit(
      core::Overload{[&](const FirstRule&) { return std::string(); },
                     [&](const VoteRule& vote) {
                       return vote.members.size() == 1 ? "one of " + all
                                                       : fmt::format("{} of {} vote", vote.members.size(), all);
                     },
                     [&](const AverageRule& average) {
                       return "the average of " + core::count_of(average.members.size(), "model");
                     },
                     [&](const DrawRule& draw) {
                       return fmt::format("{}, one drawn for each row with seed {}",
                                          core::count_of(members.count(), "classifier"), draw.seed);
                     },
                     [&](const auto&) { return all; }},
      rule);
  if (!shared.empty()) text += (text.empty() ? "" : ", ") + shared;
  text += ", " + Predictor::description();
  return validation_rows == 0 ? text : text + fmt::format(", judged on {}", validation_rows);
}

std::vector<std::string> Ensemble::decision_names() const {
  const bool averages = std::get_if<AverageRule>(&rule) != nullptr;
  if (!averages && std::get_if<FirstRule>(&rule) == nullptr) return {};
  if (schema.classes.size() == 2) return {"decision_value"};
  std::vector<std::string> columns;
  for (const std::string& name : schema.classes)
    if (averages) columns.push_back(fmt::format("decision_value_{}_vs_rest", name));
  return columns;
}

std::vector<model::ModelParameter> Ensemble::parameters() const {
  std::vector<model::ModelParameter> parameters;
  if (std::get_if<DrawRule>(&rule) != nullptr) {
    parameters.push_back({"chosen", std::vector<double>(members.count())});
    std::iota(parameters.back().values.begin(), parameters.back().values.end(), 1.0);
  }
  const auto add = [&](const char* name, auto MemberName::*parameter) {
    model::ModelParameter one{name, {}};
    for (const MemberName& member : names) one.values.push_back(static_cast<double>(member.*parameter));
    if (std::ranges::any_of(one.values, [](double value) { return value > 0; })) parameters.push_back(std::move(one));
  };
  add("C", &MemberName::C);
  add("nu", &MemberName::nu);
  add("gamma", &MemberName::gamma);
  add("k", &MemberName::k);
  return parameters;
}

const Ensemble* as_ensemble(const model::Predictor& model) {
  return dynamic_cast<const Ensemble*>(&model);
}

const std::vector<std::uint32_t>* taking_part(const Ensemble& ensemble) {
  if (const auto* vote = std::get_if<VoteRule>(&ensemble.rule)) return &vote->members;
  const auto* const average = std::get_if<AverageRule>(&ensemble.rule);
  return average != nullptr ? &average->members : nullptr;
}

const NonconformityRule* nonconformity_rule(const model::Predictor& model) {
  const Ensemble* const ensemble = as_ensemble(model);
  return ensemble == nullptr ? nullptr : std::get_if<NonconformityRule>(&ensemble->rule);
}

LargestMargin largest_margin(const model::Scores& scores, std::size_t row) {
  const double* first = scores.at(row, 0);
  const double* last = first + scores.models * scores.classes;
  const double* largest = std::max_element(first, last);
  const auto position = static_cast<std::size_t>(largest - first);
  return {position / scores.classes, static_cast<int>(position % scores.classes), *largest};
}

int majority(const VoteRule& rule, const model::Scores& scores, std::size_t row) {
  std::vector<std::size_t> votes(scores.classes, 0);
  for (const std::uint32_t member : rule.members) ++votes[static_cast<std::size_t>(scores.label(row, member))];
  const std::size_t most = *std::ranges::max_element(votes);
  const int first = scores.label(row, rule.members.front());
  return votes[static_cast<std::size_t>(first)] == most
             ? first
             : static_cast<int>(std::ranges::find(votes, most) - votes.begin());
}

int average(const AverageRule& rule, const model::Scores& scores, std::size_t row, std::span<double> mean) {
  return model::mean_of_clipped(scores, row, rule.members, mean);
}

}  // namespace credence::selection
