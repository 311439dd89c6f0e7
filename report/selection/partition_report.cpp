#include "credence/core/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "report/cell_words.hpp"
#include "report/course/training_text.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::PartitionReport;
using selection::RegionReport;

/// "C from 0.5 to 512"; empty where no region has a value, as those that know one class.
std::string range_text(std::span<const Json> regions, const char* key) {
  std::vector<double> values;
  for (const Json& region : regions)
    if (const auto value = region.at(key).number()) values.push_back(*value);
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values);
  return *least == *most ? fmt::format("{} = {}", key, readable(*least))
                         : fmt::format("{} from {} to {}", key, readable(*least), readable(*most));
}

/// "rbf, standard".
std::string kernel_text(const Json& region) {
  return fmt::format("{}, {}", *region.at("kernel").text(), *region.at("scale").text());
}

/// "rbf, standard, C = 8, gamma = 0.25".
std::string setting_text(const Json& region) {
  const std::string choices = choices_text({&region, 1});
  return kernel_text(region) + (choices.empty() ? "" : ", ") + choices;
}

/// The regions of each partition, which follow each other.
std::vector<std::span<const Json>> by_partition(const Json& found) {
  std::vector<std::span<const Json>> partitions;
  for (std::span<const Json> rest = found.at("list").values(); !rest.empty();) {
    const auto number = rest.front().at("partition").number();
    const auto other = [&](const Json& region) { return region.at("partition").number() != number; };
    const auto count = static_cast<std::size_t>(std::ranges::find_if(rest, other) - rest.begin());
    partitions.push_back(rest.first(count));
    rest = rest.subspan(count);
  }
  return partitions;
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

std::size_t one_class_count(const Json& found) {
  return static_cast<std::size_t>(std::ranges::count_if(
      found.at("list").values(), [](const Json& region) { return region.at("classes").size() == 1; }));
}

double errors_of(const Json& region) {
  return region.at("error").number().value_or(0) * region.at("weight").number().value_or(0);
}

std::vector<Json> worst_regions(const Json& found, std::size_t most) {
  const auto all = found.at("list").values();
  std::vector<Json> regions(all.begin(), all.end());
  std::ranges::stable_sort(regions, std::greater{}, errors_of);
  regions.resize(std::min(regions.size(), most));
  return regions;
}

std::string choices_text(std::span<const Json> regions) {
  const std::string costs = range_text(regions, "C");
  const std::string gammas = range_text(regions, "gamma");
  return costs + (costs.empty() || gammas.empty() ? "" : ", ") + gammas;
}

std::string kernels_text(const Json& found) {
  std::map<std::string, std::size_t> partitions;
  for (const std::span<const Json> regions : by_partition(found)) ++partitions[kernel_text(regions.front())];
  std::vector<std::string> texts;
  for (const auto& [kernel, count] : partitions) texts.push_back(fmt::format("{} of {}", count, kernel));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<std::string> partition_texts(const Json& found) {
  return core::mapped(by_partition(found), [&](std::span<const Json> regions) {
    const std::string choices = choices_text(regions);
    return fmt::format("{}: {}{}{}", kernel_text(regions.front()), count_of(regions.size(), "region"),
                       choices.empty() ? "" : ", ", choices);
  });
}

std::string partition_basis(const PartitionReport& found, const selection::Selection& selection) {
  const std::string averaged = found.partitions > 1 ? fmt::format(" in {} partitions, averaged", found.partitions) : "";
  return fmt::format("{} of the feature space{}, of about {} rows, with {} in each", count_of(found.regions, "region"),
                     averaged, found.size, count_of(static_cast<std::size_t>(selection.resamples), "fold"));
}

std::string partition_lines(const PartitionReport& found, const selection::Selection& selection) {
  constexpr std::size_t most = 10;
  if (found.of_region.empty()) return {};
  std::vector<std::size_t> rows = core::mapped(found.of_region, &RegionReport::rows);
  std::ranges::sort(rows);
  const Json json = partition_json(found);
  const std::size_t one_class = one_class_count(json);
  std::string text = found.by_default ? named_line("default", regions_by_default_text()) : "";
  text +=
      named_line("regions", fmt::format("{} to {} rows, median {}{}", rows.front(), rows.back(), rows[rows.size() / 2],
                                        one_class > 0 ? fmt::format("; {} with one class", one_class) : "")) +
      named_line("errors", errors_text(found, selection));
  const Scale scale = scale_of_errors({selection.score_kind()});
  const char* name = "the most";
  for (const Json& region : worst_regions(json, most))
    text +=
        named_line(std::exchange(name, ""),
                   fmt::format("{} in region {} of partition {}: {}", scale.text(*region.at("error").number()),
                               *region.at("region").number(), *region.at("partition").number(), setting_text(region)));
  if (found.curve.size() > 1) text += named_line("partitions", curve_text(found, selection));
  text += named_line("kernels", kernels_text(json));
  std::size_t partition = 0;
  for (const std::string& one : partition_texts(json)) text += named_line("", fmt::format("{}: {}", ++partition, one));
  return text;
}

Json partition_json(const PartitionReport& found) {
  Json list = Json::array();
  for (const RegionReport& region : found.of_region) {
    list.push_back(Json::object("partition"_key = region.partition + 1, "region"_key = region.region + 1,
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
