#pragma once

#include <memory>

#include "credence/selection/selector.hpp"

/// What makes each selection method; one declaration a file. See registry.cpp.
namespace credence::selection {

std::unique_ptr<Selector> make_cross_validation(const Options& options);
std::unique_ptr<Selector> make_leave_one_out(const Options& options);
std::unique_ptr<Selector> make_bootstrap(const Options& options);
std::unique_ptr<Selector> make_hold_out(const Options& options);
std::unique_ptr<Selector> make_hold_out_vote(const Options& options);
std::unique_ptr<Selector> make_nonconformity(const Options& options);
std::unique_ptr<Selector> make_max_margin(const Options& options);

}  // namespace credence::selection
