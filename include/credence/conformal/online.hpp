#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "credence/conformal/neighbours.hpp"

namespace credence::conformal {

/// One step of on-line prediction: the prediction for an example before its label was learnt.
struct OnlineStep {
  std::vector<double> p_value;  ///< p-value of each class
  int label = 0;                ///< predicted label
  int truth = 0;
};

/// Runs the on-line mode: every example is predicted from the examples before it and is then learnt. The run starts
/// without examples. With smoothed p-values the events "true class not in the region at eps" are independent with
/// probability eps (Vovk, Gammerman, Shafer, 2005, Theorem 2.1), so their running sum follows the line eps * t.
/// Cost: n^2 d / 2.
/// @param visit  called after each step, in order; a return value of false ends the run
/// @throws Error as TransductiveNeighbours; interrupted
void run_online(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                const NeighbourOptions& neighbours, const PValueOptions& options, const core::Context& context,
                const std::function<bool(const OnlineStep& step)>& visit);

}  // namespace credence::conformal
