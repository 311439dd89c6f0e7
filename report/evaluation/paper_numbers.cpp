#include "report/evaluation/paper_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr double paper_delta = 0.05;
constexpr std::size_t most_classes_shown = 20;  ///< classes in the terminal, and curves
constexpr std::size_t most_curve_points = 400;

/// A number of two classes as papers call it.
struct NamedShare {
  const char* key;
  const char* title;
  CountedShare AgainstRest::*share;
};
constexpr NamedShare shares_of_two[]{{"sensitivity", "sensitivity", &AgainstRest::found},
                                     {"specificity", "specificity", &AgainstRest::rejected},
                                     {"ppv", "PPV", &AgainstRest::right},
                                     {"npv", "NPV", &AgainstRest::right_not}};

CountedShare prevalence(const AgainstRest& one) {
  return {one.found.rows, one.found.rows + one.rejected.rows};
}

std::string interval_text(const std::optional<bounds::Interval>& interval) {
  return interval ? ends_text(*interval) : "-";
}

/// Of two classes.
double balanced_accuracy(const PaperNumbers& numbers) {
  return (numbers.macro(&AgainstRest::found) + numbers.macro(&AgainstRest::rejected)) / 2;
}

std::string auc_text(const std::optional<selection::AucEstimate>& auc) {
  return auc ? fmt::format("{:.4f}", auc->auc) : "-";
}

std::optional<bounds::Interval> auc_interval(const AgainstRest& one, Intervals95 known) {
  return one.auc && known == Intervals95::all ? one.auc->interval(paper_delta) : std::nullopt;
}

Table table_of_two(const PaperNumbers& numbers, Where where) {
  const AgainstRest& one = numbers.classes.front();
  Table table{{fmt::format("'{}' is positive", shown_name(one.name)), "|value", "|95 % interval", "|rows"}, "", where};
  const auto add = [&](const char* title, const CountedShare& counted) {
    table.add({title, shown(counted.value()), interval_text(counted.interval()),
               fmt::format("{} of {}", counted.part, counted.rows)});
  };
  for (const NamedShare& named : shares_of_two) add(named.title, one.*named.share);
  if (numbers.accuracy) add("accuracy", *numbers.accuracy);
  table.add({"balanced accuracy", percent(balanced_accuracy(numbers)), "-", ""});
  add("prevalence", prevalence(one));
  const auto ends = auc_interval(one, numbers.intervals);
  if (one.auc)
    table.add({"AUC", auc_text(one.auc), ends ? fmt::format("{:.4f} to {:.4f}", ends->lower, ends->upper) : "-", ""});
  return table;
}

Table table_of_more(const PaperNumbers& numbers, Where where) {
  Table table{{"class", "|rows", "|recall", "|95 % interval", "|precision", "|95 % interval", "|AUC"}, "", where};
  const std::vector<std::string> names = shown_names(core::mapped(numbers.classes, &AgainstRest::name));
  for (std::size_t c = 0; c < names.size(); ++c) {
    const AgainstRest& one = numbers.classes[c];
    table.add({names[c], one.found.rows, shown(one.found.value()), interval_text(one.found.interval()),
               shown(one.right.value()), interval_text(one.right.interval()), auc_text(one.auc)});
  }
  table.add({"macro average", "", shown(numbers.macro(&AgainstRest::found)), "-",
             shown(numbers.macro(&AgainstRest::right)), "-", "-"});
  const auto ranked = [](const AgainstRest& one) { return one.auc.has_value(); };
  if (std::ranges::none_of(numbers.classes, ranked)) table.drop("AUC");
  return table;
}

/// What the intervals rest on.
std::string intervals_sentence(const PaperNumbers& numbers) {
  if (numbers.intervals == Intervals95::none) return numbers.basis;
  std::string text = "The intervals of shares are Clopper and Pearson's";
  if (numbers.intervals == Intervals95::all && numbers.of_two() && numbers.classes.front().auc)
    text += numbers.classes.front().auc->interval(paper_delta)
                ? "; that of the AUC has DeLong's variance, on the scale of log odds"
                : "; an AUC of 0 or 1 has no interval";
  if (numbers.intervals == Intervals95::shares && numbers.of_two()) text += "; the AUC has none here";
  return numbers.basis + " " + text + ".";
}

std::optional<Chart> roc_chart(const PaperNumbers& numbers) {
  const bool drawn = numbers.classes.size() <= most_classes_shown &&
                     std::ranges::any_of(numbers.classes, [](const AgainstRest& one) { return !one.curve.empty(); });
  if (!drawn) return std::nullopt;
  Table data{{"class|class|text", "false_positive_rate|false positive rate|share",
              "true_positive_rate|true positive rate|share", "threshold|score from", "order|"}};
  const std::vector<std::string> names = shown_names(core::mapped(numbers.classes, &AgainstRest::name));
  std::string areas;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::vector<selection::RocPoint>& curve = numbers.classes[c].curve;
    if (curve.empty()) continue;
    const auto point = [&](const selection::RocPoint& at) {
      data.add({names[c], at.false_positive_rate, at.true_positive_rate,
                std::isfinite(at.threshold) ? Json(at.threshold) : Json(nullptr), data.size()});
    };
    for (const std::size_t i : evenly(curve.size() - 1, most_curve_points)) point(curve[i]);
    point(curve.back());
    areas += fmt::format("{}'{}' {}", areas.empty() ? "" : ", ", names[c], auc_text(numbers.classes[c].auc));
  }
  return std::move(data).as_chart(
      "roc#roc-curve", "How well does the score order the rows? (ROC curve)",
      fmt::format("Each point is a threshold of the score: how many rows of the class are found, against how many "
                  "others are taken for it. The diagonal is chance. Area under the curve (AUC): {}.",
                  areas),
      fmt::format("ROC curve: true positive rate over false positive rate; AUC {}.", areas));
}

