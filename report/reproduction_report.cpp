#include "report/reproduction_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/text.hpp"

namespace credence::report {
namespace {

Table paper_data(const std::vector<const PaperFigure*>& figures) {
  Table data{{"what|what|text", "value|value", "lower|less its spread", "upper|plus its spread", "kind|whose|text"}};
  const auto add = [&](const PaperFigure& figure, const std::optional<double>& value,
                       const std::optional<double>& spread, const char* kind) {
    if (!value) return;
    data.add({figure.what, *value, spread ? Json(*value - *spread) : Json(nullptr),
              spread ? Json(*value + *spread) : Json(nullptr), kind});
  };
  for (const PaperFigure* figure : figures) {
    add(*figure, figure->ours, figure->ours_spread, "ours");
    add(*figure, figure->paper, figure->paper_spread, "the paper's");
  }
  return data;
}

Chart paper_chart(const std::vector<const PaperFigure*>& figures, const std::string& table, std::size_t number) {
  return paper_data(figures).as_chart(
      fmt::format("paper#paper-{}", number), table.empty() ? "Our figures beside the paper's" : table,
      "For each line: our figure and the paper's, each with the spread that is stated beside it.",
      "Points of our figures beside those of the paper.");
}

Table targets_table(const std::vector<PaperTarget>& targets) {
  Table table{{"what|what|text", "ours|ours", "wanted|wanted", "met|met|flag"}, "What was to be met"};
  for (const PaperTarget& target : targets) table.add({target.what, target.ours, target.wanted, target.met});
  return table;
}

bool same_figures(const std::vector<const PaperFigure*>& a, const std::vector<const PaperFigure*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PaperFigure* x, const PaperFigure* y) {
    return x->what == y->what && x->ours == y->ours && x->paper == y->paper && x->ours_spread == y->ours_spread &&
           x->paper_spread == y->paper_spread;
  });
}

using NamedFigures = std::pair<std::string, std::vector<const PaperFigure*>>;

/// The figures by tables; tables with the same figures are one, under all their names.
std::vector<NamedFigures> different_tables(const std::vector<PaperFigure>& found) {
  std::vector<NamedFigures> tables;
  for (const PaperFigure& figure : found) {
    const auto own = std::ranges::find(tables, figure.table, &NamedFigures::first);
    (own == tables.end() ? tables.emplace_back(figure.table, std::vector<const PaperFigure*>()) : *own)
        .second.push_back(&figure);
  }
  std::vector<NamedFigures> different;
  for (NamedFigures& table : tables) {
    const auto same = std::ranges::find_if(
        different, [&](const NamedFigures& other) { return same_figures(other.second, table.second); });
    if (same == different.end())
      different.push_back(std::move(table));
    else
      same->first += ", and the same: " + table.first;
  }
  return different;
}

/// What the page comes to, of the figures that have both sides, each table once; empty without any.
std::string main_sentence(const std::vector<PaperTarget>& targets, const std::vector<NamedFigures>& tables) {
  if (!targets.empty())
    return fmt::format("{} of {} that were stated in advance are met.",
                       std::ranges::count_if(targets, &PaperTarget::met), count_of(targets.size(), "target"));
  std::size_t both = 0;
  std::size_t spread = 0;
  std::size_t near = 0;
  for (const auto& [table, figures] : tables) {
    for (const PaperFigure* figure : figures) {
      if (!figure->ours || !figure->paper) continue;
      ++both;
      if (!figure->ours_spread && !figure->paper_spread) continue;
      ++spread;
      const double reach = figure->ours_spread.value_or(0) + figure->paper_spread.value_or(0);
      near += std::abs(*figure->ours - *figure->paper) <= reach ? 1U : 0U;
    }
  }
  if (both == 0) return {};
  const std::string stands =
      fmt::format("{} of ours {} beside the paper's", count_of(both, "figure"), both == 1 ? "stands" : "stand");
  return spread == 0 ? stands + "." : fmt::format("{}; {} of {} agree within their spreads.", stands, near, spread);
}

}  // namespace

Story reproduction_story(const Reproduction& found) {
  Story story{"A paper's tables beside ours", found.paper};
  Section& section = story.section("chosen", "Our figures beside the paper's");
  add_warnings(found.stopped, {}, section);
  constexpr std::size_t most_charts = 24;
  const std::vector<NamedFigures> tables = different_tables(found.figures);
  if (const std::string sentence = main_sentence(found.targets, tables); !sentence.empty()) section.headline(sentence);
  std::size_t number = 0;
  for (const auto& [table, figures] : tables) {
    // Of very many tables, the first ones are drawn; the others are there in numbers.
    if (++number <= most_charts)
      section.add(paper_chart(figures, table, number));
    else
      section.add(paper_data(figures).captioned(table));
  }
  for (const Chart& chart : found.charts) section.add(chart);
  if (!found.targets.empty()) section.add(targets_table(found.targets));
  story.section(cost_id, "What it cost")
      .fact("time",
            fmt::format("{:.2f} s, {}", found.seconds, count_of(static_cast<std::size_t>(found.threads), "thread")));
  return story;
}

}  // namespace credence::report
