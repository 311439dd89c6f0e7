#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "credence/bounds/discovery.hpp"
#include "credence/core/random.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/list_report.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/decisions/place_report.hpp"
#include "support/expect_error.hpp"

namespace credence::report {
namespace decisions_vs_counting_tests {

using Document = nlohmann::json;

Document parsed(const Json& json) {
  return Document::parse(json_text(json));
}

/// A model that compares with rows of known classes, and predicts nothing.
struct Compares : model::Predictor {
  explicit Compares(const std::vector<std::size_t>& counts, model::PValues trust = model::PValues::split) {
    for (std::size_t c = 0; c < counts.size(); ++c) {
      schema.classes.push_back(std::string(1, static_cast<char>('a' + c)));
      calibration.labels.insert(calibration.labels.end(), counts[c], static_cast<int>(c));
    }
    calibration.nonconformity_scores.assign(calibration.labels.size(), 0);
    calibration.p_values = trust;
  }
  model::Prediction predict_preprocessed(const data::Features&, const core::Context&) const override { return {}; }
  model::Capabilities capabilities() const override {
    model::Capabilities able;
    able.p_values = model::PValueSource::calibration;
    return able;
  }
};

struct Case {
  data::Dataset rows;
  model::Prediction prediction;
};

/// Rows with two columns of text, and p-values on a coarse scale; one row in ten has a class of its own.
Case some_rows(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed);
  Case made;
  made.rows.features = data::Features(data::DenseMatrix(n, 1));
  made.rows.schema.classes = {"a", "b"};
  made.rows.texts = {{"sex", {}}, {"age", {}}, {"wing", {}}};
  made.prediction.p_value = data::DenseMatrix(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    made.rows.texts[0].cells.push_back(random.below(10) == 0 ? "" : random.below(3) == 0 ? "f" : "m");
    made.rows.texts[1].cells.push_back(random.below(12) == 0 ? "" : std::to_string(18 + random.below(60)));
    made.rows.texts[2].cells.push_back(std::vector<std::string>{"2", "10", "1"}[random.below(3)]);
    made.rows.labels.push_back(random.below(10) == 0 ? -1 : static_cast<int>(random.below(2)));
    made.prediction.label.push_back(static_cast<int>(random.below(2)));
    for (double& p : made.prediction.p_value.row(i)) p = static_cast<double>(1 + random.below(20)) / 20;
  }
  return made;
}

/// The part to which a row belongs, found again from its cells.
std::string part_of(const data::Dataset& rows, std::size_t i, const std::vector<double>& cuts) {
  const std::string& sex = rows.texts[0].cells[i];
  const std::string& age = rows.texts[1].cells[i];
  std::size_t place = 0;
  while (!age.empty() && place < cuts.size() && std::stod(age) >= cuts[place]) ++place;
  const std::vector<std::string> names{"below 30", "30 to 50", "50 and above"};
  return (sex.empty() ? "(empty)" : sex) + ", " + (age.empty() ? "(empty)" : names[place]);
}

/// What a part should hold, counted row by row.
struct Counted {
  std::size_t rows = 0, errors = 0, set_misses = 0, set_size = 0, decided = 0;
  std::vector<std::size_t> of_class{0, 0}, labels_missed{0, 0}, struck_out{0, 0};

