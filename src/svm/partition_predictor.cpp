#include "credence/svm/partition_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "credence/core/error.hpp"
#include "credence/core/text.hpp"

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

/// Scores rows in large blocks, in which the rows of a region are scored together.
/// @param in_region  scores rows of a region
void score_by_region(const model::Partition& partition, std::size_t models, std::size_t class_count,
                     const data::Features& rows, const core::Context& context,
                     const std::function<model::Scores(std::size_t region, const data::Features& rows)>& in_region,
                     const std::function<void(std::size_t first, const model::Scores& block)>& visit) {
  for (std::size_t first = 0; first < rows.rows(); first += parted_at_once) {
    std::vector<std::size_t> chosen(std::min(parted_at_once, rows.rows() - first));
    std::iota(chosen.begin(), chosen.end(), first);
    const data::Features block = chosen.size() == rows.rows() ? rows.view() : rows.select_rows(chosen);
    const std::vector<std::uint32_t> region_of = partition.regions_of(block, context);
    const auto own = model::rows_by_region(region_of, partition.regions());
    model::Scores scores(chosen.size(), models, class_count);
    scores.region_of.assign(region_of.begin(), region_of.end());
    context.threads.for_each(partition.regions(), [&](std::size_t p) {
      if (own[p].empty()) return;
      if (context.monitor.should_stop())
        throw Error(ErrorCode::interrupted, "prediction was stopped before all rows had their labels");
      const model::Scores some = in_region(p, block.select_rows(own[p]));
      for (std::size_t a = 0; a < own[p].size(); ++a) {
        std::copy_n(some.at(a, 0), models * class_count, scores.at(own[p][a], 0));
        std::copy_n(some.labels.data() + a * models, models, scores.labels.data() + own[p][a] * models);
      }
    });
    visit(first, scores);
  }
}

}  // namespace

model::Scores scores_in_region(const RegionMachine& region, std::size_t class_count, const data::Features& rows,
                               const core::Context& context) {
  if (region.classes.size() == 1) return scores_of_one_class(region.classes.front(), class_count, rows.rows(), 1);
  const model::Prediction said = region.machine->predict_preprocessed(rows, context);
  model::Scores scores(rows.rows(), 1, class_count);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    put_known(said.score.row(i), region.classes, class_count, scores.at(i, 0));
    scores.labels[i] = region.classes[static_cast<std::size_t>(said.label[i])];
  }
  return scores;
}

model::Scores scores_of_folds(const RegionFolds& region, std::size_t folds, std::size_t class_count,
                              const data::Features& rows, const core::Context& context) {
  if (!region.family) return scores_of_one_class(region.classes.front(), class_count, rows.rows(), folds);
  const model::Scores said = region.family->score_all(rows, context);
  model::Scores scores(rows.rows(), folds, class_count);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < folds; ++k) {
      const std::size_t own = region.model_of.empty() ? std::min(k, said.models - 1) : region.model_of[k];
      put_known({said.at(i, own), said.classes}, region.classes, class_count, scores.at(i, k));
      scores.labels[i * folds + k] = region.classes[static_cast<std::size_t>(said.label(i, own))];
    }
  }
  return scores;
}

std::size_t PartitionFamily::support_count() const {
  return std::accumulate(regions.begin(), regions.end(), std::size_t{0},
                         [](std::size_t sum, const RegionMachine& region) {
                           return sum + (region.machine ? region.machine->support_count() : 0);
                         });
}

std::size_t PartitionFamily::regions_of_one_class() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(regions, [](const RegionMachine& region) { return region.classes.size() == 1; }));
}

std::string PartitionFamily::shared_parts() const {
  const std::size_t one_class = regions_of_one_class();
  return fmt::format("{} of the feature space{}, {}", core::count_of(regions.size(), "region"),
                     one_class > 0 ? fmt::format(" ({} of one class)", one_class) : "",
                     core::count_of(support_count(), "support vector"));
}

void PartitionFamily::score(const data::Features& rows, const core::Context& context,
                            const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  const auto in_region = [&](std::size_t p, const data::Features& own) {
    return scores_in_region(regions[p], class_count, own, context);
  };
  score_by_region(partition, 1, class_count, rows, context, in_region, visit);
}

void RegionSiblings::score(const data::Features& rows, const core::Context& context,
                           const std::function<void(std::size_t first, const model::Scores& block)>& visit) const {
  const auto in_region = [&](std::size_t p, const data::Features& own) {
    return scores_of_folds(regions[p], folds, class_count, own, context);
  };
  score_by_region(partition, folds, class_count, rows, context, in_region, visit);
}

std::shared_ptr<const model::ClassifierFamily> PartitionPredictor::family() const {
  if (partitions.size() == 1) return partitions.front();
  auto mean = std::make_shared<model::MeanFamily>();
  mean->families.assign(partitions.begin(), partitions.end());
  return mean;
}

model::Prediction PartitionPredictor::predict_preprocessed(const data::Features& rows,
                                                           const core::Context& context) const {
  const std::size_t classes = schema.classes.size();
  model::Prediction prediction;
  prediction.label.resize(rows.rows());
  prediction.region_of.resize(rows.rows());
  prediction.score = data::DenseMatrix(rows.rows(), classes);
  if (classes == 2) prediction.decision = data::DenseMatrix(rows.rows(), 1);
  family()->score(rows, context, [&](std::size_t first, const model::Scores& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      prediction.label[first + i] = block.label(i, 0);
      prediction.region_of[first + i] = block.region_of[i];
      std::copy_n(block.at(i, 0), classes, prediction.score.row(first + i).begin());
      if (classes == 2) prediction.decision.row(first + i)[0] = block.at(i, 0)[1];
    }
  });
  return prediction;
}

std::string PartitionPredictor::description() const {
  std::size_t regions = 0;
  std::size_t support = 0;
  for (const auto& partition : partitions) {
    regions += partition->regions.size();
    support += partition->support_count();
  }
  const std::string parts = partitions.size() == 1 ? partitions.front()->shared_parts()
                                                   : fmt::format("{} of the feature space in {} partitions, {}",
                                                                 core::count_of(regions, "region"), partitions.size(),
                                                                 core::count_of(support, "support vector"));
  return parts + ", " + Predictor::description();
}

std::vector<std::string> PartitionPredictor::decision_names() const {
  return schema.classes.size() == 2 ? std::vector<std::string>{"decision_value"} : std::vector<std::string>{};
}

}  // namespace credence::svm
