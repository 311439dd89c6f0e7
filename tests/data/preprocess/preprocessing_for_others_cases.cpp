#include <gtest/gtest.h>

#include "credence/data/preprocessing.hpp"

namespace credence::data {
namespace preprocessing_for_others_cases_tests {

/// A column that varies, one that does not on the first two rows, and a colour of which these rows have one level.
Dataset four_rows() {
  Dataset dataset;
  DenseMatrix x(4, 3);
  x.values = {1, 5, 0, 3, 5, 0, 7, 6, 1, 9, 5, 1};
  dataset.features = x;
  dataset.schema.columns = {{"size", {}, {}}, {"flag", {}, {}}, {"colour", ColumnKind::categorical, {"red", "blue"}}};
  return dataset;
}

constexpr std::size_t first_two[] = {0, 1};

/// By hand: mean 2 and deviation 1 or root 2, as the scaling has it; flag minus 5; red minus 1; blue as it is.
TEST(PreprocessingForOthers, KeepsTheUnitOfWhatItsRowsDoNotShow) {
  const Dataset dataset = four_rows();
  const Preprocessing fitted = Preprocessing::fit_for_others(dataset, first_two, Scaling::standard);
  const Preprocessing usual = Preprocessing::fit(dataset, first_two, Scaling::standard);
  ASSERT_EQ(fitted.names, (std::vector<std::string>{"size", "flag", "colour=red", "colour=blue"}));
  EXPECT_TRUE(fitted.constant.empty());
  EXPECT_EQ(fitted.scale[0], usual.scale[0]);
  EXPECT_EQ(fitted.shift[0], 2);
  const DenseMatrix rows = fitted.apply(dataset).dense();
  const std::vector<double> last(rows.row(2).begin() + 1, rows.row(2).end());
  EXPECT_EQ(last, (std::vector<double>{1, -1, 1}));  // flag 6, not red, blue
  EXPECT_EQ(usual.scale[1], 0) << "what has no effect otherwise";
}

TEST(PreprocessingForOthers, TakesRowsOnWhichNothingVaries) {
  const Dataset dataset = four_rows();
  const std::size_t one[] = {0};
  const DenseMatrix rows = Preprocessing::fit_for_others(dataset, one, Scaling::standard).apply(dataset).dense();
  EXPECT_EQ(rows.row(3)[0], 8);  // 9 - 1
}

}  // namespace preprocessing_for_others_cases_tests
}  // namespace credence::data
