#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"

namespace credence::svm {

/// The machines of a model beside a family with its kernel, over the same preprocessed features. Most support vectors
/// are support vectors of both, and their kernel values with a row are computed once.
struct Guests {
  std::vector<BinaryMachine> machines;  ///< of the model; their support numbers `vectors`
  data::Features vectors;               ///< those of the family, then those of the model alone
  std::vector<std::size_t> rows;        ///< training row of each, as SvmFamily::support_rows
};

/// @param family  which must outlive the guests
/// @return none where kernels differ, rows are kernel values, or the family has several gammas
std::optional<Guests> guests_of(const SvmModel& model, const SvmFamily& family);

/// Scores rows as SvmFamily::score. The decision values of the guests are those of SvmModel::predict_preprocessed to
/// the last bit, because a kernel value depends on its two rows alone, and sums run over the same terms in the same
/// order.
/// @param decisions  rows x machines of the guests; those of a block are there when `visit` gets the block
void score_with_guests(const SvmFamily& family, const Guests& guests, const data::Features& rows,
                       const core::Context& context, data::DenseMatrix& decisions,
                       const std::function<void(std::size_t first, const model::Scores& block)>& visit);

}  // namespace credence::svm
