#include "report/decisions/list_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "credence/bounds/discovery.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/core/error.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// Whether p-values compare new rows with one list of rows that were set aside.
bool compares_with_rows_set_aside(const model::Predictor& model) {
  if (const conformal::ConformalPredictor* predictor = conformal::as_conformal(model))
    return predictor->is_split() && !predictor->effective_rows() && !predictor->is_of_new_groups() && !predictor->by;
  return model.capabilities().p_values == model::PValueSource::calibration &&
         model.calibration.p_values == model::PValues::split && model.calibration.region_of.empty();
}

}  // namespace

bool wants_list(const ListOptions& options) {
  return !options.find.empty() || options.unfamiliar || options.fdr.has_value();
}

void check_list(const model::Predictor& model, const ListOptions& options, const conformal::PValueOptions& made) {
  if (!wants_list(options)) return;
  if (!options.find.empty() && options.unfamiliar)
    refuse("--find and --unfamiliar are two lists; ask for one at a time");
  if (options.find.empty() && !options.unfamiliar) refuse("--fdr needs --find or --unfamiliar, which make a list");
  if (!options.fdr) refuse("--find and --unfamiliar need --fdr, the false discovery rate of the list");
  if (*options.fdr >= 1) refuse(fmt::format("--fdr: a rate lies between 0 and 1, not at {}", *options.fdr));
  if (options.unfamiliar) {
    if (model.known_rows.rows() == 0) refuse("--unfamiliar: this model keeps no rows of its training");
    // Scaled by their own moments, few rows lie nearer to each other in many columns than a new row does to them.
    if (model.known_rows.columns() >= model.known_rows.rows())
      refuse("--unfamiliar: nothing is proved of the rate unless the model keeps more training rows than columns");
    return;
  }
  const std::vector<std::string>& classes = model.schema.classes;
  if (std::ranges::find(classes, options.find) == classes.end())
    refuse(fmt::format("--find: '{}' is no class; the classes are {}", options.find, fmt::join(classes, ", ")));
  if (classes.size() != 2) refuse("--find: nothing is proved of the rate with more than two classes");
  if (!compares_with_rows_set_aside(model))
    refuse(
        "--find: nothing is proved of the rate unless all new rows are compared with the same rows set aside (select "
        "--p-values split, conformal fit --mode inductive)");
  if (made.smoothed) refuse("--find takes p-values that are not smoothed");
}

RowList row_list(const model::Predictor& model, const ListOptions& options, const model::Prediction& prediction) {
  RowList list;
  if (options.unfamiliar) {
    list.found = bounds::discoveries(prediction.familiarity, *options.fdr, bounds::Dependence::any);
  } else {
    const std::size_t other = model.schema.classes.front() == options.find ? 1 : 0;
    std::vector<double> p;
    for (std::size_t row = 0; row < prediction.p_value.rows; ++row) p.push_back(prediction.p_value.row(row)[other]);
    list.found = bounds::discoveries(p, *options.fdr);
  }
  list.count = static_cast<std::size_t>(std::ranges::count(list.found, true));
  const std::string rate = fmt::format("on average at most a share of {} of these marks is wrong", *options.fdr);
  list.sentence =
      options.unfamiliar
          ? fmt::format(
                "{} marked as unlike the {} that the model keeps; {}, if familiar rows and training rows are "
                "exchangeable and the scaling treats them alike",
                count_of(list.count, "row"), count_of(model.known_rows.rows(), "training row"), rate)
          : fmt::format("{} marked as '{}'; {}, if rows of the other class are exchangeable with those set aside",
                        count_of(list.count, "row"), options.find, rate);
  return list;
}

void add_review(Columns& columns, const conformal::Review& review) {
  columns.push_back(
      {"review", [&review](std::string& text, std::size_t row) { text += core::word(review.reasons[row]); }});
}

std::string review_sentence(std::span<const conformal::ReviewReason> reasons) {
  std::vector<std::string> counted;
  std::size_t marked = 0;
  for (const auto& [word, reason] : words_of(conformal::ReviewReason{})) {
    const auto count = static_cast<std::size_t>(std::ranges::count(reasons, reason));
    if (reason == conformal::ReviewReason::none || count == 0) continue;
    counted.push_back(fmt::format("{} {}", count, word));
    marked += count;
  }
  return fmt::format("{} of {} to review{}{}", marked, count_of(reasons.size(), "row"), counted.empty() ? "" : ": ",
                     fmt::join(counted, ", "));
}

void add_found(Columns& columns, const RowList& list) {
  columns.push_back({"found", [&list](std::string& text, std::size_t row) { text += list.found[row] ? "yes" : "no"; }});
}

}  // namespace credence::report
