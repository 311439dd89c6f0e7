#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/bytes/checksum.hpp"
#include "credence/conformal/watch.hpp"
#include "credence/core/random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace watch_vs_naive_tests {

using credence::test::expect_error;
using credence::test::Surroundings;

/// Keeps rows, and says class 1 where the first number is above 0.
struct Above final : model::Predictor {
  explicit Above(data::DenseMatrix rows) {
    schema.classes = {"below", "above"};
    for (std::size_t c = 0; c < rows.columns; ++c) {
      const std::string name = "x" + std::to_string(c + 1);
      schema.columns.push_back({name, data::ColumnKind::numeric, {}});
      preprocessing.raw.emplace_back().output = c;
      preprocessing.names.push_back(name);
    }
    preprocessing.scaling = data::Scaling::none;
    preprocessing.shift.assign(rows.columns, 0.0);
    preprocessing.scale.assign(rows.columns, 1.0);
    known_rows = data::Features(std::move(rows));
  }
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context&) const override {
    model::Prediction prediction;
    for (std::size_t i = 0; i < rows.rows(); ++i) prediction.label.push_back(rows.dense().row(i)[0] > 0 ? 1 : 0);
    return prediction;
  }
};

data::DenseMatrix normal_rows(std::size_t n, std::uint64_t seed, double shift = 0, std::size_t from = 0) {
  core::RandomStream random(seed, 55);
  data::DenseMatrix rows(n, 3);
  for (std::size_t i = 0; i < n; ++i)
    for (double& value : rows.row(i)) value = random.normal() + (i >= from ? shift : 0);
  return rows;
}

data::Dataset dataset_of(const model::Predictor& model, data::DenseMatrix rows) {
  data::Dataset dataset;
  dataset.schema = model.schema;
  dataset.features = data::Features(std::move(rows));
  return dataset;
}

/// Labels that are right but for one in ten; from a row on one in two.
std::vector<int> labels_of(const data::Dataset& rows, std::uint64_t seed, std::size_t worse_from) {
  core::RandomStream random(seed, 56);
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const bool above = rows.features.dense().row(i)[0] > 0;
    const bool wrong = random.below(i < worse_from ? 10 : 2) == 0;
    labels.push_back(above != wrong ? 1 : 0);
  }
  return labels;
}

/// 120 rows of 4,000 columns in units of their own moments lie nearer to each other than new rows do. The scale of a
/// watch comes from the half that rows are measured to, so that the other half and new rows are treated alike.
TEST(WatchOfManyColumns, IsQuietForRowsDrawnAlikeBySimulation) {
  const Surroundings surroundings;
  constexpr std::size_t columns = 4000;
  int alarms = 0;
  int alarms_by_one_scale = 0;
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    core::RandomStream random(stream, 57);
    data::DenseMatrix known(120, columns);
    data::DenseMatrix fresh(60, columns);
    for (double& value : known.values) value = random.normal();
    for (double& value : fresh.values) value = random.normal();
    for (std::size_t c = 0; c < columns; ++c) {
      double square = 0;
      double mean = 0;
      for (std::size_t i = 0; i < known.rows; ++i) mean += known.row(i)[c] / 120;
      for (std::size_t i = 0; i < known.rows; ++i) square += (known.row(i)[c] - mean) * (known.row(i)[c] - mean) / 120;
      for (data::DenseMatrix* rows : {&known, &fresh})
        for (std::size_t i = 0; i < rows->rows; ++i) rows->row(i)[c] = (rows->row(i)[c] - mean) / std::sqrt(square);
    }
    for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::none}) {
      Above model(known);
      model.preprocessing.scaling = scaling;
      Watch watch(model, {.alarm = 0.1, .seed = stream}, false, surroundings.context);
      watch.update(dataset_of(model, fresh), {}, {}, surroundings.context);
      (scaling == data::Scaling::standard ? alarms : alarms_by_one_scale) += watch.alarm() ? 1 : 0;
    }
  }
  EXPECT_LE(alarms, 4);
  EXPECT_GE(alarms_by_one_scale, 15);
}

