#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "credence/svm/train.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "support/context.hpp"

namespace credence {
namespace trust_vs_counting_tests {

using Document = nlohmann::json;

/// The data of the chart of that name, a record for each row.
Document chart_data(const model::Prediction& prediction, const data::Dataset& dataset, const std::string& id) {
  report::Section section;
  report::add_trust_charts(prediction, dataset, section);
  for (const report::Block& block : section.blocks)
    if (const auto* chart = std::get_if<report::Chart>(&block); chart != nullptr && chart->id == id)
      return Document::parse(report::json_text(chart->data.records()));
  return nullptr;
}

/// Labels of `classes` classes, and the numbers of the rows in a file.
data::Dataset labelled(std::size_t n, std::size_t classes) {
  data::Dataset dataset;
  dataset.features = data::Features(data::DenseMatrix(n, 1));
  for (std::size_t c = 0; c < classes; ++c)
    dataset.schema.classes.push_back(std::string(1, static_cast<char>('a' + c)));
  for (std::size_t i = 0; i < n; ++i) {
    dataset.labels.push_back(static_cast<int>(i % classes));
    dataset.file_rows.push_back(2 * i + 1);
  }
  return dataset;
}

/// p-values on a coarse scale, so that many are equal.
model::Prediction prediction_of(const data::Dataset& dataset, std::uint64_t seed) {
  core::RandomStream random(seed);
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(dataset.rows(), dataset.class_count());
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    auto p = prediction.p_value.row(i);
    for (std::size_t c = 0; c < p.size(); ++c) {
      const double right = static_cast<int>(c) == dataset.labels[i] ? 0.5 : 0;
      p[c] = std::ceil(20 * std::min(1.0, right + 0.6 * random.uniform())) / 20;
    }
    prediction.label.push_back(static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin()));
  }
  conformal::conclude(prediction, true);
  return prediction;
}

TEST(TrustVsCounting, ErrorsAmongTheRowsThatAreKept) {
  const data::Dataset dataset = labelled(173, 3);
  const model::Prediction prediction = prediction_of(dataset, 1);
  const Document points = chart_data(prediction, dataset, "rejection");
  ASSERT_GT(points.size(), 3);
  EXPECT_EQ(points[0]["kept"], 173);
  for (const Document& point : points) {
    const double least = point["least_confidence"];
    std::size_t kept = 0;
    std::size_t errors = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      if (prediction.confidence[i] < least) continue;
      ++kept;
      errors += prediction.label[i] != dataset.labels[i] ? 1U : 0U;
    }
    EXPECT_EQ(point["kept"], kept);
    EXPECT_DOUBLE_EQ(point["error"], static_cast<double>(errors) / static_cast<double>(kept));
    EXPECT_DOUBLE_EQ(point["rejected"], static_cast<double>(173 - kept) / 173);
    const bounds::Interval interval = bounds::clopper_pearson(errors, kept, 0.05);
    EXPECT_DOUBLE_EQ(point["lower"], interval.lower);
    EXPECT_DOUBLE_EQ(point["upper"], interval.upper);
  }
}

TEST(TrustVsCounting, SizesOfRegions) {
  const data::Dataset dataset = labelled(90, 3);
  const model::Prediction prediction = prediction_of(dataset, 2);
  const Document sizes = chart_data(prediction, dataset, "set-sizes");
  ASSERT_EQ(sizes.size(), 3 * 50) << "the levels 0.01, 0.02, ..., 0.5";
  const std::map<std::string, std::size_t> kinds{{"no class", 0}, {"one class", 1}, {"several classes", 2}};
  for (const Document& one : sizes) {
    std::array<std::size_t, 3> counts{};
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      ++counts[std::min<std::size_t>(2, prediction.prediction_set(i, one["allowed_error"]).size())];
    EXPECT_DOUBLE_EQ(one["share"], static_cast<double>(counts[kinds.at(one["kind"])]) / 90);
  }
}

