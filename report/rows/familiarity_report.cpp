#include "report/rows/familiarity_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/bounds/split_conformal.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"
#include "report/text.hpp"

namespace credence::report {

namespace {

/// Both tails of the limit together.
constexpr double alarm_delta = 0.001;
constexpr std::size_t most_listed = 20;

bool is_unfamiliar(double familiarity, double level) {
  return !model::in_set(familiarity, level);
}

}  // namespace

void FamiliarityTally::add(std::span<const double> familiarity, const data::Dataset* rows) {
  rows_ += familiarity.size();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    counts_[i] += static_cast<std::size_t>(
        std::ranges::count_if(familiarity, [&](double p) { return is_unfamiliar(p, levels[i]); }));
  }
  if (model_ == nullptr || rows == nullptr || rows->features.is_sparse()) return;
  const model::TrainingRecord& record = model_->record;
  outside_.resize(std::min({record.least.size(), record.largest.size(), rows->features.columns()}));
  for (std::size_t i = 0; i < familiarity.size(); ++i) {
    if (!is_unfamiliar(familiarity[i], levels[listed()])) continue;
    const auto row = rows->features.dense().row(i);
    for (std::size_t j = 0; j < outside_.size(); ++j) {  // what is missing lies nowhere
      outside_[j][0] += row[j] < record.least[j] ? 1U : 0U;
      outside_[j][1] += row[j] > record.largest[j] ? 1U : 0U;
    }
  }
}

std::vector<OutsideRange> FamiliarityTally::outside() const {
  constexpr std::size_t most = 3;
  constexpr std::size_t part = 5;  // of the rows that are unlike; fewer explain little
  const std::size_t unlike = at(listed());
  std::vector<OutsideRange> found;
  if (!is_alarming()) return found;
  for (std::size_t j = 0; j < outside_.size(); ++j) {
    const auto [below, above] = outside_[j];
    const bool is_above = above >= below;
    const std::size_t count = std::max(below, above);
    if (count == 0 || part * count < unlike) continue;
    const std::string& name = model_->schema.columns[j].name;
    found.push_back({name.empty() ? fmt::to_string(j + 1) : name, count, is_above ? "above" : "below",
                     (is_above ? model_->record.largest : model_->record.least)[j], ""});
    found.back().text =
        fmt::format("column '{}': {} of {} rows {} the training's {}, {}", shown_name(found.back().column), count,
                    unlike, found.back().side, is_above ? "largest" : "least", plain_number(found.back().end));
  }
  std::ranges::stable_sort(found, std::greater<>(), &OutsideRange::rows);
  if (found.size() > most) found.erase(found.begin() + most, found.end());
  return found;
}

bool FamiliarityTally::is_alarming() const {
  const std::size_t count = at(listed());
  return count > 0 && count > bounds::split_miss_counts(rows_, known_, levels[listed()], alarm_delta).upper;
}

std::string FamiliarityTally::warning() const {
  const std::size_t count = at(listed());
  const double level = levels[listed()];
  if (!is_alarming()) return {};
  std::string why;
  for (const OutsideRange& one : outside()) why += "; " + one.text;
  return fmt::format(
      "{} of these {} rows are unlike the training rows (familiarity of at most {}, which about {} in 100 training "
      "rows have); the model was never tried on such rows{}",
      count, rows_, level, 100 * level, why);
}

std::optional<FamiliarityReport> familiarity_report(std::span<const double> familiarity, FamiliarityTally tally,
                                                    const data::Dataset& dataset) {
  if (familiarity.empty()) return std::nullopt;
  FamiliarityReport report{std::move(tally), {}};
  report.tally.add(familiarity, &dataset);
  const double level = FamiliarityTally::levels[report.tally.listed()];
  std::vector<std::size_t> rows =
      core::numbers_where(familiarity.size(), [&](std::size_t row) { return is_unfamiliar(familiarity[row], level); });
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return familiarity[row]; });
  rows.resize(std::min(rows.size(), most_listed));
  for (const std::size_t row : rows) report.unlike.push_back({row_number(dataset, row), familiarity[row]});
  report.outside = report.tally.outside();
  return report;
}

