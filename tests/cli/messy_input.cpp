#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"

/// Files and words as people have them: letters of Windows, levels that are new, dates, prices, short helps.
namespace credence::test {
namespace messy_input_tests {

bool speaks_of(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two classes by x; a colour beside it, and a day that says nothing.
std::string rows_of_days(int count) {
  core::RandomStream random(7);
  std::string text = "day,colour,x,label\n";
  const std::vector<std::string> colours = {"red", "green", "blue"};
  for (int i = 0; i < count; ++i) {
    const int day = static_cast<int>(random.below(600));
    text += std::to_string(2020 + day / 300) + "-" + std::to_string(1 + day % 300 / 28) + "-" +
            std::to_string(1 + day % 28) + "," + colours[random.below(3)] + "," +
            std::to_string(random.normal() + 1.5 * (i % 2)) + (i % 2 == 0 ? ",no\n" : ",yes\n");
  }
  return text;
}

const std::vector<std::string> one_setting{"--C", "1", "--gamma", "0.5"};

TEST(MessyInput, UnknownLevelsStopOrCountAsAsked) {
  const Command credence;
  credence.folder().write("rows.csv", rows_of_days(90));
  credence.folder().write("new.csv", "colour,x,label\nred,1.5,yes\npurple,0.1,no\nblue,-1,no\n");
  credence.folder().write("blank.csv", "colour,x,label\nred,1.5,yes\n,0.1,no\nblue,-1,no\n");
  for (const char* missing : {"error", "impute", "drop"})
    ASSERT_EQ(credence
                  .run({"train", "rows.csv", "--missing", missing, "--C", "1", "--gamma", "0.5", "-o",
                        std::string(missing) + ".credence"})
                  .code,
              0);
  const CommandResult refused = credence.run({"predict", "error.credence", "new.csv"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.err,
            "credence: new.csv:3, column 'colour': \"purple\" is none of the 3 levels that the model knows (\"blue\", "
            "\"green\", \"red\"); such values can count as no level (--unseen other)\n");
  EXPECT_NE(credence.run({"predict", "impute.credence", "new.csv"}).err.find("--unseen missing"), std::string::npos);
  // As missing: what the model does with a blank cell.
  for (const char* model : {"impute.credence", "drop.credence"}) {
    const CommandResult as_missing = credence.run({"predict", model, "new.csv", "--unseen", "missing"});
    EXPECT_EQ(as_missing.code, 0) << as_missing.err;
    EXPECT_EQ(as_missing.out, credence.run({"predict", model, "blank.csv"}).out) << model;
    EXPECT_TRUE(speaks_of(as_missing.err, "values of unknown levels count as missing")) << as_missing.err;
  }
  EXPECT_EQ(credence.run({"predict", "error.credence", "new.csv", "--unseen", "missing"}).code, 3);
  const CommandResult other = credence.run({"predict", "error.credence", "new.csv", "--unseen", "other"});
  EXPECT_EQ(line_count(other.out), 4U);
  EXPECT_EQ(other.out, credence.run({"predict", "error.credence", "new.csv", "--unseen", "other", "--block", "1"}).out);
  // As no level: zeros in the columns of all levels, as the data of convert say.
  ASSERT_EQ(credence.run({"train", "rows.csv", "--scale", "none", "--C", "1", "-o", "plain.credence"}).code, 0);
  const CommandResult converted =
      credence.run({"convert", "new.csv", "new.svm", "--preprocess", "plain.credence", "--unseen", "other"});
  ASSERT_EQ(converted.code, 0) << converted.err;
  EXPECT_TRUE(speaks_of(read_text(credence.folder().file("new.svm")), " 4:0.1\n"));
  EXPECT_TRUE(speaks_of(read_text(credence.folder().file("new.svm")), " 3:1 4:1.5\n"));
  const CommandResult evaluated = credence.run({"evaluate", "error.credence", "new.csv", "--unseen", "other"});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
}

/// Left out, a day changes nothing: the honest error is that without the column.
TEST(MessyInput, DaysAreLeftOutAndCanBeKept) {
  const Command credence;
  credence.folder().write("rows.csv", rows_of_days(120));
  const auto select = [&](const std::vector<std::string>& more) {
    const CommandResult result = credence.run(with(with({"select", "rows.csv"}, one_setting), more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  const CommandResult usual = select({"-o", "m.credence"});
  EXPECT_TRUE(speaks_of(usual.err, "note: column 'day' holds ")) << usual.err;
  EXPECT_TRUE(speaks_of(usual.err, "declare the column categorical (--categorical)")) << usual.err;
  const auto honest = [](const CommandResult& result) {
    const std::size_t at = result.out.find("honest estimate");
    return result.out.substr(at, result.out.find('\n', at) - at);
  };
  EXPECT_TRUE(speaks_of(usual.out, "120 rows, 2 features"));
  EXPECT_EQ(honest(usual), honest(select({"--drop", "day"})));
  EXPECT_TRUE(speaks_of(select({"--categorical", "day"}).out, "120 rows, 3 features"));
  credence.folder().write("new.csv", "colour,x\nred,1\n");
  EXPECT_EQ(credence.run({"predict", "m.credence", "new.csv"}).code, 0);
}

TEST(MessyInput, LettersOfWindowsAreTheSameAsUtf8) {
  const Command credence;
  std::string latin1 =
      "gr\xf6\xdf"
      "e,b,label\n";
  std::string utf8 =
      "gr\xc3\xb6\xc3\x9f"
      "e,b,label\n";
  for (int i = 0; i < 40; ++i) {
    const std::string numbers = std::to_string(i % 7) + "," + std::to_string(i % 5) + ",";
    latin1 += numbers + (i % 2 == 0 ? "s\xfc\xdf\n" : "sauer\n");
    utf8 += numbers + (i % 2 == 0 ? "s\xc3\xbc\xc3\x9f\n" : "sauer\n");
  }
  credence.folder().write("latin1.csv", latin1);
  credence.folder().write("utf8.csv", utf8);
  const auto predictions = [&](const std::string& file, const std::string& encoding) {
    const CommandResult trained =
        credence.run({"train", file, "--encoding", encoding, "--C", "1", "--folds", "4", "-o", encoding + ".credence"});
    EXPECT_EQ(trained.code, 0) << trained.err;
    return credence.run({"predict", encoding + ".credence", file, "--append", "--encoding", encoding}).out;
  };
  const std::string found = predictions("latin1.csv", "latin1");
  EXPECT_EQ(found, "\xef\xbb\xbf" + predictions("utf8.csv", "utf-8"));
  EXPECT_TRUE(speaks_of(found, "p_s\xc3\xbc\xc3\x9f"));
  // The model remembers how its training file was written.
  EXPECT_EQ(credence.run({"predict", "latin1.credence", "latin1.csv", "--append"}).out, found);
  EXPECT_EQ("\xef\xbb\xbf" + credence.run({"predict", "latin1.credence", "utf8.csv", "--append"}).out, found);
  EXPECT_EQ(credence.run({"evaluate", "utf-8.credence", "latin1.csv"}).code, 3);
}

/// The oracle is the same table with empty cells; the model reads new rows as its own.
TEST(MessyInput, CodesOfMissingValuesVsEmptyCells) {
  const Command credence;
  std::string text = "a,b,label\n";
  for (int i = 0; i < 40; ++i)
    text += (i == 5 ? "." : std::to_string(i % 7)) + "," + (i == 9 ? "-99" : std::to_string(i % 5)) +
            (i % 7 > 3 ? ",u\n" : ",v\n");
  credence.folder().write("coded.csv", text);
  for (const std::string code : {".", "-99"}) text.replace(text.find(code), code.size(), "");
  credence.folder().write("blank.csv", text);
  const CommandResult refused = credence.run({"train", "coded.csv", "-o", "m.credence"});
  EXPECT_EQ(refused.err,
            "credence: coded.csv:7, column 'a': the text \".\" stands among 39 numbers; name what means missing "
            "(--na TEXT), correct the value, drop the column (--drop), or declare the column categorical "
            "(--categorical)\n");
  const std::vector<std::string> setting{"--missing", "impute", "--C", "1"};
  ASSERT_EQ(credence.run(with({"train", "coded.csv", "--na", ".,b=-99", "-o", "coded.credence"}, setting)).code, 0);
  ASSERT_EQ(credence.run(with({"train", "blank.csv", "-o", "blank.credence"}, setting)).code, 0);
  EXPECT_EQ(credence.run({"predict", "coded.credence", "coded.csv"}).out,
            credence.run({"predict", "blank.credence", "blank.csv"}).out);
}

TEST(MessyInput, FilesThatDoNotFitTheModelSayWhy) {
  const Command credence;
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(i % 7) + "," + std::to_string(i % 5) + (i % 7 > 3 ? ",u\n" : ",v\n");
  credence.folder().write("rows.csv", "mean_radius,b,label\n" + rows);
  credence.folder().write("none.csv", rows);
  credence.folder().write("renamed.csv", "radius mean,b,label\n" + rows);
  credence.folder().write("rows.json", "[{\"mean_radius\": 1, \"b\": 2}]\n");
  ASSERT_EQ(credence.run({"train", "rows.csv", "--C", "1", "-o", "m.credence"}).code, 0);
  const auto error = [&](const std::string& file) { return credence.run({"predict", "m.credence", file}).err; };
  EXPECT_EQ(error("none.csv"),
            "credence: none.csv: the file lacks columns 'mean_radius', 'b' of the model; has it a header? If its first "
            "row holds values, say that there is no header (--header no)\n");
  EXPECT_EQ(credence.run({"predict", "m.credence", "none.csv", "--header", "no"}).out,
            credence.run({"predict", "m.credence", "rows.csv"}).out);
  EXPECT_EQ(error("renamed.csv"),
            "credence: renamed.csv: the file lacks column 'mean_radius' of the model; if 'mean_radius' is meant by "
            "'radius mean', rename it\n");
  EXPECT_TRUE(speaks_of(error("rows.json"), "the file looks like JSON")) << error("rows.json");
  EXPECT_TRUE(speaks_of(credence.run({"predict", "-", "rows.csv"}).err, "give its file, which may be /dev/stdin"));
  EXPECT_TRUE(speaks_of(credence.run({"select", "rows.csv", "--score", "auc"}).err, "did you mean roc_auc?"));
  EXPECT_TRUE(speaks_of(credence.run({"train", "rows.csv", "--weight-column", "b", "-o", "w.credence"}).err,
                        "did you mean --weights?"));
  const CommandResult by_position = credence.run({"evaluate", "m.credence", "rows.csv", "--by", "2"});
  EXPECT_EQ(by_position.out, credence.run({"evaluate", "m.credence", "rows.csv", "--by", "b"}).out);
  EXPECT_EQ(credence.run({"evaluate", "m.credence", "none.csv", "--header", "no", "--by", "2"}).code, 0);
  EXPECT_EQ(credence.run({"evaluate", "m.credence", "rows.csv", "--by", ""}).code, 2);
}

TEST(MessyInput, APriceStopsAtOnce) {
  const Command credence;
  std::string text = "area,price\n";
  for (int i = 0; i < 400; ++i) text += std::to_string(20 + i % 90) + "," + std::to_string(50000 + 317 * i) + "\n";
  credence.folder().write("house.csv", text);
  const CommandResult refused = credence.run({"select", "house.csv"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(speaks_of(refused.err, "(--task regression)")) << refused.err;
  EXPECT_TRUE(speaks_of(refused.err, "(--label)")) << refused.err;
  EXPECT_EQ(line_count(refused.err), 1U);
}

TEST(MessyInput, AgesStopAtOnceUnlessTheyAreNames) {
  const Command credence;
  std::string text = "a,age\n";
  for (int i = 0; i < 320; ++i) text += std::to_string(i % 7) + "," + std::to_string(20 + i % 40) + "\n";
  credence.folder().write("ages.csv", text);
  const CommandResult refused = credence.run({"select", "ages.csv"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(speaks_of(refused.err,
                        "take a regression (--task regression), or declare the column categorical (--categorical)"))
      << refused.err;
  const CommandResult named = credence.run(
      {"train", "ages.csv", "--categorical", "age", "--kernel", "linear", "--C", "1", "-o", "ages.credence"});
  EXPECT_EQ(named.code, 0) << named.err;
}

TEST(MessyInput, ShortHelpNamesWhatStartNames) {
  const Command credence;
  const std::string help = credence.run({"select", "--help"}).out;
  for (const char* option : {"--missing", "--task", "--groups", "--score", "--class-weight"})
    EXPECT_TRUE(speaks_of(help, option)) << option;
  for (const char* command : {"select", "compare"})
    EXPECT_TRUE(speaks_of(credence.run({command, "--help"}).out, "default: label, target, class or y, else the last"))
        << command;
  // A line that goes on in the next one ends with a backslash, so that examples can be copied.
  const std::string examples = credence.run({"compare", "--help"}).out;
  EXPECT_TRUE(speaks_of(examples, "--methods \\\n    cv,cv+rvm"));
  EXPECT_FALSE(speaks_of(examples, "--methods\n"));
}

/// Noise, whose row numbers tell the class: rows that were sorted by class, and shuffled then.
std::string noise(bool numbered) {
  core::RandomStream random(3);
  std::string text = numbered ? ",x,y,label\n" : "x,y,label\n";
  for (int i = 0; i < 120; ++i) {
    const int row = i * 7 % 120;
    const std::string number = std::to_string(row) + ",";
    text += (numbered ? number : "") + std::to_string(random.normal()) + "," + std::to_string(random.normal()) +
            (row < 60 ? ",no\n" : ",yes\n");
  }
  return text;
}

/// Oracle: the file without its row numbers.
TEST(MessyInput, RowNumbersVsTheFileWithout) {
  const Command credence;
  credence.folder().write("numbered.csv", noise(true));
  credence.folder().write("plain.csv", noise(false));
  for (const std::string file : {"numbered", "plain"}) {
    const CommandResult selected = credence.run({"select", file + ".csv", "-o", file + ".credence", "--quiet"});
    ASSERT_EQ(selected.code, 0) << selected.err;
  }
  const std::string expected = credence.run({"predict", "plain.credence", "plain.csv"}).out;
  for (const char* model : {"numbered.credence", "plain.credence"})
    for (const char* rows : {"numbered.csv", "plain.csv"})
      EXPECT_EQ(credence.run({"predict", model, rows}).out, expected) << model << rows;
  const CommandResult kept =
      credence.run({"select", "numbered.csv", "--keep", "1", "--json", "kept.json", "-o", "kept.credence"});
  EXPECT_TRUE(speaks_of(kept.out, "120 rows, 3 features")) << kept.out;
  EXPECT_TRUE(speaks_of(kept.err, "so it looks like an identifier")) << kept.err;
  const CommandResult again = credence.run({"select", "numbered.csv", "--plan", "kept.json"});
  EXPECT_TRUE(speaks_of(again.out, "120 rows, 3 features")) << again.err;
  const CommandResult noted = credence.run(with({"train", "numbered.csv", "-o", "t.credence"}, one_setting));
  EXPECT_TRUE(speaks_of(noted.err, "no name, so it is left out; otherwise keep the column (--keep)")) << noted.err;
  const CommandResult scores = credence.run({"conformal", "fit", "numbered.csv", "-o", "c.credence"});
  EXPECT_TRUE(speaks_of(scores.err, "is left out")) << scores.err;
}

TEST(MessyInput, AHeaderWithNumbersIsNoRow) {
  const Command credence;
  std::string text = "2019,2020,income\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(i % 7) + ".5," + std::to_string(i * 3 % 11) + (i % 2 == 0 ? ",low\n" : ",high\n");
  credence.folder().write("years.csv", text);
  const CommandResult found = credence.run(with({"train", "years.csv", "-o", "y.credence"}, one_setting));
  EXPECT_TRUE(speaks_of(found.out, "30 rows, 2 features, 2 classes")) << found.out;
  EXPECT_TRUE(speaks_of(found.err, "otherwise say that there is no header (--header no)")) << found.err;
  credence.folder().write("few.csv", text.substr(0, text.find("low") + 4));
  const CommandResult wrong = credence.run({"train", "few.csv", "--label", "incom", "-o", "y.credence"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(speaks_of(wrong.err, "say that it is a header (--header yes)")) << wrong.err;
}

}  // namespace messy_input_tests
}  // namespace credence::test
