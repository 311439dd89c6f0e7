#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/conformal/fit.hpp"

namespace credence::conformal {

inline constexpr std::string_view nn_ratio = "nn-ratio";
inline constexpr std::string_view nn_own = "nn-own";
inline constexpr std::string_view margin = "margin";

/// What is wrong with the options that say which rows are held out.
std::vector<std::string> split_problems(const FitOptions& options);

/// Tables are as wide as k, so it must not exceed the rows to learn from. @throws Error invalid_argument
void check_neighbour_count(int k, std::size_t rows);

/// How the SVM of inductive and cross-conformal prediction is trained.
svm::TrainOptions svm_options(const FitOptions& options, data::Scaling scaling);

/// The same of their relevance vector machine, which the options must have.
rvm::TrainOptions rvm_options(const FitOptions& options, data::Scaling scaling);

/// The classifier that the options name.
Train trainer(const FitOptions& options, data::Scaling scaling);

}  // namespace credence::conformal
