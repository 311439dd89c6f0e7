#include "credence/data/preprocessing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "data/files.hpp"

namespace credence::data::test {
namespace preprocessing_vs_two_pass_formula_tests {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

Dataset random_dataset(std::size_t n, std::size_t d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  DenseMatrix matrix(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double scale = std::pow(10.0, static_cast<double>(j) - 2);
      matrix.row(i)[j] = random() % 3 == 0 ? 0 : scale * (normal(random) + static_cast<double>(j) * 10);
    }
  }
  return make_dataset(std::move(matrix), {});
}

Dataset sparse_copy(const Dataset& dataset) {
  const DenseMatrix dense = dataset.features.to_dense();
  SparseMatrix sparse;
  sparse.rows = dense.rows;
  sparse.columns = dense.columns;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t j = 0; j < dense.columns; ++j) {
      if (dense.row(i)[j] == 0) continue;
      sparse.indices.push_back(static_cast<std::uint32_t>(j));
      sparse.values.push_back(dense.row(i)[j]);
    }
    sparse.offsets.push_back(sparse.values.size());
  }
  Dataset result = dataset;
  result.features = std::move(sparse);
  return result;
}

struct Formula {
  double mean = 0, deviation = 0, low = 0, high = 0;
};

/// The textbook in long double.
Formula formula(const Dataset& dataset, const std::vector<std::size_t>& rows, std::size_t column) {
  const DenseMatrix matrix = dataset.features.to_dense();
  long double sum = 0, squares = 0;
  Formula result;
  result.low = result.high = matrix.row(rows[0])[column];
  for (const std::size_t i : rows) {
    sum += static_cast<long double>(matrix.row(i)[column]);
    result.low = std::min(result.low, matrix.row(i)[column]);
    result.high = std::max(result.high, matrix.row(i)[column]);
  }
  const auto n = static_cast<long double>(rows.size());
  for (const std::size_t i : rows) squares += std::pow(static_cast<long double>(matrix.row(i)[column]) - sum / n, 2.0L);
  result.mean = static_cast<double>(sum / n);
  result.deviation = static_cast<double>(std::sqrt(squares / n));
  return result;
}

TEST(PreprocessingVsTwoPassFormula, DenseStandardAndMinmax) {
  const Dataset dataset = random_dataset(97, 6, 1);
  const std::vector<std::size_t> rows{3, 90, 14, 15, 15, 15, 60, 0};  // any order, repeats as in a bootstrap
  const DenseMatrix raw = dataset.features.to_dense();
  for (const Scaling scaling : {Scaling::standard, Scaling::minmax, Scaling::none}) {
    const Preprocessing fitted = Preprocessing::fit(dataset, rows, scaling);
    const Features out = fitted.apply(dataset);
    ASSERT_FALSE(out.is_sparse());
    for (std::size_t j = 0; j < 6; ++j) {
      const Formula f = formula(dataset, rows, j);
      for (std::size_t i = 0; i < dataset.rows(); ++i) {
        const double x = raw.row(i)[j];
        const double expected = scaling == Scaling::standard ? (x - f.mean) / f.deviation
                                : scaling == Scaling::minmax ? (x - f.low) / (f.high - f.low)
                                                             : x;
        EXPECT_NEAR(out.dense().row(i)[j], expected, 1e-13 * (1 + std::abs(expected)));
      }
    }
  }
}

TEST(PreprocessingVsTwoPassFormula, SparseCountsItsZerosAndKeepsThem) {
  const Dataset dense = random_dataset(80, 5, 2);
  const Dataset sparse = sparse_copy(dense);
  std::vector<std::size_t> rows(40);
  std::iota(rows.begin(), rows.end(), std::size_t{7});
  for (const Scaling scaling : {Scaling::standard, Scaling::minmax, Scaling::none}) {
    const Preprocessing from_dense = Preprocessing::fit(dense, rows, scaling);
    const Preprocessing from_sparse = Preprocessing::fit(sparse, rows, scaling);
    EXPECT_TRUE(from_sparse.sparse);
    EXPECT_EQ(from_sparse.shift, Values(5, 0.0));
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(from_sparse.scale[j] / from_dense.scale[j], 1, 1e-13);
    const Features out = from_sparse.apply(sparse);
    ASSERT_TRUE(out.is_sparse());
    const DenseMatrix values = out.to_dense();
    for (std::size_t k = 0; k < values.values.size(); ++k)
      EXPECT_EQ(values.values[k], dense.features.dense().values[k] * from_sparse.scale[k % 5]);
    // Either storage through either preprocessing.
    EXPECT_TRUE(from_sparse.apply(dense).is_sparse());
    EXPECT_EQ(from_sparse.apply(dense).to_dense().values, values.values);
    EXPECT_FALSE(from_dense.apply(sparse).is_sparse());
    EXPECT_EQ(from_dense.apply(sparse).dense().values, from_dense.apply(dense).dense().values);
  }
}

