#include "reproduce/in_sample.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace credence::reproduce::in_sample {
namespace {

/// What the third line of a cell says.
enum class Difference { relative, points, ratio };

struct TableWords {
  Table table;
  const char* number;
  const char* caption;
  bool of_mnist;
  Difference difference;
};
constexpr std::array<TableWords, 9> report_tables{{
    {Table::I, "I", "MNIST, error on the reference rows by the soft loss, %", true, Difference::relative},
    {Table::III, "III", "MNIST, error on the reference rows by the hard loss, %", true, Difference::relative},
    {Table::V, "V", "MNIST, bound on the soft error, %", true, Difference::points},
    {Table::VII, "VII", "MNIST, bound on the hard error, %", true, Difference::points},
    {Table::XIV, "XIV", "MNIST, time, s", true, Difference::ratio},
    {Table::X, "X", "microarrays, error on the test rows by the soft loss, %", false, Difference::points},
    {Table::XI, "XI", "microarrays, error on the test rows by the hard loss, %", false, Difference::points},
    {Table::XII, "XII", "microarrays, bound on the soft error, %", false, Difference::points},
    {Table::XIII, "XIII", "microarrays, bound on the hard error, %", false, Difference::points},
}};

const TableWords& words_of(Table table) {
  return *std::find_if(report_tables.begin(), report_tables.end(),
                       [table](const TableWords& words) { return words.table == table; });
}

bool is_bound(Table table) {
  return table == Table::V || table == Table::VII || table == Table::XII || table == Table::XIII;
}

/// "12.34 (0.56)".
std::string number(double value, std::optional<double> half_width) {
  return half_width ? fmt::format("{:.2f} ({:.2f})", value, *half_width) : fmt::format("{:.2f}", value);
}

std::string our_cell(Table table, const Line& line, Column column) {
  const auto figure = figure_of(table, line, column);
  if (!figure) return "-";
  if (is_bound(table) && !(figure->mean < 100)) return "vacuous";
  return number(figure->mean, half_width_of(*figure));
}

std::string printed_cell(Table table, std::size_t line, Column column) {
  const Printed cell = printed(table, line, column);
  if (cell.is_dash()) return "-";
  const char* mark = !is_reproducible(table, column) ? "*" : is_consistent(table, line, column) ? "" : "!";
  return mark + number(cell.value, cell.half_width);
}

std::string difference_cell(const TableWords& words, const Line& line, Column column) {
  const auto ours = figure_of(words.table, line, column);
  const Printed paper = printed(words.table, line.line, column);
  if (!ours || paper.is_dash() || !is_reproducible(words.table, column)) return "";
  if (words.difference == Difference::points) return fmt::format("{:+.2f}", ours->mean - paper.value);
  if (!(paper.value > 0)) return "";
  if (words.difference == Difference::relative) return fmt::format("{:+.0f} %", 100 * (ours->mean / paper.value - 1));
  return fmt::format("x {:.2g}", ours->mean / paper.value);
}

template <class Cell>
std::string table_row(const Report& report, const std::string& name, const char* kind, const Cell& cell) {
  std::string text = fmt::format("{:<16}{:<6}", name, kind);
  for (const Column column : report.settings.columns) text += fmt::format("{:>15}", cell(column));
  return text + "\n";
}

std::string lines_of_table(const Report& report, const TableWords& words, const Line& line) {
  if (line.draws.empty()) return fmt::format("{:<16}not done\n", line.name);
  const Table table = words.table;
  return table_row(report, line.name + mark_of(line.mismatches), "ours",
                   [&](Column column) { return our_cell(table, line, column); }) +
         table_row(report, "", "paper", [&](Column column) { return printed_cell(table, line.line, column); }) +
         table_row(report, "", "diff", [&](Column column) { return difference_cell(words, line, column); });
}

std::string table_text(const Report& report, const TableWords& words) {
  const bool any = std::any_of(report.lines.begin(), report.lines.end(),
                               [&](const Line& line) { return line.set->is_mnist() == words.of_mnist; });
  if (!any) return {};
  std::string text = fmt::format("\nTable {}: {}\n", words.number, words.caption);
  text += table_row(report, words.of_mnist ? "n" : "", "", [](Column column) { return column_words[column].name; });
  for (const Line& line : report.lines)
    if (line.set->is_mnist() == words.of_mnist) text += lines_of_table(report, words, line);
  return text;
}

constexpr const char* why_no_hinted_bounds =
    "* Cannot be reproduced: these bounds equal the confidence term 3 sqrt(ln(2/delta) / (2 x 0.7 n)) alone, "
    "as if training\n  loss and complexity were both exactly 0, although with a free bias no class of "
    "functions has a complexity below\n  E|S_n|/n (S_n: the sum of n random signs), which is 4.8 to 15 points "
    "here.\n";
constexpr const char* why_no_hinted_bounds_of_microarrays =
    "* Cannot be reproduced, as in Table V: they leave 0 to 12 points for training loss and complexity "
    "together, always\n  less than the E|S_n|/n (8 to 16 points) below which the complexity alone cannot be.\n";
constexpr const char* bound_of_a_mean =
    "Ours: the mean over the sets held out of the limit of each. The paper's: the limit for one number of errors;\n"
    "Clopper-Pearson's for ";

/// Of marks and differences, where there can be any.
std::string notes_after(Table table, const Settings& settings) {
  const bool hinted = settings.columns.front() <= rc_hint;
  const bool held_out = settings.columns.back() >= kcv;
  switch (table) {
    case Table::V:
      return hinted ? why_no_hinted_bounds : "";
    case Table::VII:
      return held_out ? std::string(bound_of_a_mean) +
                            "0 errors of n/10 (KCV) or n (1 - 1/n)^n (BTS) gives each printed digit.\n"
                      : "";
    case Table::XIII:
      return held_out ? std::string(bound_of_a_mean) + "0 to 3 errors of as many rows gives each printed digit.\n" : "";
    case Table::XIV:
      return "Ours: choice, bound and final classifiers. The paper's: Fortran, Intel Core i5 at 2.3 GHz, 2012 or "
             "before.\ndiff: ours over the paper's.\n";
    case Table::X:
      return "! Contradicts Table XI: a soft error is at most (1 + hard error) / 2.\n";
    case Table::XII:
      return std::string(hinted ? why_no_hinted_bounds_of_microarrays : "") +
             "! A printed bound below the printed error that it bounds (Table X).\n";
    default:
      return {};
  }
}

std::string tables_text(const Report& report) {
  std::string text;
  for (const TableWords& words : report_tables) {
    const std::string table = table_text(report, words);
    if (!table.empty()) text += table + notes_after(words.table, report.settings);
  }
  return text;
}

std::string target_line(const Target& target) {
  const bool relative = words_of(target.table).difference == Difference::relative;
  return fmt::format(
      "  Table {:<4}n = {:<4} {:<4} ours {:>6.2f}, paper {:>6.2f}: {}\n", number_of(target.table), sizes[target.line],
      column_words[target.column].name, target.ours, target.paper,
      relative ? fmt::format("{:+.0f} %", 100 * target.difference) : fmt::format("{:+.2f} points", target.difference));
}

/// "34 of 34 figures", and a line for each that is not met.
std::string met_text(const std::vector<Target>& targets, const std::string& sentence) {
  const auto met = std::count_if(targets.begin(), targets.end(), [](const Target& target) { return target.met(); });
  std::string text = fmt::format(fmt::runtime(sentence), fmt::format("{} of {} figures", met, targets.size())) +
                     (static_cast<std::size_t>(met) == targets.size() ? ".\n" : "; these are not:\n");
  for (const Target& target : targets)
    if (!target.met()) text += target_line(target);
  return text;
}

std::string targets_text(const Report& report) {
  const std::vector<Target> all = targets_of(report);
  std::vector<Target> stated;
  std::copy_if(all.begin(), all.end(), std::back_inserter(stated),
               [](const Target& target) { return target.of_target_size; });
  std::string text;
  if (!stated.empty()) {
    text += met_text(stated,
                     "\nTargets, n = 40, 100, 200, 400: {} are met (errors of Table I by KCV, LOO, BTS within 25 %,\n"
                     "bounds of Tables V and VII without a hint within 2 points)");
  }
  if (all.size() > stated.size()) text += met_text(all, "All sizes, by the same limits: {} are met");
  return text;
}

std::string protocol_text(const Report& report) {
  const Settings& settings = report.settings;
  return fmt::format(
      "{}\nLinear kernel; 30 values from 10^-6 to 10^3 for rho and for C; delta 0.05 for each bound; seed "
      "{}.\nMNIST: pixels / 255, half of the rows of each class, {}; the reference set is all other "
      "rows.\nMicroarrays: {}, stratified, features to [0, 1] on the training rows; of more than two "
      "classes\nthe first against the others, which the printed figures suggest and the paper does not "
      "say.\nIn brackets 1.96 standard deviations of the mean. KCV, LOO, BTS: one of the classifiers trained, "
      "drawn for each\nrow; chosen by the soft loss, for Tables III, VII, XI, XIII by the hard one.\n",
      paper_title, settings.seed, report::count_of(static_cast<std::size_t>(settings.draws), "draw"),
      report::count_of(static_cast<std::size_t>(settings.splits), "split"));
}

std::string absent_text(const Report& report) {
  std::string text = "\nTables II, IV, VI, VIII need the DaimlerChrysler pedestrians and are not run.\n";
  if (report.missing.empty()) return text;
  std::vector<std::string> names;
  for (const PaperSet* set : report.missing) names.push_back(fmt::format("{} ({}.csv)", set->name, set->file));
  return text + fmt::format("Not in the folder: {}.\n", fmt::join(names, ", "));
}

std::string footnotes(const Report& report) {
  std::string text;
  const PaperSet* last = nullptr;
  for (const Line& line : report.lines) {
    if (line.set == last || line.mismatches.empty()) continue;
    last = line.set;
    text += footnote(line.set->name, line.mismatches);
  }
  return text;
}

}  // namespace

std::optional<double> half_width_of(const Figure& figure) {
  if (!figure.standard_error) return std::nullopt;
  return 1.96 * *figure.standard_error;
}

const char* number_of(Table table) {
  return words_of(table).number;
}

std::string report_text(const Report& report) {
  return protocol_text(report) + tables_text(report) + footnotes(report) + targets_text(report) + absent_text(report) +
         closing_line(report);
}

}  // namespace credence::reproduce::in_sample
