#include <charconv>
#include <cmath>

#include "credence/core/random.hpp"
#include "data/cell.hpp"
#include "data/files.hpp"

/// Delimiters and decimal signs that the content decides, names that stand twice, columns that are dropped,
/// identifiers.
namespace credence::data::test {
namespace dialect_cases_tests {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

bool notes_say(const Dataset& dataset, const std::string& part) {
  return std::ranges::any_of(dataset.notes,
                             [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

const Values& values_of(const Dataset& dataset) {
  static Values values;
  const auto stored = dataset.features.dense().values;
  values.assign(stored.begin(), stored.end());
  return values;
}

TEST(DialectCases, DelimitersAreFound) {
  for (const char delimiter : {',', ';', '\t'}) {
    std::string text = "a,b,label\n1,2,x\n3,4,y\n";
    std::ranges::replace(text, ',', delimiter);
    const Dataset dataset = read_text(text);
    EXPECT_EQ(column_names(dataset), (Names{"a", "b"})) << delimiter;
    EXPECT_EQ(values_of(dataset), (Values{1, 2, 3, 4})) << delimiter;
    EXPECT_EQ(dataset.schema.delimiter, delimiter);
    EXPECT_EQ(dataset.notes.size(), delimiter == ',' ? 0U : 1U);
  }
  EXPECT_TRUE(notes_say(read_text("a;label\n1;x\n2;y\n"), "separated by semicolons"));
}

TEST(DialectCases, CommasWithinCellsDoNotPartThem) {
  // Each line has as many commas as semicolons; quoted delimiters do not count; text before a comma speaks for commas.
  EXPECT_EQ(values_of(read_text("1,5;2,5;x,1\n3,5;4,5;y,1\n", {.header = Header::absent})).size(), 6U);
  EXPECT_EQ(values_of(read_text("1,5;2,5;8\n3,5;4,5;9\n", {.header = Header::absent})), (Values{1.5, 2.5, 3.5, 4.5}));
  EXPECT_EQ(column_names(read_text("a,b,label\n1,u;v,x\n2,w;v,y\n")), (Names{"a", "b"}));
  EXPECT_EQ(column_names(read_text("a;\"b,c,d\";label\n1;2;x\n3;4;y\n")), (Names{"a", "b,c,d"}));
  EXPECT_EQ(column_names(read_text("\"a;b\",\"c;d\",label\n1,2,x\n3,4,y\n")), (Names{"a;b", "c;d"}));
}

TEST(DialectCases, WhatIsGivenIsNotSought) {
  const Error error = read_error("a;b;label\n1;2;x\n3;4;y\n", {.delimiter = ','});
  EXPECT_TRUE(says(error, "check the delimiter"));
  const Error point = read_error("a;b;label\n1;2,5;x\n3;4;y\n", {.decimal = Decimal::point});
  EXPECT_TRUE(says(point, "the text \"2,5\" stands among 1 number; correct the value, or give the decimal sign"));
  const Error comma = read_error("a;b;label\n1;2.5;x\n3;4;y\n", {.decimal = Decimal::comma});
  EXPECT_TRUE(says(comma, "the text \"2.5\" stands among 1 number; correct the value, or give the decimal sign"));
  EXPECT_EQ(values_of(read_text("a,label\n\"1,5\",x\n2,y\n", {.decimal = Decimal::comma})), (Values{1.5, 2}));
}

TEST(DialectCases, PartedThousandsAreReadWhereNothingElseIsMeant) {
  const Values wanted{1234.5, 999, -1234567, 0.25, 2345, 12};
  const Dataset points = read_text("a,b,label\n\"1,234.5\",999,x\n\"-1,234,567\",0.25,y\n\"2,345\",12,x\n");
  EXPECT_EQ(values_of(points), wanted);
  EXPECT_TRUE(notes_say(points, "numbers have commas between thousands: 1,234.5 is read as 1234.5"));
  const Dataset commas = read_text("a;b;label\n1.234,5;999;x\n-1.234.567;0,25;y\n2.345;12;x\n");
  EXPECT_EQ(values_of(commas), wanted);
  EXPECT_TRUE(commas.schema.decimal_comma);
  EXPECT_TRUE(notes_say(commas, "numbers have points between thousands: 1.234,5 is read as 1234,5"));
  // Commas part the cells, and quotes hold a decimal comma.
  EXPECT_EQ(values_of(read_text("a,label\n\"1.234,5\",x\n\"0,5\",y\n")), (Values{1234.5, 0.5}));
  // No group is certain, but a point stands before a fraction elsewhere.
  EXPECT_EQ(values_of(read_text("a,b,label\n\"1,234\",0.5,x\n999,2,y\n")), (Values{1234, 0.5, 999, 2}));
  EXPECT_EQ(values_of(read_text("a;b;label\n1.234;0,5;x\n999;2;y\n")), (Values{1234, 0.5, 999, 2}));
  // Read in parts on several threads, far behind the first cells.
  std::string text = "a;label\n1,234.5;x\n";
  for (int i = 0; i < 100000; ++i) text += i % 2 == 0 ? "7,654,321;x\n" : "1,5,0;y\n";
  EXPECT_TRUE(says(read_error(text), "the text \"1,5,0\""));
  std::string whole = "a;label\n1,234.5;x\n";
  for (int i = 0; i < 100000; ++i) whole += i % 2 == 0 ? "7,654,321;x\n" : "12;y\n";
  const Dataset large = read_text(whole);
  ASSERT_EQ(large.rows(), 100001U);
  for (std::size_t i = 1; i < large.rows(); ++i)
    ASSERT_EQ(large.features.dense().row(i)[0], i % 2 == 1 ? 7654321 : 12) << i;
}

TEST(DialectCases, DoubtfulThousandsAreNamed) {
  const Dataset alone = read_text("a,b,label\n\"1,234\",1,x\n\"2,345\",2,y\n\"2,345\",3,y\n");
  EXPECT_EQ(alone.schema.columns[0].kind, ColumnKind::categorical);
  EXPECT_TRUE(notes_say(alone,
                        "column 'a' is read as text, but all its texts are numbers with decimal commas, or with commas "
                        "between thousands; give the decimal sign, or write thousands without commas"));
  const std::string mixed = "a,label\n999,x\n\"1,234\",y\n7,y\n";
  EXPECT_TRUE(
      says(read_error(mixed), "among 2 numbers; write thousands without commas or points, or give the decimal sign"));
  EXPECT_TRUE(says(read_error("a,label\n999,x\n\"1,234\",y\n\"7,000\",y\n"),
                   "the text \"1,234\" stands among 1 number; write thousands"));
  std::string distinct = "a,label\n";
  for (int i = 100; i < 160; ++i) distinct += "\"7," + std::to_string(i) + "\"," + (i % 2 == 0 ? "x\n" : "y\n");
  EXPECT_TRUE(says(read_error(distinct),
                   "has a different text in each of the 60 rows, all of them numbers with decimal "
                   "commas, or with commas between thousands; give the decimal sign, or write"));
  // 0,5 and 1,234.5 in one file contradict each other.
  const Dataset torn = read_text("a,b,label\n\"1,234.5\",\"0,5\",x\n\"1,234,567\",\"0,7\",y\n");
  EXPECT_TRUE(notes_say(torn,
                        "column 'a' is read as text, but all its texts are numbers with commas between thousands; "
                        "write thousands without commas"));
  EXPECT_TRUE(notes_say(torn, "column 'b' is read as text, but all its texts are numbers with decimal commas"));
  EXPECT_FALSE(notes_say(read_text("a,label\n\"Smith, J\",x\n\"1,23\",y\n"), "numbers"));
}

TEST(DialectCases, PartedThousandsVsANaiveGrammar) {
  // All short texts over a small alphabet, against the grammar counted by hand: d{1,3}(,ddd)+, the first d not 0.
  const auto naive = [](const std::string& text) {
    std::size_t at = text.find_first_not_of("10");
    const std::size_t first = at == std::string::npos ? text.size() : at;
    if (first < 1 || first > 3 || text[0] == '0' || first == text.size()) return false;
    for (at = first; at < text.size(); at += 4) {
      if (text[at] != ',' || at + 4 > text.size()) return false;
      if (text.substr(at + 1, 3).find_first_not_of("10") != std::string::npos) return false;
    }
    return true;
  };
  constexpr std::string_view alphabet = "10,";
  std::size_t grouped_texts = 0;
  for (std::size_t length = 1; length <= 8; ++length) {
    std::vector<std::size_t> at(length, 0);
    for (bool more = true; more;) {
      std::string text;
      for (const std::size_t a : at) text += alphabet[a];
      EXPECT_EQ(detail::grouped(text, false) != detail::Grouped::no, naive(text)) << text;
      grouped_texts += naive(text) ? 1U : 0U;
      more = false;
      for (std::size_t& a : at) {
        if (++a < alphabet.size()) {
          more = true;
          break;
        }
        a = 0;
      }
    }
  }
  EXPECT_GT(grouped_texts, 50U);
}

TEST(DialectCases, DecimalCommasAreFoundAndNoted) {
  const Dataset dataset = read_text("a;b;label\n1,5;-,25e1;x\n+3;4,;y\n");
  EXPECT_EQ(values_of(dataset), (Values{1.5, -2.5, 3, 4}));
  EXPECT_TRUE(dataset.schema.decimal_comma);
  EXPECT_TRUE(notes_say(dataset, "decimal commas; if that is wrong, give the decimal sign"));
  // A point anywhere speaks against commas, and so do commas between cells.
  EXPECT_FALSE(read_text("a;t;label\n1.5;1,5;x\n2;u;y\n", {.categorical = {"t"}}).schema.decimal_comma);
  EXPECT_FALSE(read_text("a,t,label\n1,\"1,5\",x\n2,\"2,5\",y\n").schema.decimal_comma);
}

TEST(DialectCases, NumbersThatAreReadAsTextAreNoted) {
  const Dataset stray = read_text("a;b;label\n1,5;1.5;x\n2,5;2;y\n");
  EXPECT_TRUE(notes_say(stray, "column 'a' is read as text, but all its texts are numbers with decimal commas"));
  const Dataset given = read_text("a;label\n1.5;x\n2.5;y\n", {.decimal = Decimal::comma});
  EXPECT_TRUE(notes_say(given, "numbers with decimal points; give the decimal sign"));
  EXPECT_TRUE(read_text("a,label\n\"1,5\",x\nb,y\n").notes.empty());
}

TEST(DialectCases, TextIsNoDecimal) {
  const Dataset dataset = read_text("a;t;label\n1,5;1,2,3;x\n2,5;1.00,5;y\n");
  EXPECT_EQ(dataset.schema.columns[1].levels, (Names{"1,2,3", "1.00,5"}));
}

/// The same numbers with commas and with points, and quotes or none, whatever the number of threads.
TEST(DialectCases, DecimalCommasVsPoints) {
  core::RandomStream random(1);
  std::string point = "a;b;c;label\n";
  for (int i = 0; i < 40000; ++i) {
    for (int j = 0; j < 3; ++j) {
      std::array<char, 64> cell{};
      const double value = std::ldexp(random.normal(), static_cast<int>(random.below(60)) - 30);
      const auto end = std::to_chars(cell.data(), cell.data() + cell.size(), value).ptr;
      point += std::string(cell.data(), end) + (j == 1 ? " ;" : ";");
    }
    point += i % 2 == 0 ? "x\n" : "y\n";
  }
  std::string comma = point;
  std::ranges::replace(comma, '.', ',');
  std::string mixed = comma;  // a part of the file with one quoted cell is read cell by cell
  mixed.insert(mixed.find('\n', mixed.size() / 2) + 1, "\"1,5\";2;3;x\n");
  const Dataset expected = read_text(point);
  EXPECT_FALSE(expected.schema.decimal_comma);
  for (const int threads : {1, 3}) {
    const Dataset found = read_text(comma, {.threads = threads});
    EXPECT_TRUE(std::ranges::equal(found.features.dense().values, expected.features.dense().values)) << threads;
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(read_text(mixed, {.threads = threads}).rows(), 40001U);
  }
}

TEST(DialectCases, ModelsRememberHowTheirRowsWereRead) {
  const Schema comma = read_text("a;b;label\n1,5;2;x\n3,5;4;y\n").schema;
  const Dataset same = read_text("a;b\n2,5;1\n", {.schema = &comma});
  EXPECT_EQ(values_of(same), (Values{2.5, 1}));
  EXPECT_TRUE(same.notes.empty());
  // Nothing in the first rows tells the sign; behind the first 256 kB it turns up.
  std::string late = "a;b\n";
  while (late.size() < 300000) late += "12;34\n";
  EXPECT_EQ(values_of(read_text(late + "1,5;2\n", {.schema = &comma})).rbegin()[1], 1.5);
  EXPECT_TRUE(says(read_error(late + "1,5;2\n", {.unlabelled = true}), "give the decimal sign"));
  const Dataset point = read_text("a,b\n2.5,1\n", {.schema = &comma});
  EXPECT_EQ(values_of(point), (Values{2.5, 1}));
  EXPECT_EQ(point.notes.size(), 2U);
  const Schema bars = read_text("a|label\n1|x\n2|y\n", {.delimiter = '|'}).schema;
  EXPECT_EQ(values_of(read_text("label|a\nx|7\n", {.schema = &bars})), Values{7});
}

TEST(DialectCases, BlocksAreReadInTheSameWay) {
  const Schema schema = read_text("a;b;label\n1,5;2;x\n3,5;4;y\n").schema;
  const TemporaryFile file("a;b\n2,5;1\n3,5;2\n4,5;3\n");
  RowReader reader(file.path(), {.schema = &schema});
  Values values;
  while (const auto block = reader.next(1)) {
    EXPECT_TRUE(block->notes.empty());
    values.push_back(block->features.dense().row(0)[0]);
  }
  EXPECT_EQ(values, (Values{2.5, 3.5, 4.5}));
}

TEST(DialectCases, NamesThatStandTwiceGetNumbersAsInPandas) {
  const Dataset dataset = read_text("a,b,a,a.1,a,label\n1,2,3,4,5,x\n6,7,8,9,10,y\n");
  EXPECT_EQ(column_names(dataset), (Names{"a", "b", "a.2", "a.1", "a.3"}));
  EXPECT_TRUE(notes_say(dataset, "\"a\" twice, in columns 1 and 3; column 3 is called \"a.2\""));
  EXPECT_EQ(dataset.notes.size(), 2U);
  const Dataset rows = read_text("a,b,a,a.1,a\n1,2,3,4,5\n", {.schema = &dataset.schema});
  EXPECT_EQ(values_of(rows), (Values{1, 2, 3, 4, 5}));
  // In tables where each name says whose numbers they are, the names must differ.
  EXPECT_TRUE(says(read_error("a,a,label\n1,2,x\n", {.numbers = true}), "\"a\" twice, in columns 1 and 2"));
}

TEST(DialectCases, ColumnsAreDropped) {
  const std::string text = "id,a,b,label\n1,2,3,x\n2,5,6,y\n";
  EXPECT_EQ(column_names(read_text(text, {.drop = {"id"}})), (Names{"a", "b"}));
  EXPECT_EQ(column_names(read_text(text, {.drop = {"id,3"}})), Names{"a"});
  EXPECT_EQ(column_names(read_text(text, {.drop = {"1", "b"}})), Names{"a"});
  EXPECT_EQ(column_names(read_text("\"a,b\",a,b,label\n1,2,3,x\n2,5,6,y\n", {.drop = {"a,b"}})), (Names{"a", "b"}));
  EXPECT_EQ(read_text(text, {.drop = {"label"}}).schema.label_name, "b");
  EXPECT_TRUE(says(read_error(text, {.label = "a", .drop = {"a"}}), "holds the label and cannot be dropped"));
  EXPECT_TRUE(says(read_error(text, {.drop = {"c"}}), "the dropped column \"c\" is neither"));
  EXPECT_EQ(read_error("1 1:2\n", {.drop = {"1"}}, ".svm").code(), ErrorCode::invalid_argument);
  // What stands in a dropped column is not looked at, and rows for the model need not have it.
  const Dataset odd = read_text("id,a,label\n,1,x\n7,2,y\nseven,3,y\n", {.drop = {"id"}});
  EXPECT_EQ(values_of(odd), (Values{1, 2, 3}));
  EXPECT_EQ(values_of(read_text("a\n9\n", {.schema = &odd.schema})), Values{9});
  const Schema nameless = read_text("7,1,x\n8,2,y\n", {.header = Header::absent, .drop = {"1"}}).schema;
  EXPECT_EQ(values_of(read_text("70,10,x\n80,20,y\n", {.schema = &nameless})), (Values{10, 20}));
}

std::string numbered(const std::string& name, std::size_t rows, auto cell) {
  std::string text = name + ",a,label\n";
  for (std::size_t i = 0; i < rows; ++i) text += cell(i) + "," + std::to_string(i % 3) + (i % 2 == 0 ? ",x\n" : ",y\n");
  return text;
}

TEST(DialectCases, IdentifiersAreNoted) {
  const auto counting = [](std::size_t i) { return std::to_string(i + 1001); };
  const auto words = [](std::size_t i) { return "name" + std::to_string(i); };
  const auto mixed = [](std::size_t i) { return std::to_string(i * 7919 % 100); };
  const auto times = [](std::size_t i) { return std::to_string(static_cast<double>(i) + 0.5); };
  EXPECT_TRUE(notes_say(read_text(numbered("n", 20, counting)), "column 'n' counts the rows"));
  EXPECT_TRUE(notes_say(read_text(numbered("n", 20, words)), "column 'n' has a different text in each row"));
  EXPECT_TRUE(notes_say(read_text(numbered("patient_id", 20, mixed)), "a different whole number in each row"));
  EXPECT_TRUE(read_text(numbered("n", 20, mixed)).notes.empty());
  EXPECT_TRUE(read_text(numbered("n", 20, times)).notes.empty());
  EXPECT_TRUE(read_text(numbered("n", 9, counting)).notes.empty());
  EXPECT_TRUE(read_text(numbered("n", 20, counting), {.drop = {"n"}}).notes.empty());
  const std::string gap = numbered("n", 20, [](std::size_t i) { return i == 5 ? "" : std::to_string(i); });
  EXPECT_TRUE(notes_say(read_text(gap, {.missing = Missing::drop}), "counts the rows"));
}

TEST(DialectCases, TextsStandAsTheyAre) {
  const std::string rows = "id,a,note\n007,1, \"x, \"\"y\"\"\"\n 1e3 ,2,\n?,3,z\n";
  const Schema schema = read_text("a,label\n1,x\n2,y\n").schema;
  const Dataset some = read_text(rows, {.schema = &schema, .texts = {"id,3"}});
  ASSERT_EQ(some.texts.size(), 2U);
  EXPECT_EQ(some.texts[0].name, "id");
  EXPECT_EQ(some.texts[0].cells, (Names{"007", "1e3", "?"}));
  EXPECT_EQ(some.texts[1].cells, (Names{"x, \"y\"", "", "z"}));
  const Dataset all = read_text(rows, {.schema = &schema, .all_texts = true});
  EXPECT_EQ(all.texts[1].cells, (Names{"1", "2", "3"}));
  EXPECT_EQ(values_of(all), (Values{1, 2, 3}));
  EXPECT_TRUE(says(read_error(rows, {.schema = &schema, .texts = {"who"}}), "the column \"who\" is neither"));
  EXPECT_EQ(read_error("1 1:2\n", {.all_texts = true}, ".svm").code(), ErrorCode::invalid_argument);
}

/// Quoted lines, which are read cell by cell, among plain ones; rows that are dropped; a schema without names.
TEST(DialectCases, TextsOfBlocksVsOfTheWholeFile) {
  std::string text;
  for (int i = 0; i < 60000; ++i) {
    const std::string n = std::to_string(i);
    text += i % 1000 == 7 ? "\"row, " + n + "\"" : "row " + n;
    text += "," + (i % 100 == 3 ? std::string("?") : n) + ",w" + std::to_string(i % 5) + "\n";
  }
  const Schema schema = read_text("u,1,x\nv,2,y\n", {.header = Header::absent, .drop = {"1"}}).schema;
  const TemporaryFile file(text);
  const ReadOptions options{.missing = Missing::drop, .schema = &schema, .threads = 2, .all_texts = true};
  const Dataset whole = read(file.path(), options);
  ASSERT_EQ(whole.rows(), 59400U);
  RowReader reader(file.path(), options);
  std::vector<TextColumn> parts(3);
  while (const auto block = reader.next(7001)) {
    ASSERT_EQ(block->texts.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j)
      parts[j].cells.insert(parts[j].cells.end(), block->texts[j].cells.begin(), block->texts[j].cells.end());
  }
  for (std::size_t j = 0; j < 3; ++j) EXPECT_TRUE(parts[j].cells == whole.texts[j].cells) << j;
  for (std::size_t i = 0; i < whole.rows(); ++i) {
    const std::size_t row = whole.file_rows[i] - 1;
    const std::string expected = (row % 1000 == 7 ? "row, " : "row ") + std::to_string(row);
    ASSERT_EQ(whole.texts[0].cells[i], expected);
    ASSERT_EQ(whole.texts[1].cells[i], std::to_string(row));
  }
}

}  // namespace dialect_cases_tests
}  // namespace credence::data::test
