#include "credence/data/dataset.hpp"

#include <limits>

#include "files.hpp"

namespace credence::data::test {
namespace dataset_cases_tests {

using Names = std::vector<std::string>;

DenseMatrix matrix_of(std::size_t rows, std::size_t columns, std::vector<double> values) {
  DenseMatrix matrix(rows, columns);
  matrix.values = std::move(values);
  return matrix;
}

SparseMatrix sparse_example() {
  SparseMatrix matrix;  // 0 2 0 / 0 0 0 / 1 0 3
  matrix.rows = 3;
  matrix.columns = 3;
  matrix.offsets = {0, 1, 1, 3};
  matrix.indices = {1, 0, 2};
  matrix.values = {2, 1, 3};
  return matrix;
}

TEST(DatasetCases, FeaturesSelectRowsAndDensify) {
  const Features sparse = sparse_example();
  EXPECT_EQ(sparse.to_dense().values, (std::vector<double>{0, 2, 0, 0, 0, 0, 1, 0, 3}));
  const std::vector<std::size_t> rows{2, 0, 2, 1};
  const std::vector<double> expected{1, 0, 3, 0, 2, 0, 1, 0, 3, 0, 0, 0};
  EXPECT_TRUE(sparse.select_rows(rows).is_sparse());
  EXPECT_EQ(sparse.select_rows(rows).to_dense().values, expected);
  EXPECT_EQ(Features(sparse.to_dense()).select_rows(rows).dense().values, expected);
  EXPECT_EQ(sparse.select_rows({}).rows(), 0U);
  EXPECT_EQ(Features().rows(), 0U);
}

TEST(DatasetCases, DamagedSparseRowsAreRefused) {
  EXPECT_EQ(sparse_example().problem(), "");
  std::vector<SparseMatrix> damaged(7, sparse_example());
  damaged[0].indices = {1, 0, 3};
  damaged[1].indices = {1, 2, 0};
  damaged[2].indices = {1, 2, 2};
  damaged[3].offsets = {1, 1, 1, 3};
  damaged[4].offsets = {0, 2, 1, 3};
  damaged[5].offsets = {0, 1, 1, 2};
  damaged[6].values.push_back(1);
  for (const SparseMatrix& matrix : damaged) {
    EXPECT_NE(matrix.problem(), "");
    EXPECT_EQ(error_of([&] { make_dataset(matrix, Names{"a", "b", "a"}); }).code(), ErrorCode::invalid_data);
    EXPECT_THROW(make_regression_dataset(matrix, std::vector<double>{1, 2, 3}), Error);
  }
}

TEST(DatasetCases, SortClasses) {
  const auto sorted = [](Names classes) {
    sort_classes(classes);
    return classes;
  };
  EXPECT_EQ(sorted({"10", "9", "-1", "+1", "1e1", "01", "1"}), (Names{"-1", "+1", "01", "1", "9", "10", "1e1"}));
  EXPECT_EQ(sorted({"10", "9", "b"}), (Names{"10", "9", "b"}));
  EXPECT_EQ(sorted({"b", "B", "a"}), (Names{"B", "a", "b"}));
  EXPECT_EQ(sorted({}), Names{});
}

TEST(DatasetCases, MakeDataset) {
  const Dataset dataset = make_dataset(matrix_of(3, 2, {1, 2, 3, 4, 5, 6}), Names{"10", "9", "10"});
  EXPECT_EQ(dataset.schema.classes, (Names{"9", "10"}));
  EXPECT_EQ(dataset.labels, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(column_names(dataset), (Names{"x1", "x2"}));
  EXPECT_EQ(dataset.column_label(1), "x2");
  EXPECT_EQ(dataset.file_rows, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_FALSE(make_dataset(matrix_of(1, 1, {1}), {}).is_labelled());
}

TEST(DatasetCases, MakeDatasetRefuses) {
  EXPECT_TRUE(says(error_of([] { make_dataset(matrix_of(2, 1, {1, 2}), Names{"a"}); }), "1 label for 2 rows"));
  EXPECT_TRUE(says(error_of([] { make_dataset(matrix_of(1, 1, {1}), Names{""}); }), "row 1 is empty"));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(
        says(error_of([&] { make_dataset(matrix_of(2, 2, {1, 2, 3, bad}), Names{"a", "b"}); }), "row 2, column 2"));
    SparseMatrix sparse = sparse_example();
    sparse.values[1] = bad;
    EXPECT_TRUE(says(error_of([&] { make_dataset(sparse, Names{"a", "b", "c"}); }), "row 3, column 1"));
  }
}

TEST(DatasetCases, SelectRowsTakesEveryField) {
  Dataset dataset = make_dataset(matrix_of(3, 1, {1, 2, 3}), Names{"a", "b", "a"});
  dataset.weights = {1, 2, 3};
  dataset.groups = {4, 5, 6};
  dataset.folds = {0, 1, 2};
  dataset.source = "s";
  const Dataset picked = dataset.select_rows(std::vector<std::size_t>{2, 2, 1});
  EXPECT_EQ(picked.features.dense().values, (std::vector<double>{3, 3, 2}));
  EXPECT_EQ(picked.labels, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(picked.weights, (std::vector<double>{3, 3, 2}));
  EXPECT_EQ(picked.groups, (std::vector<int>{1, 1, 0}));  // numbered anew, in their order
  EXPECT_EQ(picked.folds, (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(picked.file_rows, (std::vector<std::size_t>{3, 3, 2}));
  EXPECT_EQ(picked.source, "s");
}

TEST(DatasetCases, CheckTrainable) {
  const Dataset good = make_dataset(matrix_of(3, 1, {1, 2, 3}), Names{"a", "b", "a"});
  EXPECT_NO_THROW(check_trainable(good));
  const auto refusal = [&](auto change) {
    Dataset bad = good;
    bad.source = "file.csv";
    change(bad);
    const Error error = error_of([&] { check_trainable(bad); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    EXPECT_EQ(error.location().file, "file.csv");
    return error;
  };
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.labels.clear(); }), "no labels"));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.labels[1] = -1; }), "data row 2 has no known label"));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.labels[1] = 2; }), "data row 2 has no known label"));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.labels[1] = 0; }), "all 3 rows have the label \"a\""));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d = d.select_rows(std::vector<std::size_t>{0}); }),
                   "the only row has the label \"a\""));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.labels.pop_back(); }), "2 labels for 3 rows"));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.weights = {1, 0, 1}; }), "weight 0 of row 2"));
  EXPECT_TRUE(says(refusal([](Dataset& d) { d.weights = {1}; }), "1 weight for 3 rows"));
}

}  // namespace dataset_cases_tests
}  // namespace credence::data::test
