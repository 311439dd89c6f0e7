#include "report/decisions/place_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "credence/conformal/decision.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {

Place Place::of(const model::Predictor& model, const std::string& prior, model::Prediction& prediction) {
  Place place;
  place.kept = model::kept_shares(model);
  place.estimated = prior == "estimate";
  if (place.estimated) {
    if (prediction.probability.columns == 0) refuse("class shares are estimated from probabilities; add --probability");
    place.shares = model::estimate_shares(prediction.probability, place.kept);
  } else {
    const auto given =
        conformal::numbers_of_classes(core::parse_named_numbers(prior), model.schema.classes, "class share");
    place.shares = model::whole_shares(given, place.kept);
  }
  if (prediction.probability.columns > 0) model::reweigh(prediction, place.kept, place.shares);
  return place;
}

PlaceReport place_report(const Place& place, const std::vector<std::string>& classes,
                         const std::vector<std::vector<std::size_t>>& counts, const model::DecisionCosts* costs) {
  PlaceReport report{classes, place, 0.0, {0, 0}, {}};
  if (costs != nullptr) report.cost = 0.0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::size_t rows = std::accumulate(counts[c].begin(), counts[c].end(), std::size_t{0});
    if (rows == 0) return {classes, place, {}, {0, 1}, {}};
    const std::size_t errors = rows - counts[c][c];
    const double of_row = place.shares[c] / static_cast<double>(rows);
    const bounds::Interval own =
        bounds::clopper_pearson(errors, rows, PlaceReport::delta / static_cast<double>(classes.size()));
    *report.error += of_row * static_cast<double>(errors);
    report.interval.lower += place.shares[c] * own.lower;
    report.interval.upper += place.shares[c] * own.upper;
    for (std::size_t d = 0; costs != nullptr && d < classes.size(); ++d)
      *report.cost += of_row * costs->of.row(c)[d] * static_cast<double>(counts[c][d]);
  }
  return report;
}

std::string place_sentence(const Place& place, const std::vector<std::string>& classes) {
  return fmt::format("probabilities assume the class shares {}{}", shares_text(classes, place.shares),
                     place.estimated ? ", estimated from these rows; nothing is proved of the estimate" : "") +
         "; labels still assume the class shares of the training rows";
}

void add_place(const PlaceReport& report, Section& section) {
  const std::vector<std::string> names = core::mapped(report.classes, [](auto& name) { return shown_name(name); });
  section.fact("shares", shares_text(names, report.place.shares) + (report.place.estimated ? " (estimated)" : ""));
  if (!report.error) return section.fact("error at shares", "not known, as a class has no row here");
  section.fact("error at shares", fmt::format("{}; 95 % interval {}, if rows of each class are like these",
                                              percent(*report.error), ends_text(report.interval)));
  if (report.cost) section.fact("cost at shares", fmt::format("{:.4g} a row", *report.cost));
}

Json place_json(const PlaceReport& report) {
  Json shares = Json::object();
  for (std::size_t c = 0; c < report.classes.size(); ++c) shares[report.classes[c]] = report.place.shares[c];
  return Json::object(
      "class_shares"_key = std::move(shares), "estimated"_key = report.place.estimated, "error"_key = report.error,
      "interval"_key = Json::object("lower"_key = report.interval.lower, "upper"_key = report.interval.upper,
                                    "confidence"_key = 1 - PlaceReport::delta),
      "cost"_key = report.cost);
}

}  // namespace credence::report
