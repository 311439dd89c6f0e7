#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace regression_cases_tests {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

const ReadOptions regression{.task = Task::regression};

TEST(RegressionCases, TargetsAreNumbersOfTheLabelColumn) {
  const Dataset dataset = read_text("x,colour,y\n1,red,-0.5\n2,blue, 1e3 \n3,red,+7\n", {.task = Task::regression});
  EXPECT_EQ(dataset.targets, (Values{-0.5, 1000, 7}));
  EXPECT_TRUE(dataset.is_regression());
  EXPECT_TRUE(dataset.is_labelled());
  EXPECT_TRUE(dataset.labels.empty());
  EXPECT_TRUE(dataset.schema.classes.empty());
  EXPECT_EQ(dataset.schema.label_name, "y");
  EXPECT_EQ(dataset.features.dense().values, (Values{1, 1, 2, 0, 3, 1}));
}

TEST(RegressionCases, LabelColumnIsChosenAsThatOfClasses) {
  const std::string text = "target,a,b\n1,2,3\n4,5,6\n";
  EXPECT_EQ(read_text(text, {.task = Task::regression}).targets, (Values{1, 4}));
  EXPECT_EQ(read_text(text, {.task = Task::regression, .label = "b"}).targets, (Values{3, 6}));
  EXPECT_EQ(read_text("1,2,3\n4,5,6\n", {.task = Task::regression}).targets, (Values{3, 6}));
  EXPECT_EQ(read_text("1,2,3\n4,5,6\n", {.task = Task::regression, .label = "1"}).targets, (Values{1, 4}));
  const Dataset none = read_text(text, {.task = Task::regression, .unlabelled = true});
  EXPECT_TRUE(none.is_regression());
  EXPECT_FALSE(none.is_labelled());
  EXPECT_EQ(none.features.columns(), 3U);
}

TEST(RegressionCases, EqualAndManyTargetsAreNoClasses) {
  std::string text = "a,y\n";
  for (int i = 0; i < 1500; ++i) text += "1," + std::to_string(i) + ".25\n";
  const Dataset dataset = read_text(text, {.task = Task::regression});
  EXPECT_EQ(dataset.targets.size(), 1500U);
  EXPECT_EQ(dataset.targets.back(), 1499.25);
  EXPECT_TRUE(says(read_error(text), "for numbers, choose a regression, with relevance vector machines"));
}

TEST(RegressionCases, FractionsAsClassesAreToldOfTheTask) {
  std::string text = "a,y\n";
  for (int i = 0; i < 21; ++i) text += "1," + std::to_string(i) + ".5\n";
  EXPECT_TRUE(says(read_error(text), "regression target"));
  EXPECT_TRUE(says(read_error(text), "for numbers, choose a regression, with relevance vector machines"));
  EXPECT_EQ(read_text(text, {.task = Task::regression}).targets.size(), 21U);
}

void expect_place(const Error& error, const std::string& part, std::size_t line, const std::string& column) {
  EXPECT_EQ(error.code(), ErrorCode::invalid_data);
  EXPECT_TRUE(says(error, part));
  EXPECT_EQ(error.location().line, line);
  EXPECT_EQ(error.location().column, column);
}

TEST(RegressionCases, WrongTargetsAreRefusedWithTheirPlace) {
  expect_place(read_error("a,y\n1,2\n3,big\n5,huge\n", {.task = Task::regression}),
               "the target \"big\" is not a number", 3, "y");
  expect_place(read_error("a,y\n1,2\n3,1e999\n", {.task = Task::regression}), "\"1e999\" is not a finite number", 3,
               "y");
  expect_place(read_error("a,y\n1,2\n3,inf\n", {.task = Task::regression}), "\"inf\" is not a finite number", 3, "y");
  expect_place(read_error("a,y\n1,NA\n3,4\n", {.task = Task::regression}), "the target is missing", 2, "y");
  expect_place(read_error("1,2,3\n4,5,x\n", {.task = Task::regression}), "the target \"x\" is not a number", 2, "3");
  // The first of the file, whatever column it is in.
  expect_place(read_error("a,y\n,2\n3,big\n", {.task = Task::regression}), "a value is missing", 2, "a");
  expect_place(read_error("a,b,y\none,two,three\nfour,five,six\n", {.task = Task::regression}),
               "the target \"three\" is not a number", 2, "y");
}

