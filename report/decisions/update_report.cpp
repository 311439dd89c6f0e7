#include "report/decisions/place_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "credence/conformal/predictor.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// Limits that anyone would ask for.
constexpr double limits[] = {0.01, 0.02, 0.05, 0.1};

std::string needed_text(std::size_t rows) {
  std::vector<std::string> texts;
  for (const double limit : limits)
    if (const auto missing = conformal::examples_missing(rows, limit); missing && *missing > 0)
      texts.push_back(fmt::format("{} for {}", *missing, limit));
  return texts.empty() ? "none for 0.01" : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string update_table(const std::vector<std::string>& classes, const conformal::LocalTest& test) {
  std::string text = named_line(
      "test", fmt::format("p = {:.4g}; a small p says that local rows differ from those kept before; {}", test.p_value,
                          test.proved ? "valid if rows of each class are exchangeable"
                                      : "nothing is proved, because other models judged the rows kept before"));
  std::size_t width = 12;
  for (const std::string& name : classes) width = std::max(width, name.size());
  text += fmt::format("\n{:>{}}  {:>6}  {:>11}  {}\n", "class", width, "local", "kept before",
                      "more rows needed for a limit");
  for (std::size_t c = 0; c < classes.size(); ++c)
    text += fmt::format("{:>{}}  {:>6}  {:>11}  {}\n", classes[c], width, test.local[c], test.kept[c],
                        needed_text(test.local[c]));
  return text;
}

std::vector<std::string> update_warnings(const std::vector<std::string>& classes, const conformal::LocalTest& test) {
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (test.local[c] == 0)
      sentences.push_back(
          fmt::format("no local row is of class '{}', so that the class is never ruled out", classes[c]));
  return sentences;
}

Json update_json(const std::vector<std::string>& classes, const conformal::LocalTest& test) {
  const auto class_json = [&](std::size_t c) {
    const auto missing = [&](double limit) {
      return Json::object("limit"_key = limit, "rows_missing"_key = conformal::examples_missing(test.local[c], limit));
    };
    return Json::object("class"_key = classes[c], "local"_key = test.local[c], "kept_before"_key = test.kept[c],
                        "limits"_key = Json::list(limits, missing));
  };
  return Json::object("kind"_key = "update", "statistic"_key = test.statistic, "p_value"_key = test.p_value,
                      "permutations"_key = conformal::LocalTest::permutations, "proved"_key = test.proved,
                      "per_class"_key = Json::list(classes.size(), class_json));
}

}  // namespace credence::report
