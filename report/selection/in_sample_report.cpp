#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/bound_report.hpp"

namespace credence::report {
namespace {

using selection::InSample;
using selection::InSampleCell;

/// Cells of one machine: (gamma, rho), rho fastest.
std::size_t cells_of_a_machine(const InSample& found) {
  return found.rhos.size() * found.gammas.size();
}

const InSampleCell& chosen_cell(const InSample& found, std::size_t machine) {
  const std::size_t count = cells_of_a_machine(found);
  return found.cells[machine * count + found.chosen[machine] % count];
}
double chosen_rho(const InSample& found, std::size_t machine) {
  return found.rhos[found.chosen[machine] % found.rhos.size()];
}
double chosen_gamma(const InSample& found, std::size_t machine) {
  return found.gammas[found.chosen[machine] % cells_of_a_machine(found) / found.rhos.size()];
}

std::string class_of_machine(const InSample& found, std::size_t machine, const std::vector<std::string>& classes) {
  return classes.at(static_cast<std::size_t>(found.classes[machine]));
}

/// A share, and a word where it is a bound that says nothing.
std::string bound_columns(double bound) {
  return fmt::format("{:>10}{:<8}", percent(bound), bound < 1 ? "" : " vacuous");
}

/// One line of the block: the estimate and, where minima are approximate, the upper side.
std::string side_by_side(const InSample& found, const char* name, const std::string& estimate, const std::string& upper,
                         const std::string& more = "") {
  std::string text = fmt::format("{:<21}{:<18}", name, estimate);
  if (!found.exact) text += fmt::format("{:<18}", upper);
  return without_trailing_blanks(text + more);
}

std::string plain(double share) {
  return fmt::format("{:>10}", percent(share));
}

std::string columns_head(const InSample& found) {
  return side_by_side(found, "", fmt::format("{:>10}", found.exact ? "exact" : "estimate"),
                      fmt::format("{:>10}", "upper"));
}

std::string single_bound(const InSample& found) {
  const InSampleCell& cell = chosen_cell(found, 0);
  const std::string error =
      found.enumerated ? "all label vectors" : fmt::format("standard error {}", percent(cell.complexity_error));
  return columns_head(found) +
         side_by_side(found, "training loss", plain(cell.training_loss), plain(cell.training_loss)) +
         side_by_side(found, "+ complexity", plain(cell.complexity), plain(cell.complexity_upper), error) +
         side_by_side(found, "+ deviation", plain(cell.deviation), plain(cell.deviation));
}

/// A line for each class against the rest.
std::string several_bounds(const InSample& found, const std::vector<std::string>& classes) {
  std::size_t width = 10;
  for (std::size_t m = 0; m < found.classes.size(); ++m)
    width = std::max(width, class_of_machine(found, m, classes).size());
  const bool has_gamma = found.gammas.front() > 0;
  std::string text = fmt::format("{:<{}}  {:>9}", "class", width, "rho");
  if (has_gamma) text += fmt::format("  {:>9}", "gamma");
  text +=
      fmt::format("  {:>9}  {:>10}  {:>9}  {:>9}  {:>9}\n", "loss", "complexity", "std error", "upper", "deviation");
  for (std::size_t m = 0; m < found.classes.size(); ++m) {
    const InSampleCell& cell = chosen_cell(found, m);
    text += fmt::format("{:<{}}  {:>9}", class_of_machine(found, m, classes), width,
                        fmt::format("{:.4g}", chosen_rho(found, m)));
    if (has_gamma) text += fmt::format("  {:>9}", short_number(chosen_gamma(found, m)));
    text += fmt::format("  {:>9}  {:>10}  {:>9}  {:>9}  {:>9}\n", percent(cell.training_loss), percent(cell.complexity),
                        percent(cell.complexity_error), percent(cell.complexity_upper), percent(cell.deviation));
  }
  return text + "\n" + columns_head(found);
}

/// What the minima are worth.
std::string minima_sentence(const InSample& found, const selection::Options& options) {
  if (found.exact) return "Minima are exact, by enumeration of the rows given up.\n";
  if (options.in_sample.ivanov.peel) {
    return "Minima are approximate, by peeling, which makes the complexity larger than the losses found;\n"
           "the upper side needs no minimum.\n";
  }
  return "Minima are approximate, so that the complexity and the bounds are lower estimates; those of\n"
         "the upper side are not.\n";
}

Json in_sample_cell_json(const InSample& found, std::size_t index) {
  const InSampleCell& cell = found.cells[index];
  const auto known = [&](const auto& value) { return cell.complete ? Json(value) : Json(nullptr); };
  const double gamma = found.gammas[index / found.rhos.size() % found.gammas.size()];
  return Json::object("rho"_key = found.rhos[index % found.rhos.size()],
                      "gamma"_key = gamma > 0 ? Json(gamma) : Json(nullptr), "complete"_key = cell.complete,
                      "training_loss"_key = known(cell.training_loss), "complexity"_key = known(cell.complexity),
                      "complexity_error"_key = known(cell.complexity_error),
                      "complexity_upper"_key = known(cell.complexity_upper), "deviation"_key = known(cell.deviation),
                      "bound"_key = known(cell.bound), "bound_upper"_key = known(cell.bound_upper),
                      "vacuous"_key = known(cell.vacuous()), "trials"_key = known(cell.trials),
                      "trials_upper"_key = known(cell.trials_upper));
}

Json machines_json(const InSample& found, const std::vector<std::string>& classes) {
  Json machines = Json::array();
  const std::size_t count = cells_of_a_machine(found);
  for (std::size_t m = 0; m < found.classes.size(); ++m) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < count; ++i) cells.push_back(in_sample_cell_json(found, m * count + i));
    machines.push_back(
        Json::object("positive"_key = class_of_machine(found, m, classes),
                     "chosen"_key = m < found.chosen.size() ? Json(found.chosen[m] % count) : Json(nullptr),
                     "cells"_key = std::move(cells)));
  }
  return machines;
}

