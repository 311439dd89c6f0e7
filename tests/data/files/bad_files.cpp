#include "data/files.hpp"

namespace credence::data::test {
namespace bad_files_tests {

struct BadFile {
  std::string name;
  ErrorCode code;
  std::size_t line;
  std::string column;
  std::string part;
};

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> files = {
      {"empty", ErrorCode::invalid_data, 0, "", "the file is empty"},
      {"blank_lines", ErrorCode::invalid_data, 0, "", "the file is empty"},
      {"header_only", ErrorCode::invalid_data, 0, "", "a header but no rows"},
      {"short_row", ErrorCode::invalid_data, 3, "", "the row has 2 cells where the first row has 3"},
      {"long_row", ErrorCode::invalid_data, 3, "", "the row has 4 cells where the first row has 3"},
      {"open_quote", ErrorCode::invalid_data, 3, "", "never closed"},
      {"quote_inside", ErrorCode::invalid_data, 3, "", "a double quote stands inside a cell"},
      {"text_after_quote", ErrorCode::invalid_data, 3, "", "a double quote stands inside a cell"},
      {"zero_byte", ErrorCode::invalid_data, 3, "", "zero byte"},
      {"utf16", ErrorCode::invalid_data, 0, "", "UTF-16"},
      {"text_among_numbers", ErrorCode::invalid_data, 3, "b", "the text \"abc\" stands among 2 numbers"},
      {"number_among_texts", ErrorCode::invalid_data, 3, "b", "the number \"4\" stands among 2 texts"},
      {"missing_cell", ErrorCode::invalid_data, 3, "b", "a value is missing (1 in the column)"},
      {"missing_label", ErrorCode::invalid_data, 3, "label", "the label is missing"},
      {"infinite", ErrorCode::invalid_data, 3, "b", "\"inf\" is not a finite number"},
      {"out_of_range", ErrorCode::invalid_data, 3, "b", "\"1e999\" is not a finite number"},
      {"other_delimiter", ErrorCode::invalid_data, 0, "", "check the delimiter"},
      {"zip_archive", ErrorCode::format, 0, "", "the zip archive is truncated or corrupt"},
  };
  return files;
}

const std::filesystem::path folder = std::filesystem::path(CREDENCE_SOURCE_DIR) / "tests/data/bad";

TEST(BadFiles, AreRefusedWithPlaceAndReason) {
  for (const BadFile& file : bad_files()) {
    const std::string path = (folder / (file.name + ".csv")).string();
    const Error error = error_of([&] { read(path); });
    EXPECT_EQ(error.code(), file.code) << file.name;
    EXPECT_EQ(error.location().file, path);
    EXPECT_EQ(error.location().line, file.line) << file.name;
    EXPECT_EQ(error.location().column, file.column) << file.name;
    EXPECT_TRUE(says(error, file.part)) << file.name;
    EXPECT_EQ(error.sentence().find('\n'), std::string::npos);
  }
}

TEST(BadFiles, DirectoriesAndAbsentFiles) {
  EXPECT_EQ(error_of([] { read(folder.string()); }).code(), ErrorCode::file);
  const Error absent = error_of([] { read((folder / "nowhere.csv").string()); });
  EXPECT_EQ(absent.code(), ErrorCode::file);
  EXPECT_TRUE(says(absent, "cannot be opened"));
  EXPECT_EQ(error_of([] { write_csv("/nowhere/at/all.csv", {}, {}, {}); }).code(), ErrorCode::file);
}

}  // namespace bad_files_tests
}  // namespace credence::data::test
