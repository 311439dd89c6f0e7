#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "helpers.hpp"
#include "support/command.hpp"

/// A file as spreadsheets write it: semicolons, decimal commas, texts, missing values, a constant column, three
/// classes, row numbers, a name that stands twice.
namespace credence::test {
namespace messy_data_tests {

const std::string messy = std::string(CREDENCE_SOURCE_DIR) + "/tests/data/messy.csv";
const std::vector<std::string> small_grid{"--C", "1,8", "--gamma", "0.01,0.1", "--estimate", "none"};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The messy file as a comma-separated one with decimal points, without quotes.
std::string tidy() {
  const data::Dataset dataset = data::read(messy, {.missing = data::Missing::impute, .all_texts = true});
  std::string text;
  for (const data::TextColumn& column : dataset.texts) text += (text.empty() ? "" : ",") + column.name;
  text += '\n';
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    for (std::size_t j = 0; j < dataset.texts.size(); ++j) {
      std::string cell = dataset.texts[j].cells[i];
      std::replace(cell.begin(), cell.end(), ',', '.');
      text += (j == 0 ? "" : ",") + data::csv_cell(cell);
    }
    text += '\n';
  }
  return text;
}

class MessyData : public testing::Test {
 protected:
  void SetUp() override {
    selected =
        credence.run(with({"select", messy, "--missing", "impute", "--drop", "Nr", "-o", "m.credence"}, small_grid));
    ASSERT_EQ(selected.code, 0) << selected.err;
  }
  Command credence;
  CommandResult selected;
};

/// The table that goes on is written as its input: both are read alike, and every number is that of the plain table.
TEST_F(MessyData, AppendedPredictionsAreWrittenAsTheirInput) {
  const std::vector<std::string> predict{"predict", "m.credence", messy, "--quiet"};
  const CommandResult appended = credence.run(with(predict, {"--append", "-o", "appended.csv"}));
  ASSERT_EQ(appended.code, 0) << appended.err;
  const std::string text = test::read_text(credence.folder().file("appended.csv"));
  EXPECT_EQ(text.substr(0, 3) == "\xef\xbb\xbf", test::read_text(messy).substr(0, 3) == "\xef\xbb\xbf");
  EXPECT_NE(text.find(";familiarity;"), std::string::npos) << text.substr(0, 200);
  const std::string plain = credence.run(predict).out;
  const auto read = [&](const std::string& name, const std::string& content) {
    return data::read(credence.folder().write(name, content),
                      {.missing = data::Missing::impute, .unlabelled = true, .keep = {"row"}});
  };
  const data::Dataset there = read("there.csv", text);
  const data::Dataset here = read("here.csv", plain);
  const auto column = [](const data::Dataset& dataset, const std::string& name) {
    const auto found = std::ranges::find(dataset.schema.columns, name, &data::Column::name);
    std::vector<double> values;
    if (found == dataset.schema.columns.end()) return values;
    const data::DenseMatrix cells = dataset.features.to_dense();
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      values.push_back(cells.row(i)[static_cast<std::size_t>(found - dataset.schema.columns.begin())]);
    return values;
  };
  const std::vector<double> values = column(here, "familiarity");
  EXPECT_EQ(values.size(), 150U);
  EXPECT_EQ(column(there, "familiarity"), values);
}

/// Against printf.
TEST_F(MessyData, DigitsAreSignificantOnes) {
  const std::vector<std::string> predict{"predict", "m.credence", messy, "--quiet"};
  const Table all(credence.run(predict).out);
  const Table four(credence.run(with(predict, {"--digits", "4"})).out);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    std::array<char, 40> printed{};
    std::snprintf(printed.data(), printed.size(), "%.4g", number(all.rows[i], "familiarity"));
    EXPECT_EQ(four.rows[i].at("familiarity"), printed.data());
    EXPECT_EQ(four.rows[i].at("label"), all.rows[i].at("label"));
  }
  EXPECT_EQ(credence.run(with(predict, {"--digits", "0"})).code, 2);
}

