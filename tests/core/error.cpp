#include "credence/core/error.hpp"

#include <gtest/gtest.h>

#include <string>

#include "credence/core/version.hpp"

namespace error_tests {

using credence::Error;
using credence::ErrorCode;
using credence::Location;

std::string what(Location location) {
  return Error(ErrorCode::invalid_data, "it is wrong", std::move(location)).what();
}

TEST(Error, NamesTheKnownPartsOfThePlace) {
  EXPECT_EQ(what({}), "it is wrong");
  EXPECT_EQ(what({.file = "a.csv", .line = 7, .column = "age"}), "a.csv:7, column 'age': it is wrong");
  EXPECT_EQ(what({.file = "a.csv", .line = 7, .column = ""}), "a.csv:7: it is wrong");
  EXPECT_EQ(what({.file = "a.csv", .line = 0, .column = ""}), "a.csv: it is wrong");
  EXPECT_EQ(what({.file = "a.csv", .line = 0, .column = "age"}), "a.csv, column 'age': it is wrong");
  const std::string column_only = what({.file = "", .line = 0, .column = "age"});
  EXPECT_NE(column_only.find("column 'age': it is wrong"), std::string::npos) << column_only;
  const std::string line_only = what({.file = "", .line = 7, .column = ""});
  EXPECT_NE(line_only.find("7: it is wrong"), std::string::npos) << line_only;
  EXPECT_NE(line_only.front(), ':') << line_only;
}

TEST(Error, KeepsItsParts) {
  const Error error(ErrorCode::format, "it is cut off", {.file = "m.credence", .line = 0, .column = ""});
  EXPECT_EQ(error.code(), ErrorCode::format);
  EXPECT_EQ(error.sentence(), "it is cut off");
  EXPECT_EQ(error.location().file, "m.credence");
}

TEST(ThrowIfAny, NamesAllProblems) {
  EXPECT_NO_THROW(credence::throw_if_any({}));
  try {
    credence::throw_if_any({"C must be > 0", "folds must be >= 2"});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(error.sentence().find("C must be > 0"), std::string::npos);
    EXPECT_NE(error.sentence().find("folds must be >= 2"), std::string::npos);
  }
}

TEST(Version, HasThreeNumbers) {
  int dots = 0;
  for (const char c : credence::version()) {
    dots += c == '.' ? 1 : 0;
    EXPECT_TRUE(c == '.' || (c >= '0' && c <= '9'));
  }
  EXPECT_EQ(dots, 2);
}

}  // namespace error_tests
