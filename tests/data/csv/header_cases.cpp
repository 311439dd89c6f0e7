#include "data/files.hpp"

/// Which first rows are headers: each case says what it is.
namespace credence::data::test {
namespace header_cases_tests {

using Names = std::vector<std::string>;

/// The first row and `rows` rows below it.
std::string under(const std::string& first, std::size_t rows, auto row) {
  std::string text = first + "\n";
  for (std::size_t i = 0; i < rows; ++i) text += row(i) + "\n";
  return text;
}

std::string number(std::size_t i) {
  return std::to_string(i * 37 % 101) + "." + std::to_string(i % 10);
}
std::string country(std::size_t i) {
  return "land" + std::to_string(i);
}
std::string level(std::size_t i) {
  return i % 3 == 0 ? "high" : i % 3 == 1 ? "low" : "middle";
}

TEST(HeaderCases, NamesMayBeNumbers) {
  const auto years = [](std::size_t i) {
    return country(i) + "," + number(i) + "," + number(i + 7) + "," + number(i + 9) + "," + level(i);
  };
  const Dataset dataset = read_text(under("country,2019,2020,2021,income", 60, years));
  EXPECT_EQ(dataset.rows(), 60U);
  EXPECT_EQ(dataset.schema.label_name, "income");
  EXPECT_EQ(dataset.schema.classes, (Names{"high", "low", "middle"}));
  EXPECT_EQ(column_names(dataset), (Names{"2019", "2020", "2021"}));  // countries differ in each row
  EXPECT_EQ(dataset.notes.front(),
            "the first row, with the number 2019, is taken for a header; otherwise say that there is no header");
  EXPECT_EQ(read_text(under("\"country\",\"2019\",\"2020\",\"2021\",\"income\"", 60, years)).schema.label_name,
            "income");
  const auto first = [](std::size_t i) { return level(i) + "," + number(i) + "," + number(i + 3); };
  EXPECT_EQ(read_text(under("income,2019,2020", 60, first), {.label = "income"}).rows(), 60U);
  EXPECT_EQ(read_text(under("income,2019,2020", 60, first), {.label = "1"}).schema.label_name, "income");
  const auto one = [](std::size_t i) { return number(i) + "," + number(i + 5) + "," + level(i); };
  EXPECT_EQ(column_names(read_text(under("2019,2020,income", 60, one))), (Names{"2019", "2020"}));
  const auto coloured = [](std::size_t i) { return level(i) + "," + number(i) + "," + level(i / 3); };
  EXPECT_EQ(column_names(read_text(under("colour,7,sort", 60, coloured))), (Names{"colour", "7"}));
  const auto texts = [](std::size_t i) { return level(i) + "," + level(i / 2) + "," + level(i / 3); };
  EXPECT_EQ(column_names(read_text(under("place,2019,sort", 60, texts))), (Names{"place", "2019"}));
  // A text above numbers alone needs no many rows, nor a label word.
  EXPECT_EQ(column_names(read_text("age,7,kind\n31,1,0\n45,2,1\n38,3,0\n")), (Names{"age", "7"}));
  EXPECT_EQ(read_text("2019,2020,class\n31,1,a\n45,2,b\n").schema.label_name, "class");
}

TEST(HeaderCases, ALabelMayNameTheHeader) {
  const std::string text = "country,2019,income\nA,1.5,low\nB,2.5,high\nC,3.5,low\n";
  EXPECT_FALSE(read_text(text).schema.has_header);  // three rows are too few to tell
  EXPECT_EQ(read_text(text, {.label = "income"}).schema.label_name, "income");
  EXPECT_EQ(read_text("2019,2020,2021\n1,2,a\n3,4,b\n", {.label = "2021"}).schema.label_name, "2021");
  EXPECT_FALSE(read_text("7,2,3\n1,2,a\n3,4,b\n", {.label = "3"}).schema.has_header);  // a position
  const Error wrong = read_error(text, {.label = "incom"});
  EXPECT_TRUE(says(wrong, "if its first row has the names, say that it is a header")) << wrong.what();
}

TEST(HeaderCases, FirstRowsOfDataStay) {
  const auto rows_of = [](const std::string& text) { return read_text(text).rows(); };
  const auto plain = [](std::size_t i) { return number(i) + "," + number(i + 5) + "," + std::to_string(i % 2); };
  EXPECT_EQ(rows_of(under("2019,2020,1", 60, plain)), 61U);  // numbers only
  const auto text_first = [](std::size_t i) { return level(i) + "," + number(i) + "," + level(i / 3); };
  EXPECT_EQ(rows_of(under("low,4.5,high", 60, text_first)), 61U);
  const auto named = [](std::size_t i) { return country(i + 1) + "," + number(i) + "," + level(i); };
  EXPECT_EQ(rows_of(under("land0,4.5,low", 60, named)), 61U);
  const auto numbered = [](std::size_t i) { return country(i + 1) + "," + number(i) + "," + std::to_string(i % 2); };
  EXPECT_EQ(rows_of(under("land0,4.5,1", 60, numbered)), 61U);  // names of rows, and a label of numbers
  const auto log = [](std::size_t i) {
    return "2024-05-" + std::to_string(10 + i / 5) + "," + number(i) + "," + std::to_string(i % 2);
  };
  EXPECT_EQ(rows_of(under("2024-05-09,4.5,1", 60, log)), 61U);  // a day with one row
  // The first of several rare levels.
  const auto rare = [](std::size_t i) { return number(i) + "," + (i % 20 == 0 ? country(i) : level(i)); };
  EXPECT_EQ(rows_of(under("4.5,land9", 60, rare)), 61U);
  // The first row of 1,200 has a class that occurs again in the last alone.
  const auto late = [](std::size_t i) { return number(i) + "," + (i == 900 ? "rare" : level(i)); };
  EXPECT_EQ(rows_of(under("4.5,rare", 901, late)), 902U);
}

TEST(HeaderCases, MissingNumbersAreNoNames) {
  const auto row = [](std::size_t i) { return number(i) + "," + number(i + 5) + "," + level(i); };
  for (const char* first : {"?,?,low", "NA,,low", "nan,4.5,low", ",4.5,low"})
    EXPECT_EQ(read_text(under(first, 60, row), {.missing = Missing::impute}).rows(), 61U) << first;
  EXPECT_EQ(read_text(under(",b,label", 60, row)).rows(), 60U);
  EXPECT_EQ(read_text(under(",,", 60, row)).rows(), 60U);  // names that are blank
  EXPECT_EQ(read_text(under("?,?,?", 60, row), {.missing = Missing::drop}).file_rows.front(), 2U);
  EXPECT_EQ(read_text(under("?,?,1", 60, [](std::size_t i) { return number(i) + ",2," + std::to_string(i % 2); }),
                      {.missing = Missing::impute})
                .rows(),
            61U);
}

/// Oracle: the same rows under a header that is given.
TEST(HeaderCases, RowsThatWaitVsRowsUnderAGivenHeader) {
  const auto row = [](std::size_t i) {
    const std::string name = i % 9 == 0 ? "\"la\nnd" + std::to_string(i) + '"' : country(i);
    return name + "," + (i == 17 ? "?" : number(i)) + "," + level(i);
  };
  const std::string text = under("country,2019,income", 3000, row);
  const ReadOptions asked{.missing = Missing::drop, .categorical = {"1"}, .all_texts = true};
  ReadOptions given = asked;
  given.header = Header::present;
  const Dataset found = read_text(text, asked);
  const Dataset expected = read_text(text, given);
  EXPECT_EQ(found.rows(), 2999U);
  EXPECT_EQ(found.file_rows, expected.file_rows);
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_TRUE(found.features.dense().values == expected.features.dense().values);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(found.texts[j].cells, expected.texts[j].cells);
  // The line of a problem among the rows that waited, behind cells with line breaks.
  const std::string wrong =
      under("country,2019,income", 60, [&](std::size_t i) { return i == 20 ? "x,1e999,low" : row(i); });
  EXPECT_EQ(read_error(wrong, asked).location().line, 25U);
  EXPECT_EQ(read_error(wrong, asked).location().column, "2019");
}

}  // namespace header_cases_tests
}  // namespace credence::data::test
