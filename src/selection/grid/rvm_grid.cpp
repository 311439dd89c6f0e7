#include "selection/grid/rvm_grid.hpp"

#include <algorithm>

#include "credence/rvm/train.hpp"

namespace credence::selection {

std::size_t resolved_centres(std::size_t rows, const Options& options) {
  return options.machines.centres.value_or(rvm::default_centres(rows));
}

std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task) {
  const std::size_t most = std::min(rows, centres);
  const auto bytes = [&](std::size_t n) { return rvm::fit_memory(n, std::min(n, most), task).least(); };
  return std::max(bytes(rows), bytes(std::min(rows, 4 * (most + 1) / 3)));  // fewer rows may take the longer way
}

void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit) {
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const std::size_t fitting = std::max<std::size_t>(1, context.memory_budget / std::max<std::size_t>(1, bytes));
  const std::size_t workers = std::max<std::size_t>(1, std::min({threads, units.size(), fitting}));
  // Threads of a fit's own are worth less than a fit to each thread, unless most threads would have none.
  const bool one_by_one = 2 * workers <= threads;
  const core::Threads outer(one_by_one ? 1 : static_cast<int>(workers));
  const core::Threads inner(1);
  std::size_t total = 0;
  for (const std::size_t count : units) total += count;
  context.monitor.expect(total);
  outer.for_each(units.size(), [&](std::size_t task) {
    if (context.monitor.should_stop()) return;
    core::Monitor part(context.monitor, units[task]);
    part.expect(1);
    fit(task, {one_by_one ? context.threads : inner, part, context.memory_budget / (one_by_one ? 1 : workers),
               context.checkpoint});
    part.advance();
  });
}

void for_each_rvm(const GridRun& run, const Options& options, std::size_t rows, const core::Context& context,
                  const std::function<void(std::size_t gamma, std::size_t resample, const core::Context& part)>& work) {
  const std::span<const std::size_t> gammas = run.wanted().gammas();
  const std::size_t resamples = run.which().size();
  const std::vector<std::size_t> units(gammas.size() * resamples, 1);
  for_each_fit(units, fit_bytes(rows, resolved_centres(rows, options), options.task), context,
               [&](std::size_t task, const core::Context& part) {
                 const std::size_t gamma = gammas[task / resamples];
                 const std::size_t resample = run.which()[task % resamples];
                 if (!run.leaves_out(gamma, resample)) work(gamma, resample, part);
               });
}

}  // namespace credence::selection
