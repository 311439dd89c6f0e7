#include "report/bound_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "credence/bounds/mean.hpp"
#include "credence/core/version.hpp"
#include "report/text.hpp"

namespace credence::report {

namespace {

/// Two digits after the point, or as many as a small share needs.
std::string shown_share(double share) {
  return share == 0 || share >= 1e-3 ? percent(share) : fmt::format("{:.2g} %", 100 * share);
}

std::string value_of(const bounds::Finding& finding) {
  const bounds::Limits& limits = finding.limits;
  if (!limits.upper) return fmt::format("{:>8}  ({})", "-", finding.bound->none);
  std::string text = fmt::format("{:>8}", shown_share(*limits.upper));
  if (limits.lower) text += fmt::format("  (and at least {})", shown_share(*limits.lower));
  return limits.vacuous() ? text + "  vacuous" : text;
}

}  // namespace

std::string bound_table(const bounds::Findings& found) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) { text += named_line(name, value); };
  const auto of = [&](std::string_view quantity) { return found.sample.find(quantity)->second; };
  const auto n = static_cast<std::size_t>(of("n"));
  const std::string rows =
      fmt::format("{} that the classifier {}", count_of(n, "row"), found.training ? "was chosen on" : "had not seen");
  const bool errors = found.sample.contains("errors");
  if (errors)
    line("errors", fmt::format("{:.0f} = {} on {}", of("errors"), shown_share(of("loss")), rows));
  else
    line("loss", fmt::format("{:.6g}, the mean on {}", of("loss"), rows));
  if (found.sample.contains("complexity")) {
    line("complexity", fmt::format("{:.6g}; a Rademacher complexity with a bias term is at least {:.4f}",
                                   of("complexity"), bounds::rademacher_floor(n)));
  }
  line("delta", fmt::format("{:.6g}: each bound holds with probability {:.6g} or more", of("delta"), 1 - of("delta")));
  text += fmt::format("\n{:<27}  {} at most\n", "bound", errors ? "error" : "mean loss");
  for (const bounds::Finding& one : found.bounds) text += fmt::format("{:<27}  {}\n", one.bound->title, value_of(one));
  text += '\n';
  const bounds::Bound& best = *found.bounds[found.best].bound;
  const std::string better = best.better_with.empty() ? "" : fmt::format(" (--{})", best.better_with);
  line("use", fmt::format("{}: {}{}", best.title, best.reason, better));
  return text;
}

Json bound_json(const bounds::Findings& found) {
  Json document = Json::object("sample"_key = found.training ? "training" : "held out", "n"_key = nullptr);
  for (const bounds::Quantity& quantity : bounds::quantities()) {
    const auto value = found.sample.find(quantity.name);
    if (value == found.sample.end()) continue;
    document[quantity.name] = quantity.whole ? Json(static_cast<std::uint64_t>(value->second)) : Json(value->second);
    if (quantity.name == "complexity")
      document["rademacher_floor"] = bounds::rademacher_floor(static_cast<std::size_t>(found.sample.find("n")->second));
  }
  document["bounds"] = Json::array();
  for (const auto& [bound, limits] : found.bounds) {
    Json one = Json::object("name"_key = bound->name);
    if (limits.lower) one["lower"] = *limits.lower;
    one.add("upper"_key = limits.upper, "vacuous"_key = limits.vacuous());
    document["bounds"].push_back(std::move(one));
  }
  document.add("use"_key = found.bounds[found.best].bound->name, "version"_key = version());
  return document;
}

std::string bound_text(double bound) {
  return percent(bound) + (bound < 1 ? "" : " (vacuous)");
}

void add_worth(double bound, const std::optional<double>& baseline, Section& section) {
  if (!(bound < 1))
    section.tell(
        "A vacuous bound is not below 100 %, and says nothing about the error. More rows would make it smaller.");
  else if (baseline && bound >= *baseline)
    section.tell(fmt::format("Giving every row the same label errs in {} of the rows, so a bound of {} says little.",
                             percent(*baseline), percent(bound)));
}

void add_proof(const std::string& subject, const std::vector<std::string>& gaps, double delta, Section& section) {
  if (gaps.empty()) {
    section.tell(fmt::format("{} proved for independent rows, with probability {:.6g} %.", subject, 100 * (1 - delta)));
    return;
  }
  section.tell(fmt::format("{} not proved in this run, because\n- {}.", subject, fmt::join(gaps, ";\n- ")));
}

}  // namespace credence::report
