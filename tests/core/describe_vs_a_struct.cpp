#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "support/expect_error.hpp"

/// Fields of structs of this test, whose members are written down beside them.
namespace credence {
namespace describe_vs_a_struct_tests {

using core::Field;
using core::Kind;
using core::Value;
using test::expect_error;

enum class Colour { red, green };
constexpr auto words_of(Colour) {
  return std::array{core::Word{"red", Colour::red}, core::Word{"green", Colour::green}};
}

struct Inner {
  double width = 1.5;

  static void describe(auto&& field) { field("width", &Inner::width, "of the brush", core::above(0)); }
};

struct Paint {
  bool wet = false;
  int coats = 2;
  std::uint64_t seed = 7;
  std::optional<int> thinned{};
  Colour colour = Colour::red;
  std::string maker = "ours";
  std::vector<double> shades{0.5, 1};
  Inner inner;

  static void describe(auto&& field) {
    field("wet", &Paint::wet, "still wet");
    field("coats", &Paint::coats, "layers", core::from_to(1, 9));
    field("seed", &Paint::seed, "of the drips");
    field("thinned", &Paint::thinned, "parts of water", core::at_least(1), core::implied(2));
    field("colour", &Paint::colour, "of the paint");
    field("maker", &Paint::maker, "of the paint");
    field("shades", &Paint::shades, "of the colour", core::above_to(0, 1));
    field.part(&Paint::inner);
    field.spelling("double_width", "width", Kind::number, "twice the width",
                   [](Paint& paint, const Value& value) { paint.inner.width = core::number_of(value) / 2; });
  }
};

std::string text(const std::vector<Field>& fields, const char* name) {
  return core::text_of(core::find_field(fields, name)->get());
}

TEST(Describe, FieldsAreTheMembersInTheirOrder) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  const std::vector<std::string> names{"wet",   "coats",  "seed",  "thinned",     "colour",
                                       "maker", "shades", "width", "double_width"};
  const std::vector<Kind> kinds{Kind::flag, Kind::integer, Kind::integer, Kind::integer, Kind::word,
                                Kind::text, Kind::numbers, Kind::number,  Kind::number};
  ASSERT_EQ(fields.size(), names.size());
  for (std::size_t k = 0; k < fields.size(); ++k) {
    EXPECT_EQ(fields[k].name, names[k]);
    EXPECT_EQ(fields[k].kind, kinds[k]) << names[k];
    EXPECT_EQ(fields[k].optional, names[k] == "thinned" || names[k] == "double_width") << names[k];
  }
  EXPECT_EQ(fields[4].words, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(text(fields, "wet"), "false");
  EXPECT_EQ(text(fields, "thinned"), "none");
  EXPECT_EQ(text(fields, "shades"), "0.5,1");
  EXPECT_EQ(text(fields, "width"), "1.5");
}

TEST(Describe, FieldsWriteTheMembers) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  const auto set = [&](const char* name, const char* value) { core::find_field(fields, name)->set_text(value); };
  set("wet", "true");
  set("coats", "3");
  set("seed", "18446744073709551615");
  set("thinned", "4");
  set("colour", "green");
  set("maker", "a, b: c");
  set("shades", "0.25,2^-3,1e-3");
  set("double_width", "5");
  EXPECT_TRUE(paint.wet);
  EXPECT_EQ(paint.coats, 3);
  EXPECT_EQ(paint.seed, UINT64_MAX);
  EXPECT_EQ(paint.thinned, 4);
  EXPECT_EQ(paint.colour, Colour::green);
  EXPECT_EQ(paint.maker, "a, b: c");
  EXPECT_EQ(paint.shades, (std::vector<double>{0.25, 0.125, 0.001}));
  EXPECT_EQ(paint.inner.width, 2.5);
  core::find_field(fields, "thinned")->set({});
  EXPECT_FALSE(paint.thinned);
}

TEST(Describe, TheNameAloneSaysWhatTheFieldImplies) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  const Field& thinned = *core::find_field(fields, "thinned");
  EXPECT_TRUE(core::find_field(fields, "coats")->implied.is_none());
  thinned.set(thinned.implied);
  EXPECT_EQ(paint.thinned, 2);
  EXPECT_EQ(core::text_of(thinned.implied), "2");
}

TEST(Describe, WholeNumbersMayBeWrittenAsDecimals) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  core::find_field(fields, "coats")->set({4.0});
  EXPECT_EQ(paint.coats, 4);
  core::find_field(fields, "width")->set({std::int64_t{3}});
  EXPECT_EQ(paint.inner.width, 3);
  core::find_field(fields, "seed")->set_text("1e3");
  EXPECT_EQ(paint.seed, 1000U);
}

