#include "data/labels.hpp"

#include <cmath>

#include "data/cell.hpp"
#include "files.hpp"

namespace credence::data::test {
namespace labels_cases_tests {

using Names = std::vector<std::string>;

const std::string no_break = "\xC2\xA0";
const std::string narrow_no_break = "\xE2\x80\xAF";

/// Sixty rows with the given labels in turn, and a column of numbers.
std::string rows_labelled(const Names& labels) {
  std::string text = "x,label\n";
  for (std::size_t i = 0; i < 60; ++i) text += std::to_string(i * i % 17) + "," + labels[i % labels.size()] + "\n";
  return text;
}

/// The oracle is the list of code points that Python's str.strip takes away.
TEST(LabelsCases, TrimmedVsPythonsStrip) {
  for (const std::string blank :
       {" ", "\t", "\n", "\v", "\f", "\r", "\x1c", "\x1f", "\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x80",
        "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    EXPECT_EQ(detail::trimmed(blank + " ja nein" + blank + blank), "ja nein") << blank;
    EXPECT_EQ(detail::trimmed(blank + blank), "");
  }
  for (const std::string kept : {"\xE2\x80\x8B", "\xC3\xA0", "\xE2\x82\xAC", "\x1b", "\xE2\x80\x93"})
    EXPECT_EQ(detail::trimmed(kept), kept);
  EXPECT_EQ(detail::trimmed(std::string(1'000'000, ' ')), "");
}

TEST(LabelsCases, NoBreakSpacesAroundLabelsLevelsNumbersAndNamesAreBlanks) {
  std::string text = no_break + "x" + no_break + ",town,label\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 3 == 0 ? no_break : "") + std::to_string(i % 7) + (i % 5 == 0 ? narrow_no_break : "") + ",";
    text += i % 2 == 0 ? "Graz" + no_break : "Bern";
    text += i % 4 < 2 ? ",yes" + narrow_no_break + "\n" : ",no\n";
  }
  const Dataset dataset = read_text(text);
  EXPECT_EQ(dataset.schema.classes, (Names{"no", "yes"}));
  EXPECT_EQ(column_names(dataset), (Names{"x", "town"}));
  EXPECT_EQ(dataset.schema.columns[0].kind, ColumnKind::numeric);
  EXPECT_EQ(dataset.schema.columns[1].levels, (Names{"Bern", "Graz"}));
  EXPECT_TRUE(dataset.notes.empty());
  EXPECT_TRUE(says(read_error("x,label\n1,a\n2," + no_break + "\n3,b\n"), "the label is missing"));
  const Dataset svm = read_text("ja" + no_break + " 1:1\nja 1:2\nnein 1:3\n", {}, ".svm");
  EXPECT_EQ(svm.schema.classes, (Names{"ja", "nein"}));
}

TEST(LabelsCases, EqualNumbersAreOneClassWithOneNote) {
  const std::string note =
      "labels that are equal numbers count as one class: \"+1\" and \"1\" and \"1.0\", \"02\" and \"2\"; names of "
      "different classes need a letter";
  const Names labels{"1", "-1", "+1", "1.0", "2", "02"};
  const Dataset csv = read_text(rows_labelled(labels));
  EXPECT_EQ(csv.schema.classes, (Names{"-1", "1", "2"}));
  EXPECT_EQ(csv.notes, Names{note});
  EXPECT_EQ(std::vector<int>(csv.labels.begin(), csv.labels.begin() + 6), (std::vector<int>{1, 0, 1, 1, 2, 2}));
  std::string text;
  for (std::size_t i = 0; i < 60; ++i) text += labels[i % 6] + " 1:" + std::to_string(i) + "\n";
  const Dataset svm = read_text(text, {}, ".svm");
  EXPECT_EQ(svm.schema.classes, csv.schema.classes);
  EXPECT_EQ(svm.notes, csv.notes);
  EXPECT_EQ(svm.labels, csv.labels);
  DenseMatrix matrix(6, 1);
  const Dataset made = make_dataset(std::move(matrix), Names{" 1", "-1", "+1", "1.0", "2", "02"});
  EXPECT_EQ(made.schema.classes, csv.schema.classes);
  EXPECT_EQ(made.notes, csv.notes);
  // A spelling of its own is kept where there is no other.
  EXPECT_EQ(read_text(rows_labelled({"+1", "-1"})).schema.classes, (Names{"-1", "+1"}));
  EXPECT_TRUE(read_text(rows_labelled({"1.0", "2.0"})).notes.empty());
}

TEST(LabelsCases, NamesThatAreEqualNumbersOrDifferByCaseStayApartWithOneNoteEach) {
  const Dataset names = read_text(rows_labelled({"1", "1.0", "Ja", "ja", "JA", "M\xC3\x84NNLICH", "m\xC3\xA4nnlich"}));
  EXPECT_EQ(names.schema.classes.size(), 7U);
  EXPECT_EQ(names.notes,
            (Names{"the classes \"1\" and \"1.0\" are equal numbers; write them alike if they mean the same",
                   "the classes \"JA\" and \"Ja\" and \"ja\", \"M\xC3\x84NNLICH\" and \"m\xC3\xA4nnlich\" "
                   "differ by case alone; write them alike if they mean the same"}));
  const Dataset declared = read_text(rows_labelled({"1", "01"}), {.categorical = {"label"}});
  EXPECT_EQ(declared.schema.classes, (Names{"01", "1"}));
  EXPECT_EQ(declared.notes.size(), 1U);
  EXPECT_TRUE(read_text(rows_labelled({"\xC3\x97", "\xC3\xB7"})).notes.empty());  // signs, no letters
  std::string text = "town,x,label\n";
  for (int i = 0; i < 40; ++i)
    text += std::string(i % 2 == 0 ? "Graz" : "graz") + "," + std::to_string(i % 7) + (i % 3 == 0 ? ",a\n" : ",b\n");
  EXPECT_EQ(read_text(text).notes,
            Names{"column 'town': the levels \"Graz\" and \"graz\" differ by case alone; write them alike if they mean "
                  "the same"});
}

TEST(LabelsCases, LabelsOfNewRowsAreKnownByTheirValue) {
  const Dataset trained = read_text(rows_labelled({"+1", "-1"}));
  EXPECT_EQ(label_names(read_text("x,label\n1,1\n2,-1.0\n3,1e0\n4,2\n5,one\n", {.schema = &trained.schema})),
            (Names{"+1", "-1", "+1", "?", "?"}));
  EXPECT_EQ(label_names(read_text("1 1:1\n-1.0 1:2\n", {.schema = &trained.schema}, ".svm")), (Names{"+1", "-1"}));
  Dataset made = make_dataset(DenseMatrix(2, 1), Names{"1", "-1.0"});
  EXPECT_EQ(label_names(rows_for(made, trained.schema)), (Names{"+1", "-1"}));
  const Dataset words = read_text(rows_labelled({"1", "a"}));
  EXPECT_EQ(label_names(read_text("x,label\n1,1.0\n2,a\n", {.schema = &words.schema})), (Names{"?", "a"}));
}

TEST(LabelsCases, TextsInMemoryVsTheSameFile) {
  const Names numbers{"1", " 2.5" + no_break, "?", "-3"};
  const auto [values, no_levels] = read_texts(numbers, "column 'x'", false);
  EXPECT_FALSE(no_levels);
  EXPECT_EQ(values[1], 2.5);
  EXPECT_TRUE(std::isnan(values[2]));
  const auto [codes, levels] = read_texts({"b ", "a", "b", "", no_break + "a"}, "column 'x'", false);
  EXPECT_EQ(*levels, (Names{"a", "b"}));
  EXPECT_EQ(std::vector<double>(codes.begin(), codes.begin() + 3), (std::vector<double>{1, 0, 1}));
  EXPECT_TRUE(std::isnan(codes[3]));
  EXPECT_EQ(*read_texts({"10", "9", "9"}, "column 'x'", true).second, (Names{"9", "10"}));
  const auto refused = [](const Names& texts) {
    return error_of([&] { read_texts(texts, "column 'x'", false); }).sentence();
  };
  EXPECT_EQ(
      refused({"1", "2", "."}),
      "row 2, counted from 0, column 'x': the text \".\" stands among 2 numbers; name what means missing, correct the "
      "value, drop the column, or declare the "
      "column categorical");
  EXPECT_EQ(refused({"inf"}), "row 0, counted from 0, column 'x': \"inf\" is not a finite number");
}

}  // namespace labels_cases_tests
}  // namespace credence::data::test
