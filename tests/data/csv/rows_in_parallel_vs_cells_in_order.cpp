#include <bit>
#include <cmath>
#include <random>
#include <sstream>

#include "data/files.hpp"
#include "support/expect_error.hpp"

/// Lines without quotes take a way of their own, in parallel, and parts with quotes are read cell by cell. The same
/// table with a quoted cell in each row is therefore an oracle: the same data set, or the same error at the same place.
/// And blocks of rows are the whole in parts.
namespace credence::data::test {
namespace rows_in_parallel_vs_cells_in_order_tests {

/// What reading gives, in one text: the data set to the last bit, or the error.
std::string outcome(const Dataset& dataset) {
  std::ostringstream text;
  for (const Column& column : dataset.schema.columns) {
    text << column.name << ':';
    for (const std::string& level : column.levels) text << level << '|';
  }
  for (const std::string& name : dataset.schema.classes) text << name << ';';
  text << std::hex;
  for (const double value : dataset.features.stored())
    text << (std::isnan(value) ? 7 : std::bit_cast<std::uint64_t>(value)) << ' ';
  for (const int label : dataset.labels) text << label << ' ';
  for (const double weight : dataset.weights) text << std::bit_cast<std::uint64_t>(weight) << ' ';
  for (const std::size_t row : dataset.file_rows) text << row << ' ';
  return text.str();
}

std::string outcome_of(const std::string& text, const ReadOptions& options) {
  const TemporaryFile file(text);
  try {
    return outcome(read(file.path(), options));
  } catch (const Error& error) {
    return std::to_string(error.location().line) + '/' + error.location().column + ": " + error.sentence();
  }
}

struct Twins {
  std::string plain;
  std::string quoted;
};

class RandomTable {
 public:
  explicit RandomTable(unsigned seed) : random_(seed) {}

