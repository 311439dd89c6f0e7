#include "report/selection/relevance_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"
#include "credence/svm/model.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string positive_class(const rvm::RvmModel& model, std::size_t machine) {
  return model.schema.classes.at(static_cast<std::size_t>(model.machines[machine].positive));
}

std::string single_relevance_machine(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  const rvm::Machine& machine = model.machines.front();
  std::string text = named_line("evidence", fmt::format("log evidence {:.2f}", machine.log_evidence));
  if (!fit.validity.empty()) {
    const rvm::Validity& validity = fit.validity.front();
    const double left_out = machine.log_evidence + validity.stability - validity.log_validity;  // --literal
    text += named_line("validity", fmt::format("log validity {}: log evidence and {} for stability{}",
                                               two_decimals(validity.log_validity), two_decimals(validity.stability),
                                               std::abs(left_out) < 1e-6 * (1 + std::abs(validity.log_validity))
                                                   ? ""
                                                   : fmt::format(", less {} for constants", two_decimals(left_out))));
  }
  text += named_line("kernels", fmt::format("{}{}, of {}", count_of(machine.centres.size(), "relevance vector"),
                                            machine.has_bias ? " and a bias" : "", count_of(model.record.rows, "row")));
  if (model.schema.task == data::Task::regression)
    text += named_line("noise", fmt::format("standard deviation {:.6g}", std::sqrt(machine.noise_variance)));
  return text +
         named_line("fit", fmt::format("{}: {}", count_of(static_cast<std::size_t>(machine.iterations), "iteration"),
                                       rvm::name(machine.status)));
}

/// A line for each class against the rest.
std::string several_relevance_machines(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  std::size_t width = 14;
  for (std::size_t m = 0; m < model.machines.size(); ++m) width = std::max(width, positive_class(model, m).size());
  const bool indexed = !fit.validity.empty();
  std::string text = fmt::format("{:<{}}  {:>12}{}  {:>7}  {:>10}  end\n", "class and rest", width, "log evidence",
                                 indexed ? "  log validity" : "", "kernels", "iterations");
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const rvm::Machine& machine = model.machines[m];
    text += fmt::format("{:<{}}  {:>12.2f}{}  {:>7}  {:>10}  {}\n", positive_class(model, m), width,
                        machine.log_evidence, indexed ? fmt::format("  {:>12.2f}", fit.validity[m].log_validity) : "",
                        machine.centres.size(), machine.iterations, rvm::name(machine.status));
  }
  return text;
}

std::string memorised_sentence(const svm::SvmModel& model, const core::Context& context) {
  core::Monitor apart(context.monitor, 0);  // no part of the progress
  if (!svm::memorised(model, {context.threads, apart, context.memory_budget})) return {};
  return "the machine remembers its rows one by one: a new row gets nearly the same answer wherever it lies, and "
         "regions "
         "may miss far more than their level";
}

}  // namespace

std::string machines_text(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  return model.machines.size() == 1 ? single_relevance_machine(fit, model) : several_relevance_machines(fit, model);
}

std::vector<std::string> machine_warnings(const rvm::KernelFit& fit, const rvm::RvmModel& model) {
  std::vector<std::string> warnings;
  const bool several = model.machines.size() > 1;
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const std::string which = several ? fmt::format(" of the class '{}'", positive_class(model, m)) : "";
    if (model.machines[m].null_model) {
      warnings.push_back(
          fmt::format("no kernel says anything: the machine{} is a constant, whatever the features are", which));
    }
    if (fit.machines[m].memorised) {
      warnings.emplace_back(
          "the machine repeats its training targets, noise at its floor: its standard deviations say nothing; try a "
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

std::string trained_warning(const model::Predictor& model, const data::Dataset& training,
                            const core::Context& context) {
  if (context.monitor.should_stop()) return {};
  if (const auto* svm = dynamic_cast<const svm::SvmModel*>(&model)) return memorised_sentence(*svm, context);
  const auto* machines = dynamic_cast<const rvm::RvmModel*>(&model);
  if (machines == nullptr || training.is_regression()) return {};
  const auto says_nothing = [](const rvm::Machine& machine) { return machine.null_model; };
  if (std::all_of(machines->machines.begin(), machines->machines.end(), says_nothing)) return {};
  core::Monitor apart(context.monitor, 0);  // no part of the progress
  std::vector<int> labels;
  try {
    labels = model.predict(training, {context.threads, apart, context.memory_budget}).label;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
  }
  if (labels.empty() || std::adjacent_find(labels.begin(), labels.end(), std::not_equal_to<>{}) != labels.end())
    return {};
  return fmt::format("the machine gives all {} training rows the class '{}'", labels.size(),
                     model.schema.classes.at(static_cast<std::size_t>(labels.front())));
}

std::string two_decimals(double value) {
  const std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

}  // namespace credence::report
