#include <cmath>

#include "data/files.hpp"

namespace credence::data::test {
namespace csv_vs_rfc4180_cases_tests {

using Names = std::vector<std::string>;

Values values_of(const std::string& text, const ReadOptions& options = {}, const std::string& extension = ".csv") {
  return read_text(text, options, extension).features.to_dense().values;
}

TEST(CsvVsRfc4180Cases, LineEndsQuotesAndMarks) {
  const Values expected{1, 2, 3, 4};
  for (const std::string text : {"a,b,label\n1,2,x\n3,4,y\n", "a,b,label\r\n1,2,x\r\n3,4,y\r\n",  // LF, CRLF
                                 "a,b,label\r1,2,x\r3,4,y\r",                                     // CR
                                 "a,b,label\n1,2,x\n3,4,y",                                       // no last line end
                                 "\n\na,b,label\n\n1,2,x\n  \n3,4,y\n\n",                         // blank lines
                                 "\xef\xbb\xbf\"a\",b,label\n\"1\",2,\"x\"\n3,\"4\",y\n",         // mark, quotes
                                 " a , b ,label\n 1 ,\t2,x \n3, +4 , y\n",                        // outer blanks
                                 "a,b,label\n1e0,2.,x\n+3.0,400E-2,y\n"}) {
    const Dataset dataset = read_text(text);
    EXPECT_EQ(dataset.features.to_dense().values, expected) << text;
    EXPECT_EQ(column_names(dataset), (Names{"a", "b"})) << text;
    EXPECT_EQ(label_names(dataset), (Names{"x", "y"})) << text;
    EXPECT_EQ(dataset.schema.label_name, "label");
  }
}

TEST(CsvVsRfc4180Cases, QuotedDelimitersQuotesAndLineBreaks) {
  const Dataset dataset = read_text("\"the \"\"big\"\" one\",\"a,b\",label\n\"p,\"\"q\"\"\",1,x\n\"r\ns\",2,y\n");
  EXPECT_EQ(column_names(dataset), (Names{"the \"big\" one", "a,b"}));
  EXPECT_EQ(dataset.schema.columns[0].levels, (Names{"p,\"q\"", "r\ns"}));
}

TEST(CsvVsRfc4180Cases, LinesAreCountedInTheFileNotInRows) {
  EXPECT_EQ(read_error("a,label\r\n\r\n\"u\r\nv\",x\r\n\"w\n\n\nz\",y\r\nw\r\n").location().line, 9U);
  EXPECT_EQ(read_error("a,label\n\n1,x\n\n2,y,3\n").location().line, 5U);
  EXPECT_EQ(read_error("a,b,label\n1,2,x\n1,\"2\n").location().line, 3U);
  EXPECT_EQ(read_error("a,b,label\n1,\"\n\",x\n\n1,2\"3,y\n").location().line, 5U);
  EXPECT_EQ(read_error("a\rb\r1\r\r2,3\r").location().line, 5U);
}

TEST(CsvVsRfc4180Cases, FilesMayEndBehindAQuotedCell) {
  for (const std::string end : {"", "\n", "\r\n", "\r", " ", "\t\n", "\n \n\n", "\n  "}) {
    const Dataset dataset = read_text("a,label\n1,x\n2,\"y\"" + end);
    EXPECT_EQ(label_names(dataset), (Names{"x", "y"})) << end;
  }
  EXPECT_TRUE(says(read_error("a,label\n1,x\n2,"), "the label is missing"));
  EXPECT_TRUE(says(read_error("a,label\n1,x\n2,\"\""), "the label is missing"));
}

/// The line is that of the row, and of the cell if cells before it have line feeds.
TEST(CsvVsRfc4180Cases, PlacesOfQuotesThatCannotBeRead) {
  const std::string stray = "a double quote stands inside a cell";
  const std::string open = "the quote that opens a cell of this row is never closed";
  const struct {
    std::string row;
    std::string reason;
    std::size_t line;
  } cases[] = {
      {"2,\"y\"z\n", stray, 3},
      {"2,\"y\" \"z\"\n", stray, 3},
      {"2,y\"\n", stray, 3},
      {"2,y \"z\"\n", stray, 3},
      {"\"2\\\",y\"\n", stray, 3},
      {"\"\n\n\",y\"\n", stray, 5},
      {"2,\"\n\ny\"z\n", stray, 3},
      {"\r\n\n2,y\"\r\n", stray, 5},
      {"\r\r2,y\"\r", stray, 5},
      {"2,\"y", open, 3},
      {"2,\"", open, 3},
      {"2,\"y\n", open, 3},
      {"2,\"y\"\"\n3,z\n", open, 3},
      {"\"\r\n\",\"y\r\n3,z\r\n", open, 4},
      {"2,y,\"\n", open, 3},
      {"2,y,\"\"\n", "the row has 3 cells", 3},
      {"\"2,y\"\n", "the row has 1 cell", 3},
      {"\"\n\n\"\n", "the row has 1 cell", 3},
      {"\"\n\"\n2,y\"\n", "the row has 1 cell", 3},
  };
  for (const auto& [row, reason, line] : cases) {
    const Error error = read_error("a,label\n1,x\n" + row);
    EXPECT_TRUE(says(error, reason)) << row;
    EXPECT_EQ(error.location().line, line) << row;
    EXPECT_EQ(error.location().column, "") << row;
  }
}

TEST(CsvVsRfc4180Cases, Delimiters) {
  const Values expected{1, 2};
  EXPECT_EQ(values_of("a;label\n1;x\n2;y\n", {.delimiter = ';'}), expected);
  EXPECT_EQ(values_of("a\tlabel\n1\tx\n2\ty\n", {.delimiter = '\t'}), expected);
  EXPECT_EQ(values_of("a\tlabel\n1\tx\n2\ty\n", {}, ".tsv"), expected);
  EXPECT_EQ(values_of("a label\n1 x\n2 y\n", {.delimiter = ' '}), expected);
  EXPECT_TRUE(std::isnan(values_of("a\tb\tlabel\n1\t\tx\n2\t3\ty\n", {.missing = Missing::impute}, ".tsv")[1]));
  const Dataset commas = read_text("a;label\n1,5;x\n2,5;y\n", {.delimiter = ';', .decimal = Decimal::point});
  EXPECT_EQ(commas.schema.columns[0].kind, ColumnKind::categorical);
  for (const char bad : {'"', '\n', '\r', '1', 'e', '-', '.'})
    EXPECT_EQ(read_error("a,b\n", {.delimiter = bad}).code(), ErrorCode::invalid_argument) << int{bad};
}

TEST(CsvVsRfc4180Cases, HeaderDetection) {
  const auto has_header = [](const std::string& text) { return read_text(text).schema.has_header; };
  EXPECT_TRUE(has_header("a,b\n1,x\n2,y\n"));               // a number below a text
  EXPECT_TRUE(has_header("colour,label\nred,x\nred,y\n"));  // a label word
  EXPECT_TRUE(has_header("colour,Target\nTarget,x\nred,y\n"));
  EXPECT_TRUE(has_header("colour,kind\nred,x\nblue,y\n"));  // nothing reappears
  EXPECT_FALSE(has_header("red,x\nblue,x\nred,y\n"));       // red and x reappear
  EXPECT_FALSE(has_header("1,2,x\n3,4,y\n"));               // a number in the first row
  EXPECT_FALSE(has_header("1,2,3\n4,5,6\n"));
  EXPECT_TRUE(has_header("0,1,2,label\n5,6,7,x\n8,9,9,y\n"));  // as pandas writes a table without names
  // The votes of a parliament, without a header: y is a cell like others.
  EXPECT_FALSE(has_header("rep,n,y\ndem,y,y\nrep,n,n\n"));
  EXPECT_TRUE(has_header("class,1,2\nx,6,7\ny,9,9\n"));
  EXPECT_TRUE(has_header(",0,1,label\n0,6,7,x\n1,9,9,y\n"));
  EXPECT_FALSE(has_header("0,2,y\n5,6,x\n8,9,y\n"));  // y is a class here: 0, 2 do not count up
  EXPECT_FALSE(has_header("2,3,y\n5,6,x\n8,9,y\n"));
}

TEST(CsvVsRfc4180Cases, RowsOfAnUndecidedHeaderAreKept) {
  const Dataset without = read_text("red,x\nblue,x\nred,y\n");
  EXPECT_EQ(without.rows(), 3U);
  EXPECT_EQ(without.features.to_dense().values, (Values{1, 0, 1}));
  EXPECT_EQ(label_names(without), (Names{"x", "x", "y"}));
  EXPECT_EQ(without.schema.columns[0].name, "column 1");
  EXPECT_EQ(without.file_rows, (std::vector<std::size_t>{1, 2, 3}));
  // The first number decides for a header only in the last row, and it is a label.
  const Dataset with = read_text("red,blue,x\nred,blue,?\nred,green,?\nred,green,7\n", {.missing = Missing::drop});
  EXPECT_TRUE(with.schema.has_header);
  EXPECT_EQ(with.rows(), 1U);
  EXPECT_EQ(with.file_rows, std::vector<std::size_t>{3});
  EXPECT_EQ(label_names(with), Names{"7"});
  EXPECT_EQ(with.schema.columns[1].levels, Names{"green"});
}

TEST(CsvVsRfc4180Cases, HeaderOptionOverrides) {
  const Dataset absent = read_text("a,b\nc,d\n", {.header = Header::absent});
  EXPECT_EQ(absent.rows(), 2U);
  const Dataset present = read_text("1,2\n3,4\n5,6\n", {.header = Header::present});
  EXPECT_EQ(column_names(present), Names{"1"});
  EXPECT_EQ(present.rows(), 2U);
}

TEST(CsvVsRfc4180Cases, HeaderNames) {
  EXPECT_EQ(column_names(read_text(",b, ,label\n1,2,3,x\n4,5,6,y\n")), (Names{"column 1", "b", "column 3"}));
}

TEST(CsvVsRfc4180Cases, LabelColumn) {
  const auto label = [](const std::string& header, const std::optional<std::string>& option) {
    return read_text(header + "\n1,2,3\n4,5,6\n", {.header = Header::present, .label = option}).schema.label_position;
  };
  EXPECT_EQ(label("a,b,c", std::nullopt), 2U);
  EXPECT_EQ(label("a,Class,c", std::nullopt), 1U);
  EXPECT_EQ(label("class,LABEL,target", std::nullopt), 1U);
  EXPECT_EQ(label("y,class,target", std::nullopt), 2U);
  EXPECT_EQ(label("y,b,c", std::nullopt), 0U);
  EXPECT_EQ(label("y,b,c", "b"), 1U);
  EXPECT_EQ(label("a,b,c", "1"), 0U);
  EXPECT_EQ(label("a,b,1", "1"), 2U);  // a name wins over a position
  for (const std::string bad : {"d", "0", "4", "-1", ""})
    EXPECT_EQ(read_error("a,b,c\n1,2,3\n4,5,6\n", {.label = bad}).code(), ErrorCode::invalid_argument) << bad;
}

TEST(CsvVsRfc4180Cases, SpellingsOfNamesAreKept) {
  const Dataset dataset = read_text("a,label\n1,1\n2,+1\n3,01\n4,1.0\n5,-1\n6, 1 \n", {.categorical = {"label"}});
  EXPECT_EQ(dataset.schema.classes, (Names{"-1", "+1", "01", "1", "1.0"}));
  EXPECT_EQ(label_names(dataset), (Names{"1", "+1", "01", "1.0", "-1", "1"}));
}

TEST(CsvVsRfc4180Cases, MissingCells) {
  const std::string text = "a,b,label\n1,p,x\n,q,y\nNA,p,x\nnA,?,y\n?,q,x\nNaN,p,y\n 2 ,p,y\n";
  const Dataset imputed = read_text(text, {.missing = Missing::impute});
  ASSERT_EQ(imputed.rows(), 7U);
  const DenseMatrix matrix = imputed.features.to_dense();
  for (std::size_t i = 1; i < 6; ++i) EXPECT_TRUE(std::isnan(matrix.row(i)[0])) << i;
  EXPECT_TRUE(std::isnan(matrix.row(3)[1]));
  EXPECT_EQ(matrix.row(6)[0], 2);
  const Dataset dropped = read_text(text, {.missing = Missing::drop});
  EXPECT_EQ(dropped.file_rows, (std::vector<std::size_t>{1, 7}));
  EXPECT_EQ(dropped.schema.columns[1].levels, Names{"p"});
  EXPECT_EQ(dropped.features.to_dense().values, (Values{1, 0, 2, 0}));
  const Error error = read_error(text);
  EXPECT_EQ(error.location().line, 3U);
  EXPECT_EQ(error.location().column, "a");
}

TEST(CsvVsRfc4180Cases, MissingLabels) {
  const std::string text = "a,label\n1,x\n2,\n3,y\n";
  EXPECT_EQ(read_text(text, {.missing = Missing::drop}).file_rows, (std::vector<std::size_t>{1, 3}));
  for (const Missing missing : {Missing::error, Missing::impute}) {
    const Error error = read_error(text, {.missing = missing});
    EXPECT_EQ(error.location().line, 3U);
    EXPECT_TRUE(says(error, "label is missing"));
  }
}

TEST(CsvVsRfc4180Cases, EntirelyMissingColumn) {
  const std::string text = "a,b,label\n1,,x\n2,?,y\n";
  const Dataset dataset = read_text(text, {.missing = Missing::impute});
  EXPECT_EQ(dataset.schema.columns[1].kind, ColumnKind::numeric);
  EXPECT_TRUE(std::isnan(dataset.features.dense().row(1)[1]));
  EXPECT_TRUE(says(read_error(text, {.missing = Missing::drop}), "no row is left"));
}

TEST(CsvVsRfc4180Cases, ColumnTypes) {
  const Dataset dataset = read_text("a,b,c,label\n1,red,3,x\n2,blue,10,y\n2,red,x9,y\n", {.categorical = {"c"}});
  EXPECT_EQ(dataset.schema.columns[0].kind, ColumnKind::numeric);
  EXPECT_EQ(dataset.schema.columns[1].levels, (Names{"blue", "red"}));
  EXPECT_EQ(dataset.schema.columns[2].levels, (Names{"10", "3", "x9"}));
  EXPECT_EQ(dataset.features.dense().values, (Values{1, 1, 1, 2, 0, 0, 2, 1, 2}));
  EXPECT_EQ(dataset.column_label(1), "'b'");
  EXPECT_EQ(read_text("1,2,x\n3,4,y\n").column_label(1), "column 2");
}

TEST(CsvVsRfc4180Cases, NumbersAndTextsThatResembleThem) {
  const Values values = values_of("a,label\n.5,x\n-0,y\n1e-400,x\n-2.5E+3,y\n0.1,x\n123456789012345678,y\n");
  EXPECT_EQ(values, (Values{.5, 0, 0, -2500, 0.1, 123456789012345678.0}));
  for (const std::string text : {"0x10", "1_000", "1,5", "+-1", "--1", "1e", "1.2.3", "+", "nan(1)", "1 2", "+nan"}) {
    const Error error = read_error("a;label\n7;x\n" + text + ";y\n", {.delimiter = ';', .decimal = Decimal::point});
    EXPECT_TRUE(says(error, "the text \"" + text + "\" stands among 1 number")) << text;
    EXPECT_EQ(error.location().line, 3U);
  }
  for (const std::string text : {"inf", "-Inf", "+infinity", "1e999", "-1e999"}) {
    const Error error = read_error("a,label\n7,x\n" + text + ",y\n");
    EXPECT_TRUE(says(error, "is not a finite number")) << text;
    EXPECT_EQ(error.location().line, 3U);
    EXPECT_EQ(error.location().column, "a");
  }
}

TEST(CsvVsRfc4180Cases, WeightsGroupsAndFolds) {
  const std::string text = "w,a,g,f,label\n0.5,1,p,10,x\n2,2,q,9,y\n1,3,p,10,x\n";
  const ReadOptions options{.weights = "w", .groups = "3", .folds = "f"};
  const Dataset dataset = read_text(text, options);
  EXPECT_EQ(column_names(dataset), Names{"a"});
  EXPECT_EQ(dataset.weights, (Values{0.5, 2, 1}));
  EXPECT_EQ(dataset.groups, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(dataset.folds, (std::vector<int>{1, 0, 1}));  // 9 before 10: as numbers
  EXPECT_EQ(read_error(text, {.weights = "w", .groups = "w"}).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(read_error(text, {.weights = "label"}).code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(says(read_error(text, {.weights = "g"}), "the weight \"p\" is not a number"));
  for (const std::string weight : {"0", "-1"}) {
    const Error error = read_error("w,a,label\n1,1,x\n" + weight + ",2,y\n", {.weights = "w"});
    EXPECT_TRUE(says(error, "not above 0"));
    EXPECT_EQ(error.location().line, 3U);
  }
  EXPECT_TRUE(says(read_error("w,a,label\n,1,x\n", {.missing = Missing::impute, .weights = "w"}), "weight is missing"));
}

TEST(CsvVsRfc4180Cases, Unlabelled) {
  const Dataset dataset = read_text("a,b\n1,2\n3,4\n", {.unlabelled = true});
  EXPECT_FALSE(dataset.is_labelled());
  EXPECT_EQ(dataset.features.columns(), 2U);
  EXPECT_EQ(read_error("a,b\n1,2\n", {.label = "a", .unlabelled = true}).code(), ErrorCode::invalid_argument);
}

TEST(CsvVsRfc4180Cases, TargetsThatAreNoClasses) {
  std::string fractions = "a,label\n";
  std::string integers = fractions;
  std::string many = fractions;
  for (int i = 0; i < 1002; ++i) {
    if (i < 21) fractions += "1," + std::to_string(i) + ".5\n";
    integers += "1," + std::to_string(i % 100) + "\n";
    many += "1," + std::to_string(i) + "\n";
  }
  EXPECT_TRUE(says(read_error(fractions), "regression target"));
  EXPECT_EQ(read_text(integers).class_count(), 100U);
  EXPECT_TRUE(says(read_error(many), "1002 different values"));
}

}  // namespace csv_vs_rfc4180_cases_tests
}  // namespace credence::data::test
