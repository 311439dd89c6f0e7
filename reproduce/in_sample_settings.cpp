#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "credence/core/error.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

struct ColumnWords {
  const char* key;
  const char* name;
};
constexpr std::array<ColumnWords, column_count> columns{{{"md-hint", "MD_f"},
                                                         {"rc-hint", "RC_f"},
                                                         {"md", "MD"},
                                                         {"rc", "RC"},
                                                         {"kcv", "KCV"},
                                                         {"loo", "LOO"},
                                                         {"bts", "BTS"}}};

constexpr const char* quick_sets = "mnist,duke,srbct";
constexpr const char* quick_sizes = "10,40,100";
constexpr int quick_draws = 3;
constexpr int quick_splits = 2;

/// The positions in `words` of a list with commas, ascending, each once; all of them if it is empty.
std::vector<std::size_t> positions_of(const char* option, const std::string& list,
                                      const std::vector<std::string>& words) {
  std::vector<bool> chosen(words.size(), list.empty());
  for (std::size_t start = 0; !list.empty() && start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    const std::string word = list.substr(start, comma - start);
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: '{}' is not one of {}", option, word, fmt::join(words, ", ")));
    }
    chosen[static_cast<std::size_t>(found - words.begin())] = true;
    start = comma + 1;
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) positions.push_back(i);
  return positions;
}

std::vector<std::size_t> lines_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::size_t size : sizes) words.push_back(std::to_string(size));
  return positions_of("--sizes", list, words);
}

std::vector<Column> columns_of(const std::string& list) {
  std::vector<std::string> words;
  for (const ColumnWords& column : columns) words.emplace_back(column.key);
  std::vector<Column> chosen;
  for (const std::size_t column : positions_of("--methods", list, words)) chosen.push_back(static_cast<Column>(column));
  return chosen;
}

}  // namespace

const char* key_of(Column column) {
  return columns[column].key;
}

const char* name_of(Column column) {
  return columns[column].name;
}

Settings settings_of(const std::string& set_keys, const std::string& size_list, const std::string& methods, bool quick,
                     std::optional<int> draws, std::uint64_t seed) {
  const auto unless_given = [quick](const std::string& given, const char* of_quick) {
    return given.empty() && quick ? std::string(of_quick) : given;
  };
  Settings settings;
  settings.sets = chosen_sets(paper_sets(), unless_given(set_keys, quick_sets));
  settings.only_existing = set_keys.empty();
  settings.lines = lines_of(unless_given(size_list, quick_sizes));
  settings.columns = columns_of(methods);
  if (quick) {
    settings.draws = quick_draws;
    settings.splits = quick_splits;
  }
  settings.draws = draws.value_or(settings.draws);
  settings.seed = seed;
  return settings;
}

}  // namespace credence::reproduce::in_sample
