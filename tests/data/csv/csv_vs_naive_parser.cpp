#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace csv_vs_naive_parser_tests {

/// The obvious state machine of RFC 4180, a string a cell.
std::vector<std::vector<std::string>> naive_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quotes && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      quotes = !quotes;
    } else if (!quotes && c == ',') {
      row.emplace_back();
    } else if (!quotes && c == '\n') {
      if (row.size() > 1 || !row.front().empty()) rows.push_back(row);
      row.assign(1, "");
    } else if (quotes || c != '\r') {
      row.back() += c;
    }
  }
  return rows;
}

class RandomCsv {
 public:
  explicit RandomCsv(unsigned seed) : random_(seed) {}

  std::string text(std::size_t rows, std::size_t columns) {
    const std::string end = below(2) == 0 ? "\n" : "\r\n";
    std::string result;
    for (std::size_t j = 0; j < columns; ++j) result += "name " + std::to_string(j) + ",";
    result += "label" + end;
    for (std::size_t i = 0; i < rows; ++i) {
      if (below(10) == 0) result += end;
      for (std::size_t j = 0; j < columns; ++j) result += cell(j) + ",";
      result += "class" + std::to_string(below(3)) + end;
    }
    return result;
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::string cell(std::size_t column) {
    if (column % 3 == 2) {
      const std::string texts[] = {"red", "\"a,b\"", "\"say \"\"no\"\"\"", "\"two\nlines\"", "gr\xc3\xbcn"};
      return texts[below(5)];
    }
    char number[64];
    const double value = std::ldexp(static_cast<double>(random_()), static_cast<int>(below(80)) - 72);
    std::snprintf(number, sizeof number, below(2) == 0 ? "%.17g" : "%.6f", below(2) == 0 ? value : -value);
    const std::string quote = below(4) == 0 ? "\"" : "";
    return quote + number + quote;
  }

  std::mt19937_64 random_;
};

TEST(CsvVsNaiveParser, RandomTables) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::size_t columns = 1 + seed % 9;
    const std::string text = RandomCsv(seed).text(20 + seed * 7, columns);
    const auto expected = naive_csv(text);
    const Dataset dataset = read_text(text, {.header = Header::present});
    ASSERT_EQ(dataset.rows() + 1, expected.size()) << seed;
    ASSERT_EQ(dataset.features.columns(), columns);
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      const auto row = dataset.features.dense().row(i);
      for (std::size_t j = 0; j < columns; ++j) {
        const std::string& cell = expected[i + 1][j];
        if (dataset.schema.columns[j].kind == ColumnKind::categorical) {
          ASSERT_EQ(dataset.schema.columns[j].levels[static_cast<std::size_t>(row[j])], cell);
        } else {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(row[j]),
                    std::bit_cast<std::uint64_t>(std::strtod(cell.c_str(), nullptr)))
              << cell;
        }
      }
      ASSERT_EQ(label_names(dataset)[i], expected[i + 1].back());
    }
  }
}

/// Cells, quotes and line ends that lie across the reader's buffers.
TEST(CsvVsNaiveParser, MoreThanOneBuffer) {
  std::string text = RandomCsv(7).text(30000, 3);
  ASSERT_GT(text.size(), std::size_t{1} << 20U);
  const auto expected = naive_csv(text);
  const Dataset dataset = read_text(text);
  ASSERT_EQ(dataset.rows() + 1, expected.size());
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    ASSERT_EQ(dataset.features.dense().row(i)[0], std::strtod(expected[i + 1][0].c_str(), nullptr)) << i;
}

}  // namespace csv_vs_naive_parser_tests
}  // namespace credence::data::test
