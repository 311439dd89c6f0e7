#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"

/// The fields of selection options against what the structs hold.
namespace options_describe_tests {

using namespace credence;
using core::Field;
using core::Kind;
using core::Value;
using selection::Learner;
using test::expect_error;

/// Options of a method with candidates that are not all defaults, so that no field is empty.
struct Case {
  std::string name;
  selection::Options options;
};

/// Every method with every kind of candidates that the method chooses from.
std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const std::string& name : selection::methods()) {
    for (const Learner learner : {Learner::svm, Learner::knn, Learner::rvm}) {
      selection::Options options;
      options.method = selection::method_named(name);
      if (!selection::chooses_from(options.method, learner)) continue;
      options.choose_from(learner);
      cases.push_back({name + " of " + core::word(learner), options});
    }
  }
  return cases;
}

/// Some value of the field that is not the one that the field has.
Value other_value(const Field& field) {
  const double inside = field.limits.most.value_or(field.limits.below.value_or(8)) * 0.5;
  const Value now = field.get();
  switch (field.kind) {
    case Kind::flag:
      return {!std::get<bool>(now.held)};
    case Kind::integer:
      return {std::max(static_cast<std::int64_t>(field.limits.least.value_or(0)),
                       std::int64_t{core::text_of(now) == "3" ? 2 : 3})};
    case Kind::number:
      return {now == Value{inside} ? inside / 2 : inside};
    case Kind::word:
      return {field.words.back() == core::text_of(now) ? field.words.front() : field.words.back()};
    case Kind::words:
      return {Value::List{{field.words.back() == core::text_of(now) ? field.words.front() : field.words.back()}}};
    case Kind::text:
    case Kind::texts:
      return {std::string("balanced")};
    case Kind::numbers:
      return {Value::List{{field.name == "k" ? Value{std::int64_t{2}} : Value{inside}}}};
  }
  return {};
}

/// What all fields hold but those of that name.
std::vector<std::string> texts_without(const std::vector<Field>& fields, const std::string& name) {
  std::vector<std::string> texts;
  for (const Field& field : fields)
    if (field.get && field.name != name) texts.push_back(field.name + "=" + core::text_of(field.get()));
  return texts;
}

/// A number as `1` and as `1.0` is the same.
bool same_value(const Value& a, const Value& b) {
  return a == b || core::text_of(a) == core::text_of(b);
}

TEST(OptionFields, HaveOneNameEachAndASentence) {
  for (Case& one : every_case()) {
    std::set<std::string> names;
    for (const Field& field : selection::fields_of(one.options)) {
      EXPECT_TRUE(names.insert(field.name).second) << one.name << ": " << field.name << " stands twice";
      EXPECT_FALSE(field.sentence.empty()) << one.name << ": " << field.name;
      EXPECT_EQ(field.kind == Kind::word || field.kind == Kind::words, !field.words.empty()) << field.name;
      EXPECT_TRUE(field.get || !field.spelling_of.empty()) << field.name;
      EXPECT_TRUE(static_cast<bool>(field.set)) << field.name;
    }
    for (const char* of_all : {"scale", "scale_scope", "estimate", "estimate_samples", "delta", "seed"})
      EXPECT_TRUE(names.contains(of_all)) << one.name << ": " << of_all;
    for (const Field& field : selection::fields_of(one.options))
      EXPECT_TRUE(field.spelling_of.empty() || names.contains(field.spelling_of)) << field.name;
  }
}

TEST(OptionFields, ThatAMethodSharesAreAmongItsFields) {
  for (const std::string& method : selection::methods()) {
    selection::Options options;
    options.method = selection::method_named(method);
    std::istringstream names{std::string(options.traits().looks_at)};
    for (std::string name; names >> name;)
      EXPECT_NE(core::find_field(selection::method_fields(options), name), nullptr) << method << ": " << name;
  }
}

