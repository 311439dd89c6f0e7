#include "report/evaluation/confusion_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "credence/core/list.hpp"
#include "credence/data/reader.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// Classes up to which the whole matrix is printed, and confusions that are printed of more classes.
constexpr std::size_t most_printed = 20;

/// One cell off the diagonal.
struct ConfusedPair {
  std::size_t truth = 0;
  std::size_t predicted = 0;
  std::size_t rows = 0;
};

/// All that occur, the most frequent first; ties by the true class, then the predicted one.
std::vector<ConfusedPair> confused_pairs(const Confusion& confusion) {
  std::vector<ConfusedPair> pairs;
  for (std::size_t a = 0; a < confusion.counts.size(); ++a) {
    for (std::size_t b = 0; b < confusion.counts[a].size(); ++b)
      if (a != b && confusion.counts[a][b] > 0) pairs.push_back({a, b, confusion.counts[a][b]});
  }
  std::ranges::sort(pairs, [](const ConfusedPair& x, const ConfusedPair& y) {
    return std::tuple(y.rows, x.truth, x.predicted) < std::tuple(x.rows, y.truth, y.predicted);
  });
  return pairs;
}

/// For the terminal.
Table matrix(const Confusion& confusion, const std::vector<std::string>& names) {
  Table table{{"true class as"}, "", Where::terminal};
  for (const std::string& name : names) table.columns.push_back({"", name});
  for (std::size_t a = 0; a < names.size(); ++a) {
    std::vector<Json> row{names[a]};
    for (const std::size_t count : confusion.counts[a]) row.emplace_back(count);
    table.add(std::move(row));
  }
  return table;
}

Chart drawn_matrix(const Confusion& confusion, const std::vector<std::string>& names) {
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  Table data{{"truth|true class|text", "label|label|text", "count|rows", "share|of the true class|share", "right|"}};
  for (std::size_t t = 0; t < names.size(); ++t)
    for (std::size_t p = 0; p < names.size(); ++p)
      data.add({names[t], names[p], confusion.counts[t][p], share(confusion.counts[t][p], row_sums[t]), t == p});
  return std::move(data).as_chart(
      "confusion", "Which classes are taken for which?",
      "A line for each true class, a column for each label. Rows on the diagonal got the right label. The "
      "colour is the share of the true class.",
      "Table in colours: how many rows of each class got each label.");
}

void add_largest(const Confusion& confusion, Section& section) {
  const std::vector<ConfusedPair> pairs = confused_pairs(confusion);
  const std::size_t classes = confusion.classes.size();
  if (pairs.empty()) return section.tell(fmt::format("no row of the {} classes is confused", classes));
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  Table table{{"true class", "label", "|rows", "|of the true class"},
              fmt::format("The largest confusions of {} classes", classes),
              Where::both};
  std::size_t others = 0;
  for (const ConfusedPair& pair : pairs) {
    if (table.size() == most_printed) {
      others += pair.rows;
      continue;
    }
    table.add({shown_name(confusion.classes[pair.truth]), shown_name(confusion.classes[pair.predicted]), pair.rows,
               shown(share(pair.rows, row_sums[pair.truth]))});
  }
  const std::size_t left = pairs.size() - table.size();
  section.add(std::move(table));
  if (left > 0)
    section.tell(fmt::format("and {} more {} with {}", left, left == 1 ? "pair" : "pairs", count_of(others, "row")));
  section.say("--confusion FILE has the whole matrix", Where::terminal);
}

}  // namespace

std::vector<std::size_t> Confusion::row_sums() const {
  std::vector<std::size_t> sums(counts.size(), 0);
  for (std::size_t a = 0; a < counts.size(); ++a)
    for (const std::size_t count : counts[a]) sums[a] += count;
  return sums;
}

std::vector<std::size_t> Confusion::column_sums() const {
  std::vector<std::size_t> sums(classes.size(), 0);
  for (const auto& row : counts)
    for (std::size_t b = 0; b < row.size(); ++b) sums[b] += row[b];
  return sums;
}

void add_confusion(const Confusion& confusion, Section& section) {
  const std::vector<std::string> names = shown_names(confusion.classes);
  if (names.size() <= most_printed) {
    section.add(matrix(confusion, names));
    section.add(drawn_matrix(confusion, names));
  } else {
    add_largest(confusion, section);
  }
}

std::optional<Chart> confusion_chart(const Confusion& confusion) {
  if (confusion.classes.size() > most_printed) return std::nullopt;
  return drawn_matrix(confusion, shown_names(confusion.classes));
}

Json confusion_json(const Confusion& confusion) {
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  Json pairs = Json::array();
  for (const ConfusedPair& pair : confused_pairs(confusion)) {
    if (pairs.size() == most_printed) break;
    pairs.push_back(Json::object("truth"_key = confusion.classes[pair.truth],
                                 "predicted"_key = confusion.classes[pair.predicted], "n"_key = pair.rows,
                                 "share"_key = share(pair.rows, row_sums[pair.truth])));
  }
  return Json::object("classes"_key = confusion.classes, "confusion"_key = confusion.counts,
                      "largest_confusions"_key = std::move(pairs));
}

std::string confusion_csv(const Confusion& confusion) {
  std::string text = "truth";
  for (const std::string& name : confusion.classes) text += ',' + data::csv_cell(name);
  text += '\n';
  for (std::size_t a = 0; a < confusion.counts.size(); ++a) {
    text += data::csv_cell(confusion.classes[a]);
    for (const std::size_t count : confusion.counts[a]) fmt::format_to(std::back_inserter(text), ",{}", count);
    text += '\n';
  }
  return text;
}

}  // namespace credence::report
