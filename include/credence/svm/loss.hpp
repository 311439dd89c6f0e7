#pragma once

#include <algorithm>

/// Losses of a decision value f for a label y in {-1, +1}, as functions of the margin y f.
/// Source: Anguita et al. (2012), equations 2 to 5; the soft loss is equation 3 of Anguita et al. (2011).
namespace credence::svm {

/// Returns 1 if y f <= 0 (a decision value of 0 is an error), else 0.
inline double hard_loss(double margin) {
  return margin > 0 ? 0 : 1;
}
/// max(0, 1 - y f).
inline double hinge_loss(double margin) {
  return std::max(0.0, 1 - margin);
}
/// min(2, hinge), which is twice the soft loss. The concave-convex procedure minimises the sum of clipped hinge losses.
inline double clipped_hinge(double margin) {
  return std::min(2.0, hinge_loss(margin));
}
/// min(1, max(0, (1 - y f) / 2)): in [0, 1]; soft(f, -y) = 1 - soft(f, y); hard <= 2 soft.
inline double soft_loss(double margin) {
  return clipped_hinge(margin) / 2;
}

}  // namespace credence::svm
