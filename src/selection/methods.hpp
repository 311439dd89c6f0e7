#pragma once

#include <memory>

#include "credence/selection/selector.hpp"

/// What makes each selection method; one declaration a file. See registry.cpp.
namespace credence::selection {

std::unique_ptr<Selector> make_cross_validation(const Options& options);

}  // namespace credence::selection
