#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/base_block.hpp"

namespace credence::conformal {

/// The kernel among fixed rows: a matrix in memory, or rows computed when asked for, one cache for each thread.
class KnownRows {
 public:
  /// @throws Error interrupted
  KnownRows(data::Features features, const kernel::Kernel& kernel, const core::Context& context);

  const data::Features& features() const { return features_; }
  std::size_t size() const { return features_.rows(); }
  const kernel::Kernel& kernel() const { return kernel_; }

  /// For one thread. @throws Error memory
  std::unique_ptr<kernel::Rows> rows(const core::Context& context) const;

 private:
  data::Features features_;
  kernel::Kernel kernel_;
  std::unique_ptr<kernel::Gram> gram_;  ///< none if the memory budget does not allow it
};

/// Kernel values of new rows with the known ones and with themselves, as floats: what a kernel matrix over all of them
/// would hold.
class NewRows {
 public:
  /// @throws Error invalid_data for another number of columns. Both arguments must outlive the object.
  NewRows(const KnownRows& known, const data::Features& rows);

  /// Values of some rows with all known ones, padded.
  struct Values {
    core::AlignedVector<float> with_known;  ///< count x width
    std::vector<float> own;                 ///< count
    std::size_t width = 0;
    const float* of(std::size_t k) const { return with_known.data() + k * width; }
  };
  /// @throws Error invalid_data if one is not finite
  Values values(std::size_t first, std::size_t count) const;

 private:
  float own_base(std::size_t row) const;

  const KnownRows& known_;
  const data::Features& rows_;
  kernel::BaseBlock base_;
};

/// @throws Error invalid_data, naming the first row with a value that is not a finite number
void check_finite(const data::Features& rows);

}  // namespace credence::conformal
