#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"

/// A column alone, judged by every threshold between two training values, counted anew for each.
namespace columns_alone_vs_brute_force_tests {

using namespace credence;
using data::Dataset;

/// Weights of classes; the first of the largest is the commonest.
using Counts = std::map<int, double>;

int commonest(const Counts& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
}

double purity(const Counts& counts) {
  double sum = 0;
  double squares = 0;
  for (const auto& [label, weight] : counts) {
    sum += weight;
    squares += weight * weight;
  }
  return squares / sum;
}

double weight_of(const Dataset& dataset, std::size_t row) {
  return dataset.weights.empty() ? 1 : dataset.weights[row];
}

/// Classes of the training rows of a fold that pass the test.
Counts counted(const Dataset& dataset, const std::vector<int>& folds, int left_out, const auto& test) {
  Counts counts;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    if (folds[i] != left_out && test(dataset.features.dense().row(i)))
      counts[dataset.labels[i]] += weight_of(dataset, i);
  return counts;
}

/// The class of a value by the training rows of a fold.
int said_of(const Dataset& dataset, const std::vector<int>& folds, int left_out, std::size_t column, double value,
            bool grouped) {
  const auto classes = [&](auto&& test) {
    return counted(dataset, folds, left_out, [&](auto row) { return test(row[column]); });
  };
  Counts own;
  if (std::isnan(value)) {
    own = classes([](double other) { return std::isnan(other); });
  } else if (grouped) {
    own = classes([&](double other) { return other == value; });
  } else {
    std::vector<double> values;
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      if (folds[i] != left_out && !std::isnan(dataset.features.dense().row(i)[column]))
        values.push_back(dataset.features.dense().row(i)[column]);
    std::ranges::sort(values);
    double best = 0;
    double threshold = INFINITY;
    for (std::size_t k = 1; k < values.size(); ++k) {
      if (values[k] == values[k - 1]) continue;
      const double middle = values[k - 1] + (values[k] - values[k - 1]) / 2;
      const double found = purity(classes([&](double other) { return other <= middle; })) +
                           purity(classes([&](double other) { return other > middle; }));
      if (!(found > best + 1e-7)) continue;
      best = found;
      threshold = middle;
    }
    own = classes([&](double other) { return !std::isnan(other) && (other <= threshold) == (value <= threshold); });
  }
  return own.empty() ? commonest(classes([](double) { return true; })) : commonest(own);
}

double error_by_hand(const Dataset& dataset, const std::vector<int>& folds, std::size_t column, bool grouped) {
  double wrong = 0;
  double sum = 0;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const double value = dataset.features.dense().row(i)[column];
    sum += weight_of(dataset, i);
    if (said_of(dataset, folds, folds[i], column, value, grouped) != dataset.labels[i]) wrong += weight_of(dataset, i);
  }
  return wrong / sum;
}

/// Noise; a later change makes a column tell something.
Dataset noise(std::size_t rows, std::size_t columns, int classes, std::uint64_t seed) {
  core::RandomStream random(seed, 9);
  data::DenseMatrix values(rows, columns);
  for (double& value : values.values) value = random.normal();
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i)
    labels.push_back(std::string(1, static_cast<char>('a' + i % static_cast<std::size_t>(classes))));
  return data::make_dataset(data::Features(std::move(values)), labels);
}

selection::ColumnsAlone alone(const Dataset& dataset, int folds = 10) {
  test::Surroundings surroundings;
  selection::Options options;
  options.method = selection::CrossValidation{.folds = folds};
  const selection::RowsInUse used = selection::rows_in_use(dataset, options.resolved());
  return selection::columns_alone(*used.rows, used.options, surroundings.context);
}

TEST(ColumnsAloneVsBruteForce, EveryThresholdAndLevel) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Dataset dataset = noise(60, 6, seed % 2 == 0 ? 2 : 3, seed);
    core::RandomStream random(seed, 10);
    const auto values = [&](std::size_t row) { return dataset.features.dense().row(row); };
    data::DenseMatrix changed = dataset.features.to_dense();
    for (std::size_t i = 0; i < 60; ++i) {
      auto row = changed.row(i);
      row[1] = std::round(4 * row[1]);                             // ties
      row[2] = random.below(4) == 0 ? NAN : row[2];                // gaps
      row[3] = dataset.labels[i] + 0.3 * row[3];                   // a column that says something
      row[4] = static_cast<double>(random.below(5));               // levels
      row[5] = dataset.labels[i] == 0 ? NAN : std::round(row[5]);  // missing where the class is the first
    }
    dataset.features = data::Features(std::move(changed));
    dataset.schema.columns[4].kind = data::ColumnKind::categorical;
    dataset.schema.columns[4].levels = {"p", "q", "r", "s", "t"};
    if (seed > 3)
      for (std::size_t i = 0; i < 60; ++i) dataset.weights.push_back(static_cast<double>(1 + i % 3));
    if (seed == 2)
      for (std::size_t i = 0; i < 60; ++i) dataset.groups.push_back(static_cast<int>(i / 3));
    const std::vector<int> folds = data::folds_of(dataset, 5, 0, 2, "cv");
    const selection::ColumnsAlone found = alone(dataset, 5);
    for (std::size_t j = 0; j < 6; ++j) {
      std::vector<double> known;
      for (std::size_t i = 0; i < 60; ++i)
        if (!std::isnan(values(i)[j])) known.push_back(values(i)[j]);
      const std::size_t different = std::set<double>(known.begin(), known.end()).size();
      const bool grouped = different <= 10 && 2 * different <= known.size();
      EXPECT_NEAR(found.errors[j], error_by_hand(dataset, folds, j, grouped), 1e-12) << seed << ' ' << j;
    }
  }
}

