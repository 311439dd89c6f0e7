#include "data/files.hpp"

namespace credence::data::test {
namespace schema_cases_tests {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

const std::string training = "age,colour,label\n1,red,x\n2,blue,y\n3,green,x\n";

TEST(SchemaCases, ColumnsAreMatchedByName) {
  const Schema schema = read_text(training).schema;
  const Dataset dataset =
      read_text("extra,label,colour,more,age\n??,y,red,,7\n1,z,green,inf,8\n,,blue,q,9\n", {.schema = &schema});
  EXPECT_EQ(dataset.features.dense().values, (Values{7, 2, 8, 1, 9, 0}));
  EXPECT_EQ(label_names(dataset), (Names{"y", "?", "?"}));
  EXPECT_EQ(dataset.schema.columns[1].levels, schema.columns[1].levels);
  EXPECT_EQ(dataset.schema.classes, (Names{"x", "y"}));
}

TEST(SchemaCases, LabelsMayBeAbsentUnknownOrElsewhere) {
  const Schema schema = read_text(training).schema;
  EXPECT_FALSE(read_text("colour,age\nred,1\n", {.schema = &schema}).is_labelled());
  EXPECT_EQ(read_text("colour,age,truth\nred,1,y\n", {.label = "truth", .schema = &schema}).labels,
            std::vector<int>{1});
  EXPECT_FALSE(read_text("colour,age,label\nred,1,y\n", {.unlabelled = true, .schema = &schema}).is_labelled());
  EXPECT_EQ(read_error("colour,age\nred,1\n", {.label = "age", .schema = &schema}).code(), ErrorCode::invalid_argument);
}

TEST(SchemaCases, ErrorsNameTheColumn) {
  const Schema schema = read_text(training).schema;
  const Error absent = read_error("colour,b\nred,1\n", {.schema = &schema});
  EXPECT_TRUE(says(absent, "lacks column 'age'"));
  EXPECT_TRUE(absent.location().column.empty());  // the sentence names it
  const Error unknown = read_error("colour,age\nred,1\npink,2\nmauve,3\n", {.schema = &schema});
  EXPECT_TRUE(says(unknown, "\"pink\" is none of the 3 levels that the model knows"));
  EXPECT_EQ(unknown.location().line, 3U);
  const Error text = read_error("colour,age\nred,1\nred,old\n", {.schema = &schema});
  EXPECT_TRUE(says(text, "\"old\" is not a number"));
  EXPECT_EQ(text.location().line, 3U);
  EXPECT_EQ(read_error("colour,age\nred,\n", {.schema = &schema}).location().column, "age");
}

TEST(SchemaCases, NumericLevelsStayLevels) {
  const Schema schema = read_text("a,b,label\n1,10,x\n2,9,y\n", {.categorical = {"b"}}).schema;
  EXPECT_EQ(schema.columns[1].levels, (Names{"9", "10"}));
  EXPECT_EQ(read_text("b,a\n10,1\n9,2\n", {.schema = &schema}).features.dense().values, (Values{1, 1, 2, 0}));
  EXPECT_TRUE(says(read_error("b,a\n9.0,1\n", {.schema = &schema}), "\"9.0\" is none of the 2 levels"));
}

TEST(SchemaCases, ColumnsAreMatchedByPositionWithoutHeader) {
  const Dataset trained = read_text("1,x,2\n3,y,4\n", {.label = "2"});
  EXPECT_FALSE(trained.schema.has_header);
  EXPECT_EQ(column_names(trained), (Names{"column 1", "column 3"}));
  const Values expected{5, 6, 7, 8};
  for (const std::string text : {"5,x,6\n7,y,8\n", "5,6\n7,8\n", "p,label,q\n5,x,6\n7,y,8\n"})
    EXPECT_EQ(read_text(text, {.schema = &trained.schema}).features.dense().values, expected) << text;
  EXPECT_EQ(read_text("5,y,6\n", {.schema = &trained.schema}).labels, std::vector<int>{1});
  EXPECT_TRUE(says(read_error("5,6,7,8\n", {.schema = &trained.schema}), "the file has 4 columns"));
}

TEST(SchemaCases, PositionsSkipWeightsAndGroups) {
  const Dataset trained = read_text("9,1,g,2,x\n8,3,h,4,y\n", {.weights = "1", .groups = "3"});
  const Values expected{5, 6};
  EXPECT_EQ(read_text("7,5,h,6,x\n", {.schema = &trained.schema}).features.dense().values, expected);
  EXPECT_EQ(read_text("7,5,h,6\n", {.schema = &trained.schema}).features.dense().values, expected);
}

TEST(SchemaCases, PositionsOfNamedColumnsAreKnownIfAllButTheLabelAreFeatures) {
  const Dataset plain = read_text("a,label,b\n1,x,2\n3,y,4\n");
  const Values expected{5, 6};
  EXPECT_EQ(read_text("5,x,6\n", {.header = Header::absent, .schema = &plain.schema}).features.dense().values,
            expected);
  const Dataset weighted = read_text("w,a,b,label\n9,1,2,x\n8,3,4,y\n", {.weights = "w"});
  EXPECT_TRUE(says(read_error("7,5,6,x\n", {.header = Header::absent, .schema = &weighted.schema}),
                   "cannot be matched by position; give the file a header"));
}

TEST(SchemaCases, RowsOfTextOnlyAreNoHeader) {
  const Dataset trained = read_text("red,x\nblue,x\nred,y\n");
  ASSERT_FALSE(trained.schema.has_header);
  EXPECT_EQ(read_text("red,y\nblue,x\n", {.schema = &trained.schema}).rows(), 2U);
}

}  // namespace schema_cases_tests
}  // namespace credence::data::test
