#pragma once

#include <svm.h>

#include <vector>

#include "comparison_in_sample.hpp"

namespace credence::bench {

/// Row i: its number, from 1 on, and K(i, 1), ..., K(i, n), which LIBSVM looks up by the other row's number.
class KernelNodes {
 public:
  explicit KernelNodes(const kernel::Gram& gram);
  svm_node* row(std::size_t i) const { return rows_[i]; }
  std::size_t size() const { return rows_.size(); }
  double at(std::size_t i, std::size_t j) const { return rows_[i][j + 1].value; }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

/// C-SVC on a precomputed kernel.
inline svm_parameter kernel_parameters(double C, double accuracy) {
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = PRECOMPUTED;
  parameter.cache_size = libsvm_cache_megabytes;
  parameter.eps = accuracy;
  parameter.C = C;
  parameter.shrinking = 1;
  return parameter;
}

}  // namespace credence::bench
