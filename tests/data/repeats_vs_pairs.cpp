#include "credence/data/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "support/random_data.hpp"

namespace credence::data {
namespace repeats_vs_pairs_tests {

/// The slow and obvious version: the first row before this one with the same label and the same values.
std::vector<std::size_t> first_equal(const DenseMatrix& x, const std::vector<int>& labels) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::size_t k = 0;
    const auto equal = [&](std::size_t j) {
      const double a = x.row(i)[j];
      const double b = x.row(k)[j];
      return a == b || (std::isnan(a) && std::isnan(b));
    };
    for (; k < i; ++k) {
      bool same = labels[k] == labels[i];
      for (std::size_t j = 0; j < x.columns; ++j) same = same && equal(j);
      if (same) break;
    }
    first.push_back(k);
  }
  return first;
}

Dataset labelled(Features features, const std::vector<int>& codes) {
  std::vector<std::string> labels;
  for (const int code : codes) labels.push_back(credence::test::class_name(code));
  return make_dataset(std::move(features), labels);
}

TEST(RepeatedRows, AreThoseOfAllPairsDenseAndSparse) {
  core::RandomStream random(3);
  DenseMatrix x(300, 3);
  for (double& value : x.values) value = static_cast<double>(random.below(4)) - 1;  // 0 and -0 too
  for (double& value : x.values) value = value == 0 && random.below(2) == 0 ? -0.0 : value;
  std::vector<int> labels;
  for (std::size_t i = 0; i < 300; ++i) labels.push_back(static_cast<int>(random.below(2)));
  const std::vector<std::size_t> first = first_equal(x, labels);
  for (const bool sparse : {false, true}) {
    const Dataset dataset = labelled(sparse ? Features(credence::test::sparse_of(x)) : Features(x), labels);
    const RepeatedRows found = repeated_rows(dataset);
    ASSERT_EQ(found.number_of.size(), 300U);
    const std::vector<std::size_t> rows = first_rows(found.number_of);
    EXPECT_EQ(rows.size(), found.distinct);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(found.number_of[i])], first[i]);
    EXPECT_TRUE(is_of_few_values(dataset, found));
  }
}

TEST(RepeatedRows, HaveOneLabelAndMissingValuesThatEqualEachOther) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  DenseMatrix x(4, 2);
  x.values = std::vector<double>{1.5, gap, 1.5, gap, 1.5, gap, 2.5, 3};
  Dataset dataset = labelled(DenseMatrix(4, 2), {0, 1, 0, 1});
  dataset.features = x;
  EXPECT_EQ(repeated_rows(dataset).number_of, (std::vector<int>{0, 1, 0, 2}));
  dataset.labels = {0, 1, 1, 0};
  EXPECT_EQ(repeated_rows(dataset).number_of, (std::vector<int>{0, 1, 1, 2}));
  EXPECT_TRUE(
      repeated_rows(labelled(credence::test::random_matrix(50, 2, 1), std::vector<int>(50, 0))).number_of.empty());
}

TEST(RepeatedRows, OfContinuousNumbersAreNoTableOfFewValues) {
  const DenseMatrix x = credence::test::random_matrix(60, 2, 4);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 240; ++i) rows.push_back(i % 60);
  const DenseMatrix copied = credence::test::rows_of_matrix(x, rows);
  for (const bool sparse : {false, true}) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < 240; ++i) labels.push_back(static_cast<int>(i % 2));
    const Dataset dataset = labelled(sparse ? Features(credence::test::sparse_of(copied)) : Features(copied), labels);
    const RepeatedRows found = repeated_rows(dataset);
    EXPECT_EQ(found.copies(), 180U);
    EXPECT_FALSE(is_of_few_values(dataset, found));
  }
}

/// Folds and hold-outs of a table in which copies stay together, against the promise row by row.
TEST(RepeatedRows, StayTogetherInFoldsThatAreDealtByClass) {
  core::RandomStream random(9);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 300; ++i) rows.push_back(i < 100 ? i : static_cast<std::size_t>(random.below(100)));
  Dataset dataset = labelled(credence::test::random_matrix(100, 2, 5),
                             [] {
                               std::vector<int> labels;
                               for (int i = 0; i < 100; ++i) labels.push_back(i % 2);
                               return labels;
                             }())
                        .select_rows(rows);
  dataset.copies = repeated_rows(dataset).number_of;
  const std::vector<std::size_t> first = first_rows(dataset.copies);
  const std::vector<int> folds = folds_of(dataset, 10, 7, 2, "test");
  const std::vector<bool> apart = hold_out(dataset, 0.3, 7);
  std::vector<int> counts(20, 0);  // of distinct rows, in each fold and class
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t original = first[static_cast<std::size_t>(dataset.copies[i])];
    EXPECT_EQ(folds[i], folds[original]);
    EXPECT_EQ(apart[i], apart[original]);
    if (original == i) ++counts[static_cast<std::size_t>(2 * folds[i] + dataset.labels[i])];
  }
  EXPECT_EQ(counts, std::vector<int>(20, 5));
}

// ---- columns that name subjects

using Cells = std::function<double(std::size_t)>;

