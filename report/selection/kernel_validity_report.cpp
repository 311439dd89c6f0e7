#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "credence/core/list.hpp"
#include "report/setting_words.hpp"

namespace credence::report {
namespace {

using selection::EvidenceReport;
using selection::KernelEvidence;
using selection::Selection;
using selection::Setting;

bool has_sigma(const selection::Options& options) {
  return options.kernels.shape().type == kernel::KernelType::rbf;
}

/// Settings from narrow to wide for rbf, by ascending gamma for others.
std::vector<std::size_t> ordered_settings(const Selection& selection, bool by_sigma) {
  std::vector<std::size_t> order = core::numbers_below(selection.grid.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double first = selection.grid[a].gamma;
    const double second = selection.grid[b].gamma;
    return by_sigma ? first > second : first < second;
  });
  return order;
}

/// The kernel of a setting, as the first column has it.
std::string width_of(const Setting& setting, bool by_sigma) {
  if (!(setting.gamma > 0)) return "-";
  return fmt::format("{:.6g}", by_sigma ? rvm::sigma_of_gamma(setting.gamma) : setting.gamma);
}

/// What + means, where some setting has it.
std::string added_legend(const Selection& selection) {
  const bool some = std::ranges::any_of(selection.grid, &Setting::added);
  return some ? "+: a width beyond the usual ones, added because the best lay on their border\n" : "";
}

/// The marks of a setting, as the first column has them.
std::string mark_of(const Setting& setting, bool chosen) {
  return std::string(chosen ? "*" : "") + (setting.added ? "+" : "");
}

struct Flag {
  const char* word;
  const char* meaning;
  bool of_machine;  ///< not of all RVMs together
  bool (*holds)(const KernelEvidence& evidence);
};

constexpr Flag flags[] = {
    {"null model", "no kernel says anything: the bias alone, or a constant", true,
     [](const KernelEvidence& evidence) { return evidence.null_model; }},
    {"below null", "the evidence is not above that of the bias alone by the margin", false,
     [](const KernelEvidence& evidence) { return evidence.below_null; }},
    {"memorised", "the RVM repeats its training targets, noise at its floor", false,
     [](const KernelEvidence& evidence) { return evidence.memorised; }},
    {"plateau", "the usual end of a fit; the evidence no longer moved, though some alpha still did", true,
     [](const KernelEvidence& evidence) { return evidence.status == rvm::Status::plateau; }},
    {"iteration limit", "not converged: stopped by the limit of iterations", true,
     [](const KernelEvidence& evidence) { return evidence.status == rvm::Status::iteration_limit; }},
    {"reused", "the kernel's values are those of the kernel before, and so is the fit", false,
     [](const KernelEvidence& evidence) { return evidence.reused; }},
    {"capped", "for some centres the range of a feature alone limits the stability", false,
     [](const KernelEvidence& evidence) { return evidence.capped > 0; }},
    {"saddles",
     "in some directions of a centre the likelihood curves upwards; there the stability uses its slope alone", false,
     [](const KernelEvidence& evidence) { return evidence.saddles > 0; }},
};

std::string flags_of(const KernelEvidence& evidence) {
  std::string text;
  for (const Flag& flag : flags)
    if (flag.holds(evidence)) text += (text.empty() ? "" : ", ") + std::string(flag.word);
  return text;
}

/// What words and marks of the table mean.
std::string legend(const Selection& selection) {
  std::string text =
      "effective: how many weights the data determine, by MacKay's gamma (not the kernel's)\n"
      "kernels: relevant (this gamma above 0.1) of those kept\n";
  if (selection.classes.size() > 2)
    text += fmt::format("all of them sums over {} RVMs, each a class against the rest\n", selection.classes.size());
  text += added_legend(selection);
  for (const Flag& flag : flags) {
    const auto holds = [&](const Setting& setting) { return setting.evidence && flag.holds(*setting.evidence); };
    if (std::ranges::any_of(selection.grid, holds)) {
      const bool some = flag.of_machine && selection.classes.size() > 2;
      text += fmt::format("{}: {}{}\n", flag.word, flag.meaning, some ? " (of some RVM)" : "");
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool by_validity(const EvidenceReport& report) {
  return report.criterion == "kernel validity";
}

}  // namespace

double least_shown(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double reach = 4 * (values.back() - values[values.size() / 2]);
  return reach > 0 ? std::max(values.front(), values.back() - reach) : values.front();
}

std::string evidence_score(const KernelEvidence& evidence, const EvidenceReport& report) {
  if (by_validity(report) && evidence.log_validity) return fmt::format("log validity {:.2f}", *evidence.log_validity);
  return fmt::format("log evidence {:.2f}", evidence.log_evidence);
}

std::string null_model_text(const EvidenceReport& report) {
  const std::string text = fmt::format("log evidence {:.2f}, the bias alone", report.null_evidence);
  if (!report.guarded) return text + "; no guard, any kernel may win";
  return text + fmt::format("; a kernel wins only with {:.6g} more", report.null_margin);
}

namespace {

Table widths_table(const Selection& selection) {
  const bool by_sigma = has_sigma(selection.options);
  Table table{{"|mark|text", Column("", by_sigma ? "sigma" : "gamma"), "|log evidence", "|log validity", "|stability",
               "|effective", "|kernels", "|noise sd", "|iterations", "|flags|text"},
              "",
              Where::terminal};
  for (const std::size_t index : ordered_settings(selection, by_sigma)) {
    const Setting& setting = selection.grid[index];
    std::vector<Json> row{mark_of(setting, selection.best == index), width_of(setting, by_sigma)};
    row.resize(table.columns.size());
    row.back() = "not computed";
    if (setting.complete && setting.evidence) {
      const KernelEvidence& found = *setting.evidence;
      const bool judged = found.log_validity.has_value();
      row = {row[0],
             row[1],
             two_decimals(found.log_evidence),
             judged ? Json(two_decimals(*found.log_validity)) : Json(nullptr),
             judged ? Json(two_decimals(found.stability)) : Json(nullptr),
             fmt::format("{:.1f}", found.effective),
             fmt::format("{}/{}", found.relevant, found.kernels),
             fmt::format("{:.4g}", found.noise_sd),
             found.iterations,
             flags_of(found)};
    }
    table.add(std::move(row));
  }
  if (selection.options.task != data::Task::regression) table.drop("noise sd");
  return table;
}

/// The lines of evidence and validity over the width. Nothing where no setting has evidence.
std::optional<Chart> evidence_chart(const Selection& selection) {
  const bool by_sigma = shows_sigma(selection.options);
  const std::string axis = by_sigma ? "sigma" : "gamma";
  Table data{{Column("x", axis), "kind|what|text", "value|value", "mark|mark|text", "kernels|kernels kept"}};
  std::vector<double> values;
  for (std::size_t i = 0; i < selection.grid.size(); ++i) {
    const Setting& setting = selection.grid[i];
    if (!setting.evidence) continue;
    const Json x = parameters_json(setting, by_sigma).at(axis);
    const auto add = [&](const char* name, double value) {
      values.push_back(value);
      data.add({x, name, value, selection.best == i ? "chosen" : "", setting.evidence->kernels});
    };
    if (setting.evidence->log_validity) add("log validity", *setting.evidence->log_validity);
    add("log evidence", setting.evidence->log_evidence);
  }
  if (data.empty()) return std::nullopt;
  const std::string chosen = selection.best ? parameters_text(selection.grid[*selection.best], by_sigma) : "none";
  return std::move(data).as_chart(
      "evidence", "Evidence and validity along the width",
      "Higher is better. Diamond: the chosen width. Widths far below the others are left out of the "
      "drawing, and stand in the table. Where the evidence keeps rising toward narrow widths and "
      "the validity falls, the narrow RVMs repeat their rows instead of explaining them.",
      "Lines of the log evidence and the log validity over the width of the kernel; chosen: " + chosen + ".",
      Json::object("$x"_key = by_sigma ? "sigma (width)" : "gamma", "$least"_key = least_shown(values)));
}

}  // namespace

void add_finding(const EvidenceReport& report, const Selection& selection, Story& story) {
  Section& section = story.section("evidence", "Which width of the kernel explains the data");
  section.tell(by_validity(report)
                   ? "The index is large for an RVM that explains these rows well, and still does when its centres "
                     "move. It compares fits of one training set with each other: it is not an "
                     "estimate of the error."
                   : "The evidence says how well each kernel's RVM, averaged over its weights, explains these rows. "
                     "It compares fits of one training set with each other: it is not an estimate of the error.");
  if (selection.options.task == data::Task::regression)
    section.tell("For regressions take --method cv first: docs/rvm.md has its errors and intervals beside these.");
  if (report.all_below_null) {
    const bool some = std::ranges::any_of(
        selection.grid, [](const Setting& setting) { return setting.evidence && setting.evidence->memorised; });
    section.tell(fmt::format("{} kernel's evidence is above that of the bias alone: the choice among them says little.",
                             some ? "But for RVMs that repeat their targets, no" : "No"));
  }
  section.fact("null model", null_model_text(report));
  section.add(widths_table(selection));
  section.say(legend(selection), Where::terminal);
  if (auto chart = evidence_chart(selection)) section.add(std::move(*chart));
}

void add_widths(const Selection& selection, Story& story) {
  if (selection.options.learner() != selection::Learner::rvm || selection.grid.size() < 2) return;
  const bool by_sigma = has_sigma(selection.options);
  const Scale scale{selection.score_kind()};
  Section& section = story.section("widths", "The error of each width");
  Table table{{"|mark|text", Column("", by_sigma ? "sigma" : "gamma")}, "", Where::terminal};
  table.columns.push_back({"", scale.is_squared() ? "rms error"
                               : scale.is_share() ? "error"
                                                  : title(selection.options.score)});
  table.columns.push_back("|kernels");
  for (const std::size_t index : ordered_settings(selection, by_sigma)) {
    const Setting& setting = selection.grid[index];
    table.add({mark_of(setting, selection.best == index), width_of(setting, by_sigma),
               setting.complete ? scale.text(setting.error) : "not computed",
               setting.complete ? Json(fmt::format("{:.1f}", setting.n_sv)) : Json(nullptr)});
  }
  section.add(std::move(table));
  if (std::string text = added_legend(selection); !text.empty()) {
    text.pop_back();
    section.say(std::move(text), Where::terminal);
  }
}

Json kernel_validity_json(const EvidenceReport& report) {
  return Json::object("criterion"_key = report.criterion, "null_evidence"_key = report.null_evidence,
                      "guarded"_key = report.guarded, "null_margin"_key = report.null_margin,
                      "all_below_null"_key = report.all_below_null, "literal"_key = report.literal,
                      "cap"_key = report.cap, "candidates"_key = report.candidates);
}

Json kernel_evidence_json(const KernelEvidence& evidence) {
  return Json::object(
      "log_evidence"_key = evidence.log_evidence, "log_validity"_key = evidence.log_validity,
      "stability"_key = evidence.log_validity ? Json(evidence.stability) : Json(nullptr),
      "effective"_key = evidence.effective, "kernels"_key = evidence.kernels, "relevant"_key = evidence.relevant,
      "noise_sd"_key = evidence.noise_sd > 0 ? Json(evidence.noise_sd) : Json(nullptr),
      "largest_weight"_key = evidence.largest_weight, "capped"_key = evidence.capped, "saddles"_key = evidence.saddles,
      "iterations"_key = evidence.iterations, "status"_key = rvm::name(evidence.status),
      "null_model"_key = evidence.null_model, "memorised"_key = evidence.memorised,
      "below_null"_key = evidence.below_null, "reused"_key = evidence.reused);
}

}  // namespace credence::report