TEST(ColumnsAloneVsBruteForce, ColumnsThatTellTheClassAreNamed) {
  Dataset dataset = noise(200, 5, 2, 1);
  data::DenseMatrix values = dataset.features.to_dense();
  for (std::size_t i = 0; i < 200; ++i) values.row(i)[2] = dataset.labels[i] == 0 ? 0 : 1 + std::abs(values.row(i)[2]);
  dataset.features = data::Features(values);
  EXPECT_EQ(alone(dataset).warning(dataset),
            "too good to be true? column 'x3' alone tells the class of every row left out (always naming the commonest "
            "class errs on 50 %). Is the column known when you predict? If not, drop the column");
  for (std::size_t i = 0; i < 200; ++i) values.row(i)[4] = 7 - values.row(i)[2];
  dataset.features = data::Features(values);
  EXPECT_NE(alone(dataset).warning(dataset).find("each of the columns 'x3', 'x5' alone tells"), std::string::npos);
  // One row that it does not tell: no warning, and a note beside a choice that errs as often.
  values.row(0)[2] = values.row(0)[4] = 3;
  dataset.features = data::Features(values);
  const selection::ColumnsAlone found = alone(dataset);
  EXPECT_EQ(found.warning(dataset), "");
  EXPECT_NE(found.doubt(dataset).find("alone errs on 0.5 %"), std::string::npos);
  EXPECT_NE(found.note(dataset, 0.005).find("column 'x3' alone does nearly as well"), std::string::npos);
  EXPECT_EQ(found.note(dataset, 0.003), "");
  // Codes of three classes, in any order.
  Dataset three = noise(90, 3, 3, 2);
  data::DenseMatrix codes = three.features.to_dense();
  for (std::size_t i = 0; i < 90; ++i) codes.row(i)[1] = (three.labels[i] * 2 + 1) % 5;
  three.features = data::Features(std::move(codes));
  EXPECT_NE(alone(three).warning(three).find("column 'x2'"), std::string::npos);
}

TEST(ColumnsAloneVsBruteForce, ARareClassIsNoCauseForAWarning) {
  Dataset dataset = noise(200, 2, 2, 3);
  data::DenseMatrix values = dataset.features.to_dense();
  for (std::size_t i = 0; i < 200; ++i) {
    dataset.labels[i] = i < 19 ? 1 : 0;
    values.row(i)[0] = dataset.labels[i];
  }
  dataset.features = data::Features(std::move(values));
  EXPECT_EQ(alone(dataset).errors[0], 0);
  EXPECT_EQ(alone(dataset).warning(dataset), "");
  // But for a note, which of a column that errs asks for less than a part of the baseline.
  const std::string doubt = alone(dataset).doubt(dataset);
  EXPECT_EQ(
      doubt,
      "too good to be true? column 'x1' alone errs on 0 % of the rows left out (always naming the commonest class "
      "errs on 9.5 %). Is the column known when you predict? If not, drop the column");
  values = dataset.features.to_dense();
  values.row(0)[0] = 0;
  dataset.features = data::Features(std::move(values));
  EXPECT_NE(alone(dataset).doubt(dataset).find("'x1' alone errs on 0.5 %"), std::string::npos);
  values = dataset.features.to_dense();
  values.row(1)[0] = 0;  // above a tenth of the baseline
  dataset.features = data::Features(std::move(values));
  EXPECT_EQ(alone(dataset).doubt(dataset), "");
}

/// Of ten rows and 20,000 columns some tell every row left out by chance. So may copies and groups of few rows.
TEST(ColumnsAloneVsBruteForce, NoiseGetsNoWarning) {
  std::size_t perfect = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Dataset wide = noise(10, 2000, 2, seed);
    const selection::ColumnsAlone found = alone(wide, 5);
    perfect += static_cast<std::size_t>(std::ranges::count(found.errors, 0.0));
    EXPECT_EQ(found.warning(wide), "") << seed;
    EXPECT_EQ(found.doubt(wide), "") << seed;
    const Dataset tall = noise(40, 100, 2, seed);
    const selection::ColumnsAlone tall_found = alone(tall);
    EXPECT_EQ(tall_found.warning(tall), "") << seed;
    EXPECT_EQ(tall_found.doubt(tall), "") << seed;
    EXPECT_EQ(tall_found.note(tall, 0.5), "") << seed;
  }
  EXPECT_GT(perfect, 100U);  // 2 of the 252 orders of five and five: the warning asks for more than no error
}

TEST(ColumnsAloneVsBruteForce, ASelectionWarnsInItsList) {
  Dataset dataset = noise(80, 3, 2, 5);
  data::DenseMatrix values = dataset.features.to_dense();
  for (std::size_t i = 0; i < 80; ++i) values.row(i)[0] = dataset.labels[i];
  dataset.features = data::Features(std::move(values));
  test::Surroundings surroundings;
  for (const char* method : {"cv", "holdout", "rademacher"}) {
    selection::Options options;
    options.method = selection::method_named(method);
    options.choose_one_svm();
    const selection::Selection found = selection::Selector(options).select(dataset, surroundings.context);
    EXPECT_EQ(std::ranges::count(found.warnings, alone(dataset).warning(dataset)), 1) << method;
  }
}

}  // namespace columns_alone_vs_brute_force_tests
