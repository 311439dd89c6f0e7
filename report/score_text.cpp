#include "report/setting_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/text.hpp"

namespace credence::report {

using selection::ScoreKind;

bool Scale::is_share() const {
  return kind == ScoreKind::error || kind == ScoreKind::weighted_error || kind == ScoreKind::soft_loss ||
         kind == ScoreKind::loss_bound;
}

double Scale::shown(double loss) const {
  return is_squared() ? std::sqrt(std::max(0.0, loss)) : is_turned() ? 1 - loss : loss;
}

std::string Scale::text(double loss) const {
  if (is_share()) return percent(loss);
  return is_turned() || kind == ScoreKind::log_loss ? fmt::format("{:.4f}", shown(loss))
                                                    : fmt::format("{:.6g}", shown(loss));
}

std::string Scale::spread(double value) const {
  if (kind == ScoreKind::cost) return fmt::format("{:.6g}", value);  // of any unit
  return is_share() ? percent(value) : fmt::format("{:.4f}", value);
}

std::string Scale::ends(double lower, double upper) const {
  return fmt::format("{} to {}", text(is_turned() ? upper : lower), text(is_turned() ? lower : upper));
}

std::string Scale::axis_format() const {
  if (is_share()) return ".2~%";
  return is_turned() || kind == ScoreKind::log_loss ? ".4~f" : ".6~r";
}

Json Scale::value(double loss) const {
  return std::isfinite(loss) ? Json(shown(loss)) : Json(nullptr);
}

Scale scale_of_errors(const Scale& score) {
  return score.is_share() ? score : Scale{ScoreKind::error};
}

Scale scale_of(ScoreKind kind, const std::string& loss) {
  constexpr std::string_view complement = "1 - ";
  if (kind == ScoreKind::squared_error) return {kind, "root mean squared error"};
  const std::size_t at = loss.find(complement);
  if (kind != ScoreKind::complement || at == std::string::npos) return {kind, loss};
  return {kind, loss.substr(0, at) + loss.substr(at + complement.size())};
}

}  // namespace credence::report
