#include "report/rows/p_value_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "credence/bounds/split_conformal.hpp"
#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string limit_line(const MissLimits& limits, const MissLimits::Rows& rows) {
  const std::string of = rows.name.empty() ? "" : fmt::format(" of class '{}'", rows.name);
  std::string text;
  std::vector<double> none;
  for (std::size_t l = 0; l < limits.levels.size(); ++l)
    if (!(rows.shares[l] > 0))
      none.push_back(limits.levels[l]);
    else
      text += fmt::format("{}{}{} at {}", text.empty() ? "up to " : ", ", percent(rows.shares[l]),
                          text.empty() ? " of new rows" + of : "", core::confidence_level_of(limits.levels[l]));
  if (!text.empty()) text += fmt::format(" ({}, with certainty 95 %)", count_of(rows.compared, "row"));
  if (none.empty()) return text;
  return text + fmt::format("{}no row{} at {}, where nothing is left out{}", text.empty() ? "" : ", and ",
                            text.empty() ? of : "", levels_text(none), more_needed(rows.compared, none, "row"));
}

}  // namespace

MissLimits miss_limits(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                       const conformal::PValueOptions& options, const std::vector<double>& levels) {
  MissLimits limits{levels, {}};
  const auto add = [&](const std::string& name, std::size_t compared) {
    const auto share = [&](double significance) {
      return bounds::split_miss_limit(compared, significance, MissLimits::delta, options.smoothed);
    };
    if (compared > 0) limits.rows.push_back({name, compared, core::mapped(levels, share)});
  };
  if (!options.label_conditional) add({}, std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  for (std::size_t c = 0; options.label_conditional && c < counts.size(); ++c) add(classes[c], counts[c]);
  return limits;
}

MissLimits miss_limits(const conformal::ConformalPredictor& predictor, const std::vector<double>& levels) {
  // The law of a share missed is known of rows that count alike and are compared with all.
  if (!predictor.is_split() || predictor.validity() != conformal::Validity::exact || predictor.is_of_new_groups() ||
      predictor.effective_rows() || predictor.by)
    return {};
  return miss_limits(predictor.schema.classes, predictor.machine->class_counts(), predictor.options, levels);
}

std::vector<std::string> miss_limit_lines(const MissLimits& limits) {
  constexpr std::size_t most = 10;
  std::vector<std::string> lines =
      core::mapped(limits.rows, [&](const auto& rows) { return limit_line(limits, rows); });
  if (lines.size() <= most + 1) return lines;
  lines.resize(most);
  lines.push_back(fmt::format("and {} more classes, see --json", limits.rows.size() - most));
  return lines;
}

std::string miss_limit_note(const MissLimits& limits, const std::string& claim) {
  if (limits.rows.empty() || limits.levels.empty()) return {};
  return fmt::format("the promise is an average over the rows held out: with these rows, {} may miss {}", claim,
                     fmt::join(miss_limit_lines(limits), "; "));
}

void add_may_miss(const MissLimits& limits, Section& section) {
  if (limits.rows.empty()) return;
  section.say(
      "The promise is an average over all draws of the rows that were held out. This model has one draw, so its sets "
      "may miss more or less. The table holds for independent rows.");
  Table table{{"rows compared with", "|confidence level", "|missed at most"},
              "What this one model may miss: 95 of 100 such models miss no more"};
  for (const MissLimits::Rows& rows : limits.rows) {
    const std::string name = rows.name.empty() ? "" : shown_name(rows.name) + ": ";
    for (std::size_t l = 0; l < limits.levels.size(); ++l)
      table.add({name + count_of(rows.compared, "row"), level_text(limits.levels[l]),
                 rows.shares[l] > 0 ? percent(rows.shares[l]) : "too few rows to leave anything out"});
  }
  section.add(std::move(table));
}

Json miss_limits_json(const MissLimits& limits) {
  if (limits.rows.empty()) return nullptr;
  Json entries = Json::array();
  for (const MissLimits::Rows& rows : limits.rows) {
    for (std::size_t l = 0; l < limits.levels.size(); ++l) {
      entries.push_back(Json::object("class"_key = rows.name.empty() ? Json(nullptr) : Json(rows.name),
                                     "rows"_key = rows.compared,
                                     "confidence_level"_key = core::confidence_level_of(limits.levels[l]),
                                     "confidence"_key = 1 - MissLimits::delta, "limit"_key = rows.shares[l]));
    }
  }
  return entries;
}

}  // namespace credence::report
