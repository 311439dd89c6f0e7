#include "reproduce/kernel_validity_parts.hpp"

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"

namespace credence::reproduce::kernel_validity {

kernel::Kernel rbf_of(double sigma) {
  kernel::Kernel kernel;
  kernel.gamma = rvm::gamma_of_sigma(sigma);
  return kernel;
}

std::vector<kernel::GammaRule> gammas_of(std::span<const double> widths) {
  std::vector<kernel::GammaRule> gammas;
  for (const double sigma : widths) gammas.push_back({kernel::GammaRule::Kind::value, rvm::gamma_of_sigma(sigma)});
  return gammas;
}

std::size_t largest_of(std::span<const double> scores, const std::vector<bool>& allowed) {
  const bool any = std::find(allowed.begin(), allowed.end(), true) != allowed.end();
  std::size_t best = scores.size();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (any && !allowed[i]) continue;
    if (best == scores.size() || scores[i] >= scores[best]) best = i;
  }
  return best;
}

std::size_t largest_of(std::span<const double> scores) {
  return largest_of(scores, std::vector<bool>(scores.size(), true));
}

void check_not_stopped(bool stopped) {
  if (stopped) throw Error(ErrorCode::interrupted, "stopped");
}

void run_jobs(std::size_t count, std::size_t units, const core::Context& context,
              const std::function<void(std::size_t job, const core::Context&)>& work) {
  const core::Threads one(1);
  context.threads.for_each(count, [&](std::size_t job) {
    if (context.monitor.should_stop()) return;
    core::Monitor monitor(context.monitor, units);
    try {
      work(job, {one, monitor, context.memory_budget});
    } catch (const Error&) {
      if (!context.monitor.should_stop()) throw;
    }
  });
}

}  // namespace credence::reproduce::kernel_validity