TEST(MartingaleVsNaive, MixtureIsTheMeanOfSimpleJumpersWrittenOut) {
  core::RandomStream random(1, 2);
  JumperMixture mixture;
  std::vector<std::array<double, 3>> capital(JumperMixture::rates.size(), {1.0 / 3, 1.0 / 3, 1.0 / 3});
  for (int step = 0; step < 300; ++step) {
    const double p = step < 150 ? random.uniform() : random.uniform() / 2;
    mixture.bet(p);
    double mean = 0;
    for (std::size_t j = 0; j < capital.size(); ++j) {
      const double all = capital[j][0] + capital[j][1] + capital[j][2];
      for (int e = -1; e <= 1; ++e) {
        double& one = capital[j][static_cast<std::size_t>(e + 1)];
        one = ((1 - JumperMixture::rates[j]) * one + JumperMixture::rates[j] / 3 * all) * (1 + e * (p - 0.5));
      }
      mean += (capital[j][0] + capital[j][1] + capital[j][2]) / static_cast<double>(capital.size());
    }
    ASSERT_NEAR(mixture.log_capital(), std::log(mean), 1e-9);
  }
  EXPECT_GT(mixture.log_capital(), std::log(100));
}

TEST(MartingaleVsNaive, RanksAreThoseOfRoundedValues) {
  core::RandomStream random(3, 4);
  RoundedScores scores;
  std::vector<double> values{-2, -0.0, 0, 1e-300, 5, 5};
  for (int i = 0; i < 200; ++i) values.push_back(std::exp(random.normal()) * (i % 5 == 0 ? -1 : 1));
  for (const double value : values) scores.add(value);
  for (const double x : {-2.0, 0.0, 1e-300, 5.0, 0.7, -0.3, 1e9}) {
    const Rank rank = scores.rank(x);
    const auto clearly_above = [&](double v) { return v > x + std::abs(x) / 256; };
    const auto not_below = [&](double v) { return v >= x - std::abs(x) / 256; };
    EXPECT_GE(rank.greater, std::ranges::count_if(values, clearly_above));
    EXPECT_LE(rank.greater + rank.equal, std::ranges::count_if(values, not_below));
    EXPECT_EQ(rank.of, values.size());
    EXPECT_GE(rank.equal, std::ranges::count(values, x));
  }
  expect_error(ErrorCode::invalid_argument, "not a number", [&] { scores.add(std::nan("")); });
}

