#include "selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace credence::cli {
namespace {

using selection::Cell;
using selection::Selection;

std::size_t complete_cells(const Selection& selection) {
  return static_cast<std::size_t>(
      std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.complete; }));
}

const char* status_word(core::StopReason reason) {
  switch (reason) {
    case core::StopReason::cancelled:
      return "interrupted";
    case core::StopReason::time_budget:
      return "time limit";
    case core::StopReason::none:
      break;
  }
  return "complete";
}

const char* scaling_word(data::Scaling scaling) {
  switch (scaling) {
    case data::Scaling::standard:
      return "standard";
    case data::Scaling::minmax:
      return "minmax";
    case data::Scaling::none:
      break;
  }
  return "none";
}

const char* scope_word(selection::ScaleScope scope) {
  return scope == selection::ScaleScope::fold ? "fold" : "all";
}

std::string parameters(const Cell& cell, bool uses_gamma) {
  std::string text = "C = " + readable(cell.C);
  if (uses_gamma) text += ", gamma = " + readable(cell.gamma);
  return text;
}

double standard_error(const Cell& cell, int folds) {
  return cell.error_std / std::sqrt(static_cast<double>(folds));
}

/// Which way the grid should be extended, where the best cell lies on its border; empty if nowhere.
std::string border_hint(const Selection& selection, const selection::Options& options) {
  const Cell& best = selection.grid[*selection.best];
  const auto hint = [&](const char* option, double Cell::*member) {
    const auto [low, high] = std::minmax_element(selection.grid.begin(), selection.grid.end(),
                                                 [&](const Cell& a, const Cell& b) { return a.*member < b.*member; });
    if ((*low).*member == (*high).*member) return std::string();
    if (best.*member == (*low).*member) return fmt::format(" smaller {}", option);
    if (best.*member == (*high).*member) return fmt::format(" larger {}", option);
    return std::string();
  };
  const auto& gammas = options.grid.gamma;
  const bool numbers = std::all_of(gammas.begin(), gammas.end(), [](const kernel::GammaRule& rule) {
    return rule.kind == kernel::GammaRule::Kind::value;
  });
  const std::string c = hint("--C", &Cell::C);
  const std::string gamma = options.kernel.uses_gamma() && numbers ? hint("--gamma", &Cell::gamma) : "";
  if (c.empty() && gamma.empty()) return {};
  return "the best cell lies on the border of the grid: try" + c + (!c.empty() && !gamma.empty() ? " and" : "") + gamma;
}

}  // namespace

std::string class_summary(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts) {
  constexpr std::size_t most = 8;
  std::string text = count_of(classes.size(), "class");
  for (std::size_t i = 0; i < std::min({classes.size(), counts.size(), most}); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", classes[i], counts[i]);
  }
  return classes.size() > most ? text + ", ..." : text;
}

std::string partial_mark(const Selection& selection) {
  if (selection.stopped == core::StopReason::none) return {};
  return fmt::format("{}: partial result, {} of {} cells",
                     selection.stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT",
                     complete_cells(selection), selection.grid.size());
}

std::string selection_table(const Selection& selection, const selection::Options& options, const std::string& source) {
  const bool uses_gamma = options.kernel.uses_gamma();
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const std::string partial = partial_mark(selection);
  if (!partial.empty()) text += partial + "\n";
  line("data",
       fmt::format("{}: {}, {}, {}", source == "-" ? "standard input" : source, count_of(selection.n, "row"),
                   count_of(selection.features, "feature"), class_summary(selection.classes, selection.class_counts)));
  line("method", fmt::format("{}, {}, {} kernel, scale {} ({}), {}", selection.method,
                             count_of(static_cast<std::size_t>(selection.folds), "fold"),
                             kernel::name(options.kernel.type), scaling_word(options.scaling),
                             scope_word(selection.scale_scope), count_of(selection.grid.size(), "cell")));
  if (selection.best) {
    const Cell& best = selection.grid[*selection.best];
    line("best", parameters(best, uses_gamma));
    line("CV error", fmt::format("{} (standard error {}); optimistic, as it chose the cell", percent(best.error),
                                 percent(standard_error(best, selection.folds))));
    line("support", fmt::format("{:.1f} support vectors, mean over folds", best.n_sv));
    if (selection.runner_up) {
      const Cell& second = selection.grid[*selection.runner_up];
      line("runner-up", fmt::format("{}: {}", parameters(second, uses_gamma), percent(second.error)));
    }
    const std::string hint = selection.best_on_border ? border_hint(selection, options) : "";
    if (!hint.empty()) line("warning", hint);
  } else {
    line("best", "none: no cell was completed");
  }
  line("time", fmt::format("{:.2f} s, {}, seed {}", selection.seconds,
                           count_of(static_cast<std::size_t>(selection.threads), "thread"), selection.seed));
  return text;
}

Json selection_json(const Selection& selection, const selection::Options& options, const std::string& source) {
  const bool uses_gamma = options.kernel.uses_gamma();
  const auto gamma = [&](const Cell& cell) { return uses_gamma ? Json(cell.gamma) : Json(nullptr); };
  Json best = nullptr;
  if (selection.best) {
    const Cell& cell = selection.grid[*selection.best];
    best = {{"C", cell.C}, {"gamma", gamma(cell)}, {"error", cell.error}, {"error_std", cell.error_std}};
  }
  Json grid = Json::array();
  for (const Cell& cell : selection.grid) {
    const auto known = [&](const auto& value) { return cell.complete ? Json(value) : Json(nullptr); };
    grid.push_back({{"C", cell.C},
                    {"gamma", gamma(cell)},
                    {"error", known(cell.error)},
                    {"error_std", known(cell.error_std)},
                    {"n_sv", known(cell.n_sv)},
                    {"steps", known(cell.steps)},
                    {"factorisations", known(cell.factorisations)}});
  }
  return {{"method", selection.method},
          {"status", status_word(selection.stopped)},
          {"best", std::move(best)},
          {"best_on_border", selection.best_on_border},
          {"grid", std::move(grid)},
          {"n", selection.n},
          {"features", selection.features},
          {"classes", selection.classes},
          {"class_counts", selection.class_counts},
          {"folds", selection.folds},
          {"kernel", kernel::name(options.kernel.type)},
          {"scale", scaling_word(options.scaling)},
          {"scale_scope", scope_word(selection.scale_scope)},
          {"source", source},
          {"warnings", selection.warnings},
          {"seed", selection.seed},
          {"threads", selection.threads},
          {"seconds", selection.seconds},
          {"version", selection.version}};
}

}  // namespace credence::cli
