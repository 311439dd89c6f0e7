#include "report/evaluation/class_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/list.hpp"
#include "credence/model/costs.hpp"
#include "report/text.hpp"

namespace credence::report {

using selection::Score;
using selection::ScoreKind;

namespace {

constexpr std::size_t most_classes_named = 8;

double found_share(const ClassRecall& one) {
  return one.rows == 0 ? 1 : static_cast<double>(one.found) / static_cast<double>(one.rows);
}

}  // namespace

std::string Baseline::rule() const {
  if (name.empty()) return "giving every row the same answer";
  return fmt::format("always naming {}'{}'{}", scale.is_error() ? "the commonest class, " : "", shown_name(name),
                     scale.kind == ScoreKind::weighted_error ? ", the class whose rows weigh most together" : "");
}

std::optional<Baseline> baseline_of(const selection::Selection& selection, bool of_the_choice) {
  const std::vector<double>& shares =
      of_the_choice || selection.judged_shares.empty() ? selection.class_shares : selection.judged_shares;
  if (shares.empty() || shares.size() != selection.classes.size()) return std::nullopt;
  const Score score = selection.options.score;
  Baseline best{{}, 0.5, scale_of(kind_of(score), loss_title(score))};
  if (selection.weighted) best.scale = {ScoreKind::weighted_error, "weighted error"};
  if (score == Score::roc_auc) return best;
  if (score == Score::log_loss) {
    best.error = 0;
    for (const double share : shares) best.error -= share > 0 ? share * std::log(share) : 0;
    return best;
  }
  std::optional<model::DecisionCosts> costs;
  if (score == Score::cost) costs = model::DecisionCosts::parse(selection.options.label_costs, selection.classes);
  std::vector<double> losses(shares.size(), 0.0);  // of always naming each class
  for (std::size_t named = 0; named < losses.size(); ++named) {
    selection::LabelCounts counts(shares.size());
    for (std::size_t c = 0; c < shares.size(); ++c) {
      counts.add(c, named, shares[c]);
      if (c != named) losses[named] += shares[c] * (costs ? costs->of.row(c)[named] : 1);
    }
    if (score != Score::accuracy && !costs) losses[named] = loss_of(score, counts.score(score));
  }
  const auto [least, most] = std::ranges::minmax_element(losses);
  best.error = *least;
  constexpr double rounding = 1e-12;
  if (*most > *least + rounding)  // else all classes do as well, as by balanced accuracy
    best.name = selection.classes[static_cast<std::size_t>(least - losses.begin())];
  return best;
}

std::optional<Baseline> baseline_of(const Confusion& confusion) {
  const std::vector<std::size_t> counts = confusion.row_sums();
  const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (rows == 0) return std::nullopt;
  const auto [fewest, most] = std::ranges::minmax_element(counts);
  return Baseline{*fewest == *most ? "" : confusion.classes[static_cast<std::size_t>(most - counts.begin())],
                  static_cast<double>(rows - *most) / static_cast<double>(rows)};
}

std::optional<double> baseline_error(const selection::Selection& selection) {
  const std::optional<Baseline> baseline = baseline_of(selection, true);
  return baseline && baseline->scale.is_error() ? std::optional(baseline->error) : std::nullopt;
}

std::vector<ClassRecall> recall_of(const Confusion& confusion) {
  const std::vector<std::size_t> rows = confusion.row_sums();
  return core::made(confusion.classes.size(),
                    [&](std::size_t c) { return ClassRecall{confusion.classes[c], rows[c], confusion.counts[c][c]}; });
}

data::DenseMatrix nonconformity_of(const model::Calibration& calibration, std::size_t classes) {
  const std::size_t rows = calibration.labels.size();
  const bool two = calibration.scores.columns == 0 && classes == 2;
  const bool all = calibration.scores.columns == classes && calibration.scores.rows == rows;
  if (rows == 0 || calibration.nonconformity_scores.size() != rows || !(two || all)) return {};
  data::DenseMatrix tried(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const double own = calibration.nonconformity_scores[i];
    for (std::size_t c = 0; c < classes; ++c) {
      const bool is_own = static_cast<int>(c) == calibration.labels[i];
      tried.row(i)[c] = is_own ? own : two ? -own : -calibration.scores.row(i)[c];
    }
  }
  return tried;
}

std::vector<int> labels_of(const model::Calibration& calibration, std::size_t classes) {
  const data::DenseMatrix tried = nonconformity_of(calibration, classes);
  return core::made(tried.rows, [&](std::size_t i) {
    return static_cast<int>(std::ranges::min_element(tried.row(i)) - tried.row(i).begin());
  });
}

std::optional<Confusion> confusion_of(const model::Calibration& calibration, const std::vector<std::string>& classes) {
  const std::vector<int> labels = labels_of(calibration, classes.size());
  if (labels.empty()) return std::nullopt;
  Confusion confusion{classes, {classes.size(), std::vector<std::size_t>(classes.size(), 0)}};
  for (std::size_t i = 0; i < labels.size(); ++i)
    ++confusion.counts.at(static_cast<std::size_t>(calibration.labels[i]))[static_cast<std::size_t>(labels[i])];
  return confusion;
}

std::vector<ClassRecall> recall_of(const model::Calibration& calibration, const std::vector<std::string>& classes) {
  const std::optional<Confusion> confusion = confusion_of(calibration, classes);
  return confusion ? recall_of(*confusion) : std::vector<ClassRecall>();
}

std::string baseline_text(const Baseline& baseline) {
  return fmt::format("{} ({}{})", baseline.scale.text(baseline.error),
                     baseline.scale.is_error() ? "" : baseline.scale.name + " of ", baseline.rule());
}

std::string recall_text(const std::vector<ClassRecall>& recall) {
  std::vector<ClassRecall> named = recall;
  if (named.size() > most_classes_named) {
    std::ranges::stable_sort(
        named, [](const ClassRecall& a, const ClassRecall& b) { return found_share(a) < found_share(b); });
    named.resize(most_classes_named);
  }
  std::string text;
  for (const ClassRecall& one : named)
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", shown_name(one.name), shown(share(one.found, one.rows)));
  return recall.size() > named.size() ? fmt::format("{}; the other {} are found at least as often", text,
                                                    count_of(recall.size() - named.size(), "class"))
                                      : text;
}

Json baseline_json(const std::optional<Baseline>& baseline) {
  if (!baseline) return nullptr;
  const selection::ScoreKind kind = baseline->scale.kind;
  return Json::object("class"_key = baseline->name.empty() ? Json(nullptr) : Json(baseline->name),
                      "error"_key = baseline->error, "weighted"_key = kind == ScoreKind::weighted_error,
                      "score"_key = (baseline->scale.is_turned() ? "1 - " : "") + baseline->scale.name,
                      "score_kind"_key = core::word(kind));
}

Json recall_json(const std::vector<ClassRecall>& recall) {
  if (recall.empty()) return nullptr;
  return Json::list(recall, [](const ClassRecall& one) {
    return Json::object("class"_key = one.name, "n"_key = one.rows, "found"_key = one.found,
                        "recall"_key = share(one.found, one.rows));
  });
}

std::string not_learnt_sentence(const Baseline& baseline, double upper, bool has_recall) {
  if (!(upper >= baseline.error)) return {};
  const Scale& scale = baseline.scale;
  return fmt::format(
      "{} is the {} of {}, and the interval of the honest estimate reaches {}: by this score, these rows do not "
      "show that the model has learnt anything{}",
      scale.text(baseline.error), scale.name, baseline.rule(), scale.text(upper),
      has_recall && scale.is_error() ? "; look at the recall of each class" : "");
}

std::string no_smaller_sentence(const Baseline& baseline, double error, double upper) {
  if (!(upper >= baseline.error)) return {};
  return fmt::format(
      "the error {} no smaller than that of {}, {}: its interval reaches {}; look at the recall of each class",
      error < baseline.error ? "may be" : "is", baseline.rule(), percent(baseline.error), percent(upper));
}

std::string rare_classes_sentence(const std::vector<ClassRecall>& recall, const std::string& advice) {
  std::size_t rows = 0;
  for (const ClassRecall& one : recall) rows += one.rows;
  std::vector<std::string> missed;
  for (const ClassRecall& one : recall) {
    const bool rare = 2 * one.rows * recall.size() < rows;
    if (rare && one.rows > 0 && 2 * one.found < one.rows)
      missed.push_back(fmt::format("'{}' ({} of {} rows found)", one.name, one.found, one.rows));
  }
  if (missed.empty()) return {};
  const std::size_t more = missed.size() > most_classes_named ? missed.size() - most_classes_named : 0;
  const bool one = missed.size() == 1;
  missed.resize(missed.size() - more);
  return fmt::format("{} mostly missed: {}{}{}{}", one ? "a rare class is" : "rare classes are",
                     fmt::join(missed, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                     advice.empty() ? "" : "; to find more of them, ", advice);
}

}  // namespace credence::report
