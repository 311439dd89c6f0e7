#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "report/text.hpp"
#include "selfcheck/run.hpp"

namespace credence::selfcheck {
namespace {

using report::Json;
using report::operator""_key;

std::string share_text(double share) {
  return fmt::format("{:.2f}", 100 * share);
}

std::string verdict(const CheckResult& check, const Line& line) {
  if (line.broken()) return "BROKEN";
  return check.promise == Promise::approximate ? "measured" : "holds";
}

std::string line_text(const CheckResult& check, const Line& line, const LevelResult& result) {
  return fmt::format("  {:<33} {:>5} {:>8} {:>8} {:>9}  {:<16} {}\n", line.problem, line.n, line.values,
                     share_text(result.nominal), share_text(result.share),
                     share_text(result.interval.lower) + " - " + share_text(result.interval.upper),
                     verdict(check, line));
}

/// What is broken in a line, a level each.
std::string broken_text(const Line& line) {
  std::string text;
  for (const LevelResult& result : line.levels) {
    if (!result.broken) continue;
    text += fmt::format("    at {:.2f} %: {:.2f} % of {} instead of {:.2f} %; by chance with probability {:.1e}\n",
                        100 * result.level, 100 * result.share, line.values, 100 * result.nominal, result.p_value);
  }
  if (line.curve && line.curve->broken)
    text += fmt::format("    over all levels (Kolmogorov-Smirnov): by chance with probability {:.1e}\n",
                        line.curve->p_value);
  return text;
}

std::string closing(const Report& report) {
  const std::size_t proved = report.lines() - [&] {
    std::size_t count = 0;
    for (const CheckResult& check : report.checks)
      if (check.promise == Promise::approximate) count += check.lines.size();
    return count;
  }();
  const std::size_t measured = report.lines() - proved;
  const std::size_t broken = report.broken();
  std::string text;
  if (broken > 0) text = fmt::format("{} of {} lines are BROKEN", broken, report.lines());
  if (broken == 0 && proved > 0) text = fmt::format("All {} lines with a proved promise hold", proved);
  if (!text.empty()) {
    text += fmt::format(
        ", judged together by {} tests:\na program without a fault passes with a probability of at least {} %.\n",
        report.tests, 100 * (1 - false_alarm));
  }
  if (measured > 0) {
    text += fmt::format("{} {} approximate: nothing is proved there, and the number says how near they come.\n",
                        report::count_of(measured, "line"), measured == 1 ? "is" : "are");
  }
  return text + fmt::format("seed {}, {:.0f} s, {}\n", report.seed, report.seconds,
                            report::count_of(static_cast<std::size_t>(report.threads), "thread"));
}

Json level_json(const LevelResult& result) {
  return Json::object("level"_key = result.level, "nominal"_key = result.nominal, "count"_key = result.count,
                      "share"_key = result.share, "lower"_key = result.interval.lower,
                      "upper"_key = result.interval.upper, "p_value"_key = result.p_value,
                      "broken"_key = result.broken);
}

Json line_json(const CheckResult& check, const Line& line) {
  Json json = Json::object("problem"_key = line.problem, "n"_key = line.n, "trials"_key = line.trials,
                           "values"_key = line.values, "verdict"_key = verdict(check, line),
                           "levels"_key = Json::list(line.levels, level_json));
  if (!line.error.empty()) json.add("error"_key = line.error);
  if (line.curve)
    json.add("curve"_key = Json::object("p_value"_key = line.curve->p_value, "broken"_key = line.curve->broken));
  return json;
}

}  // namespace

const char* word(Promise promise) {
  switch (promise) {
    case Promise::exact:
      return "exact";
    case Promise::conservative:
      return "conservative";
    case Promise::approximate:
      return "approximate";
  }
  return "";
}

std::string report_text(const Report& report) {
  std::string text = fmt::format("{:<35} {:>5} {:>8} {:>8} {:>9}  {:<16} {}\n", "what, and on which problem", "n",
                                 "values", "nominal", "measured", "95 % interval", "verdict");
  for (const CheckResult& check : report.checks) {
    text += fmt::format("{}: {} ({})\n", check.name, check.what, word(check.promise));
    for (const Line& line : check.lines) {
      text += line.error.empty() ? line_text(check, line, line.shown()) + broken_text(line)
                                 : fmt::format("  {:<33} {:>5} BROKEN: {}\n", line.problem, line.n, line.error);
    }
  }
  text += "\nShares in percent: how often a bound failed or a p-value was at most the nominal level.\n";
  return text + closing(report);
}

Json report_json(const Report& report) {
  const auto check_json = [](const CheckResult& check) {
    return Json::object("name"_key = check.name, "what"_key = check.what, "promise"_key = word(check.promise),
                        "source"_key = check.source, "lines"_key = Json::list(check.lines, [&](const Line& line) {
                                                       return line_json(check, line);
                                                     }));
  };
  return Json::object("kind"_key = "selfcheck", "quick"_key = report.quick, "tests"_key = report.tests,
                      "false_alarm"_key = false_alarm, "broken"_key = report.broken(),
                      "checks"_key = Json::list(report.checks, check_json), "seed"_key = report.seed,
                      "threads"_key = report.threads, "seconds"_key = report.seconds, "version"_key = version());
}

std::string list_text(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks)
    text += fmt::format("{:<34} {:<13} {}; {}\n", check.name, word(check.promise), check.what, check.source);
  return text;
}

std::vector<Check> chosen(std::vector<Check> all, const std::string& names) {
  if (names.empty()) return all;
  std::vector<bool> wanted(all.size());
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t comma = std::min(names.find(',', start), names.size());
    const std::string name = names.substr(start, comma - start);
    const bool open = name.ends_with('*');
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool fits = open ? all[i].name.starts_with(name.substr(0, name.size() - 1)) : all[i].name == name;
      if (fits) wanted[i] = found = true;
    }
    if (!found) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--only: no check has the name '{}'; credence selfcheck --list has the names", name));
    }
    start = comma + 1;
  }
  std::vector<Check> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) result.push_back(std::move(all[i]));
  return result;
}

}  // namespace credence::selfcheck