Json work_json(const svm::IvanovWork& work) {
  return Json::object("convex_steps"_key = work.convex_steps, "solves"_key = work.solves, "steps"_key = work.steps,
                      "factorisations"_key = work.factorisations, "unconverged"_key = work.unconverged);
}

}  // namespace

std::string in_sample_basis(const InSample& found) {
  std::string text = fmt::format("{} over {}{}, {} in the bound", found.complexity, found.enumerated ? "all " : "",
                                 count_of(found.trials, "label vector"), count_of(found.n, "row"));
  if (found.hint_rows > 0) text += fmt::format(", {} for the hint", found.hint_rows);
  if (found.given_hint) text += ", around the given hint";
  return text;
}

std::string in_sample_table(const InSample& found, const selection::Options& options,
                            const std::vector<std::string>& classes) {
  if (found.chosen.empty() || found.chosen.size() < found.classes.size()) return {};
  const bool several = found.classes.size() > 1;
  return (several ? several_bounds(found, classes) : single_bound(found)) +
         side_by_side(found, several ? "sum of their bounds" : "= soft loss at most", bound_columns(found.bound),
                      bound_columns(found.bound_upper)) +
         side_by_side(found, "error rate at most", bound_columns(found.error_bound),
                      bound_columns(found.error_bound_upper)) +
         minima_sentence(found, options) +
         proof_sentence(found.exact ? subject_all_bounds : subject_upper_bounds, found.gaps, found.delta) + '\n';
}

Json in_sample_json(const InSample& found, const std::vector<std::string>& classes) {
  const auto chosen = [&](double value) { return found.chosen.empty() ? Json(nullptr) : Json(value); };
  return Json::object("complexity"_key = found.complexity, "n"_key = found.n, "hint_rows"_key = found.hint_rows,
                      "given_hint"_key = found.given_hint, "trials"_key = found.trials,
                      "enumerated"_key = found.enumerated, "exact"_key = found.exact, "delta"_key = found.delta,
                      "delta_each"_key = found.delta_each, "union"_key = found.united,
                      "floor_of_label_vectors"_key = found.floor, "fixed_in_advance"_key = found.fixed_in_advance,
                      "positive_semidefinite"_key = found.positive_semidefinite, "proved"_key = found.gaps.empty(),
                      "gaps"_key = found.gaps, "bound"_key = chosen(found.bound),
                      "bound_upper"_key = chosen(found.bound_upper), "error_bound"_key = chosen(found.error_bound),
                      "error_bound_upper"_key = chosen(found.error_bound_upper),
                      "machines"_key = machines_json(found, classes), "work"_key = work_json(found.work));
}

}  // namespace credence::report