  void add(int truth, int label, std::span<const double> p) {
    rows += 1;
    errors += truth != label ? 1U : 0U;
    set_size += (p[0] > 0.1 + 1e-9 ? 1U : 0U) + (p[1] > 0.1 + 1e-9 ? 1U : 0U);
    set_misses += truth < 0 || p[static_cast<std::size_t>(truth)] <= 0.1 + 1e-9 ? 1U : 0U;
    const bool first = p[0] > 0.2 + 1e-9;
    const bool second = p[1] > 0.4 + 1e-9;
    decided += first != second ? 1U : 0U;
    if (truth < 0) return;
    of_class[static_cast<std::size_t>(truth)] += 1;
    labels_missed[static_cast<std::size_t>(truth)] += truth != label ? 1U : 0U;
    struck_out[static_cast<std::size_t>(truth)] += !(truth == 0 ? first : second) ? 1U : 0U;
  }
};

void expect_wrong(const WrongRows& found, std::size_t count, std::size_t rows, double delta) {
  EXPECT_EQ(found.count, count);
  EXPECT_EQ(found.rows, rows);
  const bounds::Interval interval = rows == 0 ? bounds::Interval{0, 1} : bounds::clopper_pearson(count, rows, delta);
  EXPECT_DOUBLE_EQ(found.interval.lower, interval.lower);
  EXPECT_DOUBLE_EQ(found.interval.upper, interval.upper);
}

/// 15 parts of "sex" and "sex * age", with limits and without.
void expect_parts(const LimitsAsked& asked) {
  const Case made = some_rows(400, 1);
  const PartsReport report = parts_report(DividedBy::parse("sex,sex*age=30:50"), made.rows, made.rows.schema.classes,
                                          made.prediction, 0.1, asked);
  ASSERT_EQ(report.ways.size(), 2U);
  EXPECT_EQ(report.ways[0].name, "sex");
  EXPECT_EQ(report.ways[1].name, "sex * age");
  EXPECT_EQ(report.ways[0].parts.size(), 3U);
  EXPECT_EQ(report.ways[1].parts.size(), 12U);
  std::size_t intervals = 0;
  double worst = 0, worst_missed = 0;
  for (const PartsReport::Way& way : report.ways) {
    std::size_t rows_in_parts = 0;
    for (const PartOfRows& part : way.parts) {
      Counted counted;
      for (std::size_t i = 0; i < 400; ++i) {
        const std::string& sex = made.rows.texts[0].cells[i];
        const std::string name =
            &way == &report.ways[0] ? (sex.empty() ? "(empty)" : sex) : part_of(made.rows, i, {30, 50});
        if (name == part.value)
          counted.add(made.rows.labels[i], made.prediction.label[i], made.prediction.p_value.row(i));
      }
      ASSERT_GT(counted.rows, 0U) << part.value;
      const double delta = report.delta_of_interval();
      expect_wrong(part.errors, counted.errors, counted.rows, delta);
      ASSERT_TRUE(part.sets.has_value());
      expect_wrong(*part.sets, counted.set_misses, counted.rows, delta);
      EXPECT_NEAR(part.set_size, static_cast<double>(counted.set_size) / static_cast<double>(counted.rows), 1e-12);
      for (std::size_t c = 0; c < 2; ++c) {
        expect_wrong(part.missed[c], asked.any() ? counted.struck_out[c] : counted.labels_missed[c],
                     counted.of_class[c], delta);
        intervals += counted.of_class[c] > 0 ? 1U : 0U;
        if (counted.of_class[c] > 0) worst_missed = std::max(worst_missed, part.missed[c].interval.upper);
      }
      intervals += 2;
      EXPECT_EQ(part.decided.has_value(), asked.any());
      if (part.decided) EXPECT_EQ(*part.decided, counted.decided);
      worst = std::max(worst, part.errors.interval.upper);
      rows_in_parts += counted.rows;
    }
    EXPECT_EQ(rows_in_parts, 400U);
  }
  EXPECT_EQ(report.intervals, intervals);
  EXPECT_DOUBLE_EQ(report.delta_of_interval(), 0.05 / static_cast<double>(intervals));
  EXPECT_DOUBLE_EQ(report.worst_errors().rows->interval.upper, worst);
  EXPECT_DOUBLE_EQ(report.worst_missed().rows->interval.upper, worst_missed);
  const Document json = parsed(parts_json(report));
  EXPECT_EQ(json["divisions"][1]["parts"].size(), 12U);
  EXPECT_DOUBLE_EQ(json["worst_error"]["upper"], worst);
  EXPECT_DOUBLE_EQ(json["worst_missed"]["upper"], worst_missed);
  const Document part = json["divisions"][0]["parts"][0];
  EXPECT_EQ(part["n"], report.ways[0].parts[0].errors.rows);
  EXPECT_DOUBLE_EQ(part["interval"]["confidence"], 1 - report.delta_of_interval());
  EXPECT_DOUBLE_EQ(part["set_interval"]["upper"], report.ways[0].parts[0].sets->interval.upper);
  EXPECT_DOUBLE_EQ(part["per_class"][1]["interval"]["lower"], report.ways[0].parts[0].missed[1].interval.lower);
}

TEST(PartsVsCounting, EveryNumberOfEveryPart) {
  expect_parts({});
}

TEST(PartsVsCounting, EveryNumberOfEveryPartWithLimits) {
  expect_parts({{0.2, 0.4}, {}, {0.2, 0.4}});
}

TEST(PartsByHand, AClassWithoutRowsInAPartHasNoInterval) {
  data::Dataset rows;
  rows.schema.classes = {"a", "b"};
  rows.texts = {{"sex", {"f", "f", "m"}}};
  rows.labels = {0, 1, 0};
  rows.features = data::Features(data::DenseMatrix(3, 1));
  model::Prediction prediction;
  prediction.label = {0, 0, 0};
  const PartsReport report = parts_report(DividedBy::parse("sex"), rows, {"a", "b"}, prediction, {}, {});
  EXPECT_EQ(report.intervals, 5U) << "two of errors, three of classes";
  const Document json = parsed(parts_json(report));
  EXPECT_TRUE(json["divisions"][0]["parts"][1]["per_class"][1]["interval"].is_null());
  EXPECT_EQ(json["worst_missed"]["class"], "b");
  EXPECT_EQ(json["worst_missed"]["value"], "f");
  Section section;
  add_parts(report, section);
  const Fact& last = std::get<std::vector<Fact>>(section.blocks.back()).back();
  EXPECT_EQ(last.label, "most missed");
  EXPECT_EQ(last.value, "sex f: b missed 100.00 %, at most 100.00 %");
  EXPECT_EQ(last.note, "the group with the largest upper limit");
}

std::vector<std::string> names_of(const PartsReport::Way& way) {
  std::vector<std::string> names;
  for (const PartOfRows& part : way.parts) names.push_back(part.value);
  return names;
}

TEST(PartsByHand, QuartilesCutsAndValues) {
  data::Dataset rows;
  rows.schema.classes = {"a", "b"};
  rows.texts = {{"age", {}}, {"wing", {}}, {"mixed", {}}};
  for (int i = 1; i <= 13; ++i) {
    rows.texts[0].cells.push_back(std::to_string(i));
    rows.texts[1].cells.push_back(i % 3 == 0 ? "10" : i % 3 == 1 ? "9" : "1.5");
    rows.texts[2].cells.push_back(i == 13 ? "unknown" : std::to_string(i));
    rows.labels.push_back(0);
  }
  rows.features = data::Features(data::DenseMatrix(13, 1));
  model::Prediction prediction;
  prediction.label.assign(13, 1);
  const PartsReport report =
      parts_report(DividedBy::parse("age,wing,mixed,age=5"), rows, rows.schema.classes, prediction, {}, {});
  EXPECT_EQ(names_of(report.ways[0]), (std::vector<std::string>{"below 4", "4 to 7", "7 to 10", "10 and above"}));
  EXPECT_EQ(report.ways[0].parts[0].errors.rows, 3U);  // 1, 2, 3
  EXPECT_EQ(report.ways[0].parts[3].errors.rows, 4U);  // 10 to 13
  EXPECT_EQ(names_of(report.ways[1]), (std::vector<std::string>{"1.5", "9", "10"})) << "numbers in their order";
  EXPECT_EQ(report.ways[2].parts.size(), 13U) << "a column with a text is not cut";
  EXPECT_EQ(names_of(report.ways[2]).back(), "unknown");
  EXPECT_EQ(names_of(report.ways[3]), (std::vector<std::string>{"below 5", "5 and above"}));
  EXPECT_EQ(report.ways[3].parts[1].errors.rows, 9U) << "a cut belongs to the upper part";
  EXPECT_FALSE(report.significance.has_value());
}

TEST(Parts, RefusesWhatCannotBeDivided) {
  Case made = some_rows(1500, 2);
  const auto refused = [&](const char* ways, ErrorCode code, const char* part) {
    test::expect_error(code, part, [&] {
      parts_report(DividedBy::parse(ways), made.rows, made.rows.schema.classes, made.prediction, 0.1, {});
    });
  };
  refused("sex=3", ErrorCode::invalid_data, "'sex' cannot be cut, as it holds");
  refused("height", ErrorCode::invalid_data, "no column 'height'");
  refused("age=50:30", ErrorCode::invalid_argument, "cuts of 'age' must rise");
  refused("age=30:30", ErrorCode::invalid_argument, "cuts of 'age' must rise");
  refused("age=30:x", ErrorCode::invalid_argument, "not a finite number");
  refused("sex,", ErrorCode::invalid_argument, "names no column");
  refused("sex**age", ErrorCode::invalid_argument, "names no column");
  made.rows.texts.push_back({"name", {}});
  for (std::size_t i = 0; i < 1500; ++i) made.rows.texts.back().cells.push_back("n" + std::to_string(i));
  refused("name", ErrorCode::invalid_data, "1500 different values, and at most 1000 parts");
  EXPECT_EQ(columns_of(DividedBy::parse("sex,age=30,sex*age,name")), (std::vector<std::string>{"sex", "age", "name"}));
}

TEST(LimitReportVsCounting, CountsIntervalsAndRowsMissing) {
  const Compares model({30, 60});
  const LimitsAsked asked = LimitsAsked::of(model, {.limit = "a=0.02,b=0.2"});
  EXPECT_EQ(asked.levels, asked.limits);
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(4, 2);
  prediction.p_value.values = {0.5, 0.2, 0.01, 0.3, 0.02, 0.1, 0.4, 0.9};
  const LimitReport report = limit_report(ComparedRows::of(model), asked, prediction, {0, 0, 1, -1});
  EXPECT_EQ(report.compared, (std::vector<std::size_t>{30, 60}));
  EXPECT_EQ(report.counts.decided, 2U);  // a, b, none left, both left
  EXPECT_EQ(report.counts.none, 1U);
  EXPECT_EQ(report.counts.several, 1U);
  EXPECT_EQ(report.counts.wrong, 1U);
  const Document json = parsed(limit_json(report));
  EXPECT_EQ(json["per_class"][0]["missed"], 1);
  EXPECT_EQ(json["per_class"][0]["missed_share"], 0.5);
  EXPECT_EQ(json["per_class"][0]["rows_missing"], 19) << "1 / (49 + 1) is 0.02";
  EXPECT_EQ(json["per_class"][1]["rows_missing"], 0);
  EXPECT_EQ(json["certainty"], nullptr);
  const bounds::Interval interval = bounds::clopper_pearson(1, 2, 0.05);
  EXPECT_DOUBLE_EQ(json["per_class"][0]["interval"]["upper"], interval.upper);
  const auto warnings = limit_warnings(ComparedRows::of(model), asked);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings[0],
      "class 'a' is never ruled out: its limit 0.02 needs 49 rows of the class to compare with, and 19 are missing");
}