Json share_json(const CountedShare& counted, Intervals95 known) {
  const auto interval = known == Intervals95::none ? std::nullopt : counted.interval();
  return Json::object("value"_key = counted.value(), "part"_key = counted.part, "n"_key = counted.rows,
                      "interval"_key = interval ? exact_interval_json(*interval, paper_delta) : Json(nullptr));
}

Json auc_json(const AgainstRest& one, Intervals95 known) {
  if (!one.auc) return nullptr;
  const auto ends = auc_interval(one, known);
  return Json::object("value"_key = one.auc->auc,
                      "interval"_key = ends ? Json::object("lower"_key = ends->lower, "upper"_key = ends->upper,
                                                           "confidence"_key = 1 - paper_delta,
                                                           "method"_key = "DeLong, on the scale of log odds")
                                            : Json(nullptr));
}

}  // namespace

std::optional<double> CountedShare::value() const {
  return share(part, rows);
}

std::optional<bounds::Interval> CountedShare::interval() const {
  if (rows == 0) return std::nullopt;
  return bounds::clopper_pearson(part, rows, paper_delta);
}

double PaperNumbers::macro(CountedShare AgainstRest::*share) const {
  double sum = 0;
  for (const AgainstRest& one : classes) sum += (one.*share).value().value_or(0);
  return sum / static_cast<double>(classes.size());
}

double PaperNumbers::macro_f1() const {
  double sum = 0;
  for (const AgainstRest& one : classes) sum += 2 * share(one.found.part, one.found.rows + one.right.rows).value_or(0);
  return sum / static_cast<double>(classes.size());
}

PaperNumbers paper_numbers(const Confusion& confusion, std::size_t positive, std::span<const int> truth,
                           const data::DenseMatrix& scores) {
  const std::vector<std::size_t> of_class = confusion.row_sums();
  const std::vector<std::size_t> named = confusion.column_sums();
  const std::size_t known = std::accumulate(of_class.begin(), of_class.end(), std::size_t{0});
  const std::size_t classes = of_class.size();
  PaperNumbers numbers;
  std::vector<double> margins;
  std::vector<int> is_class;
  for (std::size_t c = 0; c < classes; ++c) {
    if (classes == 2 && c != positive) continue;
    const std::size_t right = confusion.counts[c][c];
    AgainstRest one{confusion.classes[c],
                    {right, of_class[c]},
                    {known - of_class[c] - named[c] + right, known - of_class[c]},
                    {right, named[c]},
                    {known - of_class[c] - named[c] + right, known - named[c]}};
    if (scores.columns == classes) {
      margins.clear();
      is_class.clear();
      for (std::size_t i = 0; i < truth.size(); ++i) {
        if (truth[i] < 0) continue;
        const auto row = scores.row(i);
        margins.push_back(classes == 2 ? row[c] - row[1 - c] : row[c]);
        is_class.push_back(truth[i] == static_cast<int>(c) ? 1 : 0);
      }
      one.auc = selection::delong_auc(margins, is_class);
      one.curve = selection::roc_curve(margins, is_class);
    }
    numbers.classes.push_back(std::move(one));
  }
  return numbers;
}

void add_paper_numbers(const PaperNumbers& numbers, Where where, Section& section) {
  const bool many = numbers.classes.size() > most_classes_shown;
  if (many)
    section.fact("macro average",
                 fmt::format("recall {}, precision {}", percent(numbers.macro(&AgainstRest::found)),
                             percent(numbers.macro(&AgainstRest::right))),
                 {}, where);
  Table table = numbers.of_two() ? table_of_two(numbers, where) : table_of_more(numbers, many ? Where::page : where);
  if (numbers.intervals == Intervals95::none) table.drop("95 % interval");
  section.add(std::move(table));
  section.say(intervals_sentence(numbers), where);
  if (auto chart = roc_chart(numbers)) section.add(std::move(*chart));
}

Json paper_json(const PaperNumbers& numbers) {
  Json document = Json::object("basis"_key = numbers.basis);
  if (numbers.accuracy) document["accuracy"] = share_json(*numbers.accuracy, numbers.intervals);
  if (numbers.of_two()) {
    const AgainstRest& one = numbers.classes.front();
    document.add("positive"_key = one.name);
    for (const NamedShare& named : shares_of_two) document[named.key] = share_json(one.*named.share, numbers.intervals);
    return document.add("balanced_accuracy"_key = balanced_accuracy(numbers),
                        "prevalence"_key = share_json(prevalence(one), numbers.intervals),
                        "auc"_key = auc_json(one, numbers.intervals));
  }
  return document.add(
      "per_class"_key = Json::list(numbers.classes,
                                   [&](const AgainstRest& one) {
                                     return Json::object("class"_key = one.name,
                                                         "recall"_key = share_json(one.found, numbers.intervals),
                                                         "precision"_key = share_json(one.right, numbers.intervals),
                                                         "auc"_key = auc_json(one, numbers.intervals));
                                   }),
      "macro"_key = Json::object("recall"_key = numbers.macro(&AgainstRest::found),
                                 "precision"_key = numbers.macro(&AgainstRest::right), "f1"_key = numbers.macro_f1()));
}

std::size_t positive_class(const std::vector<std::string>& classes, const std::string& named) {
  if (named.empty()) return 1;
  if (classes.size() != 2) refuse(fmt::format("a positive class is one of two; there are {} classes", classes.size()));
  const auto found = std::ranges::find(classes, named);
  if (found == classes.end()) refuse(fmt::format("no class '{}'; the classes are {}", named, fmt::join(classes, ", ")));
  return static_cast<std::size_t>(found - classes.begin());
}

}  // namespace credence::report