TEST(Describe, RefusedValuesAreNamedAndChangeNothing) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  const auto refused = [&](const char* name, const Value& value, const std::string& sentence) {
    expect_error(ErrorCode::invalid_argument, sentence, [&] { core::find_field(fields, name)->set(value); });
  };
  refused("coats", {std::int64_t{10}}, "10 is not from 1 to 9");
  refused("coats", {2.5}, "'2.5' is not a whole number");
  refused("coats", {std::int64_t{1} << 40}, "'1099511627776' is not a whole number from");
  refused("coats", {}, "'none' is not a whole number");
  refused("seed", {std::int64_t{-1}}, "'-1' is not a whole number from 0 on");
  refused("thinned", {std::int64_t{0}}, "0 is not at least 1");
  refused("wet", {std::string("true")}, "'true' is not true or false");
  refused("colour", {std::string("blue")}, "'blue' is not one of red, green");
  refused("colour", {std::string("grean")}, "'grean' is not one of red, green; did you mean green?");
  refused("colour", {std::int64_t{1}}, "'1' is not a text");
  refused("maker", {true}, "'true' is not a text");
  refused("shades", {0.5}, "'0.5' is not a list");
  refused("shades", {Value::List{{0.5}, {std::string("x")}}}, "'x' is not a number");
  refused("shades", {Value::List{{0.5}, {0.0}}}, "0 is not above 0 and at most 1");
  refused("width", {std::string("wide")}, "'wide' is not a number");
  EXPECT_EQ(text(fields, "coats"), "2");
  EXPECT_EQ(text(fields, "shades"), "0.5,1");
  EXPECT_EQ(text(fields, "width"), "1.5");
  EXPECT_EQ(core::find_field(fields, "Wet"), nullptr);
}

TEST(Describe, TextsThatAreNoValuesAreRefused) {
  Paint paint;
  const std::vector<Field> fields = core::fields_of(paint);
  const auto refused = [&](const char* name, const char* value, const char* sentence) {
    expect_error(ErrorCode::invalid_argument, sentence, [&] { core::find_field(fields, name)->set_text(value); });
  };
  refused("wet", "yes", "'yes' is not true or false");
  refused("coats", "two", "'two' is not a finite number");
  refused("coats", "", "'' is not a finite number");
  refused("coats", "2,3", "'2,3' is not a finite number");
  refused("width", "nan", "'nan' is not a finite number");
  refused("shades", "0.5,,1", "'' is not a number");
  refused("shades", "0.5,1x", "'1x' in the list");
}

TEST(Describe, MembersOutsideTheLimitsAreFound) {
  Paint paint;
  EXPECT_TRUE(core::problems_of(core::fields_of(paint)).empty());
  paint.coats = 0;
  paint.inner.width = -1;
  paint.shades = {0.5, 2};
  EXPECT_EQ(core::problems_of(core::fields_of(paint)),
            (std::vector<std::string>{"coats: 0 is not from 1 to 9", "shades: 2 is not above 0 and at most 1",
                                      "width: -1 is not above 0"}));
  paint.thinned = 0;
  EXPECT_EQ(core::problems_of(core::fields_of(paint)).size(), 4U);
}

TEST(Limits, AreCheckedAtTheirEnds) {
  const auto allows = [](const core::Limits& limits, double value) {
    try {
      limits.check(value);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(allows({}, -1e300));
  EXPECT_TRUE(allows(core::at_least(2), 2));
  EXPECT_FALSE(allows(core::at_least(2), 1.999));
  EXPECT_FALSE(allows(core::above(0), 0));
  EXPECT_TRUE(allows(core::above(0), 1e-300));
  EXPECT_TRUE(allows(core::from_to(1, 3), 1));
  EXPECT_TRUE(allows(core::from_to(1, 3), 3));
  EXPECT_FALSE(allows(core::from_to(1, 3), 3.001));
  EXPECT_FALSE(allows(core::inside(0, 1), 0));
  EXPECT_FALSE(allows(core::inside(0, 1), 1));
  EXPECT_TRUE(allows(core::above_to(0, 1), 1));
  EXPECT_FALSE(allows(core::above_to(0, 1), 0));
  for (const core::Limits& limits : {core::at_least(2), core::above(0), core::from_to(1, 3), core::inside(0, 1)})
    EXPECT_FALSE(allows(limits, std::numeric_limits<double>::quiet_NaN())) << limits.text();
  EXPECT_EQ(core::Limits{}.text(), "");
}

TEST(ValueText, IsReadBack) {
  for (const char* written : {"true", "false"}) EXPECT_EQ(core::text_of(core::value_in(Kind::flag, written)), written);
  for (const char* written : {"0", "-3", "18446744073709551615", "0.1", "1e-09"})
    EXPECT_EQ(core::text_of(core::value_in(Kind::number, written)), written);
  EXPECT_EQ(core::text_of(core::value_in(Kind::numbers, "1,scale,0.5")), "1,scale,0.5");
  EXPECT_EQ(core::text_of(core::value_in(Kind::numbers, "1:3:+1")), "1,2,3");
  EXPECT_EQ(core::text_of(core::value_in(Kind::word, "soft")), "soft");
  EXPECT_EQ(core::text_of({}), "none");
}

}  // namespace describe_vs_a_struct_tests
}  // namespace credence