/// 400 rows: a column as it is asked for, two of noise and one that follows the asked one.
Dataset with_column(const std::string& name, const Cells& cells, std::size_t rows = 400, std::uint64_t seed = 1) {
  DenseMatrix x = credence::test::random_matrix(rows, 4, seed);
  core::RandomStream random(seed, 5);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    x.row(i)[0] = cells(i);
    x.row(i)[3] += 0.05 * x.row(i)[0];
    labels.push_back(random.below(2) == 0 ? "ill" : "well");
  }
  labels[0] = "ill";
  labels[1] = "well";
  Dataset dataset = make_dataset(std::move(x), labels);
  dataset.schema.has_header = true;
  dataset.schema.columns[0].name = name;
  return dataset;
}

bool is_named(const Dataset& dataset) {
  return subject_columns(dataset) == std::vector<std::size_t>{0};
}

TEST(SubjectColumns, AreFoundByNameOrByValuesThatComeEquallyOften) {
  for (const char* name : {"x", "patient_id"}) {
    EXPECT_TRUE(is_named(with_column(name, [](std::size_t i) { return static_cast<double>(i / 4 + 1); }))) << name;
    EXPECT_TRUE(is_named(with_column(name, [](std::size_t i) { return 100000.0 + 7 * static_cast<double>(i % 134); })));
    EXPECT_EQ(is_named(with_column(name, [](std::size_t i) { return static_cast<double>(i % 20); }, 60)), *name == 'p');
  }
  // Some subjects come once, others up to six times.
  const Cells uneven = [](std::size_t i) { return static_cast<double>(core::random_choice(4, 1, i % 150, 110)); };
  for (const char* name : {"patient_id", "PatientID", "case", "Fallnummer", "subject.id"})
    EXPECT_TRUE(is_named(with_column(name, uneven))) << name;
  EXPECT_FALSE(is_named(with_column("x", uneven)));
}

TEST(SubjectColumns, AreTextsToo) {
  Dataset dataset = with_column("who", [](std::size_t i) { return static_cast<double>(i / 4); });
  dataset.schema.columns[0].kind = ColumnKind::categorical;
  for (int level = 0; level < 100; ++level)
    dataset.schema.columns[0].levels.push_back("P" + std::to_string(100 + level));
  EXPECT_TRUE(is_named(dataset));
  EXPECT_NE(subject_note(dataset, 0).find("--groups who"), std::string::npos);
  EXPECT_EQ(groups_by(dataset, 0)[7], groups_by(dataset, 0)[4]);
  dataset.groups.assign(dataset.rows(), 0);
  EXPECT_TRUE(subject_columns(dataset).empty());
}

/// Rows of a subject are alike in the other columns, however often each subject comes and whatever the column is
/// called.
TEST(SubjectColumns, AreFoundByRowsThatAreAlike) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto subject = [&](std::size_t i) { return core::random_choice(seed, 2, i, 120); };
    Dataset dataset = with_column("x", [&](std::size_t i) { return static_cast<double>(subject(i)); }, 400, seed);
    for (std::size_t i = 0; i < 400; ++i)
      for (std::size_t j = 1; j < 4; ++j)
        dataset.features.dense().row(i)[j] =
            0.2 * dataset.features.dense().row(i)[j] +
            static_cast<double>(core::random_choice(seed, j + 9, subject(i), 100)) / 25;
    EXPECT_TRUE(is_named(dataset)) << seed;
  }
}

/// Measurements, ages, scores, counts, years and levels, each with a column and a label that follow it.
TEST(SubjectColumns, AreNoMeasurements) {
  std::size_t named = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const std::size_t rows : {100U, 400U, 2000U}) {
      core::RandomStream random(seed, 77);
      std::vector<double> normal(rows);
      for (double& value : normal) value = random.normal();
      const std::vector<Cells> shapes{
          [&](std::size_t i) { return std::round(45 + 15 * normal[i]); },        // ages
          [&](std::size_t i) { return std::round(120 + 32 * normal[i]); },       // glucose
          [&](std::size_t i) { return std::round(std::exp(4 + normal[i])); },    // counts with a long tail
          [&](std::size_t i) { return std::round(5 * normal[i] * normal[i]); },  // counts
          [&](std::size_t i) { return std::floor(1950 + 70 * std::fmod(std::abs(normal[i]), 1.0)); },
          [&](std::size_t i) { return static_cast<double>(1940 + i % 80); },  // years, each as often
          [&](std::size_t i) { return std::floor(100 * std::fmod(7.3 * std::abs(normal[i]), 1.0)); },  // scores
          [&](std::size_t i) { return static_cast<double>(i % 9); },                                   // levels
          [&](std::size_t i) { return normal[i] * 3; },
          [&](std::size_t i) { return static_cast<double>(i); },
      };
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        Dataset dataset = with_column("value", shapes[s], rows, seed);
        for (std::size_t i = 2; i < rows; ++i) {  // a score that decides the label
          const double value = dataset.features.dense().row(i)[0] + 3 * normal[rows - 1 - i];
          dataset.labels[i] = value > dataset.features.dense().row(rows / 2)[0] ? 1 : 0;
        }
        if (!subject_columns(dataset).empty()) {
          ++named;
          ADD_FAILURE() << "shape " << s << ", " << rows << " rows, seed " << seed;
        }
      }
    }
  }
  EXPECT_EQ(named, 0U);
}

}  // namespace repeats_vs_pairs_tests
}  // namespace credence::data
