#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "credence/selection/selector.hpp"

/// What makes each selection method; one declaration a file. See registry.cpp.
namespace credence::selection {

std::unique_ptr<Selector> make_cross_validation(const Options& options);
std::unique_ptr<Selector> make_kfold_nested(const Options& options);
std::unique_ptr<Selector> make_leave_one_out(const Options& options);
std::unique_ptr<Selector> make_rademacher(const Options& options);
std::unique_ptr<Selector> make_maximal_discrepancy(const Options& options);
std::unique_ptr<Selector> make_bootstrap(const Options& options);
std::unique_ptr<Selector> make_hold_out(const Options& options);
std::unique_ptr<Selector> make_hold_out_vote(const Options& options);
std::unique_ptr<Selector> make_nonconformity(const Options& options);
std::unique_ptr<Selector> make_max_margin(const Options& options);
std::unique_ptr<Selector> make_kernel_validity(const Options& options);
std::unique_ptr<Selector> make_evidence(const Options& options);

/// Whether the method chooses kernels by what single fits of relevance vector machines say of themselves.
inline bool asks_evidence(const Options& options) {
  return options.method == "kernel-validity" || options.method == "evidence";
}
/// The sentence about a name that is not in the registry.
std::string unknown_method(std::string_view name);

/// What of these options rademacher and maximal-discrepancy cannot have.
std::vector<std::string> in_sample_problems(const Options& options);

}  // namespace credence::selection
