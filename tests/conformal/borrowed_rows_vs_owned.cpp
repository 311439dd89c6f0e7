#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "support/borrowed_rows.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace {

std::atomic<std::size_t> watched_bytes{0};
std::atomic<int> watched_allocations{0};

}  // namespace

// Counts the allocations of exactly the bytes that a copy of the rows would take.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (bytes == watched_bytes.load(std::memory_order_relaxed)) ++watched_allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* memory = ::operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace credence::conformal {
namespace borrowed_rows_vs_owned_tests {

constexpr std::size_t rows = 97;
constexpr std::size_t columns = 7;

/// Clouds far apart, so that few rows are support vectors, which a model keeps. Owned rows with their labels, and the
/// same in memory that cannot be written.
struct Twins {
  explicit Twins(int classes) {
    const test::Clouds clouds = test::random_clouds(rows, columns, classes, 3, 11);
    owned = clouds.dataset();
    borrowed = data::make_dataset(test::in_read_only_memory(clouds.x), clouds.labels);
  }
  data::Dataset owned;
  data::Dataset borrowed;
};

using Numbers = std::vector<double>;

void append(Numbers& all, const data::Values& values) {
  all.insert(all.end(), values.begin(), values.end());
}

/// All numbers of a prediction.
Numbers numbers_of(const model::Prediction& prediction) {
  Numbers all(prediction.label.begin(), prediction.label.end());
  for (const data::DenseMatrix* matrix :
       {&prediction.decision, &prediction.score, &prediction.probability, &prediction.moderated, &prediction.p_value})
    append(all, matrix->values);
  all.insert(all.end(), prediction.confidence.begin(), prediction.confidence.end());
  return all;
}

/// With a kernel so wide that few rows are support vectors.
svm::TrainOptions smooth_svm() {
  svm::TrainOptions options;
  options.gamma.value = 0.01;
  return options;
}

constexpr int uncounted = -1;
using Work = std::function<Numbers(const data::Dataset& dataset, const core::Context& context)>;

/// The numbers are the same to the last bit, and the borrowed rows are copied `copies` times in `work`.
void expect_twins(int classes, int copies, const Work& work) {
  const Twins twins(classes);
  const test::Surroundings surroundings(2);
  const Numbers expected = work(twins.owned, surroundings.context);
  watched_allocations = 0;
  watched_bytes = rows * columns * sizeof(double);
  const Numbers found = work(twins.borrowed, surroundings.context);
  watched_bytes = 0;
  // A model of few rows keeps them all once (Predictor::known_rows).
  if (copies != uncounted) EXPECT_EQ(watched_allocations.load(), copies + 1);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(twins.borrowed.features.dense().values.is_borrowed());
}

TEST(BorrowedRows, OfTrainingAndPredictionAreNotCopied) {
  expect_twins(2, 0, [](const data::Dataset& dataset, const core::Context& context) {
    svm::TrainOptions options = smooth_svm();
    options.scaling = data::Scaling::none;
    return numbers_of(svm::train(dataset, options, context).model.predict(dataset, context));
  });
}

TEST(BorrowedRows, ThatAreScaledAreCopiedOnceForTrainingAndOnceForPrediction) {
  expect_twins(2, 2, [](const data::Dataset& dataset, const core::Context& context) {
    return numbers_of(svm::train(dataset, smooth_svm(), context).model.predict(dataset, context));
  });
}

TEST(BorrowedRows, OfManyClassesAreNotCopiedAsAWhole) {
  expect_twins(3, 0, [](const data::Dataset& dataset, const core::Context& context) {
    svm::TrainOptions options = smooth_svm();
    options.scaling = data::Scaling::none;
    return numbers_of(svm::train(dataset, options, context).model.predict(dataset, context));
  });
}

TEST(BorrowedRows, OfASelectionAreNotCopied) {
  expect_twins(2, 0, [](const data::Dataset& dataset, const core::Context& context) {
    selection::Options options;
    options.preparation.scalings = {data::Scaling::none};
    options.choose_one_svm();
    const selection::Selection selected = selection::Selector(options).select(dataset, context);
    const auto predictor = selection::model_without_folds(dataset, selected, context);
    Numbers all = numbers_of(predict_with_confidence(*predictor, dataset, {.smoothed = true}, context));
    for (const selection::Setting& setting : selected.grid) all.push_back(setting.error);
    return all;
  });
}

TEST(BorrowedRows, OfRelevanceVectorMachinesAreNotCopied) {
  expect_twins(2, 0, [](const data::Dataset& dataset, const core::Context& context) {
    rvm::TrainOptions options;
    options.centres = 40;   // a copy of all candidates would be one of all rows
    options.index = false;  // looks at a copy of some rows
    options.scaling = data::Scaling::none;
    return numbers_of(rvm::train(dataset, options, context).model.predict(dataset, context));
  });
}

TEST(BorrowedRows, OfEveryMeasureInEveryMode) {
  for (const Measure& measure : measures()) {
    for (const Mode& mode : modes()) {
      FitOptions options;
      options.measure = measure;
      options.mode = mode;
      options.scaling = data::Scaling::none;
      options.p_values.smoothed = true;
      if (!options.validate().empty()) continue;
      SCOPED_TRACE(title_of(measure) + ", " + std::string(name_of(mode)));
      // Nearest neighbours look at a sample of at most 1,000 rows twice; the transductive SVM keeps all rows.
      const bool transductive = std::holds_alternative<mode::Transductive>(mode);
      const bool keeps_all = transductive && !neighbour_options(measure);
      expect_twins(
          2,
          keeps_all      ? uncounted
          : transductive ? 2
                         : 0,
          [&](const data::Dataset& dataset, const core::Context& context) {
            const auto predictor = fit(dataset, options, context);
            const model::Prediction prediction = predictor->predict(dataset, context);
            Numbers all = numbers_of(prediction);
            const Evaluation evaluation = evaluate(prediction.p_value, dataset.labels, Numbers{0.05, 0.2}, true);
            all.insert(all.end(), {evaluation.efficiency.s, evaluation.levels[0].n, evaluation.uniformity.statistic});
            return all;
          });
    }
  }
}

TEST(BorrowedRows, MayChangeAfterTheFit) {
  for (const Measure& measure : measures()) {
    for (const Mode& mode : modes()) {
      FitOptions options;
      options.measure = measure;
      options.mode = mode;
      options.scaling = data::Scaling::none;
      if (!options.validate().empty()) continue;
      SCOPED_TRACE(title_of(measure) + ", " + std::string(name_of(mode)));
      const Twins twins(2);
      const test::Surroundings surroundings;
      data::DenseMatrix memory = twins.owned.features.dense();
      data::Dataset dataset = twins.owned;
      dataset.features = data::DenseMatrix::borrowed(std::as_const(memory).values.data(), rows, columns, nullptr);
      const auto predictor = fit(dataset, options, surroundings.context);
      const Numbers before = numbers_of(predictor->predict(twins.owned, surroundings.context));
      std::fill(memory.values.begin(), memory.values.end(), 1e9);
      EXPECT_EQ(numbers_of(predictor->predict(twins.owned, surroundings.context)), before);
    }
  }
}

}  // namespace borrowed_rows_vs_owned_tests
}  // namespace credence::conformal
