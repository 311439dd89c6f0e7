#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "credence/core/list.hpp"
#include "report/cell_words.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::EvidenceReport;
using selection::KernelEvidence;
using selection::Selection;

bool has_sigma(const selection::Options& options) {
  return options.kernels.shape().type == kernel::KernelType::rbf;
}

/// Cells from narrow to wide for rbf, by ascending gamma for others.
std::vector<std::size_t> ordered_cells(const Selection& selection, bool by_sigma) {
  std::vector<std::size_t> order = core::numbers_below(selection.grid.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double first = selection.grid[a].gamma;
    const double second = selection.grid[b].gamma;
    return by_sigma ? first > second : first < second;
  });
  return order;
}

/// The kernel of a cell, as the first column has it.
std::string width_of(const Cell& cell, bool by_sigma) {
  if (!(cell.gamma > 0)) return "-";
  return fmt::format("{:.6g}", by_sigma ? rvm::sigma_of_gamma(cell.gamma) : cell.gamma);
}

struct Flag {
  const char* word;
  const char* meaning;
  bool of_machine;  ///< not of all machines together
  bool (*holds)(const KernelEvidence& evidence);
};

constexpr Flag flags[] = {
    {"null model", "no kernel says anything: the bias alone, or a constant", true,
     [](const KernelEvidence& evidence) { return evidence.null_model; }},
    {"below null", "the evidence is not above that of the bias alone by the margin", false,
     [](const KernelEvidence& evidence) { return evidence.below_null; }},
    {"memorised", "the machine repeats its training targets, noise at its floor", false,
     [](const KernelEvidence& evidence) { return evidence.memorised; }},
    {"plateau", "the evidence no longer moved, though some alpha still did: the usual end", true,
     [](const KernelEvidence& evidence) { return evidence.status == rvm::Status::plateau; }},
    {"iteration limit", "not converged: stopped by the limit of iterations", true,
     [](const KernelEvidence& evidence) { return evidence.status == rvm::Status::iteration_limit; }},
    {"reused", "the kernel's values are those of the kernel before, and so is the fit", false,
     [](const KernelEvidence& evidence) { return evidence.reused; }},
    {"capped", "some centres are held by nothing but the ranges of the features", false,
     [](const KernelEvidence& evidence) { return evidence.capped > 0; }},
    {"saddles", "in some directions of a centre the likelihood curves upwards: the slope alone counts", false,
     [](const KernelEvidence& evidence) { return evidence.saddles > 0; }},
};

std::string flags_of(const KernelEvidence& evidence) {
  std::string text;
  for (const Flag& flag : flags)
    if (flag.holds(evidence)) text += (text.empty() ? "" : ", ") + std::string(flag.word);
  return text;
}

std::string legend(const Selection& selection) {
  std::string text;
  for (const Flag& flag : flags) {
    const auto holds = [&](const Cell& cell) { return cell.evidence && flag.holds(*cell.evidence); };
    if (std::ranges::any_of(selection.grid, holds)) {
      const bool some = flag.of_machine && selection.classes.size() > 2;
      text += fmt::format("  {}: {}{}\n", flag.word, flag.meaning, some ? " (of some machine)" : "");
    }
  }
  return text;
}

std::string head(bool by_sigma, bool regression) {
  return fmt::format("  {:>9}  {:>12}  {:>12}  {:>10}  {:>9}  {:>9}{}  {:>10}  flags\n", by_sigma ? "sigma" : "gamma",
                     "log evidence", "log validity", "stability", "effective", "kernels",
                     regression ? fmt::format("  {:>9}", "noise sd") : "", "iterations");
}

/// The marks of a cell, and its kernel.
std::string row_start(const Cell& cell, bool chosen, bool by_sigma) {
  return fmt::format("{}{}{:>9}", chosen ? '*' : ' ', cell.added ? '+' : ' ', width_of(cell, by_sigma));
}

/// What + means, where some cell has it.
std::string added_legend(const Selection& selection) {
  const bool some = std::ranges::any_of(selection.grid, [](const Cell& cell) { return cell.added; });
  return some ? "  +: a width beyond the usual ones, added because the best lay on their border\n" : "";
}

std::string row(const Cell& cell, bool chosen, bool by_sigma, bool regression) {
  const std::string start = row_start(cell, chosen, by_sigma);
  if (!cell.complete || !cell.evidence) return start + "  not computed\n";
  const KernelEvidence& found = *cell.evidence;
  const std::string validity = found.log_validity ? two_decimals(*found.log_validity) : "-";
  const std::string stability = found.log_validity ? two_decimals(found.stability) : "-";
  return without_trailing_blanks(
      fmt::format("{}  {:>12.2f}  {:>12}  {:>10}  {:>9.1f}  {:>9}{}  {:>10}  {}", start, found.log_evidence, validity,
                  stability, found.effective, fmt::format("{}/{}", found.relevant, found.kernels),
                  regression ? fmt::format("  {:>9.4g}", found.noise_sd) : "", found.iterations, flags_of(found)));
}

