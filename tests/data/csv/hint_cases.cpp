#include "data/files.hpp"

namespace credence::data::test {
namespace hint_cases_tests {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

const std::string training = "age,f0,colour,label\n1,-0.5,red,x\n2,2e-1,blue,y\n3,0,green,x\n";

Schema hinted_schema() {
  return read_text(training, {.hint = "f0"}).schema;
}

TEST(HintCases, TheColumnIsNoFeature) {
  const Dataset dataset = read_text(training, {.hint = "f0"});
  EXPECT_EQ(dataset.hint, (Values{-0.5, 0.2, 0}));
  EXPECT_EQ(dataset.schema.hint_name, "f0");
  EXPECT_EQ(column_names(dataset), (Names{"age", "colour"}));
  EXPECT_EQ(read_text(training, {.hint = "2"}).hint, dataset.hint);
  const Dataset without = read_text(training);
  EXPECT_TRUE(without.hint.empty());
  EXPECT_EQ(without.schema.hint_name, "");
  EXPECT_EQ(without.features.columns(), 3U);
}

TEST(HintCases, SelectedRowsCarryTheirs) {
  const Dataset dataset = read_text(training, {.hint = "f0"});
  const std::vector<std::size_t> rows{2, 0, 0};
  const Dataset some = dataset.select_rows(rows);
  EXPECT_EQ(some.hint, (Values{0, -0.5, -0.5}));
  EXPECT_EQ(some.schema.hint_name, "f0");
  EXPECT_TRUE(read_text(training).select_rows(rows).hint.empty());
}

void expect_refused(const std::string& cell, const std::string& part) {
  const Error error = read_error("f0,a,label\n1,2,x\n" + cell + ",3,y\n4,5,x\n", {.hint = "f0"});
  EXPECT_EQ(error.code(), ErrorCode::invalid_data) << cell;
  EXPECT_EQ(error.location().line, 3U) << cell;
  EXPECT_EQ(error.location().column, "f0") << cell;
  EXPECT_TRUE(says(error, part)) << cell;
}

TEST(HintCases, CellsThatAreNoFiniteNumbersAreRefused) {
  expect_refused("", "the hint is missing");
  expect_refused("nan", "the hint is missing");
  expect_refused("much", "the hint \"much\" is not a number");
  expect_refused("-inf", "\"-inf\" is not a finite number");
  expect_refused("1e999", "\"1e999\" is not a finite number");
}

TEST(HintCases, ImputingFillsNoHint) {
  const std::string text = "f0,a,label\n1,2,x\n,3,y\n4,5,x\n7,8,y\n";
  EXPECT_TRUE(says(read_error(text, {.missing = Missing::impute, .hint = "f0"}), "the hint is missing"));
  const Dataset dropped = read_text(text, {.missing = Missing::drop, .hint = "f0"});
  EXPECT_EQ(dropped.hint, (Values{1, 4, 7}));
  EXPECT_EQ(dropped.features.dense().values, (Values{2, 5, 8}));
}

TEST(HintCases, OneColumnHasOneUse) {
  for (const ReadOptions& options :
       {ReadOptions{.weights = "f0", .hint = "f0"}, {.label = "f0", .hint = "f0"}, {.hint = "f0", .folds = "f0"}}) {
    const Error error = read_error(training, options);
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_TRUE(says(error, "column 'f0' cannot hold both"));
  }
  EXPECT_TRUE(says(read_error(training, {.hint = "f1"}), "the hint column \"f1\""));
}

TEST(HintCases, ModelsFindTheColumnByName) {
  const Schema schema = hinted_schema();
  const Dataset rows = read_text("colour,f0,extra,age\nred,7,?,1\nblue,-8,?,2\n", {.schema = &schema});
  EXPECT_EQ(rows.hint, (Values{7, -8}));
  EXPECT_EQ(rows.schema.hint_name, "f0");
  EXPECT_EQ(rows.features.dense().values, (Values{1, 2, 2, 0}));
  EXPECT_EQ(read_text("colour,g0,age\nred,9,1\n", {.hint = "g0", .schema = &schema}).hint, Values{9});
}

TEST(HintCases, ModelsRefuseRowsWithoutTheColumn) {
  const Schema schema = hinted_schema();
  const Error absent = read_error("colour,age\nred,1\n", {.schema = &schema});
  EXPECT_EQ(absent.code(), ErrorCode::invalid_data);
  EXPECT_TRUE(says(absent, "lacks column 'f0', which is the hint of the model"));
  const Error text = read_error("colour,age,f0\nred,1,2\nred,1,high\n", {.schema = &schema});
  EXPECT_EQ(text.location().line, 3U);
  EXPECT_TRUE(says(text, "the hint \"high\" is not a number"));
  EXPECT_TRUE(says(read_error("1,2,red,x\n", {.header = Header::absent, .schema = &schema}), "give the file a header"));
  EXPECT_TRUE(says(read_error("colour,age,f0\nred,1,2\n", {.hint = "age", .schema = &schema}),
                   "is a feature of the model and cannot hold the hint"));
}

TEST(HintCases, ModelsWithoutHeaderFindTheColumnByPosition) {
  // The label stands before the hint, so that rows without a label have the hint one place further left.
  const Dataset trained = read_text("1,x,0.5,2\n3,y,-0.5,4\n", {.label = "2", .hint = "3"});
  EXPECT_EQ(trained.hint, (Values{0.5, -0.5}));
  EXPECT_EQ(trained.schema.hint_name, "column 3");
  const ReadOptions options{.schema = &trained.schema};
  for (const std::string text : {"5,y,7,6\n", "5,7,6\n", "p,label,f,q\n5,x,7,6\n"}) {
    const Dataset rows = read_text(text, options);
    EXPECT_EQ(rows.hint, Values{7}) << text;
    EXPECT_EQ(rows.features.dense().values, (Values{5, 6})) << text;
  }
  EXPECT_TRUE(says(read_error("5,6\n", options), "the file has 2 columns"));
}

TEST(HintCases, APositionThatCannotBeIsRefused) {
  Schema schema = read_text("1,2,x\n3,4,y\n").schema;
  for (const std::string name : {"column 3", "column 4", "column 0", "f0"}) {  // the label's, and none
    schema.hint_name = name;
    EXPECT_TRUE(says(read_error("5,6\n", {.schema = &schema}), "can only be found by its name")) << name;
  }
}

TEST(HintCases, SvmlightTextHasNone) {
  const Error chosen = read_error("1 1:2\n-1 2:3\n", {.hint = "2"}, ".svm");
  EXPECT_EQ(chosen.code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(says(chosen, "no label, weights, hint, groups"));
  const Schema schema = read_text("1,2,x\n3,4,y\n", {.hint = "1"}).schema;
  const Error needed = read_error("1 1:2\n", {.schema = &schema}, ".svm");
  EXPECT_EQ(needed.code(), ErrorCode::invalid_data);
  EXPECT_TRUE(says(needed, "a hint from column 'column 1', and svmlight text has no such column"));
}

}  // namespace hint_cases_tests
}  // namespace credence::data::test