TEST(RegressionCases, MissingTargetsAreDroppedButNeverImputed) {
  const std::string text = "a,y\n1,2\n3,\n,5\n6,?\n7,8\n";
  const Dataset dropped = read_text(text, {.missing = Missing::drop, .task = Task::regression});
  EXPECT_EQ(dropped.targets, (Values{2, 8}));
  EXPECT_EQ(dropped.features.dense().values, (Values{1, 7}));
  EXPECT_EQ(dropped.file_rows, (std::vector<std::size_t>{1, 5}));
  expect_place(read_error(text, {.missing = Missing::impute, .task = Task::regression}), "the target is missing", 3,
               "y");
  const Dataset imputed = read_text("a,y\n1,2\n,5\n", {.missing = Missing::impute, .task = Task::regression});
  EXPECT_TRUE(std::isnan(imputed.features.dense().values[1]));
  EXPECT_EQ(imputed.targets, (Values{2, 5}));
  EXPECT_TRUE(
      says(read_error("a,y\n1,\n2,\n", {.missing = Missing::drop, .task = Task::regression}), "no row is left"));
}

TEST(RegressionCases, TheSchemaDecidesOnRowsForAModel) {
  const Schema schema = read_text("a,b,y\n1,2,0.5\n3,4,1.5\n", {.task = Task::regression}).schema;
  const Dataset known = read_text("y,b,a\n9.5,2,1\n", {.schema = &schema});
  EXPECT_TRUE(known.is_regression());
  EXPECT_EQ(known.targets, Values{9.5});
  EXPECT_EQ(known.features.dense().values, (Values{1, 2}));
  EXPECT_TRUE(known.labels.empty());
  EXPECT_FALSE(read_text("b,a\n2,1\n", {.schema = &schema}).is_labelled());
  EXPECT_EQ(read_text("b,a,t\n2,1,4\n", {.label = "t", .schema = &schema}).targets, Values{4});
  EXPECT_FALSE(read_text("b,a,y\n2,1,4\n", {.unlabelled = true, .schema = &schema}).is_labelled());

  const Schema classes = read_text("a,y\n1,2\n3,4\n").schema;
  const Dataset classified = read_text("a,y\n1,4\n", {.task = Task::regression, .schema = &classes});
  EXPECT_FALSE(classified.is_regression());
  EXPECT_EQ(classified.labels, std::vector<int>{1});
  EXPECT_TRUE(classified.targets.empty());
}

TEST(RegressionCases, RowsForAModelMayLackTargetsButNotHoldTexts) {
  const Schema schema = read_text("a,y\n1,0.5\n3,1.5\n", {.task = Task::regression}).schema;
  for (const Missing missing : {Missing::error, Missing::drop, Missing::impute}) {
    const Dataset dataset = read_text("a,y\n1,\n2,7\n", {.missing = missing, .schema = &schema});
    ASSERT_EQ(dataset.targets.size(), 2U);
    EXPECT_TRUE(std::isnan(dataset.targets[0]));
    EXPECT_EQ(dataset.targets[1], 7);
  }
  expect_place(read_error("a,y\n1,2\n2,soon\n", {.schema = &schema}), "the target \"soon\" is not a number", 3, "y");
  expect_place(read_error("a,y\n1,2\n2,-inf\n", {.schema = &schema}), "not a finite number", 3, "y");
}

TEST(RegressionCases, ColumnsAreMatchedByPositionWithoutHeader) {
  const Schema schema = read_text("1,2,3\n4,5,6\n", {.task = Task::regression, .label = "2"}).schema;
  const Dataset labelled = read_text("7,8,9\n", {.schema = &schema});
  EXPECT_EQ(labelled.targets, Values{8});
  EXPECT_EQ(labelled.features.dense().values, (Values{7, 9}));
  const Dataset bare = read_text("7,9\n", {.schema = &schema});
  EXPECT_FALSE(bare.is_labelled());
  EXPECT_EQ(bare.features.dense().values, (Values{7, 9}));
}

