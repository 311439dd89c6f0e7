#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "selection/methods.hpp"

namespace credence::selection {
namespace {

struct Method {
  std::string_view name;
  std::unique_ptr<Selector> (*make)(const Options& options);
};

/// Every selection method: its name and what makes it. A new method is one file and one line here.
constexpr std::array<Method, 1> registry{{
    {"cv", make_cross_validation},
}};

}  // namespace

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method& method : registry) {
    names.emplace_back(method.name);
  }
  return names;
}

std::unique_ptr<Selector> make_selector(const Options& options) {
  throw_if_any(options.validate());
  const auto* found = std::find_if(registry.begin(), registry.end(),
                                   [&](const Method& method) { return method.name == options.method; });
  return found->make(options);
}

std::vector<std::string> Options::validate() const {
  std::vector<std::string> problems = grid.validate();
  kernel::Kernel any = kernel;
  any.gamma = 1;  // gamma comes from the grid
  for (const std::vector<std::string>& more : {any.validate(), solver.validate()}) {
    problems.insert(problems.end(), more.begin(), more.end());
  }
  const std::vector<std::string> known = methods();
  if (std::find(known.begin(), known.end(), method) == known.end()) {
    problems.push_back(fmt::format("unknown method '{}'; allowed are {}", method, fmt::join(known, ", ")));
  }
  if (folds < 2) {
    problems.push_back(fmt::format("the number of folds must be at least 2, not {}", folds));
  }
  for (const auto& [name, factor] : class_weights.named) {
    if (!(factor > 0 && std::isfinite(factor))) {
      problems.push_back(fmt::format("the weight of class '{}' must be a finite number above 0, not {}", name, factor));
    }
  }
  return problems;
}

ScaleScope Options::resolved_scale_scope() const {
  return scale_scope.value_or(method == "loo" ? ScaleScope::all : ScaleScope::fold);
}

svm::TrainResult retrain(const data::Dataset& dataset, const Options& options, const Selection& selection,
                         const core::Context& context) {
  if (!selection.best) {
    throw Error(ErrorCode::invalid_argument, "there is no chosen cell to train");
  }
  const Cell& best = selection.grid[*selection.best];
  svm::TrainOptions chosen;
  chosen.C = best.C;
  chosen.kernel = options.kernel;
  chosen.gamma = {kernel::GammaRule::Kind::value, best.gamma};
  if (chosen.kernel.uses_gamma()) {
    chosen.kernel.gamma = best.gamma;
  }
  chosen.scaling = options.scaling;
  chosen.missing = options.missing;
  chosen.class_weights = options.class_weights;
  chosen.solver = options.solver;
  chosen.seed = options.seed;
  svm::TrainResult result = svm::train(dataset, chosen, context);
  result.model.record.method = selection.method;
  result.model.record.selected_error = best.error;
  result.model.record.folds = selection.folds;
  return result;
}

}  // namespace credence::selection
