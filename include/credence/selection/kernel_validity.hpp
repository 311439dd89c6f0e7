#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/rvm/sparse_bayes.hpp"

/// Choosing a kernel of relevance vector machines by what a single fit says of itself: the kernel validity index
/// (rvm/validity.hpp), or the evidence alone.
namespace credence::selection {

/// What one kernel's fit says. Numbers of several machines (one-against-rest) are summed, worst flags kept.
struct KernelEvidence {
  double log_evidence = 0;
  /// Empty if the kernel has no index. With the method evidence also empty if the index is no number, or if the index
  /// asks for more memory than there is.
  std::optional<double> log_validity;
  double stability = 0;       ///< log validity - log evidence (with the settled constants)
  double effective = 0;       ///< sum of gamma over kernels
  std::size_t kernels = 0;    ///< retained
  std::size_t relevant = 0;   ///< of them those with gamma > 0.1
  double noise_sd = 0;        ///< regression
  double largest_weight = 0;  ///< max |w|
  std::size_t capped = 0;     ///< pairs of kernel and feature whose A met the cap
  std::size_t saddles = 0;    ///< pairs with b <= 0
  int iterations = 0;
  rvm::Status status = rvm::Status::converged;
  bool null_model = false;  ///< in some machine, of which there may be several, no kernel says anything
  bool memorised = false;   ///< the machine repeats its training targets (rvm::Fit::memorised): evidence of nothing
  bool below_null = false;  ///< evidence not above that of the bias alone by EvidenceReport::null_margin
  bool reused = false;      ///< the kernel matrix is that of the grid's kernel before, to 1e-10: so is the fit
};

/// The report of the methods kernel-validity and evidence.
struct EvidenceReport {
  std::string criterion;        ///< "kernel validity" or "evidence"
  double null_evidence = 0;     ///< of the bias alone
  bool guarded = false;         ///< kernels below the null model may not win
  bool all_below_null = false;  ///< no kernel that may win is above it: the choice among all of them says little
  bool literal = false;
  bool cap = true;
  std::size_t candidates = 0;  ///< centres
  double null_margin = 0;      ///< 0 if there is no guard
};

}  // namespace credence::selection
