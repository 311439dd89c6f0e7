#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// The hyper-parameters of a setting in words and in documents, from Setting::parameters. Where the kernel is given by
/// sigma, sigma stands for gamma.
namespace credence::report {

bool shows_sigma(const selection::Options& options);
/// Whether several models decide together, so that there is no second best.
bool votes(const selection::Selection& selection);
/// Whether the best score is that of a choice among several settings, and therefore too good on average.
bool is_optimistic(const selection::Selection& selection);
/// "sigma = 1 (gamma = 0.5)".
std::string width_text(double gamma);

/// "rbf, standard, C = 8 (2^3), gamma = 0.125 (2^-3)", "k = 5", "rbf, minmax, sigma = 1 (gamma = 0.5)".
std::string parameters_text(const selection::Setting& setting, bool by_sigma);
/// Kernel, scale, and each parameter by its name, null where the setting has none; sigma only by_sigma.
Json parameters_json(const selection::Setting& setting, bool by_sigma);
/// The names of the numbers in such a document: "C", "nu", "rho", "sigma", "gamma", "k".
std::vector<std::string> parameter_keys();

/// The axis of the grid beside gamma.
struct CostAxis {
  const char* name;  ///< "C", "nu" or "rho"
  double selection::Setting::*member;
};
/// Nothing for settings without such an axis.
std::optional<CostAxis> cost_axis(const selection::Setting& setting);

/// How people read what is small where a choice is good: an error rate as "12.00 %"; for other scores the score itself,
/// "0.8800", which is large where the choice is good; a mean squared error as its root; other losses as they are.
struct Scale {
  selection::ScoreKind kind = selection::ScoreKind::error;
  std::string name{};  ///< of what is shown

  /// The share of rows with a wrong label, and nothing else.
  bool is_error() const { return kind == selection::ScoreKind::error; }
  /// Between 0 and 1, and shown in per cent.
  bool is_share() const;
  /// The score is shown instead of 1 - the score.
  bool is_turned() const { return kind == selection::ScoreKind::complement; }
  bool is_squared() const { return kind == selection::ScoreKind::squared_error; }

  double shown(double loss) const;
  std::string text(double loss) const;
  /// A difference or a spread of the same: "1.20 %", "0.0120".
  std::string spread(double value) const;
  /// "lower to upper" of the same, the smaller end first.
  std::string ends(double lower, double upper) const;
  const char* better() const { return is_turned() ? "higher" : "lower"; }
  /// Of a column of a table, and of an axis in Vega's terms.
  Format format() const { return is_share() ? Format::share : Format::number; }
  std::string axis_format() const;
  /// Both for a chart, with the title of the axis.
  Json words(const std::string& axis) const { return Json::object("$value"_key = axis, "$format"_key = axis_format()); }
  /// As `shown`; null for what is not finite.
  Json value(double loss) const;
};
/// How errors of some rows are shown beside the score: as that score where it is one of rows, else as wrong labels.
Scale scale_of_errors(const Scale& score);

/// @param loss  names what is small: "CV 1 - balanced accuracy", whose scale has the name "CV balanced accuracy"
Scale scale_of(selection::ScoreKind kind, const std::string& loss);

}  // namespace credence::report
