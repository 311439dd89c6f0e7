#include "credence/conformal/measures/neighbour_ratio.hpp"

#include <limits>
#include <numeric>

#include "neighbours/search/family.hpp"

namespace credence::conformal {

double neighbour_ratio(std::span<const double> own, std::span<const double> other) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (own.empty()) return infinity;
  if (other.empty()) return 0;
  double near_own = std::accumulate(own.begin(), own.end(), 0.0);
  double near_other = std::accumulate(other.begin(), other.end(), 0.0);
  // Not always: division rounds, and p-values count comparisons.
  if (own.size() != other.size()) {
    near_own /= static_cast<double>(own.size());
    near_other /= static_cast<double>(other.size());
  }
  if (near_other == 0) return near_own > 0 ? infinity : 1;
  return near_own / near_other;
}

Train NeighbourRatio::training(const Preparation& preparation) const {
  return [count = k, preparation](const data::Dataset& training, const core::Context&) {
    check_neighbour_count(count, training.rows());
    TrainedClassifier trained;
    trained.preprocessing = data::Preprocessing::fit(training, preparation.scaling);
    trained.missing = preparation.missing;
    auto family = std::make_shared<neighbours::NeighbourFamily>();
    family->rows = trained.preprocessing.apply(training);
    family->rows.own();
    family->labels = training.labels;
    family->k = {count};
    family->class_count = training.class_count();
    trained.classifier = std::move(family);
    return trained;
  };
}

}  // namespace credence::conformal
