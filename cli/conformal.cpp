#include "conformal.hpp"

#include <CLI/CLI.hpp>

#include "commands.hpp"

namespace credence::cli {

Action add_conformal(CLI::App& app) {
  app.require_subcommand(1);
  CLI::App* fit = app.add_subcommand("fit", "Fits and saves a conformal predictor.");
  CLI::App* online = app.add_subcommand("online", "Predicts each row from those before it.");
  const Action run_fit = add_conformal_fit(*fit);
  const Action run_online = add_conformal_online(*online);
  app.footer(
      "p-values, confidence, credibility and prediction regions that are valid for\n"
      "rows that are exchangeable; see docs/conformal.md.\n\n"
      "Examples:\n"
      "  credence conformal fit pima.csv -o pima.credence\n"
      "  credence predict pima.credence new.csv --eps 0.05\n"
      "  credence conformal online pima.csv --shuffle");
  return [fit, run_fit, run_online] { return fit->parsed() ? run_fit() : run_online(); };
}

}  // namespace credence::cli
