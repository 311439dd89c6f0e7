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

std::string matrix(const Confusion& confusion) {
  const std::vector<std::string>& classes = confusion.classes;
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  const std::vector<std::size_t> column_sums = confusion.column_sums();
  std::size_t name_width = 5;
  for (const std::string& name : classes) name_width = std::max(name_width, name.size());
  const std::vector<std::size_t> widths = core::made(classes.size(), [&](std::size_t b) {
    return std::max<std::size_t>({classes[b].size(), fmt::formatted_size("{}", column_sums[b]), 3});
  });
  std::string text = fmt::format("\n{:>{}} ", "truth", name_width + 2);
  for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", classes[b], widths[b]);
  text += fmt::format("  {:>9}  {:>9}\n", "recall", "precision");
  for (std::size_t a = 0; a < classes.size(); ++a) {
    text += fmt::format("  {:>{}} ", classes[a], name_width);
    for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", confusion.counts[a][b], widths[b]);
    text += fmt::format("  {:>9}  {:>9}\n", shown(share(confusion.counts[a][a], row_sums[a])),
                        shown(share(confusion.counts[a][a], column_sums[a])));
  }
  return text + "  (columns: predicted)\n";
}

std::string largest(const Confusion& confusion) {
  const std::vector<ConfusedPair> pairs = confused_pairs(confusion);
  if (pairs.empty()) return fmt::format("\n  (no row of the {} classes is confused)\n", confusion.classes.size());
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  const std::size_t lines = std::min(most_confusions, pairs.size());
  std::size_t truth_width = 5;
  std::size_t predicted_width = 9;
  std::size_t others = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= lines) {
      others += pairs[i].rows;
      continue;
    }
    truth_width = std::max(truth_width, confusion.classes[pairs[i].truth].size());
    predicted_width = std::max(predicted_width, confusion.classes[pairs[i].predicted].size());
  }
  std::string text = fmt::format("\n  {:>{}}    {:<{}}  {:>6}  {:>14}\n", "truth", truth_width, "predicted",
                                 predicted_width, "rows", "share of truth");
  for (std::size_t i = 0; i < lines; ++i) {
    const ConfusedPair& pair = pairs[i];
    text += fmt::format("  {:>{}} -> {:<{}}  {:>6}  {:>14}\n", confusion.classes[pair.truth], truth_width,
                        confusion.classes[pair.predicted], predicted_width, pair.rows,
                        shown(share(pair.rows, row_sums[pair.truth])));
  }
  if (pairs.size() > lines) {
    text += fmt::format("  ({} more {} with {})\n", pairs.size() - lines, pairs.size() - lines == 1 ? "pair" : "pairs",
                        count_of(others, "row"));
  }
  return text + fmt::format(
                    "  (the largest confusions of {} classes; --confusion FILE has the matrix, --json FILE\n"
                    "  also recall and precision of each class)\n",
                    confusion.classes.size());
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

std::string confusion_table(const Confusion& confusion) {
  return confusion.classes.size() <= most_classes_of_matrix ? matrix(confusion) : largest(confusion);
}

Json confusion_json(const Confusion& confusion) {
  const std::vector<std::size_t> row_sums = confusion.row_sums();
  const std::vector<std::size_t> column_sums = confusion.column_sums();
  Json per_class = Json::array();
  for (std::size_t a = 0; a < confusion.classes.size(); ++a) {
    per_class.push_back(Json::object("class"_key = confusion.classes[a], "n"_key = row_sums[a],
                                     "recall"_key = share(confusion.counts[a][a], row_sums[a]),
                                     "precision"_key = share(confusion.counts[a][a], column_sums[a])));
  }
  Json pairs = Json::array();
  for (const ConfusedPair& pair : confused_pairs(confusion)) {
    if (pairs.size() == most_confusions) break;
    pairs.push_back(Json::object("truth"_key = confusion.classes[pair.truth],
                                 "predicted"_key = confusion.classes[pair.predicted], "n"_key = pair.rows,
                                 "share"_key = share(pair.rows, row_sums[pair.truth])));
  }
  return Json::object("classes"_key = confusion.classes, "confusion"_key = confusion.counts,
                      "largest_confusions"_key = std::move(pairs), "per_class"_key = std::move(per_class));
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
