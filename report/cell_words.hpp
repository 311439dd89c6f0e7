#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"

/// The hyper-parameters of a cell in words and in documents, from Cell::parameters. Where the kernel is given by sigma,
/// sigma stands for gamma.
namespace credence::report {

bool shows_sigma(const selection::Options& options);
/// Whether several models decide together, so that there is no second best.
bool votes(const selection::Selection& selection);
/// "sigma = 1 (gamma = 0.5)".
std::string width_text(double gamma);

/// "rbf, standard, C = 8 (2^3), gamma = 0.125 (2^-3)", "k = 5", "rbf, minmax, sigma = 1 (gamma = 0.5)".
std::string parameters_text(const selection::Cell& cell, bool by_sigma);
/// Kernel, scale, and each parameter by its name, null where the cell has none; sigma only by_sigma.
Json parameters_json(const selection::Cell& cell, bool by_sigma);
/// The names of the numbers in such a document: "C", "nu", "rho", "sigma", "gamma", "k".
std::vector<std::string> parameter_keys();

/// The axis of the grid beside gamma.
struct CostAxis {
  const char* name;  ///< "C", "nu" or "rho"
  double selection::Cell::*member;
};
/// Nothing for cells without such an axis.
std::optional<CostAxis> cost_axis(const selection::Cell& cell);

}  // namespace credence::report
