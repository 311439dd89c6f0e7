#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "credence/core/random.hpp"

namespace credence::test {
/// The text with one blank for each run of blanks and line ends, as long lines are broken.
inline std::string flat(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (c != '\n' && c != ' ')
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  return line;
}

/// Overlapping clouds with three numeric columns.
inline std::string clouds_csv(int rows, int classes, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::ostringstream text;
  text.precision(17);
  text << "x,y,z,label\n";
  for (int i = 0; i < rows; ++i) {
    const int c = i % classes;
    text << random.normal() + c << ',' << random.normal() - 2 * (c % 2) << ',' << random.normal() << ",class " << c
         << '\n';
  }
  return text.str();
}

inline std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// What makes cv choose the best setting of one kernel and one scaling, where it would average those of several.
inline const std::vector<std::string> one_svm{"--kernel", "rbf", "--scale", "standard", "--rule", "best"};

inline std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline void erase_everywhere(const char* field, nlohmann::json& document) {
  if (!document.is_structured()) return;
  if (document.is_object()) document.erase(field);
  for (auto& part : document) erase_everywhere(field, part);
}

/// Without these fields, at every level, the command that was typed, and the report, which says how long it took.
inline nlohmann::json without(nlohmann::json document, std::initializer_list<const char*> fields) {
  for (const char* field : {"command", "report"}) document.erase(field);
  for (const char* field : fields) erase_everywhere(field, document);
  return document;
}

/// A CSV text without quoted cells, by the names of its columns.
struct Table {
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;

  explicit Table(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    names = settings(line);
    while (std::getline(lines, line)) {
      const std::vector<std::string> values = settings(line);
      std::map<std::string, std::string> row;
      for (std::size_t j = 0; j < names.size(); ++j) row[names[j]] = values.at(j);
      rows.push_back(std::move(row));
    }
  }

  static std::vector<std::string> settings(const std::string& line) {
    std::vector<std::string> result(1);
    for (const char character : line)
      if (character == ',')
        result.emplace_back();
      else
        result.back() += character;
    return result;
  }
};

inline double number(const std::map<std::string, std::string>& row, const std::string& name) {
  return std::stod(row.at(name));
}

}  // namespace credence::test
