#include "selection/fit/shared_gram.hpp"

#include <algorithm>
#include <thread>

namespace credence::selection {

SharedGrams::SharedGrams(std::size_t resamples, std::span<const std::size_t> gammas, bool same_preprocessing,
                         std::size_t n, const kernel::Shape& shape, HandedOn* by_resample, const core::Context& context,
                         std::function<Prepared(std::size_t)> prepare)
    : resamples_(resamples),
      gammas_(gammas.begin(), gammas.end()),
      same_(same_preprocessing),
      shape_(shape),
      context_(context),
      prepare_(std::move(prepare)),
      handed_on_(by_resample) {
  const std::size_t threads = static_cast<std::size_t>(context.threads.count());
  // Each thread may hold a Gram, a copy of it class by class and, for a moment, a quarter of it, the largest pair of
  // many classes, beside the base or bases.
  const auto fit = [&](std::size_t bases) {
    return kernel::gram_bytes(n) <= context.memory_budget / ((9 * threads + 3) / 4 + (bases + 1) / 2);
  };
  // By row, each thread may hold a base, the same Gram and copies, if its solver visits every row.
  const std::size_t most_by_row = (13 * threads + 3) / 4;
  by_row_ = by_resample != nullptr && !same_ && kernel::gram_bytes(n) <= context.memory_budget / most_by_row;
  if (!by_row_) {
    keeps_bases_ = same_ || fit(resamples_ + 1);
    in_memory_ = keeps_bases_ ? fit(1) : fit(threads);
  }
  cache_budget_ = context.memory_budget / threads;
  set_order();
  for (std::size_t k = 0; k < (same_ ? 1 : resamples_); ++k)
    prepared_.push_back(std::make_unique<SharedOnce<const Prepared>>(same_ ? tasks() : gammas_.size()));
  for (std::size_t k = 0; k < (same_ ? gammas_.size() : tasks()); ++k)
    grams_.push_back(std::make_unique<SharedOnce<GramBuilding>>(same_ ? resamples_ : 1));

  if (same_) {
    // Before the tasks start, so that all threads share the work.
    prepared_[0]->set(make_prepared(0, context.threads));
  }
}

/// By gamma, a computation that is stopped leaves whole settings behind. By row, as many resamples are worked on at a
/// time as there are threads: few bases are in memory, and no thread waits for a base that another makes.
void SharedGrams::set_order() {
  const std::size_t together = by_row_ ? static_cast<std::size_t>(context_.threads.count()) : resamples_;
  for (std::size_t first = 0; first < resamples_; first += together)
    for (std::size_t gamma = 0; gamma < gammas_.size(); ++gamma)
      for (std::size_t k = first; k < std::min(first + together, resamples_); ++k) tasks_.push_back({gamma, k});
}

std::shared_ptr<const Prepared> SharedGrams::take_prepared(std::size_t resample) {
  const auto make = [&] { return make_prepared(resample, one_thread_); };
  return keeps_bases_ ? prepared_[same_ ? 0 : resample]->take(make) : make();
}

std::shared_ptr<const Prepared> SharedGrams::make_prepared(std::size_t resample, const core::Threads& threads) const {
  auto made = std::make_shared<Prepared>(prepare_(resample));
  if (by_row_)
    made->by_row = std::make_unique<kernel::RowBase>(shape_.type, made->features, handed_on_->memory, context_.monitor);
  else if (in_memory_)
    made->base = std::make_unique<kernel::Base>(shape_.type, made->features, threads, context_.monitor);
  return made;
}

std::shared_ptr<const kernel::Gram> SharedGrams::take_gram(std::size_t task, const kernel::Kernel& kernel,
                                                           const kernel::Base& base) {
  const std::shared_ptr<GramBuilding> building = grams_[gram_of(task)]->take([&] {
    std::shared_ptr<GramBuilding> idle = idle_.borrow([&] { return std::make_unique<GramBuilding>(base.size()); });
    idle->next = 0;
    idle->done = 0;
    return idle;
  });
  const std::size_t blocks = building->gram.blocks();
  for (std::size_t block; (block = building->next.fetch_add(1)) < blocks;) {
    if (!context_.monitor.should_stop()) building->gram.build(block, kernel, base);
    building->done.fetch_add(1);
  }
  while (building->done.load() < blocks) std::this_thread::yield();
  return {building, &building->gram};
}

void SharedGrams::pass(std::size_t task) {
  if (keeps_bases_) prepared_[same_ ? 0 : resample(task)]->pass();
  if (in_memory_ && !by_row_) grams_[gram_of(task)]->pass();
}

std::shared_ptr<kernel::Rows> SharedGrams::rows_of(std::size_t task) {
  struct Held {
    std::shared_ptr<const Prepared> prepared;
    std::shared_ptr<const kernel::Gram> gram;
    std::unique_ptr<kernel::Rows> rows;
  };
  const auto held = std::make_shared<Held>(Held{take_prepared(resample(task)), nullptr, nullptr});
  const Prepared& prepared = *held->prepared;
  const kernel::Kernel kernel = shape_.with(prepared.gammas[tasks_[task].gamma]);
  if (!in_memory_) {
    held->rows = kernel::cached_rows(kernel, prepared.features, cache_budget_);
    return {held, held->rows.get()};
  }
  if (by_row_ && !context_.monitor.should_stop())
    held->rows = kernel::rows_of(*prepared.by_row, kernel, handed_on_->visited[gamma(task)]);
  if (!by_row_) held->gram = take_gram(task, kernel, *prepared.base);
  if (context_.monitor.should_stop()) return nullptr;
  if (!by_row_) held->rows = kernel::rows_of(*held->gram);
  return {held, held->rows.get()};
}

}  // namespace credence::selection
