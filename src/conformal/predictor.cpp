#include "credence/conformal/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/conformal/inductive.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/error.hpp"
#include "credence/data/row_key.hpp"

namespace credence::conformal {
namespace {

void check_predictor(const ConformalPredictor& predictor) {
  if (predictor.machine == nullptr)
    throw Error(ErrorCode::invalid_argument, "the conformal predictor has no machine to rank new examples");
  const std::size_t known = predictor.machine->class_counts().size();
  const std::size_t named = predictor.schema.classes.size();
  if (named != 0 && named != known) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the conformal predictor names {} classes, but its machine knows {}", named, known));
  }
}

}  // namespace

model::Prediction ConformalPredictor::predict_preprocessed(const data::Features& rows,
                                                           const core::Context& context) const {
  check_predictor(*this);
  model::Prediction prediction;
  const auto* svm = dynamic_cast<const TransductiveSvm*>(machine.get());
  const Ranks ranks = svm != nullptr
                          ? svm->ranks(rows, options.label_conditional, context, prediction.solver_cost.emplace())
                          : machine->ranks(rows, options.label_conditional, context);
  prediction.p_value = p_values(ranks, options, options.smoothed ? data::row_keys(rows) : std::vector<std::uint64_t>());
  conclude(prediction);
  return prediction;
}

model::Capabilities ConformalPredictor::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.p_values = model::PValueSource::conformal;
  return able;
}

std::string ConformalPredictor::description() const {
  check_predictor(*this);
  return machine->description(record);
}

Validity ConformalPredictor::validity() const {
  check_predictor(*this);
  if (fitted_on_compared || (stratified && !options.label_conditional)) return Validity::approximate;
  return machine->validity();
}

bool ConformalPredictor::is_split() const {
  const auto* inductive = dynamic_cast<const Inductive*>(machine.get());
  return inductive != nullptr && inductive->parts().size() == 1;
}

double smallest_p_value(std::span<const std::size_t> class_counts, bool label_conditional) {
  if (class_counts.empty()) return 1;
  const std::size_t compared = label_conditional
                                   ? *std::min_element(class_counts.begin(), class_counts.end())
                                   : std::accumulate(class_counts.begin(), class_counts.end(), std::size_t{0});
  return p_value({0, 0, compared});
}

}  // namespace credence::conformal
