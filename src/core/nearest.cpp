#include "credence/core/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace credence::core {

namespace {

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether a name has a word between its signs: "roc_auc" has "auc".
bool has_word(std::string_view name, std::string_view word) {
  constexpr std::string_view signs = "_- ";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find_first_of(signs, at), name.size());
    if (edit_distance(name.substr(at, end - at), word) == 0) return true;
    at = end + 1;
  }
  return false;
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
  constexpr std::size_t letters_of_a_word = 30;
  if (names.empty()) return "";
  std::string nearest = nearest_first(name, names).front();
  const std::size_t longest = std::max(name.size(), nearest.size());
  const std::size_t changes = edit_distance(name, nearest);
  const bool one_of_three = changes == 1 && longest == letters_for_a_change;
  if (letters_for_a_change * changes < longest || one_of_three) return nearest;
  // The one name that begins with the first word of the other, or has it.
  const std::string_view word = name.substr(0, name.find_first_of("_-"));
  if (word.size() < letters_for_a_change || word.size() > letters_of_a_word) return "";
  const auto begins = [word](const std::string& other) {
    return edit_distance(other.substr(0, word.size()), word) == 0;
  };
  const auto has = [word](const std::string& other) { return has_word(other, word); };
  if (std::ranges::count_if(names, begins) == 1) return *std::ranges::find_if(names, begins);
  return std::ranges::count_if(names, has) == 1 ? *std::ranges::find_if(names, has) : "";
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names, std::string_view before) {
  const std::string meant = likely_meant(name, names);
  return meant.empty() ? "" : fmt::format("; did you mean {}{}?", before, meant);
}

}  // namespace credence::core