TEST(PreprocessingVsTwoPassFormula, LargeOffsetsAndExtremeScales) {
  // 1e9 + {1..4}: the sum of squares alone would lose every digit of the variance 1.25.
  for (const double offset : {0.0, 1e9, -1e12}) {
    for (const double unit : {1.0, 1e-200, 1e200}) {
      if (offset != 0 && unit != 1) continue;
      DenseMatrix matrix(4, 1);
      for (std::size_t i = 0; i < 4; ++i) matrix.values[i] = offset + unit * static_cast<double>(i + 1);
      const Dataset dataset = make_dataset(std::move(matrix), {});
      const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::standard);
      EXPECT_NEAR(1 / fitted.scale[0] / unit, std::sqrt(1.25), 1e-12) << offset << ' ' << unit;
      EXPECT_NEAR(fitted.apply(dataset).dense().values[3], 1.5 / std::sqrt(1.25), 1e-12);
    }
  }
  DenseMatrix far(2, 1);
  far.values = {-1.7e308, 1.7e308};
  const Dataset dataset = make_dataset(std::move(far), {});
  EXPECT_TRUE(says(error_of([&] { Preprocessing::fit(dataset, Scaling::standard); }), "too far apart"));
}

TEST(PreprocessingVsTwoPassFormula, ConstantColumns) {
  // Constant on the fitted rows 0 to 2, not on row 3.
  const Dataset dataset = read_text("a,b,c,label\n0.1,1,p,x\n0.1,2,p,y\n0.1,3,p,x\n7,4,q,y\n");
  const std::vector<std::size_t> rows{0, 1, 2};
  for (const Scaling scaling : {Scaling::standard, Scaling::minmax}) {
    const Preprocessing fitted = Preprocessing::fit(dataset, rows, scaling);
    EXPECT_EQ(fitted.constant, (Names{"a", "c"}));
    EXPECT_EQ(fitted.names, (Names{"a", "b", "c=p"}));
    const DenseMatrix out = fitted.apply(dataset, UnknownLevel::ignore).to_dense();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(out.row(i)[0], 0);
      EXPECT_FALSE(std::signbit(out.row(i)[0]));
      EXPECT_EQ(out.row(i)[2], 0);
    }
  }
  const Preprocessing none = Preprocessing::fit(dataset, rows, Scaling::none);
  EXPECT_EQ(none.constant, (Names{"a", "c"}));
  EXPECT_EQ(none.apply(dataset, UnknownLevel::ignore).dense().values,
            (Values{0.1, 1, 1, 0.1, 2, 1, 0.1, 3, 1, 7, 4, 0}));
  const std::vector<std::size_t> one{2};
  for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::minmax}) {
    EXPECT_TRUE(says(error_of([&] { Preprocessing::fit(dataset, one, scaling); }), "no column varies"));
    EXPECT_TRUE(says(error_of([&] { Preprocessing::fit(dataset, {}, scaling); }), "at least one row"));
  }
}

TEST(PreprocessingVsTwoPassFormula, OneHotInLevelOrder) {
  const Dataset dataset = read_text("a,colour,b,label\n1,red,5,x\n2,blue,6,y\n3,green,7,x\n4,red,9,y\n");
  const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::none);
  EXPECT_EQ(fitted.names, (Names{"a", "colour=blue", "colour=green", "colour=red", "b"}));
  EXPECT_EQ(fitted.apply(dataset).dense().values, (Values{1, 0, 0, 1, 5, 2, 1, 0, 0, 6, 3, 0, 1, 0, 7, 4, 0, 0, 1, 9}));
  const Preprocessing standard = Preprocessing::fit(dataset, Scaling::standard);
  EXPECT_DOUBLE_EQ(standard.shift[1], 0.25);
  EXPECT_DOUBLE_EQ(standard.scale[1], 1 / std::sqrt(0.25 * 0.75));
  EXPECT_DOUBLE_EQ(standard.apply(dataset).dense().row(1)[1], 0.75 / std::sqrt(0.25 * 0.75));
}

