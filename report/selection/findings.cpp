#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::ErrorEstimation;
using selection::EvidenceReport;
using selection::InSample;
using selection::PartitionReport;
using selection::Selection;

FindingsReport report_of(const auto&, const Selection&) {
  return {};
}

FindingsReport report_of(const InSample& found, const Selection& selection) {
  FindingsReport report;
  report.basis = in_sample_basis(found);
  if (selection.runner_up) report.runner_up_score = "bound " + percent(selection.grid[*selection.runner_up].error);
  report.work = fmt::format("{}, {}, {}, {}", count_of(found.work.convex_steps, "convex problem"),
                            count_of(found.work.solves, "QP"), count_of(found.work.steps, "SMO step"),
                            count_of(found.work.factorisations, "factorisation"));
  report.estimates = false;
  report.silent_without = true;
  return report;
}

FindingsReport report_of(const EvidenceReport& found, const Selection& selection) {
  FindingsReport report;
  report.basis = "one fit of each kernel to all rows";
  report.candidates = count_of(found.candidates, "candidate centre");
  const auto score = [&](const std::optional<std::size_t>& index) {
    return index && selection.grid[*index].evidence ? evidence_score(*selection.grid[*index].evidence, found) : "";
  };
  report.best_score = score(selection.best);
  report.runner_up_score = score(selection.runner_up);
  report.estimates = false;
  return report;
}

FindingsReport report_of(const PartitionReport& found, const Selection& selection) {
  FindingsReport report;
  report.basis = partition_basis(found, selection);
  return report;
}

}  // namespace

FindingsReport findings_report(const Selection& selection) {
  return std::visit([&](const auto& found) { return report_of(found, selection); }, selection.found);
}

void add_findings(const Selection& selection, Story& story) {
  std::visit(core::Overload{[&](std::monostate) { add_widths(selection, story); },
                            [&](const auto& found) { add_finding(found, selection, story); }},
             selection.found);
}

void add_findings(const Selection& selection, Json& document) {
  document.add("in_sample"_key = nullptr, "estimation"_key = nullptr);
  std::visit(
      core::Overload{[](std::monostate) {},
                     [&](const InSample& found) { document["in_sample"] = in_sample_json(found, selection.classes); },
                     [&](const EvidenceReport& found) { document["kernel_validity"] = kernel_validity_json(found); },
                     [&](const ErrorEstimation& found) { document["estimation"] = estimation_json(found); },
                     [&](const PartitionReport& found) { document["regions"] = partition_json(found); }},
      selection.found);
}

}  // namespace credence::report
