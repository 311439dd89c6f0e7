#include "credence/neighbours/metric.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "credence/core/error.hpp"

namespace credence::neighbours {
namespace {

constexpr std::array<std::pair<Metric, std::string_view>, 4> names{{{Metric::euclidean, "euclidean"},
                                                                    {Metric::manhattan, "manhattan"},
                                                                    {Metric::cosine, "cosine"},
                                                                    {Metric::precomputed, "precomputed"}}};

}  // namespace

std::string_view name(Metric metric) {
  return names[static_cast<std::size_t>(metric)].second;
}

Metric parse_metric(std::string_view text) {
  for (const auto& [metric, word] : names)
    if (word == text) return metric;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' is not a metric; it must be euclidean, manhattan, cosine or precomputed", text));
}

}  // namespace credence::neighbours