std::string familiarity_text(const FamiliarityTally& tally, const char* others) {
  const std::size_t listed = tally.listed();
  const double usual = std::round(FamiliarityTally::levels[listed] * static_cast<double>(tally.rows()));
  return fmt::format("{} of {} look unlike {} (familiarity at most {}); about {} {} expected by chance",
                     tally.at(listed), tally.rows(), others, FamiliarityTally::levels[listed], usual,
                     usual == 1 ? "is" : "are");
}

void add_familiarity_facts(const FamiliarityReport& report, Section& section) {
  section.fact("familiarity", familiarity_text(report.tally, "the training rows"));
  for (const OutsideRange& one : report.outside) section.fact("", one.text);
}

void add_familiarity(const FamiliarityReport& report, Section& section) {
  const FamiliarityTally& tally = report.tally;
  const std::size_t unlike = tally.at(tally.listed());
  const double level = FamiliarityTally::levels[tally.listed()];
  section.say(fmt::format(
      "{} of {} rows lie farther from the rows of the training than these lie from each other: their familiarity is at "
      "most {}. Of rows like those of the training, about {:g} in 100 are listed. The model was never tried on rows of "
      "another kind, so let a person look at these.",
      unlike, tally.rows(), plain_number(level), 100 * level));
  Table table{{"row|row", "familiarity|familiarity"},
              report.unlike.size() < unlike ? fmt::format("The {} least familiar rows", report.unlike.size())
                                            : std::string("The least familiar rows")};
  for (const FamiliarityReport::Unlike& one : report.unlike) table.add({one.row, one.familiarity});
  section.add(std::move(table));
}

Json familiarity_levels_json(const FamiliarityTally& tally) {
  return Json::list(FamiliarityTally::levels.size(), [&](std::size_t i) {
    return Json::object("level"_key = FamiliarityTally::levels[i], "n"_key = tally.at(i),
                        "share"_key = share(tally.at(i), tally.rows()));
  });
}

Json familiarity_json(const FamiliarityReport& report) {
  const FamiliarityTally& tally = report.tally;
  const auto told = [](const OutsideRange& one) {
    return Json::object("column"_key = one.column, "rows"_key = one.rows, "side"_key = one.side, "end"_key = one.end);
  };
  return Json::object("known_rows"_key = tally.known(), "levels"_key = familiarity_levels_json(tally),
                      "listed_at"_key = FamiliarityTally::levels[tally.listed()],
                      "outside"_key = Json::list(report.outside, told),
                      "unlike"_key = Json::list(report.unlike, [](const FamiliarityReport::Unlike& one) {
                        return Json::object("row"_key = one.row, "familiarity"_key = one.familiarity);
                      }));
}

std::string seen_rows_sentence(const model::TrainingRecord& record, const std::vector<std::uint64_t>& keys) {
  constexpr std::size_t fewest = 10;   // a few rows may well have equals
  constexpr std::size_t repeated = 2;  // and so may rows of which each occurs so often
  const std::size_t known = record.row_keys.size();
  if (known < fewest || keys.size() < record.rows) return {};
  if (known < data::most_smallest_keys && record.rows > repeated * known) return {};
  if (!data::holds_all(keys, record.row_keys)) return {};
  const std::string trained = record.rows == 0 ? "all rows that the model keeps are among these"
                              : keys.size() == record.rows
                                  ? "these rows trained the model"
                                  : fmt::format("the {} of the model are among these {}",
                                                count_of(record.rows, "training row"), count_of(keys.size(), "row"));
  return trained +
         ", so that the figures are too good for new rows; the honest estimate of select, or rows that are "
         "held out, say what to expect";
}

std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset) {
  return seen_rows_sentence(model.record, data::row_keys(dataset.features));
}

}  // namespace credence::report