TEST(LimitReportVsCounting, ACertaintyNeedsMoreRows) {
  const Compares model({148, 60});
  const LimitsAsked asked = LimitsAsked::of(model, {.limit = "a=0.02,b=0.05", .certainty = 0.95});
  EXPECT_EQ(asked.levels, (std::vector<double>{0, 1.0 / 61}));
  const auto warnings = limit_warnings(ComparedRows::of(model), asked);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "class 'a' is never ruled out: its limit 0.02 needs 149 rows of the class to compare with for a certainty "
            "of 0.95, and 1 is missing");
  EXPECT_NE(limit_promise(asked, "").find("with probability 0.95 over draws of the rows set aside"), std::string::npos);
  EXPECT_TRUE(limit_warnings(ComparedRows::of(model), LimitsAsked::of(model, {.limit = "0"})).empty())
      << "nothing is missing at 0";
  EXPECT_FALSE(LimitsAsked::of(model, {}).any());
  const auto refused = [](const model::Predictor& predictor, const conformal::LimitOptions& options, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { LimitsAsked::of(predictor, options); });
  };
  refused(model, {.certainty = 0.9}, "needs --limit");
  const LimitsAsked one = LimitsAsked::of(model, {.limit = "a=0.1"});
  EXPECT_EQ(one.limits, (std::vector<double>{0.1, 0.1}));
  EXPECT_TRUE(limit_promise(one, "").starts_with("no limit was given for 'b': the smallest of the others, 0.1"));
  refused(Compares({10, 10}, model::PValues::cross), {.limit = "0.1", .certainty = 0.9}, "also trained it");
}

