#include <cmath>

#include "data/files.hpp"

namespace credence::data::test {
namespace svmlight_cases_tests {

using Names = std::vector<std::string>;

Dataset read_svm(const std::string& text, const ReadOptions& options = {}) {
  return read_text(text, options, ".svm");
}
Error svm_error(const std::string& text, const ReadOptions& options = {}) {
  return read_error(text, options, ".svm");
}

TEST(SvmlightCases, RowsColumnsAndLabels) {
  const Dataset dataset = read_svm("# a comment\n+1 1:0.5 3:-2e1 # tail\r\n\n-1 qid:4 2:7\t4:0\n+1\n");
  ASSERT_TRUE(dataset.features.is_sparse());
  EXPECT_EQ(dataset.features.columns(), 4U);
  EXPECT_EQ(dataset.features.sparse().offsets, (std::vector<std::size_t>{0, 2, 3, 3}));
  EXPECT_EQ(dataset.features.sparse().indices, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(dataset.features.sparse().values, (std::vector<double>{0.5, -20, 7}));
  EXPECT_EQ(dataset.schema.classes, (Names{"-1", "+1"}));
  EXPECT_EQ(label_names(dataset), (Names{"+1", "-1", "+1"}));
  EXPECT_EQ(dataset.file_rows, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(dataset.column_label(2), "column 3");
}

TEST(SvmlightCases, AnIndexZeroMakesTheFileZeroBased) {
  const Dataset dataset = read_svm("a 1:5\nb 0:3 2:4\n");
  EXPECT_EQ(dataset.features.to_dense().values, (std::vector<double>{0, 5, 0, 3, 0, 4}));
  // Rows for a model of such a file are zero-based whether a 0 occurs among them or not.
  const Dataset more = read_svm("a 1:5\n", {.schema = &dataset.schema});
  EXPECT_EQ(more.features.to_dense().values, (std::vector<double>{0, 5, 0}));
}

/// The numbers of the file `text`, read as asked.
std::vector<double> values_of(const std::string& text, const ReadOptions& options) {
  const DenseMatrix matrix = read_svm(text, options).features.to_dense();
  return {matrix.values.begin(), matrix.values.end()};
}

TEST(SvmlightCases, TheIndexBaseIsThatOfTheOptionOrOfTheModelOrOfTheFile) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(values_of("a 1:5\nb 2:4\n", {}), (Numbers{5, 0, 0, 4}));
  EXPECT_EQ(values_of("a 1:5\nb 2:4\n", {.index_base = IndexBase::one}), (Numbers{5, 0, 0, 4}));
  EXPECT_EQ(values_of("a 1:5\nb 2:4\n", {.index_base = IndexBase::zero}), (Numbers{0, 5, 0, 0, 0, 4}));
  EXPECT_EQ(read_svm("a 1:5\nb 2:4\n").schema.index_base, 1);
  EXPECT_EQ(read_svm("a 1:5\nb 0:4\n").schema.index_base, 0);
  const Dataset from_zero = read_svm("a 1:5\nb 2:4\n", {.index_base = IndexBase::zero});
  EXPECT_EQ(column_names(from_zero), (Names{"column 0", "column 1", "column 2"}));
  // No row for the model has an index 0, and all are read from 0, block by block too.
  EXPECT_EQ(values_of("a 1:7\nb 2:8\n", {.schema = &from_zero.schema}), (Numbers{0, 7, 0, 0, 0, 8}));
  const TemporaryFile file("a 1:7\nb 2:8\n", ".svm");
  RowReader blocks(file.path(), {.schema = &from_zero.schema});
  EXPECT_EQ(blocks.next(1)->features.to_dense().values, (Numbers{0, 7, 0}));
  EXPECT_EQ(blocks.next(1)->features.to_dense().values, (Numbers{0, 0, 8}));
  // What is asked comes before what the model had.
  EXPECT_EQ(values_of("a 1:7\nb 3:8\n", {.index_base = IndexBase::one, .schema = &from_zero.schema}),
            (Numbers{7, 0, 0, 0, 0, 8}));
  // A model of CSV knows no base.
  const Dataset csv = read_text("a,b,c,label\n1,2,3,x\n4,5,6,y\n");
  EXPECT_EQ(csv.schema.index_base, std::nullopt);
  EXPECT_EQ(values_of("x 0:1 2:3\n", {.schema = &csv.schema}), (Numbers{1, 0, 3}));
  EXPECT_EQ(values_of("x 1:1 3:3\n", {.schema = &csv.schema}), (Numbers{1, 0, 3}));
}

TEST(SvmlightCases, AnIndexZeroThatContradictsTheBaseIsAnErrorWithItsLine) {
  const Dataset from_one = read_svm("1 1:0.9 2:0.1\n2 1:0.1 2:0.9\n");
  const Error contradicts = svm_error("1 1:0.5\n1 0:0.1 1:0.9\n", {.schema = &from_one.schema});
  EXPECT_EQ(contradicts.location().line, 2U);
  EXPECT_TRUE(says(contradicts, "the index 0 contradicts the model"));
  EXPECT_EQ(read_svm("1 0:0.1 1:0.9\n", {.index_base = IndexBase::zero, .schema = &from_one.schema})
                .features.to_dense()
                .values,
            (std::vector<double>{0.1, 0.9}));
  const TemporaryFile file("1 1:0.5\n1 0:0.1\n", ".svm");
  EXPECT_EQ(error_of([&] { RowReader(file.path(), {.schema = &from_one.schema}); }).location().line, 2U);
  const Error asked = svm_error("1 1:1\n2 2:1\n2 0:1\n", {.index_base = IndexBase::one});
  EXPECT_EQ(asked.location().line, 3U);
  EXPECT_TRUE(says(asked, "said to count from 1"));
}

TEST(SvmlightCases, TheNumberOfFeaturesIsThatOfTheOption) {
  EXPECT_EQ(read_svm("a 1:5\nb 2:4\n", {.features = 7}).features.columns(), 7U);
  EXPECT_EQ(read_svm("a 0:5\nb 2:4\n", {.features = 3}).features.columns(), 3U);
  EXPECT_EQ(read_svm("a 1:5\nb 1048577:4\n", {.features = 1048577}).features.columns(), 1048577U);
  for (const auto& [text, options] :
       {std::pair{"a 1:5\nb 4:4\n", ReadOptions{.features = 3}},
        std::pair{"a 0:5\nb 3:4\n", ReadOptions{.features = 3}},
        std::pair{"a 1:5\nb 3:4\n", ReadOptions{.index_base = IndexBase::zero, .features = 3}}}) {
    const Error beyond = svm_error(text, options);
    EXPECT_EQ(beyond.location().line, 2U);
    EXPECT_TRUE(says(beyond, "is beyond the 3 features"));
  }
  const Dataset model = read_svm("a 1:1 3:3\nb 2:2\n");
  EXPECT_EQ(svm_error("a 1:1\n", {.features = 3, .schema = &model.schema}).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(svm_error("a 1:1\na 4:1\n", {.schema = &model.schema}).location().line, 2U);
  EXPECT_EQ(read_error("a,label\n1,x\n2,y\n", {.features = 3}).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(read_error("a,label\n1,x\n2,y\n", {.index_base = IndexBase::one}).code(), ErrorCode::invalid_argument);
}

TEST(SvmlightCases, ErrorsNameTheLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1 1:1\n1 2:1 2:3\n", "the index 2 does not ascend"},
      {"1 1:1\n1 2:1 1:3\n", "the index 1 does not ascend"},
      {"1 1:1\n1 a:1\n", "\"a:1\" is not index:value"},
      {"1 1:1\n1 5\n", "\"5\" is not index:value"},
      {"1 1:1\n1 -1:3\n", "\"-1:3\" is not index:value"},
      {"1 1:1\n1 1:x\n", "\"x\" is not a number"},
      {"1 1:1\n1 1:\n", "no value after its colon"},
      {"1 1:1\n1 1:inf\n", "not a finite number"},
      {"1 1:1\n1 1:1e999\n", "not a finite number"},
      {"1 1:1\n1 1:nan\n", "a value is missing"},
      {"1 1:1\n1:3 2:4\n", "where its label should be"},
      {"1 1:1\n? 2:4\n", "the label is missing"},
      {"1 1:1\n1 99999999:1\n", "too high"},
      {"1 1:1\n1 99999999999999999999999:1\n", "too high"},
  };
  for (const auto& [text, part] : cases) {
    const Error error = svm_error(text);
    EXPECT_EQ(error.code(), ErrorCode::invalid_data) << text;
    EXPECT_EQ(error.location().line, 2U) << text;
    EXPECT_TRUE(says(error, part)) << text;
  }
  EXPECT_TRUE(says(svm_error("# nothing\n"), "empty"));
  EXPECT_TRUE(says(svm_error("1\n2\n"), "no index:value pair"));
  EXPECT_EQ(svm_error("1 1:1\n", {.weights = "w"}).code(), ErrorCode::invalid_argument);
}

/// Columns cost memory, so a file of 20 bytes cannot ask for 16 million of them; one with as many pairs can.
TEST(SvmlightCases, TheHighestIndexIsInProportionToTheFile) {
  const Error error = svm_error("1 1:1\n2 16777216:1\n2 5:1\n");
  EXPECT_EQ(error.location().line, 2U);
  EXPECT_EQ(error.sentence(),
            "the index 16777216 is too high for a file of 3 index:value pairs; the highest allowed in it is 1048576");
  EXPECT_EQ(read_svm("1 1:1\n2 1048576:1\n").features.columns(), 1048576U);
  EXPECT_EQ(svm_error("1 1:1\n2 1048577:1\n").location().line, 2U);
  std::string text = "1";
  for (int i = 1; i <= 70'000; ++i) text += " " + std::to_string(i) + ":1";
  EXPECT_EQ(read_svm(text + "\n2 1120016:1\n").features.columns(), 1120016U);
  EXPECT_EQ(svm_error(text + "\n2 1120017:1\n").location().line, 2U);
}

TEST(SvmlightCases, MissingValues) {
  const std::string text = "a 1:1 2:nan\nb 1:2\n? 1:3\nb 1:? 2:4\n";
  EXPECT_EQ(read_svm(text, {.missing = Missing::drop}).file_rows, std::vector<std::size_t>{2});
  const Dataset dataset = read_svm("a 1:1 2:nan\nb 1:2\n", {.missing = Missing::impute});
  EXPECT_TRUE(std::isnan(dataset.features.to_dense().row(0)[1]));
  EXPECT_TRUE(says(svm_error("a 1:NA\n", {.missing = Missing::drop}), "no row is left"));
}

TEST(SvmlightCases, WithoutLabels) {
  const Dataset dataset = read_svm("1:1 2:2\n7 2:3\n", {.unlabelled = true});
  EXPECT_FALSE(dataset.is_labelled());
  EXPECT_EQ(dataset.features.to_dense().values, (std::vector<double>{1, 2, 0, 3}));
}

TEST(SvmlightCases, RowsForAModel) {
  const Dataset trained = read_svm("a 1:1 3:3\nb 2:2\n");
  const Dataset rows = read_svm("b 1:4\nc 2:5\n2:6\n? 1:1\n", {.schema = &trained.schema});
  EXPECT_EQ(rows.features.columns(), 3U);
  EXPECT_EQ(label_names(rows), (Names{"b", "?", "?", "?"}));
  EXPECT_FALSE(read_svm("1:4\n2:5\n", {.schema = &trained.schema}).is_labelled());
  EXPECT_TRUE(says(svm_error("a 4:1\n", {.schema = &trained.schema}), "beyond the 3 columns of the model"));
  const Dataset text = read_text("a,colour,label\n1,red,x\n2,blue,y\n");
  EXPECT_TRUE(says(svm_error("a 1:1\n", {.schema = &text.schema}), "'colour' holds text"));
}

TEST(SvmlightCases, ModelsOfOneFormatReadTheOther) {
  const std::vector<double> expected{5, 0, 6, 0, 7, 0};
  const Dataset csv = read_text("a,b,c,label\n1,2,3,x\n4,5,6,y\n");
  const Dataset from_svm = read_svm("x 1:5 3:6\ny 2:7\n", {.schema = &csv.schema});
  EXPECT_EQ(from_svm.features.to_dense().values, expected);
  EXPECT_EQ(from_svm.labels, (std::vector<int>{0, 1}));
  const Dataset svm = read_svm("x 1:1 3:1\ny 2:1\n");
  for (const std::string text : {"5,0,6,x\n0,7,0,y\n", "5,0,6\n0,7,0\n", "a,b,c,label\n5,0,6,x\n0,7,0,y\n"}) {
    const Dataset from_csv = read_text(text, {.schema = &svm.schema});
    EXPECT_EQ(from_csv.features.to_dense().values, expected) << text;
    EXPECT_EQ(from_csv.is_labelled(), text.find('x') != std::string::npos);
  }
}

}  // namespace svmlight_cases_tests
}  // namespace credence::data::test
