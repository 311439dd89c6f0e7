#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

#include "data/files.hpp"

/// What spreadsheets and archives add to a table. The oracle is the plain table.
namespace credence::data::test {
namespace spreadsheet_tests {

using Values = std::vector<double>;

const std::string plain = "a,b,y\n1,2.5,u\n2,3.5,v\n3,4.5,u\n";

void expect_plain(const Dataset& found, const std::vector<std::string>& notes) {
  const Dataset twin = read_text(plain);
  EXPECT_EQ(column_names(found), column_names(twin));
  EXPECT_TRUE(std::ranges::equal(found.features.stored(), twin.features.stored()));
  EXPECT_EQ(label_names(found), label_names(twin));
  for (const std::string& note : notes)
    EXPECT_TRUE(std::ranges::any_of(found.notes, [&](const std::string& said) { return said.find(note) == 0; }))
        << note;
}

TEST(Spreadsheets, EmptyColumnsAndRowsAreSkippedWithANote) {
  const std::vector<std::string> notes{"2 rows without any value are skipped",
                                       "columns without a name and without any value are left out: 4, 5"};
  expect_plain(read_text("a;b;y;;\r\n1;2,5;u;;\r\n2;3,5;v;;\r\n3;4,5;u;;\r\n;;;;\r\n;;;;\r\n"), notes);
  expect_plain(read_text("a;b;y;;\n1;2,5;\"u\";;\n;;;;\n2;3,5;v;;\n3;4,5;u;;\n; ;;;\n"), notes);  // cell by cell
  expect_plain(read_text("a,b,y\n1,2.5,u\n2,3.5,v\n,,\n3,4.5,u\n"), {"1 row without any value is skipped"});
  EXPECT_EQ(read_text("1,2,u,\n2,3,v,\n4,5,u,\n").schema.label_position, 2U);
  EXPECT_TRUE(says(read_error("a,b\n,\n,\n"), "no row of the file has a value"));
  // A column with a name, or with a value far below, is none of these.
  EXPECT_TRUE(says(read_error("a,b,y\n1,,u\n2,,v\n"), "a value is missing (2 in the column)"));
  EXPECT_TRUE(says(read_error("a,z,\n1,u,\n2,v,\n3,u,7\n"), "the label is missing"));
}

TEST(Spreadsheets, RowsForAModelThatImputesKeepTheirPlaces) {
  const Schema schema = read_text(plain).schema;
  EXPECT_EQ(read_text("a,b\n1,2\n,\n3,4\n", {.missing = Missing::impute, .schema = &schema}).rows(), 3U);
  EXPECT_EQ(read_text("a,b\n1,2\n,\n3,4\n", {.schema = &schema}).rows(), 2U);
}

TEST(Spreadsheets, TheLineOfTheDelimiterVerticalBarsAndCtrlZ) {
  for (const std::string line : {"sep=;\r\n", "\"sep=;\"\n", "SEP=;\n"})
    expect_plain(read_text(line + "a;b;y\n1;2,5;u\n2;3,5;v\n3;4,5;u\n"), {"the cells are separated by semicolons"});
  expect_plain(read_text("sep=,\n" + plain), {});
  expect_plain(read_text("sep=\t\na\tb\ty\n1\t2.5\tu\n2\t3.5\tv\n3\t4.5\tu\n"), {"the cells are separated by tabs"});
  EXPECT_EQ(read_error("sep=;\na;b;y\n1;x;u\n2;3;v\n").location().line, 3U);
  expect_plain(read_text("a|b|y\n1|2.5|u\n2|3.5|v\n3|4.5|u\n"), {"the cells are separated by vertical bars"});
  for (const std::string end : {"\x1a", "\x1a\x1a", "\x1a\r\n"}) expect_plain(read_text(plain + end), {});
  expect_plain(read_text(plain.substr(0, plain.size() - 1) + "\x1a"), {});
  expect_plain(read_text(gzipped(plain + "\x1a"), {}, ".csv.gz"), {});
}

std::string little(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value /= 256) text += static_cast<char>(value % 256);
  return text;
}

struct Packed {
  std::string name;
  std::string text;
  bool stored = false;
  std::size_t flags = 0;
};

/// An archive by the letter of APPNOTE.TXT, deflated by zlib.
std::string zipped(const std::vector<Packed>& files) {
  std::string bytes;
  std::string directory;
  for (const Packed& file : files) {
    const std::string gzip = gzipped(file.text);
    const std::string data =
        file.stored ? file.text : gzip.substr(10, gzip.size() - 18);  // without header and checksum
    const std::size_t sum = crc32_z(0, reinterpret_cast<const Bytef*>(file.text.data()), file.text.size());
    const std::string common = little(20, 2) + little(file.flags, 2) + little(file.stored ? 0 : 8, 2) + little(0, 4) +
                               little(sum, 4) + little(data.size(), 4) + little(file.text.size(), 4) +
                               little(file.name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 10) + little(bytes.size(), 4) + file.name;
    bytes += "PK\x03\x04" + common + file.name + data;
  }
  const std::string end = "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
                          little(directory.size(), 4) + little(bytes.size(), 4) + little(0, 2);
  return bytes + directory + end;
}

TEST(Spreadsheets, AnArchiveOfOneTableVsTheTable) {
  for (const bool stored : {false, true}) {
    expect_plain(read_text(zipped({{"t.csv", plain, stored}}), {}, ".zip"), {});
    expect_plain(read_text(zipped({{"f/", "", true}, {"f/t.csv", plain, stored}, {"__MACOSX/f/._t.csv", "x"}})), {});
  }
  std::string large = "a,y\n";
  for (int i = 0; i < 200000; ++i) large += std::to_string(i) + (i % 2 == 0 ? ",u\n" : ",v\n");
  for (const bool stored : {false, true})
    EXPECT_TRUE(std::ranges::equal(read_text(zipped({{"t.csv", large, stored}})).features.stored(),
                                   read_text(large).features.stored()));
}

TEST(Spreadsheets, OtherArchivesAreRefused) {
  const Error two = read_error(zipped({{"a.csv", plain}, {"b.csv", plain}}), {}, ".zip");
  EXPECT_TRUE(says(two, "holds 2 files (\"a.csv\", \"b.csv\"), and only an archive of one table is read; unpack it"));
  EXPECT_TRUE(says(read_error(zipped({{"[Content_Types].xml", "<x/>"}, {"xl/workbook.xml", "<x/>"}}), {}, ".xlsx"),
                   "the file is a spreadsheet (.xlsx, .ods) or another document; save the table as CSV"));
  EXPECT_TRUE(
      says(read_error(zipped({{"a.csv", plain, false, 1}})), "is encrypted, or packed in a way that is not read"));
  const std::string archive = zipped({{"a.csv", plain, true}});
  std::string damaged = archive;
  damaged[archive.find("2.5")] = '7';
  EXPECT_TRUE(says(read_error(damaged), "the zip archive is corrupt"));
  for (std::size_t size = 4; size < archive.size(); ++size)
    EXPECT_EQ(read_error(archive.substr(0, size)).code(), ErrorCode::format) << size;
}

}  // namespace spreadsheet_tests
}  // namespace credence::data::test
