#include "credence/model/classifier_family.hpp"

#include <algorithm>

namespace credence::model {

void Scores::label_by_score() {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const double* scores = values.data() + k * classes;
    labels[k] = static_cast<int>(std::max_element(scores, scores + classes) - scores);
  }
}

Scores ClassifierFamily::score_all(const data::Features& rows, const core::Context& context) const {
  Scores all(rows.rows(), models(), classes());
  if (region_count() > 0) all.region_of.resize(rows.rows());
  score(rows, context, [&](std::size_t first, const Scores& block) {
    std::copy(block.values.begin(), block.values.end(), all.at(first, 0));
    std::copy(block.labels.begin(), block.labels.end(),
              all.labels.begin() + static_cast<std::ptrdiff_t>(first * models()));
    if (!block.region_of.empty())
      std::copy(block.region_of.begin(), block.region_of.end(),
                all.region_of.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return all;
}

}  // namespace credence::model
