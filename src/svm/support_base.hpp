#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "kernel/base_block.hpp"

namespace credence::svm {

/// Base values of given rows with the support vectors of a model or a family: what all its kernel parameters share.
/// For precomputed kernels, the given values themselves. May be used by several threads.
class SupportBase {
 public:
  /// All arguments must outlive it.
  /// @throws Error invalid_data if the rows have not the columns that the support vectors ask for
  SupportBase(kernel::KernelType type, const data::Features& support_vectors, std::span<const std::size_t> support_rows,
              const data::Features& rows);

  /// kernel::padded(number of support vectors).
  std::size_t width() const;
  /// Of rows first, first + 1, ... with the support vectors, to out[r * width() + s].
  void compute(std::size_t first, std::size_t count, double* out) const;

 private:
  void gather(std::size_t first, std::size_t count, double* out) const;

  const data::Features& rows_;
  std::span<const std::size_t> support_rows_;
  std::optional<kernel::BaseBlock> block_;  ///< none for precomputed kernels
};

/// For a decision value that is not finite. @throws Error invalid_data
[[noreturn]] void refuse_undecided();

}  // namespace credence::svm