TEST_F(MessyData, IsReadWithNotes) {
  EXPECT_TRUE(says(selected.out, "150 rows, 8 features, 3 classes"));
  EXPECT_TRUE(says(selected.err,
                   "note: the cells are separated by semicolons; if that is wrong, give the delimiter (--delimiter)"));
  EXPECT_TRUE(
      says(selected.err, "note: the numbers have decimal commas; if that is wrong, give the decimal sign (--decimal)"));
  EXPECT_TRUE(says(selected.err, "twice, in columns 3 and 5; column 5 is called"));
  EXPECT_TRUE(says(selected.err, "constant on all rows"));
  const CommandResult quiet = credence.run(with({"select", messy, "--missing", "impute", "--quiet"}, small_grid));
  EXPECT_EQ(quiet.err, "");
}

TEST_F(MessyData, TellsWhatToDo) {
  const CommandResult missing = credence.run({"select", messy});
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(says(missing.err, "(--missing impute, --missing drop)")) << missing.err;
  const CommandResult counted = credence.run(with({"select", messy, "--missing", "impute"}, small_grid));
  EXPECT_TRUE(says(counted.err, "column 'Nr' counts the rows, so it looks like an identifier")) << counted.err;
  EXPECT_TRUE(says(counted.err, "drop the column (--drop)"));
  const CommandResult point = credence.run({"select", messy, "--missing", "impute", "--decimal", "point"});
  EXPECT_EQ(point.code, 0);
  EXPECT_TRUE(says(point.err,
                   "column 'Alter' is read as text, but all its texts are numbers with decimal commas; give the "
                   "decimal sign (--decimal)"))
      << point.err;
}

TEST_F(MessyData, GivesWhatTheTidyFileGives) {
  credence.folder().write("tidy.csv", tidy());
  const CommandResult other = credence.run(
      with({"select", "tidy.csv", "--missing", "impute", "--drop", "Nr", "--json", "tidy.json", "-o", "t.credence"},
           small_grid));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_FALSE(says(other.err, "decimal"));
  const CommandResult first = credence.run({"predict", "m.credence", messy});
  EXPECT_EQ(first.out, credence.run({"predict", "t.credence", "tidy.csv"}).out);
  // Each model reads the other's file.
  EXPECT_EQ(first.out, credence.run({"predict", "t.credence", messy}).out);
  const CommandResult across = credence.run({"predict", "m.credence", "tidy.csv"});
  EXPECT_EQ(first.out, across.out);
  EXPECT_TRUE(says(across.err, "the numbers have decimal points"));
  EXPECT_FALSE(says(first.err, "decimal"));  // as the model remembers
}

TEST_F(MessyData, APlanRepeatsTheReading) {
  const CommandResult result = credence.run(
      with({"select", messy, "--missing", "impute", "--drop", "Nr,Land", "--decimal", "comma", "--json", "a.json"},
           small_grid));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto plan = nlohmann::json::parse(read_text(credence.folder().file("a.json")));
  EXPECT_EQ(plan["options"]["drop"], nlohmann::json::array({"Nr,Land"}));
  EXPECT_EQ(plan["options"]["decimal"], "comma");
  const CommandResult again = credence.run({"select", messy, "--plan", "a.json", "--json", "b.json"});
  ASSERT_EQ(again.code, 0) << again.err;
  const auto repeated = nlohmann::json::parse(read_text(credence.folder().file("b.json")));
  for (const char* key : {"features", "best", "honest", "options"}) EXPECT_EQ(repeated[key], plan[key]) << key;
}

