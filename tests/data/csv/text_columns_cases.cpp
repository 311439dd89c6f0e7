#include "data/column_notes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/data/preprocessing.hpp"
#include "data/files.hpp"

/// Labels and texts that differ in nearly every row, dates, and levels that no training row had.
namespace credence::data::test {
namespace text_columns_cases_tests {

using Names = std::vector<std::string>;

Names names_of(const Dataset& dataset) {
  Names names;
  for (const Column& column : dataset.schema.columns) names.push_back(column.name);
  return names;
}

bool has_note(const Dataset& dataset, const std::string& part) {
  return std::ranges::any_of(dataset.notes, [&](const std::string& note) { return note.find(part) != note.npos; });
}

/// Rows of a text, a number and one of two classes.
template <class Text>
std::string rows_with(int count, const Text& text) {
  std::string rows = "text,x,label\n";
  for (int i = 0; i < count; ++i) rows += text(i) + "," + std::to_string(i * i % 17) + (i % 2 == 0 ? ",a\n" : ",b\n");
  return rows;
}

TEST(TextColumnsCases, LabelsThatDifferInMostRowsAreNoClasses) {
  const auto labelled = [](int rows, int different, const std::string& prefix) {
    std::string text = "a,label\n";
    for (int i = 0; i < rows; ++i) text += std::to_string(i % 5) + "," + prefix + std::to_string(i % different) + "\n";
    return text;
  };
  const Error prices = read_error(labelled(400, 400, ""));
  EXPECT_EQ(prices.code(), ErrorCode::invalid_data);
  EXPECT_EQ(prices.location().column, "label");
  EXPECT_EQ(
      prices.sentence(),
      "the label has 400 different values in 400 rows, so it looks like a number to predict; take a regression, or "
      "choose another label");
  EXPECT_TRUE(says(read_error(labelled(21, 11, "")), "11 different values in 21 rows"));
  EXPECT_TRUE(says(read_error(labelled(60, 60, "p")), "looks like an identifier; choose another"));
  EXPECT_EQ(read_text(labelled(22, 11, "")).class_count(), 11U);
  EXPECT_EQ(read_text(labelled(20, 20, "")).class_count(), 20U);
  EXPECT_EQ(read_text(labelled(400, 400, ""), {.task = Task::regression}).targets.size(), 400U);
  std::string svmlight;
  for (int i = 0; i < 30; ++i) svmlight += std::to_string(i) + " 1:1\n";
  EXPECT_TRUE(says(read_error(svmlight, {}, ".svm"), "30 different values in 30 rows"));
  std::vector<std::string> labels;
  for (int i = 0; i < 30; ++i) labels.push_back(std::to_string(i));
  EXPECT_THROW(make_dataset(DenseMatrix(30, 1), labels), Error);
}

TEST(TextColumnsCases, ManyNumbersWithFewRowsEachAreNoClasses) {
  const auto ages = [](int rows, int different, const std::string& prefix = "") {
    std::string text = "a,age\n";
    for (int i = 0; i < rows; ++i)
      text += std::to_string(i % 5) + "," + prefix + std::to_string(18 + i % different) + "\n";
    return text;
  };
  const Error refused = read_error(ages(600, 73));
  EXPECT_EQ(refused.sentence(),
            "the label has 73 different numbers in 600 rows, so it looks like a number to predict; take a regression, "
            "or declare the column categorical");
  EXPECT_EQ(refused.location().column, "age");
  EXPECT_TRUE(says(read_error(ages(309, 31)), "31 different numbers in 309 rows"));
  EXPECT_EQ(read_text(ages(310, 31)).class_count(), 31U);
  EXPECT_EQ(read_text(ages(299, 30)).class_count(), 30U);
  EXPECT_EQ(read_text(ages(600, 73, "age ")).class_count(), 73U);
  EXPECT_EQ(read_text(ages(600, 73), {.categorical = {"age"}}).class_count(), 73U);
  EXPECT_EQ(read_text(ages(600, 73), {.task = Task::regression}).targets.size(), 600U);
  std::string svmlight;
  for (int i = 0; i < 600; ++i) svmlight += std::to_string(i % 73) + " 1:1\n";
  EXPECT_TRUE(says(read_error(svmlight, {}, ".svm"), "take a regression, or write the labels as names"));
}

TEST(TextColumnsCases, DoubtsVsNotes) {
  const auto texts = [](int count, const std::string& prefix) {
    std::vector<std::string> list;
    for (int i = 0; i < count; ++i) list.push_back(prefix + std::to_string(10 + i));
    return list;
  };
  EXPECT_EQ(detail::doubt_about_texts(texts(9, "2024-05-"), 100), "holds 9 different dates");
  EXPECT_EQ(detail::doubt_about_texts(texts(15, "name"), 25), "has 15 different texts in 25 rows");
  EXPECT_EQ(detail::doubt_about_texts(texts(21, "name"), 209), "has 21 different texts in 209 rows");
  EXPECT_EQ(detail::doubt_about_texts(texts(21, "name"), 210), "");
  EXPECT_EQ(detail::doubt_about_texts(texts(20, "name"), 100), "");
  EXPECT_EQ(detail::doubt_about_texts({}, 100), "");
}

TEST(TextColumnsCases, Dates) {
  for (const char* date : {"2024-05-17", "2024/5/7", "17.05.2024", "5/17/2024", "17/5/2024", "2024-05-17 13:45",
                           "2024-05-17T13:45:07.25Z", "1.1.1999", "2024-05-17T13:45:07+02:00"})
    EXPECT_TRUE(detail::is_date(date)) << date;
  for (const char* other : {"", "2024", "2024-05", "17.05", "2024-13-01", "2024-05-32", "0.5.2024", "17.05.24",
                            "17.18.2024", "2024-05/17", "10.0.0.1", "2024-05-17 noon", "20240517", "12-34-5678-9", "a"})
    EXPECT_FALSE(detail::is_date(other)) << other;
}

TEST(TextColumnsCases, DatesAndTextsThatDifferAreLeftOutWithANote) {
  const auto day = [](int i) { return "2024-05-" + std::to_string(10 + i % 3); };
  const auto name = [](int i) { return "name" + std::to_string(i % 31); };
  const Dataset dates = read_text(rows_with(12, day));
  EXPECT_EQ(names_of(dates), Names{"x"});
  EXPECT_TRUE(has_note(dates, "column 'text' holds 3 different dates and is left out"));
  const Dataset different = read_text(rows_with(60, name));
  EXPECT_EQ(names_of(different), Names{"x"});
  EXPECT_TRUE(has_note(different, "column 'text' has 31 different texts in 60 rows and is left out"));
  EXPECT_EQ(names_of(read_text(rows_with(62, name))), (Names{"text", "x"}));
  for (const auto& text : {rows_with(12, day), rows_with(60, name)})
    EXPECT_EQ(names_of(read_text(text, {.categorical = {"text"}})), (Names{"text", "x"}));
  // A missing value in a column that is left out is no matter, and rows to predict need no such column.
  const Dataset missing = read_text(rows_with(60, [&](int i) { return i == 7 ? "" : name(i); }));
  EXPECT_EQ(missing.rows(), 60U);
  EXPECT_EQ(read_text("x\n1\n2\n", {.schema = &dates.schema}).rows(), 2U);
  EXPECT_TRUE(says(read_error(rows_with(60, name), {.drop = {"x"}}), "no column is left for features: column 'text'"));
}

TEST(TextColumnsCases, ManyLevelsGetANote) {
  const auto town = [](int levels) { return [levels](int i) { return "town" + std::to_string(i % levels); }; };
  EXPECT_TRUE(
      has_note(read_text(rows_with(200, town(21))), "has 21 different texts in 200 rows, and each becomes a column"));
  EXPECT_TRUE(read_text(rows_with(210, town(21))).notes.empty());
  EXPECT_TRUE(read_text(rows_with(60, town(20))).notes.empty());
}

TEST(TextColumnsCases, NumbersThatAreReadAsTextAreNotLeftOut) {
  const auto number = [](int i) { return '"' + std::to_string(i) + ",5\""; };
  EXPECT_TRUE(
      says(read_error(rows_with(60, number)), "all of them numbers with decimal commas; give the decimal sign"));
}

const std::string colours = "colour,x,label\nred,1,a\ngreen,2,b\n,3,a\nred,4,b\n";
const std::string strange = "colour,x\ngreen,1\npurple,2\nred,3\nblack,4\n";

TEST(TextColumnsCases, UnknownLevels) {
  const Dataset training = read_text(colours, {.missing = Missing::impute});
  const Preprocessing fitted = Preprocessing::fit(training, Scaling::none);
  const auto rows = [&](Missing missing, Unseen unseen) {
    return read_text(strange, {.missing = missing, .schema = &training.schema, .unseen = unseen});
  };
  const auto numbers = [&](const Dataset& dataset) {
    return fitted.apply(dataset, UnknownLevel::ignore).dense().values;
  };
  const TemporaryFile file(strange);
  try {
    read(file.path(), {.missing = Missing::impute, .schema = &training.schema});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.location().line, 3U);
    EXPECT_EQ(error.location().column, "colour");
    EXPECT_EQ(error.sentence(),
              "\"purple\" is none of the 2 levels that the model knows (\"green\", \"red\"); such values can count as "
              "missing, or as no level");
  }
  // Columns: green, red, x. The most frequent level is red.
  const Dataset other = rows(Missing::impute, Unseen::other);
  EXPECT_EQ(numbers(other), (std::vector<double>{1, 0, 1, 0, 0, 2, 0, 1, 3, 0, 0, 4}));
  EXPECT_TRUE(has_note(other, "column 'colour' holds \"purple\" in line 3, which is none of the 2 levels"));
  EXPECT_EQ(numbers(rows(Missing::impute, Unseen::missing)), (std::vector<double>{1, 0, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4}));
  EXPECT_EQ(numbers(rows(Missing::drop, Unseen::missing)), (std::vector<double>{1, 0, 1, 0, 1, 3}));
  EXPECT_EQ(rows(Missing::error, Unseen::other).rows(), 4U);
  EXPECT_THROW(rows(Missing::error, Unseen::missing), Error);
  // The same rows block by block, with one note.
  RowReader reader(file.path(), {.missing = Missing::impute, .schema = &training.schema, .unseen = Unseen::other});
  std::vector<double> of_blocks;
  std::size_t notes = 0;
  while (const std::optional<Dataset> block = reader.next(1)) {
    for (const double value : numbers(*block)) of_blocks.push_back(value);
    notes += block->notes.size();
  }
  EXPECT_EQ(of_blocks, numbers(other));
  EXPECT_EQ(notes, 1U);
}

TEST(TextColumnsCases, UnknownLevelsOfRowsInMemory) {
  const Dataset training = read_text(colours, {.missing = Missing::impute});
  const auto made = [] {
    Dataset rows;
    DenseMatrix matrix(2, 2);
    matrix.values = {0, 1, 1, 2};
    rows.features = std::move(matrix);
    rows.schema.columns = {{"colour", ColumnKind::categorical, {"purple", "red"}}, {"x", ColumnKind::numeric, {}}};
    return rows;
  };
  EXPECT_TRUE(
      std::isnan(rows_for(made(), training.schema, Unseen::missing, Missing::impute).features.dense().row(0)[0]));
  EXPECT_EQ(rows_for(made(), training.schema, Unseen::other, Missing::error).features.dense().row(0)[0], 2);
  EXPECT_EQ(rows_for(made(), training.schema, Unseen::other, Missing::error).features.dense().row(1)[0], 1);
  EXPECT_THROW(rows_for(made(), training.schema, Unseen::missing, Missing::drop), Error);
  EXPECT_THROW(rows_for(made(), training.schema), Error);
}

/// As the reader does with rows of a file.
TEST(TextColumnsCases, CodesOfTheTrainingFileAreMissingInRowsInMemory) {
  const Dataset training = read_text("colour,x,z,label\nred,1,5,a\nblue,-99,4,b\nn.a.,2,-99,a\n",
                                     {.missing = Missing::impute, .na = {"n.a.", "x=-99"}});
  Dataset rows;
  DenseMatrix matrix(2, 3);
  matrix.values = {0, -99, -99, 1, 3, 5};
  rows.features = std::move(matrix);
  rows.schema.columns = {{"colour", ColumnKind::categorical, {"N.A.", "red"}},
                         {"x", ColumnKind::numeric, {}},
                         {"z", ColumnKind::numeric, {}}};
  const Dataset read = rows_for(rows, training.schema, Unseen::error, Missing::impute);
  const auto first = read.features.dense().row(0);
  EXPECT_TRUE(std::isnan(first[0]) && std::isnan(first[1]));
  EXPECT_EQ(first[2], -99);
  EXPECT_EQ(read.features.dense().row(1)[1], 3);
  EXPECT_EQ(rows.features.dense().row(0)[1], -99) << "the rows of the caller stay";
  EXPECT_THROW(rows_for(rows, training.schema, Unseen::error, Missing::error), Error);
}

}  // namespace text_columns_cases_tests
}  // namespace credence::data::test
