#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "credence/conformal/neighbours.hpp"

namespace credence::conformal {

/// The default of on-line p-values: errors are then independent.
inline constexpr PValueOptions online_p_values{.smoothed = true};

/// Why the on-line mode has no groups and no weights, and which modes have them.
inline constexpr const char* online_groups_sentence =
    "on-line, rows are compared one by one, and nothing is proved for a row of a new group; give one row of each "
    "group, or take the modes transductive, inductive or cross, which know groups";
inline constexpr const char* online_weights_sentence =
    "on-line, each new row joins the rows compared with, which then differ from the next row by more than one known "
    "weight; take the modes transductive, inductive or cross, which weigh rows";

/// On-line prediction one example at a time: a row is predicted before its label is known, and is then learnt. The
/// classes are fixed when the learner is made; before the first example every p-value is 1, or tau if smoothed.
///
/// Smoothing takes the number of the step, size(), as its key, not the content of the row: the errors of a run are
/// independent only if their taus are, and equal rows of a stream would share a tau. Rows that are predicted without
/// learning between them are of one step and share a tau.
class OnlineNeighbours {
 public:
  /// @throws Error invalid_argument for the precomputed metric, or options that do not validate
  OnlineNeighbours(std::size_t columns, std::size_t class_count, const NeighbourOptions& neighbours,
                   const PValueOptions& options);

  /// Continues a predictor that has learnt examples (restored from TransductiveNeighbours::state).
  /// @throws Error invalid_argument for a predictor whose examples have weights
  OnlineNeighbours(TransductiveNeighbours machine, const PValueOptions& options);

  std::size_t size() const { return machine_.size(); }  ///< examples learnt
  const TransductiveNeighbours& machine() const { return machine_; }
  /// Predicts one row from the examples learnt: label, p_value, confidence and credibility.
  /// @throws Error as TransductiveNeighbours::rank
  model::Prediction predict(const data::Features& rows, std::size_t row) const;
  /// Learns one row. Cost: one distance row, O(size()).
  /// @throws Error as TransductiveNeighbours::add; invalid_argument for a label that is not one of the classes
  void learn(const data::Features& rows, std::size_t row, int label);

 private:
  TransductiveNeighbours machine_;
  PValueOptions options_;
};

/// A learner of one class, whose p-value says whether a row is like the rows learnt (familiarity.hpp). Rows are not
/// scaled. With smoothing the p-values of a stream are independent and uniform, if its rows are exchangeable: the
/// distances depend on neither labels nor later rows. Cost: that of nearest neighbours once more.
OnlineNeighbours online_familiarity(std::size_t columns, const PValueOptions& options);

/// One step of on-line prediction: the prediction for an example before its label was learnt.
struct OnlineStep {
  std::vector<double> p_value;  ///< p-value of each class
  int label = 0;                ///< predicted label
  int truth = 0;
  /// P-value of the row being like the rows before it; none for the cosine, which has no distances along columns.
  std::optional<double> familiarity{};
};

/// Runs the on-line mode: every example is predicted from the examples before it and is then learnt. The run starts
/// without examples (OnlineNeighbours). With smoothed p-values the events "true class not in the prediction set at
/// significance eps" are independent with probability eps (Vovk, Gammerman, Shafer, 2005, Theorem 2.1), so their
/// running sum follows the line eps * t. Cost: n^2 d / 2, and as much for familiarity.
/// @param visit  called after each step, in order; a return value of false ends the run
/// @throws Error as TransductiveNeighbours; interrupted
void run_online(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                const NeighbourOptions& neighbours, const PValueOptions& options, const core::Context& context,
                const std::function<bool(const OnlineStep& step)>& visit);

}  // namespace credence::conformal
