#include "credence/model/mean_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace credence::model {
namespace {

/// Many, so that a family that works region by region has many rows of each region at once.
constexpr std::size_t rows_at_once = 65536;

}  // namespace

std::string MeanFamily::shared_parts() const {
  std::vector<std::string> parts;
  for (const auto& family : families) parts.push_back(family->shared_parts());
  return fmt::format("{}", fmt::join(parts, " and "));
}

void MeanFamily::score(const data::Features& rows, const core::Context& context,
                       const std::function<void(std::size_t first, const Scores& block)>& visit) const {
  for (std::size_t first = 0; first < rows.rows(); first += rows_at_once) {
    std::vector<std::size_t> chosen(std::min(rows_at_once, rows.rows() - first));
    std::iota(chosen.begin(), chosen.end(), first);
    const data::Features block = chosen.size() == rows.rows() ? rows.view() : rows.select_rows(chosen);
    Scores mean = families.front()->score_all(block, context);
    for (std::size_t f = 1; f < families.size(); ++f) {
      const Scores more = families[f]->score_all(block, context);
      for (std::size_t k = 0; k < mean.values.size(); ++k) mean.values[k] += more.values[k];
    }
    if (families.size() > 1) {
      const auto count = static_cast<double>(families.size());
      for (double& value : mean.values) value /= count;
      mean.label_by_score();
    }
    visit(first, mean);
  }
}

}  // namespace credence::model
