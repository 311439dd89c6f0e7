#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/data/features.hpp"

/// Checks of the parts of conformal predictors that came from a file: what is wrong, or nothing. The machines check
/// when they are made that options, labels, distances and coefficients fit together; here is what they take for
/// granted.
namespace credence::io {

/// Rows of a transductive machine. @param columns  of the preprocessed rows
std::string check_known(const data::Features& rows, const std::vector<int>& labels, std::size_t columns);

/// Classifiers of an inductive machine.
std::string check_classifiers(const std::vector<conformal::CalibratedClassifier>& parts, std::size_t classes,
                              std::size_t columns);

}  // namespace credence::io