  /// @param faults  cells in a million that are text, missing or infinite where numbers are expected
  Twins text(std::size_t rows, unsigned faults, bool wrong_row) {
    Twins twins;
    const std::string end = below(2) == 0 ? "\n" : "\r\n";
    add(twins, {"a", "b", "colour", "w", "label"}, end);
    const std::size_t wrong = wrong_row ? random_() % rows : rows;
    for (std::size_t i = 0; i < rows; ++i) {
      if (below(50) == 0) add(twins, {}, below(2) == 0 ? end : "  \t" + end);
      std::vector<std::string> cells{number(faults), number(faults), colour(), std::to_string(below(9) + 1), "k"};
      if (below(3) > 0) cells.back() = "class " + std::to_string(below(3));
      if (i == wrong) cells.pop_back();
      add(twins, cells, i + 1 == rows && below(2) == 0 ? "" : end);
    }
    return twins;
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::string number(unsigned faults) {
    if (below(1'000'000) < faults) {
      const char* const words[] = {"", "NA", "red", "1e999", "inf", "1 2", "--1", "1e", ".", "+-1", "0x10", "nan(1)"};
      return words[below(12)];
    }
    const char* const special[] = {"+1", "1e-400", "-0", ".5", "5.", "1E5", "  7 ", "\t8"};
    if (below(100) == 0) return special[below(8)];
    char text[64];
    const double value = std::ldexp(static_cast<double>(random_()), static_cast<int>(below(80)) - 72);
    std::snprintf(text, sizeof text, below(2) == 0 ? "%.17g" : "%.6f", below(2) == 0 ? value : -value);
    return text;
  }

  std::string colour() {
    const char* const colours[] = {"red", " green", "gr\xc3\xbcn ", "blue sky"};
    return colours[below(4)];
  }

  static std::string trimmed(const std::string& cell) {
    const auto first = cell.find_first_not_of(" \t");
    return first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
  }

  static void add(Twins& twins, const std::vector<std::string>& cells, const std::string& end) {
    for (std::size_t j = 0; j < cells.size(); ++j) {
      twins.plain += (j == 0 ? "" : ",") + cells[j];
      twins.quoted += j == 0 ? '"' + trimmed(cells[j]) + '"' : ',' + cells[j];
    }
    twins.plain += end;
    twins.quoted += end;
  }

  std::mt19937_64 random_;
};

TEST(RowsInParallel, AreThoseOfCellsInOrderOnAnyNumberOfThreads) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const unsigned faults = seed % 3 == 1 ? 20 : 0;
    const Twins twins = RandomTable(seed).text(seed < 4 ? 60000 : 40, seed < 4 ? faults : 1000 * faults, seed % 4 == 2);
    ReadOptions options;
    if (seed % 2 == 1) options.weights = "w";
    if (seed % 3 == 2) options.missing = Missing::drop;
    const std::string expected = outcome_of(twins.quoted, options);
    for (const int threads : {1, 3}) {
      options.threads = threads;
      EXPECT_TRUE(outcome_of(twins.plain, options) == expected) << seed << ", " << threads << " threads";
    }
  }
}

/// Carriage returns of their own end rows too, and blanks between them and a line feed hide the line end.
TEST(RowsInParallel, CountLinesAsCellsInOrderDo) {
  for (const char* const text : {"a,b\n1,2\r3,4\n5,6,7\n", "a,b\r\n1,2\r\n\r\n3\r\n", "a,b\n1,2\r \n3\n",
                                 "a,b\n 1 , 2 \n\t\n3,x\n", "a,b\n1,2\n3,\n", "a,b\n,\n", "a\n1\n \n2\n"}) {
    std::string quoted;
    bool starts = true;
    for (const char* c = text; *c != '\0'; ++c) {
      const bool ends = *c == '\n' || *c == '\r' || *c == ',';
      if (starts && !ends && *c != ' ' && *c != '\t') {
        quoted += std::string("\"") + *c + '"';
        starts = false;
      } else {
        quoted += *c;
      }
      if (*c == '\n' || *c == '\r') starts = true;
      if (*c == ',') starts = false;
    }
    const ReadOptions options{.header = Header::present, .label = "a"};
    EXPECT_EQ(outcome_of(text, options), outcome_of(quoted, options)) << text;
  }
}

/// A quoted cell with line feeds that is longer than a part of the text, and plain rows on both sides.
TEST(RowsInParallel, QuotesMayReachOverSeveralParts) {
  std::string text = "x,note,label\n";
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",plain," + (i % 2 == 0 ? "a\n" : "b\n");
  std::string note;
  for (int i = 0; i < 200000; ++i) note += "1,2,3\n";
  text += "7,\"" + note + "\",a\n";
  for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",plain," + (i % 2 == 0 ? "a\n" : "b\n");
  const Dataset dataset = read_text(text, {.threads = 2});
  ASSERT_EQ(dataset.rows(), 120001U);
  note.pop_back();  // levels have no white space at their ends
  EXPECT_EQ(dataset.schema.columns[1].levels, (std::vector<std::string>{note, "plain"}));
  EXPECT_EQ(dataset.features.dense().row(120000)[0], 59999);
  credence::test::expect_error(ErrorCode::invalid_data, "2 cells", [&] { read_text(text + "1,2\n"); });
  EXPECT_EQ(outcome_of(text + "1,2\n", {}).substr(0, 7), "320003/");
}

TEST(RowsInParallel, AFileThatBreaksOffSaysWhatItsRowsSayFirst) {
  const Twins twins = RandomTable(3).text(60000, 0, true);
  const std::string packed = gzipped(twins.plain);
  const std::string expected = outcome_of(twins.plain, {});
  EXPECT_NE(expected.find("cells where the first row has"), std::string::npos);
  EXPECT_EQ(outcome_of(packed, {.threads = 2}), expected);
  EXPECT_NE(outcome_of(packed.substr(0, 100), {}).find("truncated"), std::string::npos);
}

/// The blocks of a reader, joined.
Dataset joined(const std::string& path, const ReadOptions& options, std::size_t count) {
  RowReader reader(path, options);
  Dataset all;
  std::vector<double> values;
  std::size_t columns = 0;
  while (const std::optional<Dataset> block = reader.next(count)) {
    EXPECT_LE(block->rows(), count);
    values.insert(values.end(), block->features.dense().values.begin(), block->features.dense().values.end());
    columns = block->features.columns();
    all.labels.insert(all.labels.end(), block->labels.begin(), block->labels.end());
    all.file_rows.insert(all.file_rows.end(), block->file_rows.begin(), block->file_rows.end());
    all.schema = block->schema;
  }
  DenseMatrix matrix;
  matrix.rows = all.file_rows.size();
  matrix.columns = columns;
  matrix.values = std::move(values);
  all.features = std::move(matrix);
  return all;
}

TEST(RowBlocks, AreTheWholeInParts) {
  const Twins training = RandomTable(99).text(300, 0, false);
  const Dataset model = read_text(training.plain);
  for (unsigned seed = 0; seed < 12; ++seed) {
    const bool large = seed < 3;
    const Twins twins = RandomTable(seed).text(large ? 50000 : 60,
                                               seed % 2 == 0 ? 0
                                               : large       ? 50
                                                             : 9000,
                                               seed % 6 == 5);
    ReadOptions options{.schema = &model.schema};
    if (seed % 3 == 1) options.missing = Missing::drop;
    const std::string& text = seed % 4 == 3 ? twins.quoted : twins.plain;
    const std::string expected = outcome_of(text, options);
    const TemporaryFile file(text);
    for (const std::size_t count : {1UL, 7UL, 1000UL, 1000000UL}) {
      if (large && count < 1000) continue;
      std::string found;
      try {
        found = outcome(joined(file.path(), options, count));
      } catch (const Error& error) {
        found = std::to_string(error.location().line) + '/' + error.location().column + ": " + error.sentence();
      }
      EXPECT_TRUE(found == expected) << seed << ", blocks of " << count << ": " << found.substr(0, 200) << " | "
                                     << expected.substr(0, 200);
    }
  }
}

TEST(RowBlocks, OfSvmlightTextAreTheWholeInParts) {
  const std::string text = "1 1:2 2:3\n0 1:5\n1 2:7 # a remark\n0 2:1\n";
  const Dataset whole = read_text(text, {}, ".svm");
  const TemporaryFile file(text, ".svm");
  const ReadOptions options{.schema = &whole.schema};
  RowReader reader(file.path(), options);
  const Dataset first = reader.next(3).value();
  const Dataset second = reader.next(3).value();
  EXPECT_EQ(first.rows(), 3U);
  EXPECT_EQ(second.file_rows, std::vector<std::size_t>{4});
  EXPECT_EQ(second.features.sparse().values, std::vector<double>{1});
  EXPECT_FALSE(reader.next(3).has_value());
}

TEST(RowBlocks, AreForAModelAlone) {
  const TemporaryFile file("a,label\n1,x\n2,y\n");
  credence::test::expect_error(ErrorCode::invalid_argument, "for a model", [&] { RowReader(file.path(), {}); });
}

}  // namespace rows_in_parallel_vs_cells_in_order_tests
}  // namespace credence::data::test