bool by_validity(const EvidenceReport& report) {
  return report.criterion == "kernel validity";
}

}  // namespace

std::string evidence_score(const KernelEvidence& evidence, const EvidenceReport& report) {
  if (by_validity(report) && evidence.log_validity) return fmt::format("log validity {:.2f}", *evidence.log_validity);
  return fmt::format("log evidence {:.2f}", evidence.log_evidence);
}

std::string null_model_text(const EvidenceReport& report) {
  const std::string text = fmt::format("log evidence {:.2f}, the bias alone", report.null_evidence);
  if (!report.guarded) return text + "; no guard, any kernel may win";
  return text + fmt::format("; a kernel wins only with {:.6g} more", report.null_margin);
}

std::string kernel_validity_table(const Selection& selection) {
  const bool by_sigma = has_sigma(selection.options);
  const bool regression = selection.options.task == data::Task::regression;
  std::string text = head(by_sigma, regression);
  for (const std::size_t index : ordered_cells(selection, by_sigma))
    text += row(selection.grid[index], selection.best == index, by_sigma, regression);
  if (selection.classes.size() > 2) {
    text +=
        fmt::format("  all of them sums over {} machines, each a class against the rest\n", selection.classes.size());
  }
  return text + "  effective: the kernels' sum of gamma, by how well the data determine each weight\n" +
         "  kernels: relevant (gamma above 0.1) of those kept\n" + added_legend(selection) + legend(selection);
}

std::string kernel_validity_basis(const Selection& selection) {
  const EvidenceReport& report = *selection.evidence();
  std::string text = by_validity(report)
                         ? "The index weighs how well each kernel's machine explains these rows, and how little that\n"
                           "depends on where its kernels stand. It compares fits of one training set with each other:\n"
                         : "The evidence says how well each kernel's machine, averaged over its weights, explains\n"
                           "these rows. It compares fits of one training set with each other:\n";
  text += "it is not an estimate of the error.\n";
  if (selection.options.task == data::Task::regression)
    text += "For regressions take --method cv first: docs/rvm.md has its errors and intervals beside these.\n";
  if (!report.all_below_null) return text;
  const auto memorised = [](const Cell& cell) { return cell.evidence && cell.evidence->memorised; };
  const bool some = std::ranges::any_of(selection.grid, memorised);
  return text + (some ? "But for machines that repeat their targets, no" : "No") +
         " kernel's evidence is above that of the bias alone: the choice among them says little.\n";
}

std::string relevance_table(const Selection& selection) {
  const bool by_sigma = has_sigma(selection.options);
  const Scale scale{selection.score_kind()};
  std::string text = fmt::format("  {:>9}  {:>10}  {:>10}\n", by_sigma ? "sigma" : "gamma",
                                 scale.is_squared() ? "rms error"
                                 : scale.is_share() ? "error"
                                                    : title(selection.options.score),
                                 "kernels");
  for (const std::size_t index : ordered_cells(selection, by_sigma)) {
    const Cell& cell = selection.grid[index];
    text += row_start(cell, selection.best == index, by_sigma);
    text +=
        cell.complete ? fmt::format("  {:>10}  {:>10.1f}\n", scale.text(cell.error), cell.n_sv) : "  not computed\n";
  }
  return text + added_legend(selection);
}

Json kernel_validity_json(const EvidenceReport& report) {
  return Json::object("criterion"_key = report.criterion, "null_evidence"_key = report.null_evidence,
                      "guarded"_key = report.guarded, "null_margin"_key = report.null_margin,
                      "all_below_null"_key = report.all_below_null, "literal"_key = report.literal,
                      "cap"_key = report.cap, "candidates"_key = report.candidates);
}

Json kernel_evidence_json(const KernelEvidence& evidence) {
  return Json::object(
      "log_evidence"_key = evidence.log_evidence, "log_validity"_key = evidence.log_validity,
      "stability"_key = evidence.log_validity ? Json(evidence.stability) : Json(nullptr),
      "effective"_key = evidence.effective, "kernels"_key = evidence.kernels, "relevant"_key = evidence.relevant,
      "noise_sd"_key = evidence.noise_sd > 0 ? Json(evidence.noise_sd) : Json(nullptr),
      "largest_weight"_key = evidence.largest_weight, "capped"_key = evidence.capped, "saddles"_key = evidence.saddles,
      "iterations"_key = evidence.iterations, "status"_key = rvm::name(evidence.status),
      "null_model"_key = evidence.null_model, "memorised"_key = evidence.memorised,
      "below_null"_key = evidence.below_null, "reused"_key = evidence.reused);
}

}  // namespace credence::report
