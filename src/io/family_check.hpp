#pragma once

#include <cstddef>
#include <string>

#include "credence/selection/family_predictor.hpp"

namespace credence::io {

/// What is wrong with classifiers over so many preprocessed columns; empty if nothing.
std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns);

/// What is wrong with a family predictor whose schema and preprocessing are sound; empty if nothing.
/// A nonconformity rule is sound in itself by its constructor; here it must fit the family.
std::string check_family(const selection::FamilyPredictor& predictor);

}  // namespace credence::io
