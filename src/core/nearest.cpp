#include "credence/core/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace credence::core {

namespace {

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return lower_case(a[i]) == lower_case(b[j]); };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(i - 1, j - 1) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::vector<std::string> nearest_first(std::string_view name, std::vector<std::string> names) {
  constexpr std::size_t longest = 100;  // of a text whose distance is worth the time
  std::vector<std::pair<std::size_t, std::string>> keyed;
  for (std::string& other : names) {
    const std::size_t distance = edit_distance(name.substr(0, longest), std::string_view(other).substr(0, longest));
    keyed.emplace_back(distance, std::move(other));
  }
  std::ranges::stable_sort(keyed, {}, &std::pair<std::size_t, std::string>::first);
  for (std::size_t i = 0; i < keyed.size(); ++i) names[i] = std::move(keyed[i].second);
  return names;
}

std::string likely_meant(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t letters_for_a_change = 3;
  if (names.empty()) return "";
  std::string nearest = nearest_first(name, names).front();
  const std::size_t longest = std::max(name.size(), nearest.size());
  const std::size_t changes = edit_distance(name, nearest);
  const bool one_of_three = changes == 1 && longest == letters_for_a_change;
  return letters_for_a_change * changes < longest || one_of_three ? nearest : "";
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names, std::string_view before) {
  const std::string meant = likely_meant(name, names);
  return meant.empty() ? "" : fmt::format("; did you mean {}{}?", before, meant);
}

}  // namespace credence::core
