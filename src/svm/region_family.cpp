#include "credence/svm/region_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::svm {
namespace {

/// Large, so that the rows of one region are many; small beside the memory of the machines.
constexpr std::size_t parted_at_once = 65536;

model::Scores scores_of_one_class(int label, std::size_t class_count, std::size_t rows, std::size_t models) {
  model::Scores scores(rows, models, class_count);
  std::ranges::fill(scores.values, -1.0);
  std::ranges::fill(scores.labels, label);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < models; ++k) scores.at(i, k)[label] = 1;
  return scores;
}

/// Scores of all classes from those that the machine knows: the others have the least one, less 1.
void put_known(std::span<const double> known, const std::vector<int>& classes, std::size_t class_count, double* all) {
  std::fill(all, all + class_count, *std::ranges::min_element(known) - 1);
  for (std::size_t c = 0; c < known.size(); ++c) all[classes[c]] = known[c];
}

/// Scores rows by one partition: the rows of each region together.
model::Scores scores_by(const RoutedRegions& routed, const RegionFamily& family, const data::Features& given,
                        const core::Context& context) {
  const data::Features rows = routed.scaling ? routed.scaling->apply(given) : given.view();
  const std::vector<std::uint32_t> region_of = routed.router.regions_of(rows, context);
  const auto own = model::rows_by_region(region_of, routed.regions.size());
  const std::size_t models = family.models();
  model::Scores scores(rows.rows(), models, family.classes());
  scores.region_of.assign(region_of.begin(), region_of.end());
  context.threads.for_each(routed.regions.size(), [&](std::size_t p) {
    if (own[p].empty()) return;
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "prediction was stopped before all rows had their labels");
    const model::Scores some = routed.regions[p].score(models, family.classes(), rows.select_rows(own[p]), context);
    for (std::size_t a = 0; a < own[p].size(); ++a) {
      std::copy_n(some.at(a, 0), models * family.classes(), scores.at(own[p][a], 0));
      std::copy_n(some.labels.data() + a * models, models, scores.labels.data() + own[p][a] * models);
    }
  });
  return scores;
}

}  // namespace

model::Scores Region::score(std::size_t models, std::size_t class_count, const data::Features& rows,
                            const core::Context& context) const {
  if (!family) return scores_of_one_class(classes.front(), class_count, rows.rows(), models);
  model::Scores scores(rows.rows(), models, class_count);
  family->score(rows, context, [&](std::size_t first, const model::Scores& said) {
    for (std::size_t i = 0; i < said.rows; ++i) {
      for (std::size_t k = 0; k < models; ++k) {
        const std::size_t own = model_of.empty() ? std::min(k, said.models - 1) : model_of[k];
        put_known({said.at(i, own), said.classes}, classes, class_count, scores.at(first + i, k));
        scores.labels[(first + i) * models + k] = classes[static_cast<std::size_t>(said.label(i, own))];
      }
    }
  });
  return scores;
}

std::string RegionFamily::shared_parts() const {
  std::size_t regions = 0;
  std::size_t support = 0;
  std::size_t of_one_class = 0;
  for (const RoutedRegions& routed : partitions) {
    regions += routed.regions.size();
    for (const Region& region : routed.regions) {
      support += region.support_count();
      of_one_class += region.classes.size() == 1 ? 1U : 0U;
    }
  }
  const std::string where = partitions.size() > 1 ? fmt::format(" in {} partitions", partitions.size())
                            : of_one_class > 0    ? fmt::format(" ({} of one class)", of_one_class)
                                                  : "";
  return fmt::format("{} of the feature space{}, {}", core::count_of(regions, "region"), where,
                     core::count_of(support, "support vector"));
}

void RegionFamily::score(const data::Features& rows, const core::Context& context,
                         const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  for (std::size_t first = 0; first < rows.rows(); first += parted_at_once) {
    std::vector<std::size_t> chosen = core::numbers_from(first, std::min(parted_at_once, rows.rows() - first));
    const data::Features block = chosen.size() == rows.rows() ? rows.view() : rows.select_rows(chosen);
    model::Scores mean = scores_by(partitions.front(), *this, block, context);
    for (std::size_t p = 1; p < partitions.size(); ++p) {
      const model::Scores more = scores_by(partitions[p], *this, block, context);
      for (std::size_t k = 0; k < mean.values.size(); ++k) mean.values[k] += more.values[k];
    }
    if (partitions.size() > 1) {
      for (double& value : mean.values) value /= static_cast<double>(partitions.size());
      mean.label_by_score();
    }
    visit(first, mean);
  }
}

}  // namespace credence::svm
