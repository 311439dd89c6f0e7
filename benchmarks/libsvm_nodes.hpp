#pragma once

#include <svm.h>

#include <vector>

#include "credence/data/features.hpp"
#include "sides.hpp"

namespace credence::bench {

/// Rows in LIBSVM's own form, zeros left out.
class Nodes {
 public:
  explicit Nodes(const data::Features& features) {
    const data::DenseMatrix numbers = features.to_dense();
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < numbers.rows; ++i) {
      starts.push_back(nodes_.size());
      for (std::size_t j = 0; j < numbers.columns; ++j)
        if (numbers.row(i)[j] != 0) nodes_.push_back({static_cast<int>(j) + 1, numbers.row(i)[j]});
      nodes_.push_back({-1, 0});
    }
    for (const std::size_t start : starts) rows_.push_back(nodes_.data() + start);
  }
  svm_node* row(std::size_t i) const { return rows_[i]; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

inline svm_parameter parameters(double C, double gamma) {
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = RBF;
  parameter.gamma = gamma;
  parameter.cache_size = libsvm_cache_megabytes;
  parameter.eps = tolerance;
  parameter.C = C;
  parameter.shrinking = 1;
  return parameter;
}

}  // namespace credence::bench