/// Rows by conformal's definition of the smallest p-value: 1 / (rows + 1).
TEST(LimitReport, SaysHowSmallALimitCanBe) {
  EXPECT_EQ(smallest_limit_note({"sick", "well"}, {49, 900}), "");
  EXPECT_EQ(smallest_limit_note({"well", "sick"}, {900, 25}),
            "class 'sick' has at most 25 rows to compare with: a limit (predict --limit) below 3.85 % would never "
            "rule it out; 2.00 % needs 49 rows, 1.00 % needs 99");
}

TEST(ListReportVsDiscoveries, ByThePValuesOfTheOtherClassOrByFamiliarity) {
  const Compares model({30, 60});
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(6, 2);
  prediction.p_value.values = {0.01, 0.9, 0.02, 0.01, 0.9, 0.02, 0.03, 0.5, 0.8, 0.05, 0.5, 0.6};
  prediction.familiarity = {0.001, 0.5, 0.03, 0.9, 0.004, 0.3};  // 0.1 * 2 / 6 / 2.45 = 0.0136 is the level
  const auto column = [&](std::size_t c) {
    std::vector<double> p;
    for (std::size_t i = 0; i < 6; ++i) p.push_back(prediction.p_value.row(i)[c]);
    return p;
  };
  EXPECT_EQ(row_list(model, {.find = "b", .fdr = 0.1}, prediction).found, bounds::discoveries(column(0), 0.1));
  EXPECT_EQ(row_list(model, {.find = "a", .fdr = 0.1}, prediction).found, bounds::discoveries(column(1), 0.1));
  const RowList unlike = row_list(model, {.unfamiliar = true, .fdr = 0.1}, prediction);
  EXPECT_EQ(unlike.found, bounds::discoveries(prediction.familiarity, 0.1, bounds::Dependence::any));
  EXPECT_EQ(unlike.count, 2U);
  EXPECT_NE(unlike.sentence.find("2 rows marked as unlike"), std::string::npos) << unlike.sentence;
}

