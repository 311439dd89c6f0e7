#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/course/training_text.hpp"
#include "report/page/stories/selection_parts.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"

/// Regions of the feature space.
namespace credence::report {
namespace {

/// The values that the regions have, ascending; none of a region that knows one class.
std::vector<double> values_of_regions(const Json& document, std::string_view key) {
  std::vector<double> values;
  for (const Json& region : document.at("regions").at("list").values())
    if (const auto value = region.at(key).number()) values.push_back(*value);
  std::ranges::sort(values);
  return values;
}

std::string regions_text(std::size_t count) {
  return core::count_of(count, "region");
}

Table table_of_worst(const Json& document, const Scale& scale, std::size_t most) {
  const bool several = count_at(document.at("regions"), "partitions") > 1;
  ChartData data({{"region", "region", several ? Format::text : Format::number},
                  {"rows", "rows"},
                  {"classes", "classes told apart"},
                  {"setting", "chosen setting", Format::text},
                  {"error", "CV error (optimistic)", format_of(scale)},
                  {"share", "share of all errors", Format::share},
                  {"n_sv", "support vectors"}});
  const auto all = document.at("regions").at("list").values();
  const double total =
      std::accumulate(all.begin(), all.end(), 0.0, [](double sum, const Json& one) { return sum + errors_of(one); });
  for (const Json& region : worst_regions(document.at("regions"), most))
    data.add({several ? Json(fmt::format("{} of partition {}", number_at(region, "region", 0),
                                         number_at(region, "partition", 0)))
                      : region.at("region"),
              region.at("rows"), region.at("classes").size(), parameters_text(region), region.at("error"),
              total > 0 ? Json(errors_of(region) / total) : Json(nullptr), region.at("n_sv")});
  return data.table(all.size() > most ? fmt::format("The {} regions with the most errors, of {}", most, all.size())
                                      : "The regions, those with the most errors first");
}

/// The error, or another score, of the average after each partition.
Chart partitions_chart(const Json& found, const Scale& scale) {
  const std::string what = scale.is_share() ? "error" : "score";
  const std::string value = scale.is_share() ? "error out of fold" : scale.name;
  ChartData data({{"partitions", "partitions averaged"}, {"error", value, format_of(scale)}});
  std::size_t partition = 0;
  for (const Json& loss : found.at("curve").values())
    data.add({++partition, loss.number() ? Json(scale.shown(*loss.number())) : Json(nullptr)});
  return make_chart(
      "partitions",
      {"partitions", "What do further partitions bring?",
       fmt::format("The out-of-fold {} of the average after each partition of the feature space (optimistic). "
                   "Partitions were added while they lowered the soft loss by more than chance, or as many as were "
                   "asked for.",
                   what),
       fmt::format("A line of the {} against the number of partitions that are averaged.", what)},
      data, {{"$value", value}, {"$format", vega_of(scale)}});
}

}  // namespace

bool has_regions(const Json& document) {
  return document.at("regions").is_object();
}

std::string settings_of_regions(const Json& document) {
  const Json& found = document.at("regions");
  const std::size_t settings = count_at(found, "settings");
  const std::string in_each = "in each of " + regions_text(count_at(found, "count"));
  return settings > 0 ? core::count_of(settings, "setting") + ' ' + in_each : "the settings " + in_each;
}

void add_region_facts(Section& section, const Json& document) {
  const Json& found = document.at("regions");
  const std::vector<double> rows = values_of_regions(document, "rows");
  if (rows.empty()) return;
  const std::size_t one_class = one_class_count(found);
  section.fact(
      "Regions of the feature space",
      fmt::format("{} of {:.0f} to {:.0f} rows (median {:.0f}); about {} were asked for{}", count_at(found, "count"),
                  rows.front(), rows.back(), rows[rows.size() / 2], core::count_of(count_at(found, "size"), "row"),
                  one_class > 0 ? fmt::format("; {} with one class", one_class) : ""));
  const std::string choices = choices_text(found.at("list").values());
  section.fact("Chosen settings", "one for each region" + (choices.empty() ? "" : ": " + choices));
  section.fact("Partitions", kernels_text(found));
}

void add_regions_section(Story& story, const Json& document, const Scale& scale) {
  constexpr std::size_t most = 20;
  const Json& found = document.at("regions");
  if (found.at("list").values().empty()) return;
  Section& section = story.section("regions", "Where the errors are");
  const std::size_t partitions = count_at(found, "partitions");
  section.say(
      partitions > 1
          ? fmt::format("The feature space was split into regions {} times, into {} in all. Each region chose its "
                        "setting by cross-validation on its own rows, and a new row gets the mean of what the machines "
                        "of its regions say.",
                        partitions, regions_text(count_at(found, "count")))
          : fmt::format("The feature space was split into {}. Each region chose its setting by cross-validation on its "
                        "own rows, and a new row is answered by the machine of its region.",
                        regions_text(count_at(found, "count"))));
  if (found.at("by_default").flag().value_or(false))
    section.say("Nobody asked for regions: " + regions_by_default_text() + ".");
  std::size_t partition = 0;
  for (const std::string& one : partition_texts(found)) section.fact(fmt::format("Partition {}", ++partition), one);
  if (found.at("curve").size() > 1) section.add(partitions_chart(found, scale));
  const std::vector<double> errors = values_of_regions(document, "error");
  if (const std::size_t half = count_at(found, "half_of_errors"); half > 0) {
    section.say(
        fmt::format("The regions err in {} to {} of their own rows (optimistic); half of all errors lie in {} of "
                    "{}.",
                    scale_of_errors(scale).text(errors.front()), scale_of_errors(scale).text(errors.back()), half,
                    regions_text(errors.size())));
  }
  section.add(table_of_worst(document, scale_of_errors(scale), most));
}

}  // namespace credence::report
