#include "credence/core/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "report/course/training_text.hpp"
#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::PartitionReport;
using selection::RegionReport;

using Regions = std::span<const RegionReport>;

/// "C from 0.5 to 512"; empty where no region has a value, as those that know one class.
std::string range_text(Regions regions, const char* name, double selection::RegionChoice::*member) {
  std::vector<double> values;
  for (const RegionReport& region : regions)
    if (region.*member > 0) values.push_back(region.*member);
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values);
  return *least == *most ? fmt::format("{} = {}", name, readable(*least))
                         : fmt::format("{} from {} to {}", name, readable(*least), readable(*most));
}

/// "C from 0.5 to 512, gamma = 2".
std::string choices_text(Regions regions) {
  const std::string costs = range_text(regions, "C", &RegionReport::C);
  const std::string gammas = range_text(regions, "gamma", &RegionReport::gamma);
  return costs + (costs.empty() || gammas.empty() ? "" : ", ") + gammas;
}

/// "rbf, standard".
std::string kernel_text(const RegionReport& region) {
  return fmt::format("{}, {}", core::word(region.kernel), core::word(region.scale));
}

/// "rbf, standard, C = 8, gamma = 0.25".
std::string setting_text(const RegionReport& region) {
  const std::string choices = choices_text({&region, 1});
  return kernel_text(region) + (choices.empty() ? "" : ", ") + choices;
}

/// The regions of each partition, which follow each other.
std::vector<Regions> by_partition(Regions rest) {
  std::vector<Regions> partitions;
  while (!rest.empty()) {
    const auto other = [&](const RegionReport& region) { return region.partition != rest.front().partition; };
    const auto count = static_cast<std::size_t>(std::ranges::find_if(rest, other) - rest.begin());
    partitions.push_back(rest.first(count));
    rest = rest.subspan(count);
  }
  return partitions;
}

/// How many partitions each kernel and scaling has: "3 with laplacian, quantile; 1 with rbf, standard".
std::string kernels_text(const std::vector<Regions>& partitions) {
  std::map<std::string, std::size_t> counts;
  for (const Regions regions : partitions) ++counts[kernel_text(regions.front())];
  std::vector<std::string> texts;
  for (const auto& [kernel, count] : counts) texts.push_back(fmt::format("{} with {}", count, kernel));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// Errors among the rows of a region, as they count.
double errors_of(const RegionReport& region) {
  return region.error * region.weight;
}

/// How many regions, those with the most errors first, hold half of all errors.
std::size_t regions_of_half(const PartitionReport& found) {
  std::vector<double> errors;
  for (const RegionReport& region : found.of_region) errors.push_back(errors_of(region));
  std::ranges::sort(errors, std::greater{});
  const double half = std::accumulate(errors.begin(), errors.end(), 0.0) / 2;
  std::size_t regions = 0;
  for (double sum = 0; regions < errors.size() && sum < half; ++regions) sum += errors[regions];
  return regions;
}

/// "0.4 % to 31 % (optimistic) in a region; half of all errors lie in 5 of 37 regions".
std::string errors_text(const PartitionReport& found, const selection::Selection& selection) {
  const auto [least, most] = std::ranges::minmax_element(found.of_region, {}, &RegionReport::error);
  const std::size_t half = regions_of_half(found);
  const Scale scale = scale_of_errors({selection.score_kind()});
  if (found.of_region.size() == 1) return scale.text(most->error) + " (optimistic)";
  std::string text =
      fmt::format("{} to {} in a region (optimistic)", scale.text(least->error), scale.text(most->error));
  if (half > 0) text += fmt::format("; half of all errors lie in {} of {} regions", half, found.of_region.size());
  return text;
}

/// "1.5 %, 1.2 %, 1.1 % (optimistic), with one, two, ... of them averaged".
std::string curve_text(const PartitionReport& found, const Scale& scale) {
  const auto text = [&](double loss) { return scale.text(loss); };
  return fmt::format("{} (optimistic), with one, two, ... of them averaged",
                     fmt::join(core::mapped(found.curve, text), ", "));
}

/// The error, or another score, of the average after each partition.
Chart partitions_chart(const PartitionReport& found, const Scale& scale) {
  const std::string what = scale.is_share() ? "error" : "score";
  const std::string value = scale.is_share() ? "error out of fold" : scale.name;
  Table data{{"partitions|partitions averaged", Column("error", value, scale.format())}};
  for (const double loss : found.curve) data.add({data.size() + 1, scale.value(loss)});
  return std::move(data).as_chart(
      "partitions", "What do further partitions bring?",
      fmt::format("The out-of-fold {} of the average after each partition of the feature space "
                  "(optimistic). Partitions were added while they lowered the soft loss by more than "
                  "chance, or as many as were asked for.",
                  what),
      fmt::format("A line of the {} against the number of partitions that are averaged.", what), scale.words(value));
}

/// The regions with the most errors.
Table worst_table(const PartitionReport& found, const Scale& scale) {
  constexpr std::size_t most = 10;
  std::vector<RegionReport> regions = found.of_region;
  std::ranges::stable_sort(regions, std::greater{}, errors_of);
  const double total = std::accumulate(regions.begin(), regions.end(), 0.0,
                                       [](double sum, const RegionReport& one) { return sum + errors_of(one); });
  Table table{{"region|region|text", "rows|rows", "classes|classes", "setting|chosen setting|text",
               Column("error", "CV error (optimistic)", scale.format()), "share|share of all errors|share",
               "n_sv|support vectors"},
              regions.size() > most ? fmt::format("The {} regions with the most errors, of {}", most, regions.size())
                                    : "The regions, those with the most errors first",
              Where::both};
  regions.resize(std::min(regions.size(), most));
  for (const RegionReport& region : regions)
    table.add({found.partitions > 1 ? fmt::format("{} of partition {}", region.region + 1, region.partition + 1)
                                    : fmt::format("{}", region.region + 1),
               region.rows, region.classes.size(), setting_text(region), region.error,
               total > 0 ? Json(errors_of(region) / total) : Json(nullptr), region.support});
  return table;
}

}  // namespace

