#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::ErrorEstimation;
using selection::EvidenceReport;
using selection::InSample;
using selection::PartitionReport;
using selection::Selection;

FindingsReport report_of(std::monostate, const Selection&) {
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

FindingsReport report_of(const ErrorEstimation&, const Selection&) {
  return {};
}

FindingsReport report_of(const PartitionReport& found, const Selection& selection) {
  FindingsReport report;
  report.basis = partition_basis(found, selection);
  return report;
}

void tell(std::monostate, const Selection& selection, Story& story) {
  add_widths(selection, story);
}

void tell(const InSample& found, const Selection& selection, Story& story) {
  add_in_sample(found, selection, story);
}

void tell(const EvidenceReport& found, const Selection& selection, Story& story) {
  add_evidence(found, selection, story);
}

void tell(const ErrorEstimation& found, const Selection& selection, Story& story) {
  add_widths(selection, story);
  add_estimation(found, selection, story);
}

void tell(const PartitionReport& found, const Selection& selection, Story& story) {
  add_partition(found, selection, story);
}

void add(std::monostate, const Selection&, Json&) {}

void add(const InSample& found, const Selection& selection, Json& document) {
  document["in_sample"] = in_sample_json(found, selection.classes);
}

void add(const EvidenceReport& found, const Selection&, Json& document) {
  document["kernel_validity"] = kernel_validity_json(found);
}

void add(const ErrorEstimation& found, const Selection&, Json& document) {
  document["estimation"] = estimation_json(found);
}

void add(const PartitionReport& found, const Selection&, Json& document) {
  document["regions"] = partition_json(found);
}

}  // namespace

FindingsReport findings_report(const Selection& selection) {
  return std::visit([&](const auto& found) { return report_of(found, selection); }, selection.found);
}

void add_findings(const Selection& selection, Story& story) {
  std::visit([&](const auto& found) { tell(found, selection, story); }, selection.found);
}

void add_findings(const Selection& selection, Json& document) {
  document.add("in_sample"_key = nullptr, "estimation"_key = nullptr);
  std::visit([&](const auto& found) { add(found, selection, document); }, selection.found);
}

}  // namespace credence::report
