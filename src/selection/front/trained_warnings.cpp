#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/run.hpp"
#include "credence/svm/model.hpp"

namespace credence::selection {
namespace {

bool is_null_machine(const model::Predictor& model) {
  const auto* machines = dynamic_cast<const rvm::RvmModel*>(&model);
  return machines != nullptr && std::ranges::all_of(machines->machines, &rvm::Machine::null_model);
}

std::string violation_sentence(const model::TrainingRecord& record) {
  if (!record.violation) return {};
  return fmt::format(
      "the training did not converge: it ended with a violation of {:.2g} of the KKT conditions, in place of {:.2g}, "
      "so the model is approximate; scale the columns, take a smaller C, or allow more steps",
      *record.violation, record.tolerance);
}

std::string memorised_sentence(const model::Predictor& model, const core::Context& context) {
  const auto* machine = dynamic_cast<const svm::SvmModel*>(&model);
  if (machine == nullptr || !svm::memorised(*machine, context)) return {};
  return "the machine remembers its rows one by one: a new row gets nearly the same answer wherever it lies";
}

std::string one_class_sentence(const model::Predictor& model, const std::vector<int>& labels, bool all) {
  if (labels.empty() || std::ranges::adjacent_find(labels, std::not_equal_to<>{}) != labels.end()) return {};
  return fmt::format("the machine gives all {}{} training rows the class '{}'", all ? "" : "of ", labels.size(),
                     model.schema.classes.at(static_cast<std::size_t>(labels.front())));
}

}  // namespace

std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context, const data::Dataset* looked_at) {
  const std::vector<std::size_t> numbers = looked_at_rows(training.rows());
  const bool all = numbers.size() == training.rows();
  const data::Dataset some = all || looked_at != nullptr ? data::Dataset() : training.select_rows(numbers);
  const data::Dataset& rows = looked_at != nullptr ? *looked_at : all ? training : some;
  std::vector<std::string> warnings;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) warnings.push_back(std::move(sentence));
  };
  add(model.record.next_best);
  add(violation_sentence(model.record));
  if (context.monitor.should_stop() || rows.is_regression() || rows.rows() == 0 || is_null_machine(model))
    return warnings;
  core::Monitor apart(context.monitor, 0);  // no part of the progress
  const core::Context own{context.threads, apart, context.memory_budget};
  try {
    add(memorised_sentence(model, own));
    const auto one_class = [&](const data::Dataset& some) {
      return one_class_sentence(model, model.predict(some, own).label, all);
    };
    std::vector<std::size_t> few(std::min<std::size_t>(rows.rows(), 32));  // mostly of several classes already
    std::iota(few.begin(), few.end(), std::size_t{0});
    if (!one_class(rows.select_rows(few)).empty()) add(one_class(rows));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
  }
  return warnings;
}

}  // namespace credence::selection
