#pragma once

#include <string>
#include <vector>

#include "credence/bounds/registry.hpp"
#include "selfcheck/check.hpp"

/// The values of bounds: the smallest delta at which the limit failed.
namespace credence::selfcheck {

/// One check for each bound of bounds::bounds(): of rows that the classifier has not seen by errors and losses whose
/// expectation is known, of training rows by classes of thresholds whose complexity is computed.
std::vector<Check> registry_checks();
/// The settings of one of them.
std::vector<Setting> settings_of(const bounds::Bound& bound);

// Deviations of frequencies from probabilities (uniform.hpp), over all thresholds at once or of one mean.
enum class Deviation { dkw, vc, hoeffding };
std::vector<Setting> of_deviations(Deviation deviation);

/// Limits of a count (central_counts).
std::vector<Setting> of_central_counts();
/// Intervals of clustered proportions (effective_trials), of which nothing is proved.
std::vector<Setting> of_clusters();
/// The bounds of the rule of nonconformity, for all of five models and all thresholds at once.
/// @param dkw  bound_dkw; else bound_vc
std::vector<Setting> of_nonconformity(bool dkw);

}  // namespace credence::selfcheck
