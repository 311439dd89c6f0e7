#include <array>
#include <numeric>

#include "comparison_rvm.hpp"
#include "credence/rvm/train.hpp"

namespace credence::bench {
namespace {

/// The paper's, widest first: gamma ascends.
constexpr std::array sigmas{10.0, 7.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.3, 0.1, 0.01};

selection::Options options_of(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.choose_from(selection::Learner::rvm);
  if (auto* cv = std::get_if<selection::CrossValidation>(&options.method)) cv->folds = 5;
  options.estimate = selection::Estimate::none;
  options.kernels.gamma.clear();
  for (const double sigma : sigmas)
    options.kernels.gamma.push_back({kernel::GammaRule::Kind::value, rvm::gamma_of_sigma(sigma)});
  return options;
}

double chosen_sigma(const selection::Selection& selection) {
  return selection.best ? rvm::sigma_of_gamma(selection.grid[*selection.best].gamma) : 0;
}

}  // namespace

double RvmSelectionRow::ratio() const {
  return median(cross_validation).cpu / median(index).cpu;
}

RvmSelectionRow compare_rvm_selection(const data::Dataset& dataset, const std::string& name, const Settings& settings) {
  RvmSelectionRow row;
  row.name = name;
  row.rows = dataset.rows();
  const int runs = settings.quick ? 1 : 3;
  for (int run = 0; run < runs; ++run) {
    const SelectionRun index = credence_selection(dataset, options_of("kernel-validity"), 1);
    const SelectionRun cross_validation = credence_selection(dataset, options_of("cv"), 1);
    row.index.push_back(index.seconds);
    row.cross_validation.push_back(cross_validation.seconds);
    row.index_sigma = chosen_sigma(index.selection);
    row.cross_validation_sigma = chosen_sigma(cross_validation.selection);
  }
  return row;
}

}  // namespace credence::bench