TEST(ListReport, RefusesWhereNothingIsProved) {
  const auto refused = [](const model::Predictor& model, const ListOptions& options, const char* part,
                          bool smoothed = false) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { check_list(model, options, {.smoothed = smoothed}); });
  };
  const Compares model({30, 60});
  EXPECT_NO_THROW(check_list(model, {.find = "a", .fdr = 0.1}, {}));
  EXPECT_NO_THROW(check_list(model, {}, {}));
  refused(model, {.find = "a"}, "need --fdr");
  refused(model, {.fdr = 0.1}, "needs --find or --unfamiliar");
  refused(model, {.find = "a", .unfamiliar = true, .fdr = 0.1}, "two lists");
  refused(model, {.find = "a", .fdr = 1}, "between 0 and 1");
  refused(model, {.find = "x", .fdr = 0.1}, "'x' is no class; the classes are a, b");
  refused(model, {.find = "a", .fdr = 0.1}, "not smoothed", true);
  refused(model, {.unfamiliar = true, .fdr = 0.1}, "keeps no rows");
  Compares wide({30, 60});
  wide.known_rows = data::DenseMatrix(40, 40);
  refused(wide, {.unfamiliar = true, .fdr = 0.1}, "more training rows than columns");
  wide.known_rows = data::DenseMatrix(40, 39);
  EXPECT_NO_THROW(check_list(wide, {.unfamiliar = true, .fdr = 0.1}, {}));
  refused(Compares({3, 3, 3}), {.find = "a", .fdr = 0.1}, "more than two classes");
  for (const model::PValues trust : {model::PValues::cross, model::PValues::nested})
    refused(Compares({30, 60}, trust), {.find = "a", .fdr = 0.1}, "with the same rows set aside");
}

