#include "report/score_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/text.hpp"

namespace credence::report {

using selection::Score;

std::string score_text(double loss, Score score) {
  return score == Score::accuracy ? percent(loss) : fmt::format("{:.4f}", selection::loss_of(score, loss));
}

std::string score_heading(Score score) {
  return score == Score::accuracy ? "error" : title(score);
}

std::string spread_text(double spread, Score score) {
  return score == Score::accuracy ? percent(spread) : fmt::format("{:.4f}", spread);
}

std::string ends_text(double lower, double upper, Score score) {
  const bool turned = score != Score::accuracy && score != Score::log_loss;
  return fmt::format("{} to {}", score_text(turned ? upper : lower, score), score_text(turned ? lower : upper, score));
}

std::string shown_score(const selection::Selection& selection) {
  constexpr std::string_view complement = "1 - ";
  std::string shown = selection.score;
  const std::size_t at = shown.find(complement);
  if (selection.options.score() != Score::accuracy && at != std::string::npos) shown.erase(at, complement.size());
  return shown;
}

}  // namespace credence::report
