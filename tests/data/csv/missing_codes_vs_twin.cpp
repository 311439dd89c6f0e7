#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/files.hpp"

/// Texts that mean a missing value. The oracle is the same file written with empty cells.
namespace credence::data::test {
namespace missing_codes_tests {

void expect_same(const Dataset& found, const Dataset& twin) {
  ASSERT_EQ(found.rows(), twin.rows());
  EXPECT_EQ(column_names(found), column_names(twin));
  for (std::size_t j = 0; j < twin.schema.columns.size(); ++j)
    EXPECT_EQ(found.schema.columns[j].levels, twin.schema.columns[j].levels);
  for (std::size_t i = 0; i < twin.features.stored().size(); ++i) {
    const double a = found.features.stored()[i];
    const double b = twin.features.stored()[i];
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << i << ": " << a << " and " << b;
  }
  EXPECT_EQ(label_names(found), label_names(twin));
}

TEST(MissingCodes, OfAllColumnsAndOfOneVsEmptyCells) {
  const std::string coded = "a,b,t,y\n.,-99,red,u\n1,-99.0,-,v\n-99,-98,- ,u\n2,3,N/D,v\n4,-1,blue,u\n5,n/d,red,v\n";
  const std::string twin = "a,b,t,y\n,,red,u\n1,,,v\n-99,,,u\n2,3,,v\n4,-1,blue,u\n5,,red,v\n";
  const Dataset expected = read_text(twin, {.missing = Missing::impute});
  expect_same(read_text(coded, {.missing = Missing::impute, .na = {".,-,n/d", "b=-99,-98"}}), expected);
  expect_same(read_text(coded, {.missing = Missing::impute, .na = {".,-", " n/d ", "2=-99", "b=-98"}}), expected);
  expect_same(read_text(coded, {.missing = Missing::drop, .na = {".,-,n/d,b=-99,-98"}}),
              read_text(twin, {.missing = Missing::drop}));
}

TEST(MissingCodes, UsualOnesVsEmptyCells) {
  std::string coded = "a,t,y\n";
  std::string twin = "a,t,y\n";
  for (const std::string word :
       {"NULL", "null", "N/A", "n/a", "None", "NaN", "NAN", "na", "#N/A", "<NA>", "?", "\xC2\xA0"}) {
    coded += word + ",red,u\n1," + word + ",v\n";
    twin += ",red,u\n1,,v\n";
  }
  const std::string end = "2,none,u\n3,nil,v\n";  // words
  expect_same(read_text(coded + end, {.missing = Missing::impute}),
              read_text(twin + end, {.missing = Missing::impute}));
  EXPECT_EQ(read_text(coded + end, {.missing = Missing::impute}).schema.columns[1].levels,
            (std::vector<std::string>{"nil", "none", "red"}));
}

TEST(MissingCodes, ModelsRememberThemVsEmptyCells) {
  const std::string training = "a,b,w,y\n1,-9,1,u\n.,2,2,v\n3,4,0.5,-9\n2,1,1,u\n5,5,1,v\n";
  const Schema schema =
      read_text(training, {.missing = Missing::drop, .na = {".", "b=-9", "y=-9", "w=-1"}, .weights = "w"}).schema;
  ASSERT_EQ(schema.missing_codes.size(), 3U);
  const ReadOptions rows{.missing = Missing::impute, .schema = &schema};
  const Dataset twin = read_text("y,b,a\nu,,1\nv,2,\n,1,-9\n", rows);
  expect_same(read_text("y,b,a\nu,-9,1\nv,2,.\n-9,1,-9\n", rows), twin);
  EXPECT_EQ(label_names(read_text("y,b,a\nu,-9,1\nv,2,.\n-9,1,-9\n", rows)), (std::vector<std::string>{"u", "v", "?"}));
  expect_same(read_text("b,a\n-9,1\n", rows), read_text("b,a\n,1\n", rows));
  // Further ones may be given.
  expect_same(read_text("b,a\n-9,x\n", {.missing = Missing::impute, .na = {"x"}, .schema = &schema}),
              read_text("b,a\n,\n1,1\n", rows).select_rows(std::vector<std::size_t>{0}));
}

TEST(MissingCodes, WithoutAHeaderAndWithDecimalCommasVsEmptyCells) {
  const std::string coded = "-;1,5;u\n2;-99,0;v\n3;2,5;u\n";
  expect_same(read_text(coded, {.missing = Missing::impute, .na = {"-", "2=-99"}}),
              read_text(";1,5;u\n2;;v\n3;2,5;u\n", {.missing = Missing::impute}));
  // A first row of codes is no header, whatever its class.
  EXPECT_EQ(read_text("NA,?,rare\n1,2,u\n3,4,v\n5,6,u\n7,8,v\n", {.missing = Missing::impute}).rows(), 5U);
  EXPECT_EQ(read_text("Na,sick\n1,u\n3,v\n5,u\n7,v\n").rows(), 4U);
  EXPECT_EQ(read_text(".,-,u\n1,2,v\n3,4,u\n", {.missing = Missing::impute, .na = {".,-"}}).rows(), 3U);
  EXPECT_EQ(read_text("N/A,NULL,u\n1,2,v\n3,4,u\n", {.missing = Missing::impute}).rows(), 3U);
}

TEST(MissingCodes, OfAnAbsentColumnAndOfSvmlightTextAreRefused) {
  EXPECT_TRUE(says(read_error("a,y\n1,u\n2,v\n", {.na = {"age=-9"}}), "the column \"age\" is neither a name"));
  EXPECT_TRUE(says(read_error("1 1:2\n2 1:3\n", {.na = {"-9"}}, ".svm"), "no text can mean a missing value"));
}

TEST(MissingCodes, OnAnyNumberOfThreadsVsEmptyCells) {
  std::string coded = "a,b,y\n";
  std::string twin = coded;
  for (int i = 0; i < 150000; ++i) {
    const std::string b = std::to_string(i % 100) + (i % 2 == 0 ? ",u\n" : ",v\n");
    coded += (i % 1000 == 7 ? "-99," : std::to_string(i) + ",") + b;
    twin += (i % 1000 == 7 ? "," : std::to_string(i) + ",") + b;
  }
  const Dataset expected = read_text(twin, {.missing = Missing::drop, .threads = 1});
  for (const int threads : {1, 4})
    expect_same(read_text(coded, {.missing = Missing::drop, .na = {"-99"}, .threads = threads}), expected);
}

/// All columns with a problem stand in one sentence, at the place of the first.
TEST(MissingCodes, AllProblemsOfAFileComeAtOnce) {
  const Error error = read_error("a,b,t,d,y\n1,2,red,1,u\n.,x,3,inf,v\n2,3,red,,u\n", {});
  EXPECT_EQ(error.location().line, 3U);
  EXPECT_EQ(error.location().column, "a");
  EXPECT_EQ(
      error.sentence(),
      "the text \".\" stands among 2 numbers; line 3, column 'b': the text \"x\" stands among 2 numbers; line 3, "
      "column 't': the number \"3\" stands among 2 texts; line 3, column 'd': \"inf\" is not a finite number; name "
      "what means missing, correct the value, drop the column, or declare the column categorical");
  std::string wide = "y";
  std::string bad = "\nu";
  std::string good = "\nv";
  for (int j = 0; j < 14; ++j) {
    wide += ",c" + std::to_string(j);
    bad += ",.";
    good += ",1";
  }
  EXPECT_TRUE(says(read_error(wide + bad + good + good + "\n", {.label = "y"}),
                   "'c9': the text \".\" stands among 2 "
                   "numbers; and 4 more columns; name what means missing"));
}

}  // namespace missing_codes_tests
}  // namespace credence::data::test
