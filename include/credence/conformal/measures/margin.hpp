#pragma once

namespace credence::conformal {

/// Strangeness of a class under a classifier's score for it: minus the score. With an SVM's decision value f the score
/// of class 1 is f and of class 0 -f, so the strangeness is -y f(x), the signed distance to the hyperplane in units of
/// the margin; with more classes the score is the worst of the class's duels (svm::class_scores).
/// Source: Proedrou et al., ECML 2002, section 5; Hardoon, Hussain, Shawe-Taylor (2009), section 2.
inline double margin_strangeness(double score) {
  return -score;
}

}  // namespace credence::conformal