TEST(RegressionCases, WeightsGroupsAndFoldsStandBeside) {
  const Dataset dataset =
      read_text("a,y,w,g,f\n1,0.5,2,p,0\n2,1.5,3,q,1\n",
                {.task = Task::regression, .label = "y", .weights = "w", .groups = "g", .folds = "f"});
  EXPECT_EQ(dataset.targets, (Values{0.5, 1.5}));
  EXPECT_EQ(dataset.weights, (Values{2, 3}));
  EXPECT_EQ(dataset.groups, (std::vector<int>{0, 1}));
  EXPECT_EQ(dataset.folds, (std::vector<int>{0, 1}));
  EXPECT_EQ(dataset.features.columns(), 1U);
  EXPECT_EQ(read_error("a,y\n1,2\n", {.task = Task::regression, .label = "y", .weights = "y"}).code(),
            ErrorCode::invalid_argument);
}

TEST(RegressionCases, SvmlightTargets) {
  const Dataset dataset = read_text("0.5 1:1\n-2e1 2:3\n", regression, ".svm");
  EXPECT_EQ(dataset.targets, (Values{0.5, -20}));
  EXPECT_TRUE(dataset.is_regression());
  EXPECT_TRUE(dataset.labels.empty());
  EXPECT_TRUE(dataset.schema.classes.empty());
  expect_place(read_error("1 1:1\n# nothing\nred 1:2\n", regression, ".svm"), "the target \"red\" is not a number", 3,
               "");
  expect_place(read_error("1 1:1\n1e999 1:2\n", regression, ".svm"), "not a finite number", 2, "");
  expect_place(read_error("1 1:1\nnan 1:2\n", regression, ".svm"), "the target is missing", 2, "");
  expect_place(read_error("1 1:1\nnan 1:2\n", {.missing = Missing::impute, .task = Task::regression}, ".svm"),
               "the target is missing", 2, "");
  const Dataset dropped =
      read_text("1 1:1\nnan 1:2\n3 1:3\n", {.missing = Missing::drop, .task = Task::regression}, ".svm");
  EXPECT_EQ(dropped.targets, (Values{1, 3}));
  EXPECT_EQ(dropped.features.to_dense().values, (Values{1, 3}));
}

TEST(RegressionCases, SvmlightRowsForAModel) {
  const Schema schema = read_text("0.5 1:1 2:1\n1 2:3\n", regression, ".svm").schema;
  const Dataset some = read_text("1:4\n2.5 1:5\nnan 1:6\n", {.schema = &schema}, ".svm");
  ASSERT_EQ(some.targets.size(), 3U);
  EXPECT_TRUE(std::isnan(some.targets[0]));
  EXPECT_EQ(some.targets[1], 2.5);
  EXPECT_TRUE(std::isnan(some.targets[2]));
  EXPECT_FALSE(read_text("1:4\n2:5\n", {.schema = &schema}, ".svm").is_labelled());
  EXPECT_FALSE(read_text("1 1:4\n2 2:5\n", {.unlabelled = true, .schema = &schema}, ".svm").is_labelled());
  expect_place(read_error("x 1:4\n", {.schema = &schema}, ".svm"), "the target \"x\" is not a number", 1, "");
}

