#include "conformal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "commands.hpp"

namespace credence::cli {

Action add_conformal(CLI::App& app) {
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Action>> commands;
  const auto add = [&](const char* name, const char* description, Action (*add_options)(CLI::App&)) {
    CLI::App* command = app.add_subcommand(name, description);
    commands.emplace_back(command, add_options(*command));
  };
  add("fit", "Fits and saves a conformal predictor.", add_conformal_fit);
  add("online", "Predicts each row from those before it.", add_conformal_online);
  add("scores", "Regions around scores of another tool.", add_conformal_scores);
  add("intervals", "Intervals around predictions of another tool.", add_conformal_intervals);
  app.footer(
      "p-values, confidence, credibility and prediction regions that are valid for\n"
      "rows that are exchangeable; see docs/conformal.md.\n\n"
      "Examples:\n"
      "  credence conformal fit pima.csv -o pima.credence\n"
      "  credence predict pima.credence new.csv --eps 0.05\n"
      "  credence conformal online pima.csv --shuffle\n"
      "  credence conformal scores calibration.csv new.csv -o predictions.csv\n"
      "  credence conformal intervals calibration.csv new.csv -o intervals.csv");
  return [commands] {
    const auto parsed =
        std::find_if(commands.begin(), commands.end(), [](const auto& command) { return command.first->parsed(); });
    return parsed->second();
  };
}

}  // namespace credence::cli