TEST(PreprocessingVsTwoPassFormula, UnknownLevels) {
  const Dataset dataset = read_text("a,colour,label\n1,red,x\n2,blue,y\n3,green,x\n");
  const Preprocessing fitted = Preprocessing::fit(dataset, std::vector<std::size_t>{0, 1}, Scaling::none);
  EXPECT_EQ(fitted.raw[1].level_output, (std::vector<std::int32_t>{1, -1, 2}));
  const Error error = error_of([&] { fitted.apply(dataset); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_data);
  EXPECT_EQ(error.location().column, "colour");
  EXPECT_TRUE(says(error, "data row 3: 'colour' holds \"green\""));
  EXPECT_EQ(fitted.apply(dataset, UnknownLevel::ignore).dense().values, (Values{1, 0, 1, 2, 1, 0, 3, 0, 0}));
}

TEST(PreprocessingVsTwoPassFormula, MissingCellsAreFilled) {
  const Dataset dataset =
      read_text("a,b,c,label\n1,q,1,x\n9,p,,x\n4,q,,x\n,p,,y\n2,?,,y\n?,,3,y\n", {.missing = Missing::impute});
  const std::vector<std::size_t> rows{0, 1, 2, 3, 4};
  const Preprocessing fitted = Preprocessing::fit(dataset, rows, Scaling::none);
  EXPECT_EQ(fitted.raw[0].fill, 3);  // median of 1, 2, 4, 9
  EXPECT_EQ(fitted.raw[1].fill, 0);  // p and q twice each: the first
  EXPECT_EQ(fitted.raw[2].fill, 1);
  const DenseMatrix out = fitted.apply(dataset).to_dense();
  EXPECT_EQ(Values(out.row(3).begin(), out.row(3).end()), (Values{3, 1, 0, 1}));
  EXPECT_EQ(Values(out.row(5).begin(), out.row(5).end()), (Values{3, 1, 0, 3}));
  // No value at all among the fitted rows: filled with 0.
  const Preprocessing empty = Preprocessing::fit(dataset, std::vector<std::size_t>{1, 2, 3}, Scaling::none);
  EXPECT_EQ(empty.raw[2].fill, 0);
  // The statistics are those of the filled column: 1, 9, 4, 3, 2.
  EXPECT_DOUBLE_EQ(Preprocessing::fit(dataset, rows, Scaling::standard).shift[0], 3.8);
}

TEST(PreprocessingVsTwoPassFormula, SparseMissingIsFilledWithTheMedianOfAllCells) {
  const Dataset dataset = read_text("x 1:nan 2:1\ny 1:5\nx 2:3\ny 1:7\n", {.missing = Missing::impute}, ".svm");
  const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::none);
  EXPECT_EQ(fitted.raw[0].fill, 5);  // of 5, 0, 7
  EXPECT_EQ(fitted.apply(dataset).to_dense().values, (Values{5, 1, 5, 0, 0, 3, 7, 0}));
}

TEST(PreprocessingVsTwoPassFormula, MedianOfNegativeZeroAndPositive) {
  const Dataset dataset = read_text("x 1:-5 2:1\ny 1:-3\nx 2:3\ny 1:7\nx 1:?\n", {.missing = Missing::impute}, ".svm");
  EXPECT_EQ(Preprocessing::fit(dataset, Scaling::none).raw[0].fill, -1.5);  // of -5, -3, 0, 7
}

TEST(PreprocessingVsTwoPassFormula, Refusals) {
  const Dataset dataset = read_text("a,b,label\n1,2,x\n3,4,y\n");
  const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::standard);
  const Dataset narrow = read_text("a,label\n1,x\n3,y\n");
  EXPECT_TRUE(
      says(error_of([&] { fitted.apply(narrow); }), "the data have 1 column; the preprocessing was fitted on 2"));
  const Dataset tiny = read_text("a,label\n1e-300,x\n2e-300,y\n");
  const Dataset huge = read_text("a,label\n1,x\n1e300,y\n");
  EXPECT_TRUE(says(error_of([&] { Preprocessing::fit(tiny, Scaling::minmax).apply(huge); }), "becomes infinite"));
}

}  // namespace preprocessing_vs_two_pass_formula_tests
}  // namespace credence::data::test
