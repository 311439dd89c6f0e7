#include "report/selection/partition_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "report/course/race_text.hpp"
#include "report/score_text.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::PartitionReport;
using selection::RegionReport;

std::size_t one_class_count(const PartitionReport& found) {
  return static_cast<std::size_t>(
      std::ranges::count_if(found.of_region, [](const RegionReport& region) { return region.classes.size() == 1; }));
}

/// "C from 0.5 to 512"; empty where no region has a value.
std::string range_text(const PartitionReport& found, const char* name, double RegionReport::*member) {
  std::vector<double> values;
  for (const RegionReport& region : found.of_region)
    if (region.*member > 0) values.push_back(region.*member);
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values);
  return *least == *most ? fmt::format("{} = {}", name, readable(*least))
                         : fmt::format("{} from {} to {}", name, readable(*least), readable(*most));
}

/// How many regions, those with the most errors first, hold half of all errors.
std::size_t regions_of_half(const PartitionReport& found) {
  std::vector<double> errors;
  for (const RegionReport& region : found.of_region) errors.push_back(region.error * region.weight);
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
  std::string text =
      fmt::format("{} to {} in a region (optimistic)", scale.text(least->error), scale.text(most->error));
  if (half > 0) text += fmt::format("; half of all errors lie in {} of {} regions", half, found.of_region.size());
  return text;
}

/// "1.5 %, 1.2 %, 1.1 % (optimistic), after one, two, ... of them".
std::string curve_text(const PartitionReport& found, const selection::Selection& selection) {
  const Scale scale{selection.score_kind()};
  std::vector<std::string> values;
  for (const double loss : found.curve) values.push_back(scale.text(loss));
  return fmt::format("{} (optimistic), after one, two, ... of them", fmt::join(values, ", "));
}

}  // namespace

std::string partition_basis(const PartitionReport& found, const selection::Selection& selection) {
  const std::string averaged = found.partitions > 1 ? fmt::format(" in {} partitions, averaged", found.partitions) : "";
  return fmt::format("{} of the feature space{}, of about {} rows, with {} in each", count_of(found.regions, "region"),
                     averaged, found.size, count_of(static_cast<std::size_t>(selection.resamples), "fold"));
}

std::string partition_lines(const PartitionReport& found, const selection::Selection& selection) {
  if (found.of_region.empty()) return {};
  std::vector<std::size_t> rows;
  for (const RegionReport& region : found.of_region) rows.push_back(region.rows);
  std::ranges::sort(rows);
  const std::size_t one_class = one_class_count(found);
  std::string text = found.by_default ? named_line("default", regions_by_default_text()) : "";
  text +=
      named_line("regions", fmt::format("{} to {} rows, median {}{}", rows.front(), rows.back(), rows[rows.size() / 2],
                                        one_class > 0 ? fmt::format("; {} with one class", one_class) : "")) +
      named_line("errors", errors_text(found, selection));
  std::string choices = range_text(found, "C", &RegionReport::C);
  const std::string gammas = range_text(found, "gamma", &RegionReport::gamma);
  if (!gammas.empty()) choices += (choices.empty() ? "" : ", ") + gammas;
  if (!choices.empty()) text += named_line("choices", choices);
  if (found.curve.size() > 1) text += named_line("partitions", curve_text(found, selection));
  return text;
}

Json partition_json(const PartitionReport& found) {
  Json list = Json::array();
  for (const RegionReport& region : found.of_region) {
    list.push_back(Json::object("partition"_key = region.partition, "region"_key = region.region,
                                "rows"_key = region.rows, "weight"_key = region.weight,
                                "class_counts"_key = region.class_counts, "classes"_key = region.classes,
                                "kernel"_key = core::word(region.kernel), "scale"_key = core::word(region.scale),
                                "C"_key = region.C > 0 ? Json(region.C) : Json(nullptr),
                                "gamma"_key = region.gamma > 0 ? Json(region.gamma) : Json(nullptr),
                                "error"_key = region.error, "honest"_key = region.honest, "n_sv"_key = region.support));
  }
  return Json::object("size"_key = found.size, "count"_key = found.regions, "partitions"_key = found.partitions,
                      "curve"_key = found.curve, "settings"_key = found.settings, "by_default"_key = found.by_default,
                      "half_of_errors"_key = found.of_region.empty() ? 0 : regions_of_half(found),
                      "list"_key = std::move(list));
}

}  // namespace credence::report