TEST_F(MessyData, ColumnsStandBeforeThePredictions) {
  const data::Dataset rows = data::read(messy, {.missing = data::Missing::impute, .all_texts = true});
  const CommandResult plain = credence.run({"predict", "m.credence", messy, "-o", "plain.csv", "--quiet"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const data::Dataset expected = data::read(credence.folder().file("plain.csv"), {.all_texts = true});
  for (const char* block : {"10000", "7"}) {
    const CommandResult all =
        credence.run({"predict", "m.credence", messy, "--append", "-o", "all.csv", "--block", block, "--quiet"});
    ASSERT_EQ(all.code, 0) << all.err;
    const data::Dataset found =
        data::read(credence.folder().file("all.csv"), {.missing = data::Missing::impute, .all_texts = true});
    ASSERT_EQ(found.texts.size(), expected.texts.size() + rows.texts.size());
    for (std::size_t j = 0; j < rows.texts.size(); ++j) {
      EXPECT_EQ(found.texts[1 + j].name, rows.texts[j].name);
      EXPECT_EQ(found.texts[1 + j].cells, rows.texts[j].cells);
    }
    EXPECT_EQ(found.texts[0].cells, expected.texts[0].cells);
    for (std::size_t j = 1; j < expected.texts.size(); ++j) {
      std::vector<std::string> with_commas = expected.texts[j].cells;
      for (std::string& cell : with_commas) std::ranges::replace(cell, '.', ',');
      EXPECT_EQ(found.texts[rows.texts.size() + j].cells, with_commas);
    }
  }
  const CommandResult one = credence.run({"predict", "m.credence", messy, "--id", "Nr,Bemerkung", "--quiet"});
  const std::string head = one.out.substr(one.out.find("row"), one.out.find(";label") - one.out.find("row"));
  EXPECT_EQ(head, "row;Nr;Bemerkung");
  EXPECT_TRUE(says(one.out, "\n2;1002;\"\"\"sehr\"\" gut\";")) << one.out.substr(0, 300);
}

TEST_F(MessyData, NamesOfPredictionsGiveWay) {
  credence.folder().write("rows.csv", clouds_csv(60, 2, 1));
  std::string text = clouds_csv(60, 2, 1);
  text.replace(0, text.find('\n'), "x,y,row,label");
  credence.folder().write("named.csv", text);
  ASSERT_EQ(credence.run({"train", "named.csv", "-o", "n.credence", "--quiet"}).code, 0);
  const CommandResult all = credence.run({"predict", "n.credence", "named.csv", "--append", "--quiet"});
  EXPECT_EQ(all.out.substr(0, all.out.find('\n')), "file_row,x,y,row,label,predicted_label,decision_value,familiarity");
}

TEST_F(MessyData, WhatAllMethodsWarnOfIsSaidOnce) {
  const CommandResult compared = credence.run(
      with({"compare", messy, "--missing", "impute", "--drop", "Nr", "--methods", "cv,holdout", "--outer-folds", "3"},
           small_grid));
  ASSERT_EQ(compared.code, 0) << compared.err;
  const std::size_t at = compared.err.find("constant on all rows");
  ASSERT_NE(at, std::string::npos) << compared.err;
  EXPECT_EQ(compared.err.find("constant on all rows", at + 1), std::string::npos) << compared.err;
}

TEST_F(MessyData, ErrorsNameTheColumnAndTheOption) {
  const CommandResult converted = credence.run({"convert", messy, "messy.svm", "--missing", "drop"});
  EXPECT_EQ(converted.code, 3);
  EXPECT_TRUE(says(converted.err, "messy.csv, column 'Standort': text cannot be converted")) << converted.err;
  const CommandResult label = credence.run({"select", messy, "--missing", "impute", "--label", "Alter"});
  EXPECT_TRUE(says(label.err, "drop the rows with missing values (--missing drop)")) << label.err;
  credence.folder().write("score.csv", "a;score;label\n1;0,5;x\n2;;y\n3;1,25;x\n");
  const CommandResult score = credence.run({"select", "score.csv", "--label", "score"});
  EXPECT_TRUE(
      says(score.err, "the label is missing, and the column holds fractions; perhaps choose another label (--label)"))
      << score.err;
  const CommandResult lower = credence.run({"predict", "m.credence", messy, "--id", "nr"});
  EXPECT_TRUE(says(lower.err, "; the names are \"Nr\", ")) << lower.err;
}

TEST_F(MessyData, WrongColumnsAreRefused) {
  const CommandResult unknown = credence.run({"predict", "m.credence", messy, "--id", "who"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(says(unknown.err, "the column \"who\" is neither a name in its header")) << unknown.err;
  EXPECT_EQ(credence.run({"predict", "m.credence", messy, "--id", "Nr", "--append"}).code, 2);
  const CommandResult drop = credence.run({"select", messy, "--drop", "who"});
  EXPECT_EQ(drop.code, 2);
  EXPECT_TRUE(says(drop.err, "the dropped column \"who\"")) << drop.err;
}

}  // namespace messy_data_tests
}  // namespace credence::test