TEST(MartingaleVsNaive, TheCourseStaysShortAndEven) {
  Evidence evidence;
  for (int i = 0; i < 100'000; ++i) evidence.add(i % 97, 0.5);
  EXPECT_LE(evidence.course().size(), Evidence::most_points);
  EXPECT_GE(evidence.course().size(), Evidence::most_points / 2);
  const auto gap = evidence.course()[1].first - evidence.course()[0].first;
  for (std::size_t k = 1; k < evidence.course().size(); ++k)
    EXPECT_EQ(evidence.course()[k].first - evidence.course()[k - 1].first, gap);
}

TEST(WatchVsNaive, WholeOrInPiecesOrThroughFilesTheBitsAreEqual) {
  const Above model(normal_rows(200, 1));
  Surroundings one;
  Surroundings four(4);
  const data::Dataset rows = dataset_of(model, normal_rows(500, 2, 1, 300));
  const std::vector<int> labels = labels_of(rows, 3, 250);
  Watch whole(model, {}, true, one.context);
  whole.update(rows, labels, {}, four.context);
  Watch pieces(model, {}, true, one.context);
  for (std::size_t first = 0, step = 1; first < 500; first += step, step = step % 60 + 7) {
    std::vector<std::size_t> some;
    for (std::size_t i = first; i < std::min<std::size_t>(500, first + step); ++i) some.push_back(i);
    const std::vector<int> own(labels.begin() + static_cast<std::ptrdiff_t>(some.front()),
                               labels.begin() + static_cast<std::ptrdiff_t>(some.back()) + 1);
    pieces.update(rows.select_rows(some), own, {}, one.context);
    pieces = Watch(model, pieces.state(), one.context);
  }
  EXPECT_EQ(whole.state(), pieces.state());
  EXPECT_TRUE(whole.alarm());
  EXPECT_EQ(whole.errors()[0].rows, 500U);
}

TEST(WatchVsNaive, CountsErrorsOfEachClassAndUnknownClasses) {
  const Above model(normal_rows(40, 1));
  Surroundings one;
  Watch watch(model, {}, true, one.context);
  data::DenseMatrix rows(5, 3);
  for (std::size_t i = 0; i < 5; ++i) rows.row(i)[0] = i < 3 ? 1 : -1;  // said: above above above below below
  const std::vector<int> labels{1, 0, known_label::none, 0, known_label::other};
  const Watched told = watch.update(dataset_of(model, rows), labels, {}, one.context);
  EXPECT_EQ(told.rows, 5U);
  EXPECT_EQ(told.labels, 4U);
  EXPECT_EQ(watch.errors()[0].rows, 4U);
  EXPECT_EQ(watch.errors()[0].errors, 2U);
  EXPECT_EQ(watch.errors()[1].rows, 2U);  // below
  EXPECT_EQ(watch.errors()[1].errors, 1U);
  EXPECT_EQ(watch.errors()[2].rows, 1U);
  EXPECT_EQ(watch.errors()[2].errors, 0U);
}

TEST(WatchVsNaive, RowsSeenTwiceCountOnceAndLateLabelsAreTaken) {
  const Above model(normal_rows(60, 1));
  Surroundings one;
  const data::Dataset rows = dataset_of(model, normal_rows(50, 2));
  const std::vector<int> labels = labels_of(rows, 3, 50);
  const std::vector<int> nothing(50, known_label::none);
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.push_back("patient " + std::to_string(i));
  Watch at_once(model, {}, true, one.context);
  at_once.update(rows, labels, ids, one.context);
  Watch late(model, {}, true, one.context);
  EXPECT_EQ(late.update(rows, nothing, ids, one.context).rows, 50U);
  EXPECT_EQ(late.update(rows, nothing, ids, one.context).again, 50U);
  const Watched told = late.update(rows, labels, ids, one.context);
  EXPECT_EQ(told.rows, 0U);
  EXPECT_EQ(told.labels, 50U);
  EXPECT_EQ(late.update(rows, labels, ids, one.context).again, 50U);
  EXPECT_EQ(at_once.state(), late.state());
}

TEST(WatchVsNaive, FindsWhereAShiftBeganAndWhichColumnMoved) {
  const Above model(normal_rows(600, 1));
  Surroundings one;
  data::DenseMatrix rows = normal_rows(3000, 2);
  for (std::size_t i = 1500; i < rows.rows; ++i) rows.row(i)[1] += 2;
  Watch watch(model, {}, false, one.context);
  watch.update(dataset_of(model, rows), {}, {}, one.context);
  ASSERT_GT(watch.familiarity().alarm_row(), 1500U);
  EXPECT_LT(watch.familiarity().alarm_row(), 1700U);
  EXPECT_NEAR(static_cast<double>(watch.familiarity().began_row()), 1500, 100);
  EXPECT_EQ(watch.moved_columns().front().name, "x2");
  EXPECT_GT(watch.moved_columns().front().above, 0.85);
}

TEST(WatchVsNaive, OfAModelOfQuantilesIsThatOfTheStandardScaling) {
  Surroundings one;
  const data::Dataset dataset = data::make_dataset(normal_rows(400, 1), {});
  data::DenseMatrix rows = normal_rows(1000, 2);
  for (std::size_t i = 500; i < rows.rows; ++i) rows.row(i)[1] *= 10;
  std::vector<std::string> states;
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::quantile}) {
    Above model(normal_rows(400, 1));
    model.preprocessing = data::Preprocessing::fit(dataset, scaling);
    model.keep_known_rows(dataset);
    Watch watch(model, {}, false, one.context);
    watch.update(dataset_of(model, rows), {}, {}, one.context);
    EXPECT_GT(watch.familiarity().alarm_row(), 500U);
    states.push_back(watch.state());
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST(WatchVsNaive, AnOrderIsSeenAndShufflingHidesIt) {
  Surroundings one;
  const Above model(normal_rows(20, 1));
  const data::Dataset rows = dataset_of(model, normal_rows(1000, 5, 1.5, 500));
  std::vector<double> time(1000);
  for (std::size_t i = 0; i < time.size(); ++i) time[i] = static_cast<double>(i);
  EXPECT_GT(evidence_of_order(rows, time, {}, one.context).alarm_row(), 0U);
  core::RandomStream(9, 9).shuffle(time);
  EXPECT_EQ(evidence_of_order(rows, time, {}, one.context).alarm_row(), 0U);
  EXPECT_EQ(evidence_of_order(rows, std::vector<double>(1000, 7.0), {}, one.context).alarm_row(), 0U);
}

TEST(WatchVsNaive, NonsenseIsRefused) {
  Surroundings one;
  const Above model(normal_rows(60, 1));
  const Above other(normal_rows(60, 2));
  const Above small(normal_rows(19, 1));
  const data::Dataset rows = dataset_of(model, normal_rows(5, 2));
  const std::vector<std::string> ids{"a", "b", "c", "d", "e"};
  expect_error(ErrorCode::invalid_argument, "keeps 19 rows", [&] { Watch(small, {}, false, one.context); });
  expect_error(ErrorCode::invalid_argument, "alarm: 0 is not between",
               [&] { Watch(model, {.alarm = 0}, false, one.context); });
  Watch watch(model, {}, true, one.context);
  watch.update(rows, {}, ids, one.context);
  const std::string state = watch.state();
  expect_error(ErrorCode::invalid_argument, "labels of 2",
               [&] { watch.update(rows, std::vector<int>{1, 0}, ids, one.context); });
  expect_error(ErrorCode::invalid_argument, "these have none", [&] { watch.update(rows, {}, {}, one.context); });
  EXPECT_EQ(watch.state(), state);
  expect_error(ErrorCode::format, "another model", [&] { Watch(other, state, one.context); });
  expect_error(ErrorCode::format, "no state of a watch", [&] { Watch(model, "rows", one.context); });
  for (const std::size_t place : {20UL, state.size() / 2, state.size() - 1}) {
    std::string damaged = state;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    expect_error(ErrorCode::format, "damaged", [&] { Watch(model, damaged, one.context); });
  }
  std::string later = state;
  later[15] = 9;  // behind the name
  expect_error(ErrorCode::format, "later version", [&] { Watch(model, later, one.context); });
  for (const std::size_t size : {std::size_t{16}, std::size_t{30}, state.size() - 1})
    expect_error(ErrorCode::format, "state of a watch", [&] { Watch(model, state.substr(0, size), one.context); });
  // An alarm of 2 with a right checksum.
  std::string forged = state.substr(0, state.size() - sizeof(std::uint32_t));
  const double alarm = 2;
  std::memcpy(&forged[23], &alarm, sizeof alarm);  // behind the name, the version and the model
  const std::uint32_t sum = core::checksum(forged);
  forged.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  expect_error(ErrorCode::format, "no watch writes", [&] { Watch(model, forged, one.context); });
  expect_error(ErrorCode::invalid_data, "needs 20 rows",
               [&] { evidence_of_order(rows, std::vector<double>(5), {}, one.context); });
  expect_error(ErrorCode::invalid_argument, "an order of 2",
               [&] { evidence_of_order(rows, std::vector<double>(2), {}, one.context); });
}

}  // namespace watch_vs_naive_tests
}  // namespace credence::conformal
