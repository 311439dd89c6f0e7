#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "credence/core/list.hpp"
#include "support/expect_error.hpp"

namespace list_vs_written_values_tests {

using credence::ErrorCode;
using credence::core::parse_list;
using credence::core::parse_named_numbers;
using credence::core::parse_number;
using credence::test::expect_error;

void expect_list(const char* text, const std::vector<double>& expected) {
  const std::vector<double> actual = parse_list(text);
  ASSERT_EQ(actual.size(), expected.size()) << text;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-12 * std::abs(expected[i])) << text << " [" << i << "]";
}

TEST(ParseList, OneValue) {
  expect_list("8", {8});
  expect_list("0.1", {0.1});
  expect_list("1e-3", {1e-3});
  expect_list("2^-3", {0.125});
  expect_list("2^10", {1024});
  expect_list("10^2", {100});
}

TEST(ParseList, PowersOfTwoAreExact) {
  EXPECT_EQ(parse_list("2^-15").front(), std::ldexp(1.0, -15));
  const std::vector<double> c = parse_list("2^-5:2^15:x4");
  ASSERT_EQ(c.size(), 11U);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], std::ldexp(1.0, -5 + 2 * static_cast<int>(i)));
}

TEST(ParseList, Lists) {
  expect_list("1,10,100", {1, 10, 100});
  expect_list("2^-1,2^0,2^1", {0.5, 1, 2});
}

TEST(ParseList, Geometric) {
  expect_list("1:100:x10", {1, 10, 100});
  expect_list("2^-15:2^3:x4", {std::ldexp(1, -15), std::ldexp(1, -13), std::ldexp(1, -11), std::ldexp(1, -9),
                               std::ldexp(1, -7), std::ldexp(1, -5), std::ldexp(1, -3), std::ldexp(1, -1), 2, 8});
  expect_list("1:99:x10", {1, 10});  // the end is not met
  expect_list("1:3:x10", {1});
  expect_list("5:5:x2", {5});
  expect_list("0.001:1000:x10", {0.001, 0.01, 0.1, 1, 10, 100, 1000});  // met but for rounding
}

TEST(ParseList, Arithmetic) {
  expect_list("0.1:1:+0.1", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0});  // met but for rounding
  expect_list("1:2:+0.4", {1, 1.4, 1.8});
  expect_list("3:3:+1", {3});
}

TEST(ParseList, RefusesWhatItCannotRead) {
  for (const char* text :
       {"",         " ",       ",",        "1,",       ",1",      "1,,2",    "abc",     "1x",        "2^",
        "^2",       "1:10",    "1:10:",    "1:10:4",   "1:10:y4", "1:10:x",  "1:10:x1", "1:10:x0.5", "1:10:x0",
        "1:10:x-2", "1:10:+0", "1:10:+-1", "1:10:+",   "10:1:x2", "10:1:+1", "0:8:x2",  "-1:8:x2",   "1:10:x2:3",
        "nan",      "inf",     "1:inf:x2", "1:nan:+1", "1e400",   "2^5000",  "1 2"}) {
    expect_error(ErrorCode::invalid_argument, "", [&] { parse_list(text); });
  }
}

TEST(ParseList, NamesThePartThatIsWrong) {
  expect_error(ErrorCode::invalid_argument, "abc", [] { parse_list("1,abc,3"); });
  expect_error(ErrorCode::invalid_argument, "zz", [] { parse_list("1:zz:x2"); });
}

TEST(ParseList, RefusesTooManyValues) {
  expect_error(ErrorCode::invalid_argument, "10", [] { parse_list("0:1:+1e-9"); });
  expect_error(ErrorCode::invalid_argument, "10", [] { parse_list("1:2:x1.000000001"); });
  EXPECT_EQ(parse_list("1:10000:+1").size(), 10000U);
  expect_error(ErrorCode::invalid_argument, "10", [] { parse_list("1:10001:+1"); });
}

TEST(ParseNumber, IsOneNumberOrPower) {
  EXPECT_EQ(parse_number("-1.5"), -1.5);
  EXPECT_EQ(parse_number("+3"), 3);
  EXPECT_EQ(parse_number("2^-3"), 0.125);
  for (const char* text : {"", "1,2", "1:2:+1", "abc", "nan", "inf", "2^5000", "1 ", "0x10"})
    expect_error(ErrorCode::invalid_argument, text, [&] { parse_number(text); });
}

using Named = std::vector<std::pair<std::string, double>>;

TEST(ParseNamedNumbers, NamesInTheirOrder) {
  EXPECT_EQ(parse_named_numbers("sick=0.02"), (Named{{"sick", 0.02}}));
  EXPECT_EQ(parse_named_numbers("sick=0.02,well=0.1"), (Named{{"sick", 0.02}, {"well", 0.1}}));
  EXPECT_EQ(parse_named_numbers("b=1,a=2^-1,b=-3e2"), (Named{{"b", 1}, {"a", 0.5}, {"b", -300}}));
  EXPECT_EQ(parse_named_numbers("sick:well=50,ask=5"), (Named{{"sick:well", 50}, {"ask", 5}}));
  EXPECT_EQ(parse_named_numbers("two words=1, next=2"), (Named{{"two words", 1}, {" next", 2}}));
}

TEST(ParseNamedNumbers, NamesMayHaveCommasAndEquals) {
  EXPECT_EQ(parse_named_numbers("no, thanks=1"), (Named{{"no, thanks", 1}}));
  EXPECT_EQ(parse_named_numbers("a,b,c=1,d=2"), (Named{{"a,b,c", 1}, {"d", 2}}));
  EXPECT_EQ(parse_named_numbers("x=y=1,u=2"), (Named{{"x=y", 1}, {"u", 2}}));
  EXPECT_EQ(parse_named_numbers("x=y,z=1"), (Named{{"x=y,z", 1}}));
  EXPECT_EQ(parse_named_numbers("a==1"), (Named{{"a=", 1}}));
}

TEST(ParseNamedNumbers, RefusesWhatItCannotRead) {
  for (const char* text : {"", ",", "a", "a=", "=1", "a=1,", "a=1,b", "a=1,b=", "a=1,=2", "a=x", "a=nan", "a=inf",
                           "a=1 ", "a=1,b=0x10", "a 1"}) {
    expect_error(ErrorCode::invalid_argument, "name=number", [&] { parse_named_numbers(text); });
  }
  expect_error(ErrorCode::invalid_argument, "'b, 1x'", [] { parse_named_numbers("a=1,b, 1x"); });
}

}  // namespace list_vs_written_values_tests