/// Errors and costs of each class, weighed by the shares of the data set.
TEST(PlaceReportVsCounting, ErrorAndCostAtOtherShares) {
  const std::vector<std::string> classes{"a", "b"};
  const Place place{{0.5, 0.5}, {0.02, 0.98}, false};
  const std::vector<std::vector<std::size_t>> counts{{40, 10}, {6, 144}};
  const model::DecisionCosts costs = model::DecisionCosts::parse("a:b=50,b:a=2", classes);
  const PlaceReport report = place_report(place, classes, counts, &costs);
  EXPECT_NEAR(report.error.value(), 0.02 * 0.2 + 0.98 * 0.04, 1e-15);
  EXPECT_NEAR(report.cost.value(), 0.02 * 0.2 * 50 + 0.98 * 0.04 * 2, 1e-14);
  const bounds::Interval a = bounds::clopper_pearson(10, 50, 0.025);
  const bounds::Interval b = bounds::clopper_pearson(6, 150, 0.025);
  EXPECT_NEAR(report.interval.lower, 0.02 * a.lower + 0.98 * b.lower, 1e-15);
  EXPECT_NEAR(report.interval.upper, 0.02 * a.upper + 0.98 * b.upper, 1e-15);
  Section section;
  add_place(report, section);
  EXPECT_EQ(std::get<std::vector<Fact>>(section.blocks.front()).front().value, "a 2.00 %, b 98.00 %");
  EXPECT_FALSE(place_report(place, classes, {{0, 0}, {6, 144}}, &costs).error.has_value());
  EXPECT_FALSE(place_report(place, classes, counts, nullptr).cost.has_value());
  const Document json = parsed(place_json(report));
  EXPECT_EQ(json["class_shares"]["a"], 0.02);
  EXPECT_EQ(json["estimated"], false);
}

TEST(Place, OfRowsAndRefusals) {
  const Compares model({10, 30});
  model::Prediction prediction;
  test::expect_error(ErrorCode::invalid_argument, "add --probability",
                     [&] { Place::of(model, "estimate", prediction); });
  EXPECT_NEAR(Place::of(model, "a=0.02", prediction).shares[1], 0.98, 1e-15);
  prediction.probability = data::DenseMatrix(1, 2);
  prediction.probability.values = {0.25, 0.75};  // as in training: nothing known of the row
  const Place place = Place::of(model, "a=0.02", prediction);
  EXPECT_NEAR(prediction.probability.row(0)[0], 0.02, 1e-15);
  EXPECT_NEAR(place.kept[0], 0.25, 1e-15);
  test::expect_error(ErrorCode::invalid_argument, "'x' is no class", [&] { Place::of(model, "x=0.1", prediction); });
  test::expect_error(ErrorCode::invalid_argument, "two numbers, but one class share",
                     [&] { Place::of(model, "a=0.1,a=0.2", prediction); });
}

}  // namespace decisions_vs_counting_tests
}  // namespace credence::report
