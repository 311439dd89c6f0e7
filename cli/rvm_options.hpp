#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/train.hpp"
#include "problems.hpp"

namespace CLI {
class App;
}

namespace credence::cli {

/// What is asked of relevance vector machines. Empty: the library's default.
struct RvmOptions {
  std::string sigma;
  std::string algorithm;
  std::optional<int> starts;
  std::optional<long long> centres;
  std::optional<double> noise;  ///< standard deviation
  bool literal = false;
  bool no_cap = false;
  bool no_guard = false;
  std::optional<double> null_margin;
};

/// Options that a command with relevance vector machines may have.
enum class RvmPart {
  fit,        ///< one fit: algorithm, starts, centres
  training,   ///< also the index and the noise of a regression
  selection,  ///< also the guard against the null model
};
void add_rvm_options(CLI::App& app, RvmOptions& options, RvmPart part);

/// Names of the options that were given, but for --sigma.
std::vector<std::string> given_rvm_options(const RvmOptions& options);

/// The widths of the paper (section 4), for an rbf kernel where none were asked for.
inline constexpr const char* paper_widths = "0.01,0.1,0.3,1,2,3,4,5,7,10";

/// How many widths may be added beyond either end of a grid that was not asked for (selection::Grid::further).
inline constexpr int further_widths = 6;

/// A list of sigma as gammas, ascending in gamma: gamma = 1 / (2 sigma^2). @throws Error invalid_argument
std::vector<kernel::GammaRule> gammas_of_sigmas(const std::string& text);

/// What is wrong with --sigma beside --gamma, or with this kernel.
void check_sigma(const std::string& sigma, const std::string& gamma, const kernel::Shape& kernel, Problems& problems);

/// Sets what was given.
void set_rvm(const RvmOptions& options, data::Task task, rvm::FitOptions& fit, rvm::ValidityOptions& validity,
             std::optional<std::size_t>& centres, Problems& problems);

}  // namespace credence::cli
