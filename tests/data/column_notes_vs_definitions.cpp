#include <fmt/format.h>

#include <cmath>

#include "data/files.hpp"

/// Row numbers and numbers far from all others: which columns have them is known, as each case is made so.
namespace credence::data::test {
namespace column_notes_vs_definitions_tests {

using Names = std::vector<std::string>;

bool noted(const Dataset& dataset, const std::string& part) {
  return std::ranges::any_of(dataset.notes, [&](const std::string& note) { return note.find(part) != note.npos; });
}

/// A table of `rows` rows: the column in question, a number and one of two classes.
std::string table(const std::string& name, std::size_t rows, auto cell) {
  std::string text = name + ",a,label\n";
  for (std::size_t i = 0; i < rows; ++i)
    text += cell(i) + "," + std::to_string(i * i % 17) + (i % 2 == 0 ? ",x\n" : ",y\n");
  return text;
}

/// 0 to 399, shuffled: 7 and 400 have no common divisor.
std::string shuffled(std::size_t i) {
  return std::to_string(i * 7 % 400);
}

TEST(ColumnNotesVsDefinitions, RowNumbersOfPandasAreLeftOut) {
  const Names names{"",      "\"\"",    "Unnamed: 0",        "Unnamed: 0.1",
                    "index", "level_0", "__index_level_0__", "__index_level_1__"};
  for (const std::string& name : names) {
    const Dataset dataset = read_text(table(name, 400, shuffled));
    EXPECT_EQ(column_names(dataset), Names{"a"}) << name;
    EXPECT_TRUE(noted(dataset, "has a different whole number in each row")) << name;
    EXPECT_TRUE(noted(dataset, "so it is left out; otherwise keep the column")) << name;
    EXPECT_EQ(dataset.notes.size(), 1U) << name;
    EXPECT_EQ(read_text(table(name, 400, shuffled), {.keep = {"1"}}).features.columns(), 2U) << name;
    EXPECT_EQ(read_text(table(name, 400, shuffled), {.categorical = {"1"}}).features.columns(), 2U) << name;
    // New rows with and without the column.
    EXPECT_EQ(read_text(name + ",a\n7,3\n", {.schema = &dataset.schema}).features.dense().values[0], 3);
    EXPECT_EQ(read_text("a\n3\n", {.schema = &dataset.schema}).features.dense().values[0], 3);
  }
  EXPECT_EQ(column_names(read_text(table("index", 400, shuffled), {.keep = {"index"}})), (Names{"index", "a"}));
  EXPECT_TRUE(says(read_error(table("index", 40, shuffled), {.keep = {"who"}}), "the kept column \"who\" is neither"));
}

TEST(ColumnNotesVsDefinitions, AFewRowsMayBeUnlike) {
  const auto but = [](std::size_t others) {
    return [others](std::size_t i) { return i < others ? std::to_string(9) : std::to_string(1000 + 7 * i); };
  };
  // One in twenty of 400 rows: 20. With 21 rows of 9, 20 of them repeat it.
  EXPECT_EQ(column_names(read_text(table("index", 400, but(21)))), Names{"a"});
  EXPECT_EQ(column_names(read_text(table("index", 400, but(22)))), (Names{"index", "a"}));
  const auto gap = [](std::size_t i) { return i == 7 ? "" : std::to_string(i); };
  EXPECT_EQ(column_names(read_text(table("", 40, gap))), Names{"a"});  // what is left out may lack values
  const auto halves = [](std::size_t i) { return std::to_string(i) + ".5"; };
  EXPECT_EQ(column_names(read_text(table("index", 400, halves))), (Names{"index", "a"}));
  EXPECT_EQ(column_names(read_text(table("index", 9, shuffled))), (Names{"index", "a"}));
}

TEST(ColumnNotesVsDefinitions, OtherWholeNumbersStay) {
  // Without gaps: the note alone. A header is needed for a column without a name.
  const Dataset day = read_text(table("day", 400, shuffled));
  EXPECT_EQ(column_names(day), (Names{"day", "a"}));
  EXPECT_TRUE(noted(day, "column 'day' has a different whole number in each row, so it looks like an identifier"));
  const auto copied = [](std::size_t i) { return std::to_string(i < 3 ? 50 : i * 7 % 400); };
  EXPECT_TRUE(noted(read_text(table("day", 400, copied)), "a different whole number in 397 of 400 rows"));
  const auto apart = [](std::size_t i) { return std::to_string(100000 + 7 * (i * 3 % 400)); };
  EXPECT_TRUE(read_text(table("case", 400, apart)).notes.empty());
  EXPECT_TRUE(noted(read_text(table("case_id", 400, apart)), "looks like an identifier"));
  const std::string headless = table("", 400, shuffled).substr(std::string(",a,label\n").size());
  const Dataset plain = read_text(headless);
  EXPECT_EQ(plain.features.columns(), 2U);
  EXPECT_TRUE(noted(plain, "column 1 has a different whole number in each row"));
  // A second column without a name is not the index.
  EXPECT_EQ(read_text("b,,label\n" + table("", 40, shuffled).substr(9)).features.columns(), 2U);
}

TEST(ColumnNotesVsDefinitions, AnIndexIsNeverTheLabelByDefault) {
  std::string text = "a,kind,__index_level_0__\n";
  for (std::size_t i = 0; i < 60; ++i)
    text += std::to_string(i % 7) + (i % 3 == 0 ? ",x," : ",y,") + shuffled(i) + "\n";
  const Dataset dataset = read_text(text);
  EXPECT_EQ(dataset.schema.label_name, "kind");
  EXPECT_EQ(column_names(dataset), Names{"a"});
}

TEST(ColumnNotesVsDefinitions, NumbersFarFromAllOthers) {
  const auto with = [](const std::string& far, std::size_t at) {
    return [far, at](std::size_t i) { return i == at ? far : std::to_string(std::sin(static_cast<double>(i))); };
  };
  for (const char* far : {"1e300", "-1e300", "1e101", "1e10", "-9999999999"}) {
    const Dataset dataset = read_text(table("x", 400, with(far, 4)));
    ASSERT_EQ(dataset.notes.size(), 1U) << far;
    EXPECT_TRUE(noted(dataset, "column 'x' holds ")) << far;
    EXPECT_TRUE(noted(dataset, " in line 6, so far from the others that these are the same once scaled")) << far;
  }
  EXPECT_TRUE(noted(read_text(table("x", 400, with("1e300", 0))), "column 'x' holds 1e+300 in line 2,"));
  // A standard deviation of 1e6 / 20 leaves the others 4e-5 apart; sentinels are values.
  for (const char* near : {"1e6", "-99", "999999", "0"})
    EXPECT_TRUE(read_text(table("x", 400, with(near, 4))).notes.empty()) << near;
  const auto two = [](std::size_t i) { return i < 2 ? std::string("-1e200") : std::to_string(i % 3); };
  EXPECT_TRUE(noted(read_text(table("x", 400, two)), "holds -1e+200 in line 2 and 2 such numbers in all, so far"));
  // Marks of rare rows, whatever the scaling makes of them; but not if a mark is 10^100 times the others.
  const auto mark = [](const std::string& value, const std::string& other) {
    return [=](std::size_t i) { return i == 30 ? value : other; };
  };
  EXPECT_TRUE(read_text(table("x", 400, mark("1", "0"))).notes.empty());
  EXPECT_TRUE(read_text(table("x", 400, mark("1e9", "0"))).notes.empty());
  EXPECT_TRUE(noted(read_text(table("x", 400, mark("1e300", "5"))), "holds 1e+300 in line 32"));
  EXPECT_TRUE(noted(read_text(table("x", 400, mark("1e300", "0"))), "holds 1e+300 in line 32"));
  // Times of one minute, and one that is 0.
  const auto clock = [](std::size_t i) { return i == 3 ? "0" : std::to_string(1700000000 + i % 60); };
  EXPECT_TRUE(noted(read_text(table("x", 400, clock)), "column 'x' holds 0 in line 5"));
  // The line of the file, blank lines and dropped rows counted.
  std::string text = table("x", 40, with("1e300", 9));
  text.insert(text.find('\n') + 1, "\n?,3,x\n");
  EXPECT_TRUE(noted(read_text(text, {.missing = Missing::drop}), "holds 1e+300 in line 13,"));
  std::string svmlight;
  for (int i = 0; i < 40; ++i)
    svmlight += (i % 2 == 0 ? "1 1:" : "0 1:") + with("1e300", 9)(static_cast<std::size_t>(i)) + " 2:1\n";
  EXPECT_TRUE(noted(read_text(svmlight, {}, ".svm"), "column 1 holds 1e+300 in data row 10"));
}

TEST(ColumnNotesVsDefinitions, NoNumberIsFarInUsualColumns) {
  const auto heavy = [](std::size_t i) {  // lognormal, sigma 3, by its quantiles
    const double u = (static_cast<double>(i * 7 % 400) + 0.5) / 400;
    return std::to_string(std::exp(3 * std::log(u / (1 - u)) / 1.7));
  };
  EXPECT_TRUE(read_text(table("x", 400, heavy)).notes.empty());
  const auto rare = [](std::size_t i) { return i % 50 == 7 ? std::to_string(i) + ".5" : "0"; };
  EXPECT_TRUE(read_text(table("x", 400, rare)).notes.empty());
  EXPECT_TRUE(read_text(table("x", 400, [](std::size_t) { return std::string("7"); })).notes.empty());
}

/// 400 rows: `count` of them hold the value, the others 1 to 3 in steps of a tenth.
auto with_value(const std::string& value, std::size_t count) {
  return [=](std::size_t i) {
    return i % 7 == 3 && i / 7 < count ? value : fmt::format("{:.1f}", 1 + 0.1 * static_cast<double>(i % 21));
  };
}

TEST(ColumnNotesVsDefinitions, TheCodeOfOneColumnIsLookedForInAll) {
  // The age is too wide for a code of its own; the debt has the value between others, the visits a 9 as a count.
  const auto text = [](const std::string& code) {
    std::string lines = "age,crp,debt,visits,label\n";
    for (std::size_t i = 0; i < 400; ++i)
      lines += fmt::format("{},{},{},{},{}\n", i % 20 == 3 ? code : std::to_string(19 + i % 56) + ".5",
                           i % 20 == 4 ? code : fmt::format("{:.1f}", 1 + 0.1 * static_cast<double>(i % 10)),
                           i % 3 == 0   ? "-500"
                           : i % 3 == 1 ? code
                                        : std::to_string(1000 + i),
                           i % 10, i % 2 == 0 ? 'a' : 'b');
    return lines;
  };
  EXPECT_EQ(
      read_text(text("-99")).notes,
      (Names{"column 'age' holds -99 in 5 % of its rows, below all others (19.5 to 74.5), as column 'crp' does; if it "
             "means missing: --na age=-99",
             "column 'crp' holds -99 in 5 % of its rows, far below all others (1 to 1.9); if it means missing: "
             "--na crp=-99"}));
  const Names nine = read_text(text("9")).notes;
  ASSERT_EQ(nine.size(), 1U);
  EXPECT_TRUE(nine[0].starts_with("column 'crp' holds 9 in 5 %"));
}

TEST(ColumnNotesVsDefinitions, ASentinelIsFartherThanFiveRangesAndComesAgain) {
  const auto note = [](const std::string& name, auto cell) { return read_text(table(name, 400, cell)).notes; };
  EXPECT_EQ(note("CRP", with_value("-99", 32)),
            Names{"column 'CRP' holds -99 in 8 % of its rows, far below all others (1 to 3); if it means missing: "
                  "--na CRP=-99"});
  EXPECT_EQ(note("K (mmol)", with_value("999", 4)),
            Names{"column 'K (mmol)' holds 999 in 1 % of its rows, far above all others (1 to 3); if it means missing: "
                  "--na 'K (mmol)=999'"});
  EXPECT_EQ(note("CRP", with_value("999", 3)), Names{});  // fewer than 1 %
  EXPECT_EQ(note("CRP", with_value("-9", 32)), Names{});  // exactly five ranges below 1
  EXPECT_EQ(note("CRP", with_value("-9.01", 32)).size(), 1U);
  EXPECT_EQ(note("CRP", with_value("13", 32)), Names{});
  // What half of the rows hold is the rule, not a gap.
  const auto often = [](std::size_t parts) {
    return [=](std::size_t i) { return i % 7 < parts ? "-99" : std::to_string(i % 5); };
  };
  EXPECT_EQ(note("CRP", often(3)).size(), 1U);
  EXPECT_EQ(note("CRP", often(4)), Names{});
  // A second value as far away is one of all others; a mark of some rows has no others that differ.
  EXPECT_EQ(note("CRP", [](std::size_t i) { return i % 9 == 0   ? "-99"
                                                   : i % 9 == 1 ? "-30"
                                                                : std::to_string(i % 5); }),
            Names{});
  EXPECT_EQ(note("mark", [](std::size_t i) { return std::string(i % 20 == 0 ? "1" : "0"); }), Names{});
  // Gaps are no rows of the column; fewer than ten other numbers say nothing.
  const auto gaps = [](std::size_t i) { return i > 49 ? "" : i < 2 ? "-99" : std::to_string(i % 4); };
  const Names found = read_text(table("x", 400, gaps), {.missing = Missing::impute}).notes;
  EXPECT_TRUE(found.size() == 1 && found[0].find("holds -99 in 4 % of its rows") != std::string::npos);
  const auto few = [](std::size_t i) { return i > 10 ? "" : i < 2 ? "-99" : std::to_string(i % 4); };
  EXPECT_EQ(read_text(table("x", 400, few), {.missing = Missing::impute}).notes, Names{});
}

}  // namespace column_notes_vs_definitions_tests
}  // namespace credence::data::test
