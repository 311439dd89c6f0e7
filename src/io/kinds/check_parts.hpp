#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"

/// Checks of the parts of a predictor that came from a file: what is wrong, or nothing.
namespace credence::io {

bool all_finite(std::span<const double> values);

/// A preprocessing of the columns of a predictor.
std::string check_preprocessing(const data::Preprocessing& preprocessing, const std::vector<data::Column>& columns);
/// Members of an ensemble, or siblings of a model.
std::string check_members(const model::Members& members, const model::Predictor& predictor);
/// Schema, preprocessing, siblings and calibration.
std::string check_predictor(const model::Predictor& predictor);

/// The region of the feature space of each of so many rows. @param parts  of the model: 0 if its machine is one for all
std::string check_region_numbers(std::span<const int> region, std::size_t rows, std::size_t regions);

std::string check_kernel(const kernel::Kernel& kernel);

/// Preprocessed rows: so many, each of so many columns, with sound indices and finite values.
std::string check_features(const data::Features& features, std::size_t rows, std::size_t columns);

/// Support vectors, which are columns of the preprocessed rows if the kernel is precomputed.
std::string check_support_vectors(const kernel::Kernel& kernel, const data::Features& vectors,
                                  const std::vector<std::size_t>& support_rows, std::size_t columns);

}  // namespace credence::io