TEST(TrustVsCounting, RowsOfTheLeastCredibility) {
  const data::Dataset dataset = labelled(3000, 2);
  model::Prediction prediction = prediction_of(dataset, 3);
  for (std::size_t i = 0; i < 3000; i += 50)
    for (double& p : prediction.p_value.row(i)) p *= 0.01 + 1e-5 * static_cast<double>(i % 700);
  conformal::conclude(prediction, true);
  const Document rows = chart_data(prediction, dataset, "confidence");
  EXPECT_EQ(rows.size(), 1000);
  EXPECT_EQ(rows[1]["row"], 2 * 3 + 1) << "every third row, by its number in the file";
  report::Section section;
  report::add_trust_charts(prediction, dataset, section);
  const auto* table = std::get_if<report::Table>(&section.blocks.back());
  ASSERT_NE(table, nullptr);
  const Document least = Document::parse(report::json_text(table->records()));
  std::vector<double> sorted = prediction.credibility;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(least.size(), 20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(least[i]["credibility"], sorted[i]);
}

/// The p-value of class c for row i: the share of the other rows that are at least as strange, the row itself counted.
/// With prediction sets, the other rows of its prediction set.
double naive_p(const model::Calibration& calibration, std::size_t i, double nonconformity) {
  std::size_t as_strange = 1;
  std::size_t compared = 0;
  for (std::size_t j = 0; j < calibration.nonconformity_scores.size(); ++j) {
    if (!calibration.region_of.empty() && calibration.region_of[j] != calibration.region_of[i]) continue;
    ++compared;
    as_strange += j != i && calibration.nonconformity_scores[j] >= nonconformity ? 1U : 0U;
  }
  return static_cast<double>(as_strange) / static_cast<double>(compared);
}

void check_calibration(std::size_t classes, bool with_scores, bool in_regions = false) {
  const data::Dataset dataset = labelled(60, classes);
  core::RandomStream random(4);
  model::Calibration calibration;
  calibration.labels = dataset.labels;
  data::DenseMatrix scores(60, classes);
  for (std::size_t i = 0; i < 60; ++i) {
    const auto truth = static_cast<std::size_t>(dataset.labels[i]);
    for (std::size_t c = 0; c < classes; ++c) scores.row(i)[c] = std::round(4 * random.normal()) / 4;
    if (!with_scores) scores.row(i)[1 - truth] = -scores.row(i)[truth];
    calibration.nonconformity_scores.push_back(-scores.row(i)[truth]);
  }
  if (with_scores) calibration.scores = scores;
  for (std::size_t i = 0; in_regions && i < 60; ++i) calibration.region_of.push_back(static_cast<int>(i * i % 3));
  const auto prediction = report::prediction_of(calibration, dataset);
  ASSERT_TRUE(prediction);
  const Document rows = chart_data(*prediction, dataset, "confidence");
  ASSERT_EQ(rows.size(), 60);
  for (std::size_t i = 0; i < 60; ++i) {
    const auto score = scores.row(i);
    const auto label = static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
    double second = 0;
    for (std::size_t c = 0; c < classes; ++c)
      if (c != label) second = std::max(second, naive_p(calibration, i, -score[c]));
    EXPECT_EQ(rows[i]["label"], dataset.schema.classes[label]);
    EXPECT_EQ(rows[i]["truth"], dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
    EXPECT_DOUBLE_EQ(rows[i]["credibility"], naive_p(calibration, i, -score[label]));
    EXPECT_DOUBLE_EQ(rows[i]["confidence"], 1 - second);
  }
}

TEST(TrustVsCounting, CalibrationOfASelection) {
  check_calibration(2, false);
  check_calibration(2, true);
  check_calibration(4, true);
  check_calibration(2, false, true);
  check_calibration(4, true, true);
}

TEST(TrustVsCounting, CalibrationOfOtherRowsSaysNothing) {
  const data::Dataset dataset = labelled(4, 2);
  model::Calibration calibration{
      .source = "held-out", .p_values = model::PValues::split, .nonconformity_scores = {0, 1}, .labels = {0, 1}};
  EXPECT_FALSE(report::prediction_of(calibration, dataset));
  report::Section section;
  report::add_trust_charts(model::Prediction(), dataset, section);
  EXPECT_TRUE(section.blocks.empty());
}

TEST(TrustVsCounting, DecisionsAreThoseOfTheModel) {
  data::DenseMatrix features(40, 2);
  std::vector<std::string> labels;
  core::RandomStream random(5);
  for (std::size_t i = 0; i < 40; ++i) {
    features.row(i)[0] = random.normal() + (i % 2 == 0 ? 2 : -2);
    features.row(i)[1] = random.normal();
    labels.emplace_back(i % 2 == 0 ? "right" : "left");
  }
  const data::Dataset dataset = data::make_dataset(data::Features(std::move(features)), labels);
  const test::Surroundings surroundings;
  const svm::SvmModel model = svm::train(dataset, {}, surroundings.context).model;
  ASSERT_TRUE(report::has_decision(dataset));
  const auto chart = report::decision_chart(model, dataset, surroundings.context);
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->data.size(), 40);
  // The fields cover the rows and a twentieth beyond; each begins with a point that the model gives its class.
  const Document fields = Document::parse(report::json_text(chart->more.at("fields")));
  double line = 0;  // the width of the first line
  double area = 0;
  for (const Document& field : fields) {
    const double width = field["x2"].get<double>() - field["x"].get<double>();
    area += width * (field["y2"].get<double>() - field["y"].get<double>());
    if (field["y"] == fields[0]["y"]) line += width;
  }
  data::DenseMatrix point(1, 2);
  for (const Document& field : fields) {
    point.row(0)[0] = field["x"].get<double>() + line / 120;
    point.row(0)[1] = (field["y"].get<double>() + field["y2"].get<double>()) / 2;
    const data::Dataset one = data::make_dataset(data::Features(point), {});
    const int label = model.predict(one, surroundings.context).label[0];
    EXPECT_EQ(field["class"], model.schema.classes[static_cast<std::size_t>(label)]);
  }
  const auto range = [&](std::size_t column) {
    double least = INFINITY;
    double most = -INFINITY;
    for (std::size_t i = 0; i < 40; ++i) {
      least = std::min(least, dataset.features.dense().row(i)[column]);
      most = std::max(most, dataset.features.dense().row(i)[column]);
    }
    return (most - least) * 1.1 * 60 / 59;  // 60 points from end to end, each with half a step around it
  };
  EXPECT_NEAR(area, range(0) * range(1), 1e-9 * area);
  data::Dataset three = data::make_dataset(data::Features(data::DenseMatrix(2, 3)), std::vector<std::string>{"a", "b"});
  EXPECT_FALSE(report::has_decision(three));
}

}  // namespace trust_vs_counting_tests
}  // namespace credence