std::string partition_basis(const PartitionReport& found, const selection::Selection& selection) {
  const std::string averaged = found.partitions > 1 ? fmt::format(" in {} partitions, averaged", found.partitions) : "";
  return fmt::format("{} of the feature space{}, region size {}, with {} in each", count_of(found.regions, "region"),
                     averaged, found.size, count_of(static_cast<std::size_t>(selection.resamples), "fold"));
}

void add_finding(const PartitionReport& found, const selection::Selection& selection, Story& story) {
  if (found.of_region.empty()) return;
  Section& section = story.section("regions", "Where the errors are");
  const bool averaged = found.partitions > 1;
  section.say(
      fmt::format("The feature space was split into {}{}. Each region chose its setting by cross-validation on "
                  "its own rows, and a new row gets {}.",
                  count_of(found.regions, "region"), averaged ? fmt::format(" in {} partitions", found.partitions) : "",
                  averaged ? "the mean score of the SVMs of its regions" : "the label of the SVM of its region"));
  if (found.by_default) section.fact("default", regions_by_default_text());
  std::vector<std::size_t> rows = core::mapped(found.of_region, &RegionReport::rows);
  std::ranges::sort(rows);
  const auto one_class =
      std::ranges::count_if(found.of_region, [](const RegionReport& region) { return region.classes.size() == 1; });
  section.fact("regions", fmt::format("{} of {} to {} rows (median {}); region size {}{}", found.regions, rows.front(),
                                      rows.back(), rows[rows.size() / 2], found.size,
                                      one_class > 0 ? fmt::format("; {} with one class", one_class) : ""));
  section.fact("errors", errors_text(found, selection));
  const std::vector<Regions> partitions = by_partition(found.of_region);
  section.fact("kernels", kernels_text(partitions));
  for (const Regions regions : partitions) {
    const std::string choices = choices_text(regions);
    section.fact(fmt::format("partition {}", regions.front().partition + 1),
                 fmt::format("{}: {}{}{}", kernel_text(regions.front()), count_of(regions.size(), "region"),
                             choices.empty() ? "" : ", ", choices));
  }
  const Scale scale = scale_of(selection.score_kind(), selection.score);
  if (found.curve.size() > 1) {
    section.fact("partitions", curve_text(found, scale), Where::terminal);
    section.add(partitions_chart(found, scale));
  }
  section.add(worst_table(found, scale_of_errors(scale)));
}

Json partition_json(const PartitionReport& found) {
  Json list = Json::list(found.of_region, [](const RegionReport& region) {
    return Json::object("partition"_key = region.partition + 1, "region"_key = region.region + 1,
                        "rows"_key = region.rows, "weight"_key = region.weight,
                        "class_counts"_key = region.class_counts, "classes"_key = region.classes,
                        "kernel"_key = core::word(region.kernel), "scale"_key = core::word(region.scale),
                        "C"_key = region.C > 0 ? Json(region.C) : Json(nullptr),
                        "gamma"_key = region.gamma > 0 ? Json(region.gamma) : Json(nullptr), "error"_key = region.error,
                        "honest"_key = region.honest, "n_sv"_key = region.support);
  });
  return Json::object("size"_key = found.size, "count"_key = found.regions, "partitions"_key = found.partitions,
                      "curve"_key = found.curve, "settings"_key = found.settings, "by_default"_key = found.by_default,
                      "half_of_errors"_key = found.of_region.empty() ? 0 : regions_of_half(found),
                      "list"_key = std::move(list));
}

}  // namespace credence::report