TEST(RegressionCases, MakeAndSelectRows) {
  DenseMatrix matrix(3, 2);
  matrix.values = {1, 2, 3, 4, 5, 6};
  const Dataset dataset = make_regression_dataset(matrix, Values{0.5, 0.5, -1});
  EXPECT_TRUE(dataset.is_regression());
  EXPECT_EQ(column_names(dataset), (Names{"x1", "x2"}));
  EXPECT_EQ(dataset.file_rows, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(dataset.schema.label_position, 2U);
  EXPECT_EQ(dataset.schema.file_columns, 3U);
  const std::vector<std::size_t> rows{2, 0, 2};
  const Dataset chosen = dataset.select_rows(rows);
  EXPECT_EQ(chosen.targets, (Values{-1, 0.5, -1}));
  EXPECT_TRUE(chosen.is_regression());
  EXPECT_EQ(chosen.file_rows, (std::vector<std::size_t>{3, 1, 3}));
  EXPECT_FALSE(make_regression_dataset(matrix, {}).is_labelled());
}

TEST(RegressionCases, MakeRefuses) {
  DenseMatrix matrix(2, 1);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(says(error_of([&] { make_regression_dataset(matrix, Values{1}); }), "1 target for 2 rows"));
  EXPECT_TRUE(says(error_of([&] { make_regression_dataset(matrix, Values{1, nan}); }), "the target of row 2 is nan"));
  matrix.values[1] = nan;
  EXPECT_TRUE(says(error_of([&] { make_regression_dataset(matrix, Values{1, 2}); }), "row 2, column 1 holds nan"));
}

TEST(RegressionCases, CheckTrainable) {
  const Dataset good = read_text("a,y\n1,2\n3,4\n", {.task = Task::regression});
  EXPECT_NO_THROW(check_trainable_regression(good));
  const Error refused = error_of([&] { check_trainable(good); });
  EXPECT_TRUE(says(refused, "the data are those of a regression"));
  EXPECT_EQ(refused.location().column, "y");
  EXPECT_EQ(refused.location().file, good.source);
  const auto refuses = [](const Dataset& dataset, const std::string& part) {
    return says(error_of([&] { check_trainable_regression(dataset); }), part);
  };
  EXPECT_TRUE(refuses(read_text("a,y\n1,2\n3,4\n"), "those of a classifier"));
  EXPECT_TRUE(refuses(read_text("a,y\n1,2\n3,2\n", {.task = Task::regression}), "all 2 rows have the target 2"));
  EXPECT_TRUE(refuses(read_text("a,y\n1,2\n", {.task = Task::regression}), "there is one row"));
  EXPECT_TRUE(refuses(read_text("a,y\n1,2\n", {.task = Task::regression, .unlabelled = true}), "no targets"));
  Dataset bad = good;
  bad.targets[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refuses(bad, "data row 2 has no target"));
  bad.targets.pop_back();
  EXPECT_TRUE(refuses(bad, "1 target for 2 rows"));
  bad = good;
  bad.weights = {1, 0};
  EXPECT_TRUE(refuses(bad, "the weight 0 of row 2"));
}

TEST(RegressionCases, EveryBitOfATargetComesBack) {
  std::mt19937_64 random(3);
  DenseMatrix matrix(100, 2);
  Values targets(100);
  for (double& target : targets) target = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200));
  for (double& value : matrix.values) value = static_cast<double>(random() % 5);
  matrix.values.back() = 1;
  const Dataset dataset = make_regression_dataset(matrix, targets);
  for (const std::string extension : {".csv", ".csv.gz", ".svm"}) {
    const TemporaryFile file("", extension);
    if (extension == ".svm")
      write_svmlight(file.path(), dataset.features, dataset);
    else
      write_csv(file.path(), dataset.features, {"a", "b"}, dataset);
    const Dataset again = read(file.path(), {.task = Task::regression});
    EXPECT_EQ(again.targets, targets) << extension;
    EXPECT_EQ(again.features.to_dense().values, matrix.values) << extension;
  }
}

TEST(RegressionCases, WrittenSpelling) {
  Dataset dataset = read_text("a,y\n0.1,-2\n0,1e22\n", {.task = Task::regression});
  const TemporaryFile csv("", ".csv");
  const TemporaryFile svm("", ".svm");
  dataset.targets[1] = std::numeric_limits<double>::quiet_NaN();
  write_csv(csv.path(), dataset.features, {"a"}, dataset);
  EXPECT_EQ(bytes_of(csv.path()), "a,target\n0.1,-2\n0,\n");
  write_svmlight(svm.path(), dataset.features, dataset);
  EXPECT_EQ(bytes_of(svm.path()), "-2 1:0.1\nnan\n");
  dataset.targets.clear();
  write_csv(csv.path(), dataset.features, {"a"}, dataset);
  EXPECT_EQ(bytes_of(csv.path()), "a\n0.1\n0\n");
  write_svmlight(svm.path(), dataset.features, dataset);
  EXPECT_EQ(bytes_of(svm.path()), "0 1:0.1\n0\n");
  dataset.targets = {1};
  EXPECT_TRUE(says(error_of([&] { write_csv(csv.path(), dataset.features, {"a"}, dataset); }), "1 target for 2 rows"));
}

}  // namespace regression_cases_tests
}  // namespace credence::data::test
