#include "report/course/unfinished_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "report/course/race_text.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::Selection;

/// The command that trains the best cell.
std::string training_command(const Selection& selection, const std::string& source, const std::string& output) {
  const Cell& best = selection.grid[*selection.best];
  const selection::Options& options = selection.options;
  std::string text = "credence train " + (source == "-" ? "DATA" : source);
  if (options.task == data::Task::regression) text += " --task regression";
  if (options.learner() == selection::Learner::rvm) text += " --model rvm";
  if (best.C > 0) text += fmt::format(" --C {:.17g}", best.C);
  if (best.nu > 0) text += fmt::format(" --nu {:.17g}", best.nu);
  if (options.kernels.shape.type != kernel::KernelType::rbf)
    text += fmt::format(" --kernel {}", kernel::name(options.kernels.shape.type));
  if (options.kernels.shape.uses_gamma()) text += fmt::format(" --gamma {:.17g}", best.gamma);
  return text + " -o " + output;
}

}  // namespace

Json reached_json(const Selection& selection) {
  const auto found = selection::reached(selection);
  if (!found) return nullptr;
  return Json::object("settings"_key = found->settings, "of_settings"_key = found->of_settings,
                      "rows"_key = found->rows, "of_rows"_key = found->of_rows);
}

std::string no_model_text(const Selection& selection, const std::string& source, const std::string& output) {
  const auto seconds = selection::seconds_to_train(selection);
  if (!selection.best || !selection::trains_best_cell(selection.options)) return "no model is saved";
  const bool regions = selection.options.traits().in_regions != nullptr &&
                       selection.options.learner() == selection::Learner::svm &&
                       selection.n >= selection::Forecast::from_rows;
  return fmt::format(
      "no model is saved, because training the best cell on all rows{} did not fit into the limit; {} "
      "trains this cell{}",
      seconds ? fmt::format(", about {},", rough_duration_text(*seconds)) : "",
      training_command(selection, source, output),
      regions ? fmt::format(", and credence select --cells {} is the shorter choice", selection::Regions::usual_rows)
              : "");
}

std::string no_p_values_text(const Selection& selection, const model::Predictor& model) {
  if (!selection::lacks_siblings(selection, model)) return {};
  return "the time limit ended while the machines of the folds were trained, so the model has no p-values; a larger "
         "time limit, or none, gives them";
}

std::string partial_mark(const selection::Comparison& comparison) {
  if (comparison.stopped == core::StopReason::none) return {};
  std::ptrdiff_t done = 0;
  for (const selection::MethodResult& method : comparison.methods)
    done += std::ranges::count_if(method.folds, &selection::OuterFold::complete);
  return fmt::format(
      "{}: partial result, {} of {} runs",
      comparison.stopped == core::StopReason::cancelled ? "INTERRUPTED" : "TIME LIMIT", done,
      comparison.methods.size() * static_cast<std::size_t>(comparison.outer_folds * comparison.options.repeats));
}

}  // namespace credence::report