TEST(OptionFields, OfEachMethodAreThoseOfItsStruct) {
  const auto names_of = [](const char* method) {
    selection::Options made;
    made.method = selection::method_named(method);
    std::vector<std::string> names;
    for (const Field& field : selection::method_fields(made)) names.push_back(field.name);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of("cv"), (Names{"folds", "loss", "score", "cost", "rule", "race"}));
  EXPECT_EQ(names_of("regions"), (Names{"region_size", "partitions", "folds", "loss", "score", "cost", "rule"}));
  EXPECT_EQ(names_of("loo"), (Names{"loss", "final", "union", "score", "cost", "rule"}));
  EXPECT_EQ(names_of("kfold-nested"), (Names{"folds", "loss", "final", "union"}));
  EXPECT_EQ(names_of("bootstrap"),
            (Names{"resamples", "bootstrap", "nested", "loss", "final", "union", "rule", "race"}));
  EXPECT_EQ(names_of("holdout"), (Names{"validation", "refit", "score", "cost", "rule"}));
  EXPECT_EQ(names_of("holdout-vote"), (Names{"validation"}));
  EXPECT_EQ(names_of("max-margin"), (Names{"validation", "margin"}));
  EXPECT_EQ(names_of("nonconformity"), (Names{"validation", "tie", "p_value"}));
  EXPECT_EQ(names_of("evidence"), (Names{"folds"}));
  EXPECT_EQ(names_of("kernel-validity"), (Names{"folds", "literal", "cap", "null_margin", "guard"}));
  const Names in_sample{"hint", "trials", "all_rhos", "enumerate", "union", "peel", "bias"};
  EXPECT_EQ(names_of("maximal-discrepancy"), in_sample);
  Names with_term = in_sample;
  with_term.emplace_back("term");
  EXPECT_EQ(names_of("rademacher"), with_term);
}

TEST(OptionFields, ReadTheMembersAndWriteThem) {
  selection::Options options;
  options.method = selection::Bootstrap{.resamples = 33};
  options.loss = selection::Loss::soft;
  options.costs.C = {0.5, 4};
  options.seed = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Field> fields = selection::fields_of(options);
  const auto text = [&](const char* name) { return core::text_of(core::find_field(fields, name)->get()); };
  EXPECT_EQ(text("resamples"), "33");
  EXPECT_EQ(text("loss"), "soft");
  EXPECT_EQ(text("C"), "0.5,4");
  EXPECT_EQ(text("scale"), "") << "a default that depends on the rest";
  EXPECT_EQ(text("seed"), "18446744073709551615");
  core::find_field(fields, "resamples")->set({std::int64_t{44}});
  core::find_field(fields, "bootstrap")->set({std::string("632+")});
  core::find_field(fields, "C")->set({Value::List{{1.0}, {std::int64_t{7}}}});
  core::find_field(fields, "delta")->set({0.25});
  core::find_field(fields, "scale")->set({std::string("minmax")});
  EXPECT_EQ(options.as<selection::Bootstrap>().resamples, 44);
  EXPECT_EQ(options.as<selection::Bootstrap>().error, selection::BootstrapError::e632_plus);
  EXPECT_EQ(options.costs.C, (std::vector<double>{1, 7}));
  EXPECT_EQ(options.delta, 0.25);
  EXPECT_EQ(options.preparation.scaling(), data::Scaling::minmax);
  core::find_field(fields, "scale")->set({});
  EXPECT_TRUE(options.preparation.scalings.empty());
}

TEST(OptionFields, SetToWhatTheyHoldStayAsTheyAre) {
  for (Case& one : every_case()) {
    for (selection::Options options : {one.options, one.options.resolved()}) {
      const std::vector<Field> fields = selection::fields_of(options);
      const std::vector<std::string> before = texts_without(fields, "");
      for (const Field& field : fields) {
        if (!field.get) continue;
        const Value held = field.get();
        field.set(held);
        EXPECT_EQ(field.get(), held) << one.name << ": " << field.name;
      }
      EXPECT_EQ(texts_without(fields, ""), before) << one.name;
    }
  }
}

TEST(OptionFields, TakeAnotherValueAndLeaveTheOthersAlone) {
  for (const Case& one : every_case()) {
    selection::Options names = one.options;
    for (const Field& known : selection::fields_of(names)) {
      if (!known.get) continue;
      selection::Options options = one.options;
      const std::vector<Field> fields = selection::fields_of(options);
      const Field& field = *core::find_field(fields, known.name);
      const std::vector<std::string> others = texts_without(fields, field.name);
      const Value value = field.kind == Kind::flag && field.get().is_none() ? Value{true} : other_value(field);
      const Value before = field.get();
      field.set(value);
      EXPECT_TRUE(same_value(field.get(), value)) << one.name << ": " << field.name << " " << core::text_of(value);
      EXPECT_FALSE(same_value(field.get(), before)) << one.name << ": " << field.name;
      EXPECT_EQ(texts_without(fields, field.name), others) << one.name << ": " << field.name;
    }
  }
}

TEST(OptionFields, TextsRoundTrip) {
  for (const Case& one : every_case()) {
    selection::Options names = one.options;
    for (const Field& known : selection::fields_of(names)) {
      if (!known.get) continue;
      selection::Options options = one.options;
      const std::vector<Field> fields = selection::fields_of(options);
      const Field& field = *core::find_field(fields, known.name);
      field.set(field.kind == Kind::flag && field.get().is_none() ? Value{true} : other_value(field));
      const Value held = field.get();
      const std::string text = core::text_of(held);
      field.set_text(text);
      EXPECT_EQ(field.get(), held) << one.name << ": " << field.name << " " << text;
    }
  }
}

