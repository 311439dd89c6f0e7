#include "conformal.hpp"

#include "commands.hpp"

namespace credence::cli {

Action add_conformal(Command command) {
  command.require_a_part();
  Action action =
      add_parts(command, {{"fit", "Fits and saves a conformal predictor.", add_conformal_fit},
                          {"online", "Predicts each row from those before it.", add_conformal_online},
                          {"scores", "Regions around scores of another tool.", add_conformal_scores},
                          {"intervals", "Intervals around predictions of another tool.", add_conformal_intervals}});
  command.footer(
      "p-values, confidence, credibility and prediction regions. A region at eps\n"
      "misses the true class with probability at most eps, if rows are exchangeable,\n"
      "on average over the rows compared with; see docs/conformal.md.\n\n"
      "Examples:\n"
      "  credence conformal fit pima.csv -o pima.credence\n"
      "  credence predict pima.credence new.csv --eps 0.05\n"
      "  credence conformal online pima.csv --shuffle\n"
      "  credence conformal scores calibration.csv new.csv -o predictions.csv\n"
      "  credence conformal intervals calibration.csv new.csv -o intervals.csv");
  return action;
}

}  // namespace credence::cli
