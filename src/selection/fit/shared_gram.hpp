#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/row_base.hpp"
#include "kernel/row_memory.hpp"

namespace credence::selection {

/// Something that a known number of tasks share: made by the first that asks, dropped after the last.
template <class T>
class SharedOnce {
 public:
  explicit SharedOnce(std::size_t uses = 1) : uses_(uses) {}

  void set(std::shared_ptr<T> value) { value_ = std::move(value); }

  /// Counts a task that does not ask.
  void pass() {
    const std::lock_guard lock(mutex_);
    if (--uses_ == 0) value_.reset();
  }

  template <class Build>
  std::shared_ptr<T> take(const Build& build) {
    const std::lock_guard lock(mutex_);
    if (!value_) value_ = build();
    if (--uses_ == 0) return std::move(value_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::size_t uses_;
  std::shared_ptr<T> value_;
};

/// A Gram that the threads which need it build together, block by block.
struct GramBuilding {
  explicit GramBuilding(std::size_t n) : gram(kernel::Gram::Deferred(), n) {}
  kernel::Gram gram;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
};

/// Preprocessed rows of one resample (or of all of them) and the base matrix that all gammas share.
struct Prepared {
  data::Features features;
  std::vector<double> gammas;                 ///< values of the gammas of the grid that the tasks have
  std::unique_ptr<kernel::Base> base{};       ///< empty where kernel matrices do not fit the memory budget
  std::unique_ptr<kernel::RowBase> by_row{};  ///< instead, where rows of the Grams are computed one by one
};

/// What a run over some of the resamples hands on to the next one.
struct HandedOn {
  /// @param gammas  of the grid
  explicit HandedOn(std::size_t gammas) : visited(gammas) {}
  std::shared_ptr<kernel::RowMemory> memory = std::make_shared<kernel::RowMemory>();
  std::vector<kernel::VisitedRows> visited;  ///< for each gamma of the grid
};

/// The kernel matrices of all (resample, gamma) tasks of one space in one run. Resamples with the same preprocessing
/// share one base, and one Gram for each gamma. Otherwise each resample has its own base, shared by its gammas; if all
/// these bases together exceed the memory budget, each task makes the base anew. Where tasks come by resample, each
/// visits few rows of its Gram: these alone are computed. Where matrices do not fit the memory budget, rows are
/// computed and cached instead: same numbers, same interface.
class SharedGrams {
 public:
  /// @param gammas  of the grid, in the order in which they come
  /// @param by_resample  tasks come by resample, and this object goes from run to run; nullptr: they come by gamma
  /// @param shape  of the kernels  @param prepare  makes features and gammas of a resample
  SharedGrams(std::size_t resamples, std::span<const std::size_t> gammas, bool same_preprocessing, std::size_t n,
              const kernel::Shape& shape, HandedOn* by_resample, const core::Context& context,
              std::function<Prepared(std::size_t resample)> prepare);

  std::size_t tasks() const { return tasks_.size(); }
  std::size_t resample(std::size_t task) const { return tasks_[task].resample; }
  /// The index of the task's gamma in the grid.
  std::size_t gamma(std::size_t task) const { return gammas_[tasks_[task].gamma]; }

  /// The kernel matrix of the task; none if the monitor says stop before it is there. To be called once for each task,
  /// from any thread.
  std::shared_ptr<kernel::Rows> rows_of(std::size_t task);
  /// To be called instead of `rows_of`, for a task whose result is known.
  void pass(std::size_t task);

 private:
  struct Task {
    std::size_t gamma;  ///< position in gammas_
    std::size_t resample;
  };
  void set_order();
  /// The index of the shared Gram that the task uses.
  std::size_t gram_of(std::size_t task) const { return same_ ? tasks_[task].gamma : task; }
  std::shared_ptr<const kernel::Gram> take_gram(std::size_t task, const kernel::Kernel& kernel,
                                                const kernel::Base& base);
  std::shared_ptr<const Prepared> take_prepared(std::size_t resample);
  std::shared_ptr<const Prepared> make_prepared(std::size_t resample, const core::Threads& threads) const;

  std::size_t resamples_;
  std::vector<std::size_t> gammas_;
  bool same_;
  bool keeps_bases_ = true;
  bool by_row_ = false;  ///< rows of Grams are computed as they are asked for
  kernel::Shape shape_;
  bool in_memory_ = true;
  std::size_t cache_budget_;  ///< for one task, where matrices do not fit
  core::Threads one_thread_{1};
  const core::Context& context_;
  std::function<Prepared(std::size_t)> prepare_;
  HandedOn* handed_on_;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<SharedOnce<const Prepared>>> prepared_;
  /// Grams whose last user is done, to be built anew: fresh memory would have to be cleared by the system each time.
  core::Lender<GramBuilding> idle_;
  std::vector<std::unique_ptr<SharedOnce<GramBuilding>>> grams_;
};

}  // namespace credence::selection
