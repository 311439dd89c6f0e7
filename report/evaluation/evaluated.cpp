#include <fmt/format.h>

#include "credence/conformal/confidence.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/sentence.hpp"

namespace credence::report {
namespace {

/// What the limits and prediction sets of a nonconformity model rest on, and what they came to on these rows.
void add_nonconformity(const Evaluated& findings, const selection::NonconformityRule& rule, Json& document) {
  document.add("models"_key = rule.models(), "validation_rows"_key = rule.validation_rows(),
               "delta"_key = rule.options().delta, "p_value"_key = core::word(rule.options().p_value),
               "tie"_key = core::word(rule.options().tie), "error_by_eps_crit"_key = error_curve_json(findings.curve),
               "as_strange"_key = as_strange_json(findings.as_strange, findings.labels.rows),
               "prediction_sets"_key = sets_json(findings.sets));
}

void add_predictions(const Evaluated& findings, std::vector<Block> of_rows, Section& section) {
  if (!findings.guarantee.empty()) section.say("What is promised: " + findings.guarantee + ".");
  add_may_miss(findings.may_miss, section);
  if (!findings.sets.empty()) section.add(sets_table(findings.sets));
  if (findings.p_values) {
    section.add(
        level_error_chart(findings.p_values->calibration, Promise::of(findings), "A prediction set", "the true class"));
    add_criteria(*findings.p_values, section);
  }
  if (findings.review) add_review(*findings.review, section);
  if (findings.familiarity) add_familiarity_facts(*findings.familiarity, section);
  for (Block& block : of_rows) section.add(std::move(block));
}

/// "95.77 % (95 % interval 88.14 % to 99.12 %; 68 of 71)".
std::string share_words(const CountedShare& counted) {
  const auto interval = counted.interval();
  return fmt::format("{} ({}{} of {})", shown(counted.value()),
                     interval ? fmt::format("95 % interval {}; ", ends_text(*interval)) : "", counted.part,
                     counted.rows);
}

/// The error, and of two classes sensitivity, specificity, PPV, NPV and AUC. Nothing of rows that trained the model.
void add_sentences(const LabelReport& labels, Story& story) {
  if (!labels.trained_on.empty()) return;
  Sentences sentences;
  sentences.say(fmt::format("On {} that had no part in the training or the choice of the model, the error was {}",
                            count_of(labels.rows, "row"), share_words({labels.errors, labels.rows})));
  sentences.cite(reference::clopper_pearson).say(".");
  if (labels.numbers.of_two()) {
    const AgainstRest& one = labels.numbers.classes.front();
    sentences.say(fmt::format(" With '{}' as the positive class, the sensitivity was {} and the specificity {}.",
                              shown_name(one.name), share_words(one.found), share_words(one.rejected)));
    sentences.say(fmt::format(" The positive predictive value was {} and the negative one {}.", share_words(one.right),
                              share_words(one.right_not)));
    const auto ends = one.auc ? one.auc->interval(LabelReport::interval_delta) : std::nullopt;
    if (one.auc) sentences.say(fmt::format(" The area under the ROC curve was {:.4f}", one.auc->auc));
    if (ends)
      sentences
          .say(fmt::format(" (95 % interval {:.4f} to {:.4f}, of DeLong's variance on the scale of log odds)",
                           ends->lower, ends->upper))
          .cite(reference::delong);
    if (one.auc) sentences.say(".");
  } else {
    sentences.say(fmt::format(" Over the classes, the mean recall was {} and the mean precision {}.",
                              percent(labels.numbers.macro(&AgainstRest::found)),
                              percent(labels.numbers.macro(&AgainstRest::right))));
  }
  sentences.add_to(story);
}

}  // namespace

Promise Promise::of(const Evaluated& findings) {
  return {findings.labels.rows, findings.compared_with,
          findings.made.label_conditional ? findings.labels.confusion.row_sums() : std::vector<std::size_t>(),
          findings.made.smoothed};
}

Story evaluation_story(const Evaluated& findings, const selection::NonconformityRule* rule,
                       std::vector<Block> of_rows) {
  Story story{"Evaluation of a model", evaluated_rows(findings.model, findings.source)};
  Section& good = story.section("chosen", "How good the model is");
  add_labels(findings, good);
  if (findings.probability) add_probability(*findings.probability, good);
  if (findings.limits) add_limits(*findings.limits, story.section("limits", "Decisions with a limit for each class"));
  if (findings.place) add_place(*findings.place, story.section("place", "At other class shares"));
  if (findings.parts) add_parts(*findings.parts, story.section("parts", "Errors by group"));
  add_columns(findings.columns, story);
  add_predictions(findings, std::move(of_rows), story.section("trust", "How far single predictions can be trusted"));
  if (findings.familiarity && !findings.familiarity->unlike.empty())
    add_familiarity(*findings.familiarity, story.section("familiarity", "Rows unlike anything in training"));
  if (rule != nullptr) {
    Section& section = story.section("nonconformity", "How nonconforming the rows are");
    add_error_curve(findings.curve, section);
    add_as_strange(findings.as_strange, findings.labels.rows, *rule, section);
  }
  add_sentences(findings.labels, story);
  add_cost(findings.cost, story);
  return story;
}

Json evaluated_json(const Evaluated& findings, const selection::NonconformityRule* rule) {
  Json document = label_json(findings.labels);
  document["warnings"] = findings.warnings;
  if (findings.probability) document["probability"] = probability_json(*findings.probability);
  if (findings.familiarity) document["familiarity"] = familiarity_json(*findings.familiarity);
  if (findings.review) document["review"] = review_json(*findings.review);
  if (findings.limits) document["limits"] = limit_json(*findings.limits);
  if (findings.parts) document["parts"] = parts_json(*findings.parts);
  if (findings.place) document["prior"] = place_json(*findings.place);
  add_columns(findings.columns, document);
  if (rule != nullptr) add_nonconformity(findings, *rule, document);
  if (!findings.compared_with.empty()) document["compared_with"] = findings.compared_with;
  if (!findings.may_miss.rows.empty()) document["may_miss"] = miss_limits_json(findings.may_miss);
  if (findings.p_values) add_p_values(*findings.p_values, findings.made, findings.guarantee, document);
  return document;
}

}  // namespace credence::report
