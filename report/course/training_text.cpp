#include "report/course/training_text.hpp"

#include <fmt/format.h>

#include "report/cell_words.hpp"
#include "report/text.hpp"

namespace credence::report {

std::string kernel_text(const kernel::Kernel& kernel, bool by_sigma) {
  std::string name{kernel::name(kernel.type)};
  if (!kernel.uses_gamma()) return name;
  return name + ", " + (by_sigma ? width_text(kernel.gamma) : "gamma = " + readable(kernel.gamma));
}

std::string svm_text(const svm::TrainResult& result, bool by_sigma, bool verbose) {
  const model::TrainingRecord& record = result.model.record;
  std::string text = named_line("kernel", kernel_text(result.model.kernel, by_sigma));
  text += record.nu ? named_line("nu", fmt::format("{:.6g}, the C-SVC with C = {}", *record.nu, readable(record.C)))
                    : named_line("C", readable(record.C));
  text += named_line("support", count_of(result.model.support_count(), "support vector"));
  if (!verbose) return text;
  const qp::Statistics& work = result.statistics;
  return text +
         named_line("solver", fmt::format("{}, {}, objective {:.10g}, gap {:.3g}: {}", count_of(work.steps, "SMO step"),
                                          count_of(work.factorisations, "factorisation"), result.objective, work.gap,
                                          qp::name(work.status)));
}

}  // namespace credence::report