TEST(OptionFields, NumbersRoundTripToTheLastBit) {
  selection::Options options;
  const std::vector<Field> fields = selection::fields_of(options);
  const Field& C = *core::find_field(fields, "C");
  const std::vector<double> odd{0.1, 1.0 / 3, std::nextafter(1.0, 2.0), 6.02214076e23};
  options.costs.C = odd;
  const std::string text = core::text_of(C.get());
  options.costs.C = {1};
  C.set_text(text);
  EXPECT_EQ(options.costs.C, odd);
  const Field& gamma = *core::find_field(fields, "gamma");
  gamma.set_text("0.1,scale,auto,median,2^-3");
  EXPECT_EQ(core::text_of(gamma.get()), "0.1,scale,auto,median,0.125");
  gamma.set_text("2^-3:2^3:x8");
  EXPECT_EQ(core::text_of(gamma.get()), "0.125,1,8");
}

TEST(OptionFields, LimitsAreNamedWithTheValue) {
  const auto refused = [](const char* method, const char* field, const Value& value, const std::string& sentence) {
    selection::Options options;
    options.method = selection::method_named(method);
    const std::vector<Field> fields = selection::fields_of(options);
    const Field* found = core::find_field(fields, field);
    ASSERT_NE(found, nullptr) << field;
    const std::string before = core::text_of(found->get());
    expect_error(ErrorCode::invalid_argument, sentence, [&] { found->set(value); });
    EXPECT_EQ(core::text_of(found->get()), before) << "a refused value changes nothing";
  };
  const auto whole = [](std::int64_t value) { return Value{value}; };
  refused("cv", "folds", whole(1), "1 is not at least 2");
  refused("kfold-nested", "folds", whole(2), "2 is not at least 3");
  refused("kernel-validity", "folds", whole(1), "1 is not at least 2");
  refused("bootstrap", "resamples", whole(1), "1 is not at least 2");
  refused("holdout", "validation", whole(0), "0 is not at least 1");
  refused("rademacher", "trials", whole(100'001), "100001 is not from 2 to 100000");
  refused("rademacher", "hint", {1.0}, "1 is not between 0 and 1");
  refused("rademacher", "rho", {Value::List{{0.5}, {-1.0}}}, "-1 is not at least 0");
  refused("cv", "delta", {0.0}, "0 is not between 0 and 1");
  refused("cv", "C", {Value::List{{0.0}}}, "0 is not above 0");
  refused("cv", "nu", {Value::List{{1.5}}}, "1.5 is not ");
  refused("cv", "degree", whole(0), "0 is not from 1 to 1000");
  refused("cv", "gamma", {Value::List{{-1.0}}}, "-1 is not above 0");
  refused("evidence", "centres", whole(0), "0 is not at least 1");
  refused("cv", "estimate_samples", whole(1), "1 is not at least 2");
}

TEST(OptionFields, MembersOutsideTheirLimitsAreFoundByValidate) {
  selection::Options options;
  options.method = selection::KFoldNested{.folds = 2};
  options.delta = 0;
  options.estimate_samples = 1;
  const std::vector<std::string> problems = options.validate();
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0], "folds: 2 is not at least 3");
  EXPECT_EQ(problems[1], "estimate_samples: 1 is not at least 2");
  EXPECT_EQ(problems[2], "delta: 0 is not between 0 and 1");
}

TEST(OptionFields, WordsAreRefusedWithTheList) {
  for (Case& one : every_case()) {
    for (const Field& field : selection::fields_of(one.options)) {
      if (field.kind != Kind::word && field.kind != Kind::words) continue;
      expect_error(ErrorCode::invalid_argument, "tea leaves", [&] { field.set({std::string("tea leaves")}); });
      for (const std::string& word : field.words) {
        expect_error(ErrorCode::invalid_argument, word, [&] { field.set({std::string("tea leaves")}); });
        field.set({word});
        EXPECT_EQ(core::text_of(field.get()), word) << one.name << ": " << field.name;
      }
    }
  }
}

