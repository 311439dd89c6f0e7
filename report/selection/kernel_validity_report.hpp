#pragma once

#include "credence/selection/selector.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {

/// "log validity -123.4" or "log evidence -120.1": what the method compares.
std::string evidence_score(const selection::KernelEvidence& evidence, const selection::EvidenceReport& report);

/// What the bias alone reaches, and what that means for the choice.
std::string null_model_text(const selection::EvidenceReport& report);
/// The kernels of kernel-validity or evidence, widest last, the chosen one marked, and a legend of the flags that
/// occur.
std::string kernel_validity_table(const selection::Selection& selection);
/// What the choice rests on, and what it does not say.
std::string kernel_validity_basis(const selection::Selection& selection);

/// Relevance vector machines of a method that counts errors: error and kernels for each width.
std::string relevance_table(const selection::Selection& selection);

Json kernel_validity_json(const selection::EvidenceReport& report);
Json kernel_evidence_json(const selection::KernelEvidence& evidence);

}  // namespace credence::report
