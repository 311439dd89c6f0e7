#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string positive_class(const rvm::RvmModel& model, std::size_t machine) {
  return model.schema.classes.at(static_cast<std::size_t>(model.machines[machine].positive));
}

void add_single_machine(const rvm::KernelFit& fit, const rvm::RvmModel& model, Section& section) {
  const rvm::Machine& machine = model.machines.front();
  section.fact("evidence", fmt::format("log evidence {:.2f}", machine.log_evidence));
  if (!fit.validity.empty()) {
    const rvm::Validity& validity = fit.validity.front();
    const double left_out = machine.log_evidence + validity.stability - validity.log_validity;  // --literal
    section.fact("validity", fmt::format("log validity {}: log evidence plus {} for stability{}",
                                         two_decimals(validity.log_validity), two_decimals(validity.stability),
                                         std::abs(left_out) < 1e-6 * (1 + std::abs(validity.log_validity))
                                             ? ""
                                             : fmt::format(", less {} for constants", two_decimals(left_out))));
  }
  section.fact("kernels", fmt::format("{}{}, of {}", count_of(machine.centres.size(), "relevance vector"),
                                      machine.has_bias ? " and a bias" : "", count_of(model.record.rows, "row")));
  if (model.schema.task == data::Task::regression)
    section.fact("noise", fmt::format("standard deviation {:.6g}", std::sqrt(machine.noise_variance)));
  section.fact("fit", fmt::format("{}: {}", count_of(static_cast<std::size_t>(machine.iterations), "iteration"),
                                  rvm::name(machine.status)));
}

/// A line for each class against the rest.
Table machines_table(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  const bool indexed = !fit.validity.empty();
  Table table{{"class and rest", "|log evidence", "|log validity", "|kernels", "|iterations", "end"}, "", Where::both};
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const rvm::Machine& machine = model.machines[m];
    table.add({shown_name(positive_class(model, m)), fmt::format("{:.2f}", machine.log_evidence),
               indexed ? fmt::format("{:.2f}", fit.validity[m].log_validity) : "", machine.centres.size(),
               machine.iterations, rvm::name(machine.status)});
  }
  if (!indexed) table.drop("log validity");
  return table;
}

}  // namespace

void add_machines(const rvm::KernelFit& fit, const rvm::RvmModel& model, Section& section) {
  if (model.machines.size() == 1)
    add_single_machine(fit, model, section);
  else
    section.add(machines_table(fit, model));
}

std::vector<std::string> machine_warnings(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  std::vector<std::string> warnings;
  const bool several = model.machines.size() > 1;
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const std::string which = several ? fmt::format(" of the class '{}'", positive_class(model, m)) : "";
    if (model.machines[m].null_model) {
      warnings.push_back(
          fmt::format("no kernel says anything: the RVM{} is a constant, whatever the features are", which));
    }
    if (fit.machines[m].memorised) {
      warnings.emplace_back(
          "the RVM repeats its training targets, noise at its floor: its standard deviations say nothing; try a "
          "wider kernel, or --noise, or intervals from rows left out (--folds)");
    }
    if (model.schema.task == data::Task::regression && !fit.machines[m].memorised) {
      std::string many = rvm::many_kernels_sentence(rvm::effective_kernels(fit), model.record.rows);
      if (!many.empty()) warnings.push_back(std::move(many));
    }
    if (model.machines[m].status == rvm::Status::iteration_limit)
      warnings.push_back(fmt::format("the fit{} met the limit of its iterations before it converged", which));
  }
  return warnings;
}

std::string two_decimals(double value) {
  const std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

}  // namespace credence::report