/// Values of a type that the kind of the field is not.
TEST(OptionFields, WrongTypesAreRefused) {
  const std::vector<Value> values{{true}, {std::int64_t{1} << 40}, {0.375}, {std::string("0.375")}, {Value::List{}},
                                  {}};
  const auto fits = [](const Field& field, const Value& value) {
    const bool is_list = std::holds_alternative<Value::List>(value.held);
    if (field.name == "class_weight" && (value.is_none() || is_list)) return true;  // one item for each class
    if (value.is_none()) return field.optional || field.kind == Kind::words;
    switch (field.kind) {
      case Kind::flag:
        return std::holds_alternative<bool>(value.held);
      case Kind::integer:
        return std::holds_alternative<std::int64_t>(value.held);
      case Kind::number:
        return std::holds_alternative<double>(value.held) || std::holds_alternative<std::int64_t>(value.held);
      case Kind::word:
      case Kind::text:
        return std::holds_alternative<std::string>(value.held);
      case Kind::numbers:
      case Kind::texts:
      case Kind::words:
        return std::holds_alternative<Value::List>(value.held);
    }
    return false;
  };
  for (Case& one : every_case()) {
    for (const Field& field : selection::fields_of(one.options)) {
      if (!field.get) continue;
      for (const Value& value : values) {
        if (fits(field, value)) continue;
        const std::string before = core::text_of(field.get());
        expect_error(ErrorCode::invalid_argument, core::text_of(value), [&] { field.set(value); });
        EXPECT_EQ(core::text_of(field.get()), before) << one.name << ": " << field.name;
      }
    }
  }
}

TEST(OptionFields, NumbersThatAreNoNumbersAreRefused) {
  selection::Options options;
  const std::vector<Field> fields = selection::fields_of(options);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(core::find_field(fields, "delta")->set({value}), Error);
    EXPECT_THROW(core::find_field(fields, "coef0")->set({value}), Error);
    EXPECT_THROW(core::find_field(fields, "C")->set({Value::List{{value}}}), Error);
  }
  EXPECT_THROW(core::find_field(fields, "folds")->set({2.5}), Error);
  EXPECT_THROW(core::find_field(fields, "folds")->set({std::int64_t{1} << 31}), Error);
  EXPECT_THROW(core::find_field(fields, "seed")->set({std::int64_t{-1}}), Error);
}

TEST(OptionFields, SigmaIsAnotherSpellingOfGamma) {
  selection::Options options;
  options.method = selection::Evidence{};
  const std::vector<Field> fields = selection::fields_of(options);
  const Field& sigma = *core::find_field(fields, "sigma");
  EXPECT_EQ(sigma.spelling_of, "gamma");
  sigma.set_text("2,0.5");
  ASSERT_EQ(options.kernels.gamma.size(), 2U);
  EXPECT_EQ(options.kernels.gamma[0].value, 0.125);
  EXPECT_EQ(options.kernels.gamma[1].value, 2);
  EXPECT_TRUE(options.kernels.by_sigma);
  expect_error(ErrorCode::invalid_argument, "0 is not a width above 0", [&] { sigma.set({Value::List{{0.0}}}); });
}

TEST(OptionFields, UnknownOnesAreToldWhoLooksAtThem) {
  selection::Options options;
  const std::vector<Field> fields = selection::fields_of(options);
  EXPECT_EQ(core::find_field(fields, "resamples"), nullptr);
  EXPECT_EQ(core::find_field(fields, "Folds"), nullptr);
  EXPECT_EQ(selection::field_named(options, fields, "folds").name, "folds");
  expect_error(ErrorCode::invalid_argument, "bootstrap does",
               [&] { selection::field_named(options, fields, "resamples"); });
  expect_error(ErrorCode::invalid_argument, "rademacher and maximal-discrepancy do",
               [&] { selection::field_named(options, fields, "rho"); });
  expect_error(ErrorCode::invalid_argument, "no option 'tea'", [&] { selection::field_named(options, fields, "tea"); });
}

TEST(MethodNames, MakeOptionsThatAreValid) {
  ASSERT_EQ(selection::methods().size(), 13U);
  EXPECT_EQ(selection::methods().front(), "cv");
  for (const Case& one : every_case()) {
    EXPECT_TRUE(one.options.validate().empty()) << one.name << ": " << one.options.validate().front();
    EXPECT_NO_THROW(selection::Selector{one.options}) << one.name;
  }
  for (const std::string& name : selection::methods()) {
    selection::Options options;
    options.method = selection::method_named(name);
    EXPECT_EQ(options.name(), name);
    EXPECT_FALSE(selection::sentence_of_method(name).empty());
    EXPECT_TRUE(options.validate().empty()) << name;
    EXPECT_EQ(options.has_rvms(), options.traits().evidence) << name;
  }
  for (const char* name : {"", "CV", "tea leaves"}) {
    for (const std::string& known : selection::methods()) {
      expect_error(ErrorCode::invalid_argument, known, [&] { selection::method_named(name); });
      expect_error(ErrorCode::invalid_argument, known, [&] { selection::sentence_of_method(name); });
    }
  }
}

TEST(ResolvedOptions, AreResolvedAlready) {
  for (Case& one : every_case()) {
    selection::Options once = one.options.resolved();
    selection::Options twice = once.resolved();
    EXPECT_EQ(texts_without(selection::fields_of(once), ""), texts_without(selection::fields_of(twice), ""))
        << one.name;
  }
}

}  // namespace options_describe_tests
