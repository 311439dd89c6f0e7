#pragma once

#include <svm.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/reference_kernel.hpp"

namespace credence::test {

/// A C-SVC trained by LIBSVM, seen through this project's conventions: classes 0..k-1, machines in the order
/// (0,1), (0,2), ..., positive decisions for class 1 of two, for the first of the pair if there are more.
/// Kernels that LIBSVM does not have go through its precomputed kernel.
class LibsvmModel {
 public:
  /// @param factors  on C, one for each class; empty: all 1
  LibsvmModel(data::DenseMatrix x, const std::vector<int>& classes, const kernel::Kernel& kernel, double C, double eps,
              std::vector<double> factors = {})
      : x_(std::move(x)), kernel_(kernel) {
    svm_set_print_string_function([](const char*) {});
    // Rows sorted by class make LIBSVM's order of classes ascending.
    order_.resize(x_.rows);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return classes[a] < classes[b]; });
    for (const std::size_t i : order_) y_.push_back(classes[i]);
    classes_ = y_.empty() ? 0 : static_cast<std::size_t>(y_.back()) + 1;

    svm_parameter parameter{};
    parameter.svm_type = C_SVC;
    parameter.kernel_type = libsvm_kernel();
    parameter.degree = kernel.degree;
    parameter.gamma = kernel.gamma;
    parameter.coef0 = kernel.coef0;
    parameter.cache_size = 200;
    parameter.eps = eps;
    parameter.C = C;
    parameter.shrinking = 1;
    std::vector<int> names(factors.size());
    std::iota(names.begin(), names.end(), 0);
    parameter.nr_weight = static_cast<int>(factors.size());
    parameter.weight_label = names.data();
    parameter.weight = factors.data();

    for (std::size_t position = 0; position < order_.size(); ++position) {
      nodes_.push_back(nodes(x_.row(order_[position]), position + 1));
      pointers_.push_back(nodes_.back().data());
    }
    problem_.l = static_cast<int>(order_.size());
    problem_.y = y_.data();
    problem_.x = pointers_.data();
    if (const char* complaint = svm_check_parameter(&problem_, &parameter)) throw std::runtime_error(complaint);
    model_.reset(svm_train(&problem_, &parameter));
  }

  std::size_t machine_count() const { return classes_ * (classes_ - 1) / 2; }

  /// Decision values, rows x machines.
  data::DenseMatrix decisions(const data::DenseMatrix& rows) const {
    data::DenseMatrix result(rows.rows, machine_count());
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::vector<svm_node> row = nodes(rows.row(i), 0);
      svm_predict_values(model_.get(), row.data(), result.row(i).data());
      if (classes_ == 2) result.row(i)[0] = -result.row(i)[0];
    }
    return result;
  }

  std::vector<int> labels(const data::DenseMatrix& rows) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::vector<svm_node> row = nodes(rows.row(i), 0);
      result.push_back(static_cast<int>(svm_predict(model_.get(), row.data())));
    }
    return result;
  }

  /// y_i alpha_i of machine (a, b), one for each training row.
  std::vector<double> beta(std::size_t a, std::size_t b) const {
    std::vector<double> result(x_.rows, 0);
    for (std::size_t s = 0; s < static_cast<std::size_t>(model_->l); ++s) {
      const auto position = static_cast<std::size_t>(model_->sv_indices[s]) - 1;
      const auto c = static_cast<std::size_t>(y_[position]);
      if (c != a && c != b) continue;
      const double coefficient = model_->sv_coef[c == a ? b - 1 : a][s];
      result[order_[position]] = classes_ == 2 ? -coefficient : coefficient;
    }
    return result;
  }

 private:
  int libsvm_kernel() const {
    switch (kernel_.type) {
      case kernel::KernelType::rbf:
        return RBF;
      case kernel::KernelType::linear:
        return LINEAR;
      case kernel::KernelType::polynomial:
        return POLY;
      case kernel::KernelType::sigmoid:
        return SIGMOID;
      default:
        return PRECOMPUTED;
    }
  }

  std::vector<svm_node> nodes(std::span<const double> row, std::size_t serial) const {
    std::vector<svm_node> result;
    if (libsvm_kernel() == PRECOMPUTED) {
      result.push_back({0, static_cast<double>(serial)});
      for (std::size_t position = 0; position < order_.size(); ++position) {
        const std::size_t j = order_[position];
        const double value =
            kernel_.type == kernel::KernelType::precomputed ? row[j] : reference_kernel(kernel_, row, x_.row(j));
        result.push_back({static_cast<int>(position + 1), value});
      }
    } else {
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] != 0) result.push_back({static_cast<int>(j + 1), row[j]});
    }
    result.push_back({-1, 0});
    return result;
  }

  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };

  data::DenseMatrix x_;
  kernel::Kernel kernel_;
  std::vector<std::size_t> order_;
  std::vector<double> y_;
  std::size_t classes_ = 0;
  std::vector<std::vector<svm_node>> nodes_;
  std::vector<svm_node*> pointers_;
  svm_problem problem_{};
  std::unique_ptr<svm_model, Free> model_;
};

}  // namespace credence::test
